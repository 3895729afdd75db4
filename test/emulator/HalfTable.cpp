// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 16-bit floats, alone and in pairs, against f64 arithmetic that is rounded once. PTX ISA, "Half
// Precision Floating Point Instructions".
#include "test/emulator/InstructionRig.h"
#include <cmath>
#include <gtest/gtest.h>
#include <tuple>

using namespace heddle::test;

namespace {

using u64 = uint64_t;

struct Format {
  const char *name;
  Type single, pair;
  double (*value)(u64);
  u64 (*nearest)(double);
};
const Format kFormats[] = {{"f16", Type::kF16, Type::kF16x2, halfValue, nearestHalf},
                           {"bf16", Type::kBF16, Type::kBF16x2, brainValue, nearestBrain}};

double lesser(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

/// a * b + c rounded once: f64 holds the product, and the sum's rounding error says in which
/// direction a tie of the narrow format was really missed.
double sumForRounding(double a, double b, double c) {
  double product = a * b, sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  double back = sum - product, error = (product - (sum - back)) + (c - back);
  // Rounding to odd: an inexact sum gets its last place set, so that it is no tie.
  if (error != 0 && (bitsOf(sum) & 1) == 0)
    sum = std::nextafter(sum, error > 0 ? INFINITY : -INFINITY);
  return sum;
}

double relu(double x) { return std::isnan(x) ? x : x > 0 ? x : 0.0; }
double saturated(double x) { return std::isnan(x) || x <= 0 ? 0.0 : x > 1 ? 1.0 : x; }

/// A case for the single form and one for the pair.
void addBoth(std::vector<Case> &cases, const Format &format, const std::string &opcode,
             size_t operands, std::function<double(double, double, double)> f) {
  Model one = [=](u64 a, u64 b, u64 c) {
    return format.nearest(f(format.value(a), format.value(b), format.value(c)));
  };
  std::string suffix = std::string(".") + format.name;
  cases.push_back(
      {opcode + suffix, format.single, std::vector<Type>(operands, format.single), one});
  cases.push_back({opcode + suffix + "x2", format.pair, std::vector<Type>(operands, format.pair),
                   [=](u64 a, u64 b, u64 c) {
                     return one(a & 0xffff, b & 0xffff, c & 0xffff) | one(a >> 16, b >> 16, c >> 16)
                                                                          << 16;
                   }});
}

/// As addBoth, where subnormal sources and results become zeros.
void addFlushed(std::vector<Case> &cases, const Format &format, const std::string &opcode,
                size_t operands, std::function<double(double, double, double)> f) {
  Format flushing = format;
  flushing.value = [](u64 code) { return halfValue(code & 0x7c00 ? code : code & 0x8000); };
  flushing.nearest = [](double value) {
    u64 code = nearestHalf(value);
    return code & 0x7c00 ? code : code & 0x8000;
  };
  addBoth(cases, flushing, opcode, operands, f);
}

} // namespace

TEST(HalfTable, Arithmetic) {
  std::vector<Case> cases;
  for (const Format &format : kFormats) {
    addBoth(cases, format, "add", 2, [](double a, double b, double) { return a + b; });
    addBoth(cases, format, "sub", 2, [](double a, double b, double) { return a - b; });
    addBoth(cases, format, "mul", 2, [](double a, double b, double) { return a * b; });
    addBoth(cases, format, "fma.rn", 3,
            [](double a, double b, double c) { return sumForRounding(a, b, c); });
    addBoth(cases, format, "min", 2, [](double a, double b, double) { return lesser(a, b); });
    addBoth(cases, format, "max", 2, [](double a, double b, double) { return -lesser(-a, -b); });
    auto strict = [](double a, double b) { return std::isnan(a) || std::isnan(b); };
    addBoth(cases, format, "min.NaN", 2,
            [=](double a, double b, double) { return strict(a, b) ? NAN : lesser(a, b); });
    addBoth(cases, format, "max.NaN", 2,
            [=](double a, double b, double) { return strict(a, b) ? NAN : -lesser(-a, -b); });
    addBoth(cases, format, "neg", 1, [](double a, double, double) { return -a; });
    addBoth(cases, format, "abs", 1, [](double a, double, double) { return std::fabs(a); });
    addBoth(cases, format, "fma.rn.relu", 3,
            [](double a, double b, double c) { return relu(sumForRounding(a, b, c)); });
  }
  checkCases(cases);
}

// PTX ISA 9.0, 9.7.4.1 to 9.7.4.4: .ftz makes zeros of subnormal f16 sources and results and keeps
// their signs, .sat clamps to [0, 1] and makes +0 of NaN.
TEST(HalfTable, FlushedAndSaturated) {
  std::vector<Case> cases;
  const Format &half = kFormats[0];
  auto add = [](double a, double b, double) { return a + b; };
  auto sub = [](double a, double b, double) { return a - b; };
  auto mul = [](double a, double b, double) { return a * b; };
  auto fma = [](double a, double b, double c) { return sumForRounding(a, b, c); };
  using F = std::function<double(double, double, double)>;
  const std::tuple<std::string, int, F> kOps[] = {
      {"add", 2, add}, {"sub.rn", 2, sub}, {"mul", 2, mul}, {"fma.rn", 3, fma}};
  for (const auto &[name, operands, f] : kOps) {
    addFlushed(cases, half, name + ".ftz", operands, f);
    addBoth(cases, half, name + ".sat", operands,
            [f = f](double a, double b, double c) { return saturated(f(a, b, c)); });
    addFlushed(cases, half, name + ".ftz.sat", operands,
               [f = f](double a, double b, double c) { return saturated(f(a, b, c)); });
  }
  addFlushed(cases, half, "fma.rn.ftz.relu", 3,
             [=](double a, double b, double c) { return relu(fma(a, b, c)); });
  addFlushed(cases, half, "neg.ftz", 1, [](double a, double, double) { return -a; });
  addFlushed(cases, half, "abs.ftz", 1, [](double a, double, double) { return std::fabs(a); });
  addFlushed(cases, half, "min.ftz", 2, [](double a, double b, double) { return lesser(a, b); });
  addFlushed(cases, half, "max.ftz.NaN", 2, [](double a, double b, double) {
    return std::isnan(a) || std::isnan(b) ? NAN : -lesser(-a, -b);
  });
  checkCases(cases);
}

// PTX ISA 9.0, 9.7.4.7 and 9.7.4.8: .xorsign.abs takes the smaller or larger magnitude and the sign
// of the product.
TEST(HalfTable, MagnitudesWithTheSignOfTheProduct) {
  std::vector<Case> cases;
  for (const Format &format : kFormats)
    for (bool isMax : {false, true})
      for (bool isStrict : {false, true}) {
        auto f = [=](double a, double b, double) {
          if (isStrict && (std::isnan(a) || std::isnan(b)))
            return double(NAN);
          double x = std::fabs(a), y = std::fabs(b);
          double size = isMax ? -lesser(-x, -y) : lesser(x, y);
          return std::signbit(a) != std::signbit(b) ? -size : size;
        };
        std::string name = isMax ? "max" : "min", strict = isStrict ? ".NaN" : "";
        addBoth(cases, format, name + strict + ".xorsign.abs", 2, f);
        if (&format == kFormats)
          addFlushed(cases, format, name + ".ftz" + strict + ".xorsign.abs", 2, f);
      }
  checkCases(cases);
}

// PTX ISA 9.0, 9.7.4.4: fma.oob gives +0 where an operand is the NaN that tensor copies put outside
// of a tensor. It is 0x7ff7 as measured on hardware by others; random operands hardly ever are it.
TEST(HalfTable, OutOfBoundsNaN) {
  std::vector<Case> cases;
  for (const Format &format : kFormats)
    for (bool isRelu : {false, true}) {
      std::string name = std::string("fma.rn.oob") + (isRelu ? ".relu." : ".") + format.name;
      auto f = [=](u64 a, u64 b, u64 c) {
        double sum = sumForRounding(format.value(a), format.value(b), format.value(c));
        return format.nearest(isRelu ? relu(sum) : sum);
      };
      cases.push_back({name, format.single, std::vector<Type>(3, format.single), f});
      cases.push_back({"mov.b16 %a, 0x7ff7; " + name + " %d, %a, %b, %c;", Type::kB16,
                       std::vector<Type>(3, format.single), [](u64, u64, u64) { return u64(0); }});
      cases.push_back({"mov.b16 %b, 0x7ff7; " + name + " %d, %a, %b, %c;", Type::kB16,
                       std::vector<Type>(3, format.single), [](u64, u64, u64) { return u64(0); }});
      // The halves of a pair are looked at for themselves.
      cases.push_back(
          {"and.b32 %b, %b, 0xffff; or.b32 %b, %b, 0x7ff70000; " + name + "x2 %d, %a, %b, %c;",
           format.pair, std::vector<Type>(3, format.pair),
           [=](u64 a, u64 b, u64 c) { return f(a & 0xffff, b & 0xffff, c & 0xffff); }});
    }
  checkCases(cases);
}

// PTX ISA 9.0, 9.7.4.9 and 9.7.4.10: largest errors of tanh 2^-10.987 (f16, absolute) and 2^-8
// (bf16), of ex2 2^-9.9 (f16) and 2^-7 (bf16), relative; half a last place is added for subnormals.
TEST(HalfTable, Approximations) {
  std::vector<Case> cases;
  auto add = [&](const Format &format, const std::string &opcode, std::function<double(double)> f,
                 double relative, double absolute) {
    size_t first = cases.size();
    addBoth(cases, format, opcode, 1, [=](double a, double, double) { return f(a); });
    for (size_t i = first; i < cases.size(); ++i) {
      cases[i].relative = relative;
      cases[i].absolute = absolute;
    }
  };
  auto tanh = [](double a) { return std::tanh(a); };
  auto exp2 = [](double a) { return std::exp2(a); };
  add(kFormats[0], "tanh.approx", tanh, 0, std::exp2(-10.987));
  add(kFormats[1], "tanh.approx", tanh, std::exp2(-8), std::exp2(-134));
  add(kFormats[0], "ex2.approx", exp2, std::exp2(-9.9), std::exp2(-25));
  add(kFormats[1], "ex2.approx.ftz", exp2, std::exp2(-7), std::exp2(-126));
  checkCases(cases);
}
