// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 and f64 instructions against the C library. PTX ISA, "Floating Point Instructions". Exact
// forms are compared bit for bit, approximate ones within the error that the ISA allows.
#include "test/emulator/InstructionRig.h"
#include <cfenv>
#include <cmath>
#include <gtest/gtest.h>

using namespace heddle::test;

namespace {

using u64 = uint64_t;
constexpr Type P = Type::kPred, F = Type::kF32, D = Type::kF64;

float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

Model f32(std::function<float(float, float, float)> f) {
  return [=](u64 a, u64 b, u64 c) { return bitsOf(f(asFloat(a), asFloat(b), asFloat(c))); };
}
Model f32ftz(std::function<float(float, float, float)> f) {
  return [=](u64 a, u64 b, u64 c) {
    return bitsOf(flush(f(flush(asFloat(a)), flush(asFloat(b)), flush(asFloat(c)))));
  };
}
Model f64(std::function<double(double, double, double)> f) {
  return [=](u64 a, u64 b, u64 c) { return bitsOf(f(asDouble(a), asDouble(b), asDouble(c))); };
}

/// A NaN operand loses; -0 is below +0.
template <typename T> T lesser(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <typename T> T greater(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename T> T saturated(T x) { return std::isnan(x) || x <= 0 ? T(0) : x > 1 ? T(1) : x; }

/// The same operation under another rounding direction of the host.
template <typename T> std::function<T(T, T, T)> rounded(int mode, std::function<T(T, T, T)> f) {
  return [=](T a, T b, T c) {
    std::fesetround(mode);
    volatile T x = a, y = b, z = c;
    volatile T result = f(x, y, z);
    std::fesetround(FE_TONEAREST);
    return T(result);
  };
}

} // namespace

TEST(FloatTable, ArithmeticF32) {
  std::vector<Case> cases;
  auto binary = [&](const char *name, std::function<float(float, float, float)> f) {
    cases.push_back({name, F, {F, F}, f32(f)});
  };
  for (const char *mode : {"", ".rn"}) {
    std::string m = mode;
    binary(("add" + m + ".f32").c_str(), [](float a, float b, float) { return a + b; });
    binary(("sub" + m + ".f32").c_str(), [](float a, float b, float) { return a - b; });
    binary(("mul" + m + ".f32").c_str(), [](float a, float b, float) { return a * b; });
    cases.push_back(
        {"add" + m + ".ftz.f32", F, {F, F}, f32ftz([](float a, float b, float) { return a + b; })});
    cases.push_back(
        {"mul" + m + ".ftz.f32", F, {F, F}, f32ftz([](float a, float b, float) { return a * b; })});
  }
  binary("div.rn.f32", [](float a, float b, float) { return a / b; });
  binary("min.f32", [](float a, float b, float) { return lesser(a, b); });
  binary("max.f32", [](float a, float b, float) { return greater(a, b); });
  auto strict = [](float a, float b) { return std::isnan(a) || std::isnan(b); };
  binary("min.NaN.f32", [=](float a, float b, float) { return strict(a, b) ? NAN : lesser(a, b); });
  binary("max.NaN.f32",
         [=](float a, float b, float) { return strict(a, b) ? NAN : greater(a, b); });
  binary("copysign.f32", [](float a, float b, float) { return std::copysign(b, a); });
  cases.push_back(
      {"add.sat.f32", F, {F, F}, f32([](float a, float b, float) { return saturated(a + b); })});
  cases.push_back({"fma.rn.f32", F, {F, F, F}, f32([](float a, float b, float c) {
                     return std::fma(a, b, c);
                   })});
  cases.push_back({"fma.rn.ftz.f32", F, {F, F, F}, f32ftz([](float a, float b, float c) {
                     return std::fma(a, b, c);
                   })});
  cases.push_back({"fma.rn.sat.f32", F, {F, F, F}, f32([](float a, float b, float c) {
                     return saturated(std::fma(a, b, c));
                   })});
  cases.push_back({"neg.f32", F, {F}, f32([](float a, float, float) { return -a; })});
  cases.push_back({"abs.f32", F, {F}, f32([](float a, float, float) { return std::fabs(a); })});
  cases.push_back({"sqrt.rn.f32", F, {F}, f32([](float a, float, float) { return std::sqrt(a); })});
  cases.push_back({"rcp.rn.f32", F, {F}, f32([](float a, float, float) { return 1 / a; })});
  checkCases(cases);
}

TEST(FloatTable, ArithmeticF64) {
  std::vector<Case> cases;
  auto binary = [&](const char *name, std::function<double(double, double, double)> f) {
    cases.push_back({name, D, {D, D}, f64(f)});
  };
  binary("add.f64", [](double a, double b, double) { return a + b; });
  binary("add.rn.f64", [](double a, double b, double) { return a + b; });
  binary("sub.f64", [](double a, double b, double) { return a - b; });
  binary("mul.f64", [](double a, double b, double) { return a * b; });
  binary("div.rn.f64", [](double a, double b, double) { return a / b; });
  binary("min.f64", [](double a, double b, double) { return lesser(a, b); });
  binary("max.f64", [](double a, double b, double) { return greater(a, b); });
  binary("copysign.f64", [](double a, double b, double) { return std::copysign(b, a); });
  cases.push_back({"fma.rn.f64", D, {D, D, D}, f64([](double a, double b, double c) {
                     return std::fma(a, b, c);
                   })});
  cases.push_back({"neg.f64", D, {D}, f64([](double a, double, double) { return -a; })});
  cases.push_back({"abs.f64", D, {D}, f64([](double a, double, double) { return std::fabs(a); })});
  cases.push_back(
      {"sqrt.rn.f64", D, {D}, f64([](double a, double, double) { return std::sqrt(a); })});
  cases.push_back({"rcp.rn.f64", D, {D}, f64([](double a, double, double) { return 1 / a; })});
  checkCases(cases);
}

TEST(FloatTable, DirectedRounding) {
  std::vector<Case> cases;
  for (auto [name, mode] :
       {std::pair{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}}) {
    std::string m = std::string(".") + name;
    auto narrow = [mode = mode](auto f) { return f32(rounded<float>(mode, f)); };
    auto wide = [mode = mode](auto f) { return f64(rounded<double>(mode, f)); };
    cases.push_back(
        {"add" + m + ".f32", F, {F, F}, narrow([](float a, float b, float) { return a + b; })});
    cases.push_back(
        {"mul" + m + ".f32", F, {F, F}, narrow([](float a, float b, float) { return a * b; })});
    cases.push_back({"fma" + m + ".f32", F, {F, F, F}, narrow([](float a, float b, float c) {
                       return std::fma(a, b, c);
                     })});
    cases.push_back(
        {"div" + m + ".f32", F, {F, F}, narrow([](float a, float b, float) { return a / b; })});
    cases.push_back(
        {"sqrt" + m + ".f32", F, {F}, narrow([](float a, float, float) { return std::sqrt(a); })});
    cases.push_back(
        {"add" + m + ".f64", D, {D, D}, wide([](double a, double b, double) { return a + b; })});
    cases.push_back({"fma" + m + ".f64", D, {D, D, D}, wide([](double a, double b, double c) {
                       return std::fma(a, b, c);
                     })});
  }
  checkCases(cases);
}

// Every operation in every direction, with .ftz and .sat where it has them: PTX ISA 9.0, 9.7.3.3 to
// 9.7.3.19. The flushed result is the rounded one.
TEST(FloatTable, EveryModifier) {
  using Single = std::function<float(float, float, float)>;
  using Double = std::function<double(double, double, double)>;
  struct Operation {
    const char *name;
    size_t operands;
    bool isPlain, saturates; ///< without a direction; with .sat
    Single f;
    Double g;
  };
  const Operation kOperations[] = {
      {"add", 2, true, true, [](float a, float b, float) { return a + b; },
       [](double a, double b, double) { return a + b; }},
      {"sub", 2, true, true, [](float a, float b, float) { return a - b; },
       [](double a, double b, double) { return a - b; }},
      {"mul", 2, true, true, [](float a, float b, float) { return a * b; },
       [](double a, double b, double) { return a * b; }},
      {"fma", 3, false, true, [](float a, float b, float c) { return std::fma(a, b, c); },
       [](double a, double b, double c) { return std::fma(a, b, c); }},
      {"mad", 3, false, true, [](float a, float b, float c) { return std::fma(a, b, c); },
       [](double a, double b, double c) { return std::fma(a, b, c); }},
      {"div", 2, false, false, [](float a, float b, float) { return a / b; },
       [](double a, double b, double) { return a / b; }},
      {"rcp", 1, false, false, [](float a, float, float) { return 1 / a; },
       [](double a, double, double) { return 1 / a; }},
      {"sqrt", 1, false, false, [](float a, float, float) { return std::sqrt(a); },
       [](double a, double, double) { return std::sqrt(a); }}};
  std::vector<Case> cases;
  for (const Operation &op : kOperations)
    for (auto [mode, direction] : {std::pair{"", FE_TONEAREST},
                                   {".rn", FE_TONEAREST},
                                   {".rz", FE_TOWARDZERO},
                                   {".rm", FE_DOWNWARD},
                                   {".rp", FE_UPWARD}}) {
      if (!*mode && !op.isPlain)
        continue;
      std::string name = std::string(op.name) + mode;
      Single f = rounded<float>(direction, op.f);
      std::vector<Type> singles(op.operands, F);
      auto clamp = [=](float a, float b, float c) { return saturated(f(a, b, c)); };
      cases.push_back({name + ".f32", F, singles, f32(f)});
      cases.push_back({name + ".ftz.f32", F, singles, f32ftz(f)});
      if (op.saturates) {
        cases.push_back({name + ".sat.f32", F, singles, f32(clamp)});
        cases.push_back({name + ".ftz.sat.f32", F, singles, f32ftz(clamp)});
      }
      cases.push_back({name + ".f64", D, std::vector<Type>(op.operands, D),
                       f64(rounded<double>(direction, op.g))});
    }
  cases.push_back({"neg.ftz.f32", F, {F}, f32ftz([](float a, float, float) { return -a; })});
  cases.push_back(
      {"abs.ftz.f32", F, {F}, f32ftz([](float a, float, float) { return std::fabs(a); })});
  for (bool isMax : {false, true})
    for (bool isStrict : {false, true}) {
      std::string name = isMax ? "max" : "min", strict = isStrict ? ".NaN" : "";
      auto choose = [=](float a, float b, float) {
        if (isStrict && (std::isnan(a) || std::isnan(b)))
          return NAN;
        return isMax ? greater(a, b) : lesser(a, b);
      };
      auto ofSizes = [=](float a, float b, float) {
        float size = choose(std::fabs(a), std::fabs(b), 0);
        return std::signbit(a) != std::signbit(b) ? -size : size;
      };
      cases.push_back({name + ".ftz" + strict + ".f32", F, {F, F}, f32ftz(choose)});
      cases.push_back({name + strict + ".xorsign.abs.f32", F, {F, F}, f32(ofSizes)});
      cases.push_back({name + ".ftz" + strict + ".xorsign.abs.f32", F, {F, F}, f32ftz(ofSizes)});
    }
  checkCases(cases);
}

// Two NaN give the canonical one (9.7.3.11): all ones but the sign.
TEST(FloatTable, CanonicalNaN) {
  std::string both = "mov.b32 %a, 0xffc01234; mov.b32 %b, 0x7f800001; ";
  std::vector<Case> cases;
  for (const char *op : {"min.f32", "max.f32", "min.NaN.f32", "max.NaN.f32", "min.xorsign.abs.f32"})
    cases.push_back({both + op + " %d, %a, %b;", Type::kB32, {F, F}, [](u64, u64, u64) {
                       return u64(0x7fffffff);
                     }});
  checkCases(cases);
}

// 9.7.3.14 and 9.7.3.18: upper halves alone, subnormals are zeros, the error is below 2^-18 here.
TEST(FloatTable, RoughDoubles) {
  auto upper = [](u64 a) {
    bool isSmall = (a & 0x7ff0000000000000) == 0;
    return asDouble(isSmall ? a & 0x8000000000000000 : a);
  };
  auto flushed = [](double x) {
    return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x) : x;
  };
  checkCases({
      {"rcp.approx.ftz.f64",
       D,
       {D},
       [=](u64 a, u64, u64) { return bitsOf(flushed(1 / upper(a))); },
       std::exp2(-18),
       1e-307},
      {"rsqrt.approx.ftz.f64",
       D,
       {D},
       [=](u64 a, u64, u64) { return bitsOf(1 / std::sqrt(upper(a))); },
       std::exp2(-18)},
      {"rsqrt.approx.f64",
       D,
       {D},
       [=](u64 a, u64, u64) { return bitsOf(1 / std::sqrt(asDouble(a))); },
       std::exp2(-18)},
  });
}

// The error bounds are those of the ISA's tables, in parts of the value.
TEST(FloatTable, Approximations) {
  auto one = [](const char *text, std::function<double(double)> f, double relative,
                double absolute = 0) {
    return Case{text,     F,
                {F},      f32([=](float a, float, float) { return float(f(double(a))); }),
                relative, absolute};
  };
  auto flushed = [](const char *text, std::function<double(double)> f, double relative) {
    return Case{text,     F,
                {F},      f32ftz([=](float a, float, float) { return float(f(double(a))); }),
                relative, 1.2e-38};
  };
  const double ulp = std::ldexp(1.0, -23);
  checkCases({
      one(
          "ex2.approx.f32", [](double a) { return std::exp2(a); }, 2 * ulp, 1e-44),
      flushed(
          "ex2.approx.ftz.f32", [](double a) { return std::exp2(a); }, 2 * ulp),
      one(
          "lg2.approx.f32", [](double a) { return std::log2(a); }, 4 * ulp, std::ldexp(1.0, -22)),
      one(
          "rsqrt.approx.f32", [](double a) { return 1 / std::sqrt(a); }, 2 * ulp),
      flushed(
          "rsqrt.approx.ftz.f32", [](double a) { return 1 / std::sqrt(a); }, 2 * ulp),
      one(
          "sqrt.approx.f32", [](double a) { return std::sqrt(a); }, 2 * ulp, 1e-44),
      one(
          "rcp.approx.f32", [](double a) { return 1 / a; }, ulp, 1e-44),
      flushed(
          "rcp.approx.ftz.f32", [](double a) { return 1 / a; }, ulp),
      one(
          "tanh.approx.f32", [](double a) { return std::tanh(a); }, std::exp2(-10.9), 1e-44),
      // Divisors beyond 2^126 may give 0 in place of a small number (9.7.3.8).
      {"div.approx.f32",
       F,
       {F, F},
       f32([](float a, float b, float) { return a / b; }),
       2 * ulp,
       3e-39},
      {"div.full.f32",
       F,
       {F, F},
       f32([](float a, float b, float) { return a / b; }),
       2 * ulp,
       3e-39},
  });
  // In the range that the bound is stated for.
  const double pi = std::acos(-1.0);
  std::function<float(float)> inside = [=](float a) {
    return std::isfinite(a) && std::fabs(a) < 2 * pi ? a : 1.0f;
  };
  std::string clamp = "{ .reg .pred q; .reg .b32 m; abs.f32 m, %a; setp.lt.f32 q, m, 0f40C90FDA; "
                      "@!q mov.b32 %a, 0f3F800000; }\n";
  checkCases({
      {clamp + "sin.approx.f32 %d, %a;",
       F,
       {F},
       f32([=](float a, float, float) { return std::sin(inside(a)); }),
       0,
       std::exp2(-20.5)},
      {clamp + "cos.approx.f32 %d, %a;",
       F,
       {F},
       f32([=](float a, float, float) { return std::cos(inside(a)); }),
       0,
       std::exp2(-20.5)},
  });
}

TEST(FloatTable, Comparisons) {
  std::vector<Case> cases;
  auto compare = [&](const std::string &name, std::function<bool(double, double)> f) {
    cases.push_back({"setp." + name + ".f32", P, {F, F}, [=](u64 a, u64 b, u64) {
                       return u64(f(asFloat(a), asFloat(b)));
                     }});
    cases.push_back({"setp." + name + ".f64", P, {D, D}, [=](u64 a, u64 b, u64) {
                       return u64(f(asDouble(a), asDouble(b)));
                     }});
    cases.push_back({"set." + name + ".f32.f32", F, {F, F}, [=](u64 a, u64 b, u64) {
                       return bitsOf(f(asFloat(a), asFloat(b)) ? 1.0f : 0.0f);
                     }});
  };
  auto unordered = [](double a, double b) { return std::isnan(a) || std::isnan(b); };
  const std::pair<const char *, std::function<bool(double, double)>> kOrdered[] = {
      {"eq", [](double a, double b) { return a == b; }},
      {"lt", [](double a, double b) { return a < b; }},
      {"le", [](double a, double b) { return a <= b; }},
      {"gt", [](double a, double b) { return a > b; }},
      {"ge", [](double a, double b) { return a >= b; }},
      {"ne", [](double a, double b) { return a < b || a > b; }}};
  for (const auto &[name, f] : kOrdered) {
    compare(name, f);
    compare(std::string(name) + "u",
            [=, f = f](double a, double b) { return unordered(a, b) || f(a, b); });
  }
  compare("num", [=](double a, double b) { return !unordered(a, b); });
  compare("nan", [=](double a, double b) { return unordered(a, b); });
  cases.push_back({"setp.lt.ftz.f32", P, {F, F}, [](u64 a, u64 b, u64) {
                     return u64(flush(asFloat(a)) < flush(asFloat(b)));
                   }});
  cases.push_back(
      {"slct.f32.f32", F, {F, F, F}, [](u64 a, u64 b, u64 c) { return asFloat(c) >= 0 ? a : b; }});
  cases.push_back(
      {"selp.f32 %d, %a, %b, %cp;", F, {F, F, P}, [](u64 a, u64 b, u64 c) { return c ? a : b; }});
  auto test = [&](const char *name, std::function<bool(double, int)> f) {
    cases.push_back({std::string("testp.") + name + ".f32", P, {F}, [=](u64 a, u64, u64) {
                       return u64(f(asFloat(a), std::fpclassify(asFloat(a))));
                     }});
    cases.push_back({std::string("testp.") + name + ".f64", P, {D}, [=](u64 a, u64, u64) {
                       return u64(f(asDouble(a), std::fpclassify(asDouble(a))));
                     }});
  };
  test("finite", [](double a, int) { return std::isfinite(a); });
  test("infinite", [](double a, int) { return std::isinf(a); });
  test("number", [](double a, int) { return !std::isnan(a); });
  test("notanumber", [](double a, int) { return std::isnan(a); });
  test("normal", [](double, int c) { return c == FP_NORMAL; });
  test("subnormal", [](double, int c) { return c == FP_SUBNORMAL; });
  checkCases(cases);
}
