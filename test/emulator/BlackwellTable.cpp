// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that sm_100 brought: pairs of f32, sums of f32 with f16 and bf16, the smallest and
// largest of three, floats of 4 and 6 bits, powers of two, stochastic rounding. Against the C
// library and rounding by search. PTX ISA 9.0, 9.7.3, 9.7.5 and 9.7.9.21.
#include "test/emulator/FormatModel.h"
#include "test/emulator/InstructionRig.h"
#include <cfenv>
#include <cmath>
#include <gtest/gtest.h>

using namespace heddle::test;

namespace {

using u64 = uint64_t;
constexpr Type H = Type::kB16, W = Type::kB32, F = Type::kF32, FF = Type::kF32x2;

using Single = std::function<float(float, float, float)>;

float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }
float saturated(float x) { return std::isnan(x) || x <= 0 ? 0.0f : x > 1 ? 1.0f : x; }
long double relu(long double x) { return std::isnan(x) || x > 0 ? x : 0; }

Single rounded(int mode, Single f) {
  return [=](float a, float b, float c) {
    std::fesetround(mode);
    volatile float x = a, y = b, z = c;
    volatile float result = f(x, y, z);
    std::fesetround(FE_TONEAREST);
    return float(result);
  };
}

const std::pair<const char *, int> kModes[] = {{"", FE_TONEAREST},
                                               {".rn", FE_TONEAREST},
                                               {".rz", FE_TOWARDZERO},
                                               {".rm", FE_DOWNWARD},
                                               {".rp", FE_UPWARD}};
struct Operation {
  const char *name;
  size_t operands;
  Single f;
};
const Operation kOperations[] = {
    {"add", 2, [](float a, float b, float) { return a + b; }},
    {"sub", 2, [](float a, float b, float) { return a - b; }},
    {"mul", 2, [](float a, float b, float) { return a * b; }},
    {"fma", 3, [](float a, float b, float c) { return std::fma(a, b, c); }}};

} // namespace

TEST(BlackwellTable, PairsOfSingles) {
  std::vector<Case> cases;
  for (const Operation &op : kOperations)
    for (const auto &[mode, direction] : kModes)
      for (bool flushes : {false, true}) {
        if (op.operands == 3 && !*mode)
          continue;
        Single f = rounded(direction, op.f);
        auto one = [=](u64 a, u64 b, u64 c) {
          if (!flushes)
            return bitsOf(f(asFloat(a), asFloat(b), asFloat(c)));
          return bitsOf(flush(f(flush(asFloat(a)), flush(asFloat(b)), flush(asFloat(c)))));
        };
        cases.push_back({std::string(op.name) + mode + (flushes ? ".ftz" : "") + ".f32x2", FF,
                         std::vector<Type>(op.operands, FF), [=](u64 a, u64 b, u64 c) {
                           return one(a, b, c) | one(a >> 32, b >> 32, c >> 32) << 32;
                         }});
      }
  checkCases(cases);
}

TEST(BlackwellTable, MixedSums) {
  std::vector<Case> cases;
  for (auto [type, name] : {std::pair{Type::kF16, "f16"}, {Type::kBF16, "bf16"}})
    for (const Operation &op : {kOperations[0], kOperations[1], kOperations[3]})
      for (const auto &[mode, direction] : kModes)
        for (bool saturates : {false, true}) {
          if (op.operands == 3 && !*mode)
            continue;
          bool isHalf = type == Type::kF16, isFma = op.operands == 3;
          Single f = rounded(direction, op.f);
          auto wide = [=](u64 a) { return float(isHalf ? halfValue(a) : brainValue(a)); };
          std::vector<Type> operands{type, F};
          if (isFma)
            operands = {type, type, F};
          cases.push_back({std::string(op.name) + mode + (saturates ? ".sat" : "") + ".f32." + name,
                           F, operands, [=](u64 a, u64 b, u64 c) {
                             float r = isFma ? f(wide(a), wide(b), asFloat(c))
                                             : f(wide(a), asFloat(b), 0);
                             return bitsOf(saturates ? saturated(r) : r);
                           }});
        }
  checkCases(cases);
}

// A NaN loses, with .NaN it wins; +0 is above -0.
TEST(BlackwellTable, ExtremesOfThree) {
  auto lesser = [](float a, float b) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? b : a;
    return a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
  };
  std::vector<Case> cases;
  for (bool isMax : {false, true})
    for (bool flushes : {false, true})
      for (bool isStrict : {false, true})
        for (bool isAbs : {false, true}) {
          auto f = [=](u64 a, u64 b, u64 c) {
            float x[] = {asFloat(a), asFloat(b), asFloat(c)};
            for (float &value : x) {
              value = flushes ? flush(value) : value;
              value = isAbs ? std::fabs(value) : value;
              if (isStrict && std::isnan(value))
                return u64(0x7fffffff);
              value = isMax ? -value : value;
            }
            float result = lesser(lesser(x[0], x[1]), x[2]);
            return bitsOf(isMax ? -result : result);
          };
          cases.push_back({std::string(isMax ? "max" : "min") + (flushes ? ".ftz" : "") +
                               (isStrict ? ".NaN" : "") + (isAbs ? ".abs" : "") + ".f32",
                           F,
                           {F, F, F},
                           f});
        }
  checkCases(cases);
}

// Formats without a NaN make the largest number of it.
TEST(BlackwellTable, FloatsOfFourAndSixBits) {
  std::vector<Case> cases;
  for (auto [name, format] : {std::pair<std::string, Format>{"e2m3x2", kE2M3}, {"e3m2x2", kE3M2}})
    for (bool isRelu : {false, true}) {
      auto one = [=, f = format](u64 a) {
        long double x = asFloat(a);
        return roundTo(f, isRelu ? relu(x) : x, Direction::kNearest, true);
      };
      auto wide = [=, f = format](u64 code) {
        long double x = valueOf(f, code & 0x3f);
        return roundTo(kHalfFormat, isRelu ? relu(x) : x, Direction::kNearest);
      };
      std::string r = isRelu ? ".relu" : "";
      cases.push_back(
          {"cvt.rn.satfinite" + r + "." + name + ".f32", H, {F, F}, [=](u64 a, u64 b, u64) {
             return one(a) << 8 | one(b);
           }});
      cases.push_back({"and.b16 %a, %a, 0x3f3f; cvt.rn" + r + ".f16x2." + name + " %d, %a;",
                       W,
                       {H},
                       [=](u64 a, u64, u64) { return wide(a >> 8) << 16 | wide(a); }});
    }
  for (bool isRelu : {false, true}) {
    std::string r = isRelu ? ".relu" : "";
    auto one = [=](u64 a) {
      long double x = asFloat(a);
      return roundTo(kE2M1, isRelu ? relu(x) : x, Direction::kNearest, true);
    };
    auto wide = [=](u64 code) {
      long double x = valueOf(kE2M1, code & 15);
      return roundTo(kHalfFormat, isRelu ? relu(x) : x, Direction::kNearest);
    };
    // As the headers of CUDA write it.
    cases.push_back(
        {"{ .reg .b8 t; cvt.rn.satfinite" + r + ".e2m1x2.f32 t, %a, %b; mov.b16 %d, {t, 0}; }",
         H,
         {F, F},
         [=](u64 a, u64 b, u64) { return one(a) << 4 | one(b); }});
    cases.push_back({"{ .reg .b8 t, z; mov.b16 {t, z}, %a; cvt.rn" + r + ".f16x2.e2m1x2 %d, t; }",
                     W,
                     {H},
                     [=](u64 a, u64, u64) { return wide(a >> 4) << 16 | wide(a); }});
  }
  checkCases(cases);
}

// ue8m0 is 2^(code - 127); 255 is the NaN, which infinities become without .satfinite. Signs do not
// count, as in the conversions of CUDA's headers.
TEST(BlackwellTable, PowersOfTwo) {
  auto power = [](long double x, bool isUp, bool isFinite) -> u64 {
    if (std::isnan(x))
      return 255;
    x = std::fabs(x);
    for (u64 code = 0; code <= 254; ++code) {
      long double here = std::ldexp(1.0L, int(code) - 127);
      if (isUp ? x <= here : x < 2 * here)
        return code;
    }
    return isFinite ? 254 : 255;
  };
  std::vector<Case> cases;
  for (bool isUp : {false, true})
    for (bool isFinite : {false, true}) {
      std::string name =
          std::string("cvt.") + (isUp ? "rp" : "rz") + (isFinite ? ".satfinite" : "") + ".ue8m0x2.";
      cases.push_back({name + "f32", H, {F, F}, [=](u64 a, u64 b, u64) {
                         return power(asFloat(a), isUp, isFinite) << 8 |
                                power(asFloat(b), isUp, isFinite);
                       }});
      cases.push_back({name + "bf16x2", H, {Type::kBF16x2}, [=](u64 a, u64, u64) {
                         return power(brainValue(a >> 16), isUp, isFinite) << 8 |
                                power(brainValue(a & 0xffff), isUp, isFinite);
                       }});
    }
  auto brain = [](u64 code) -> u64 {
    return code == 255
               ? 0x7fff
               : roundTo(kBrainFormat, std::ldexp(1.0L, int(code) - 127), Direction::kNearest);
  };
  cases.push_back({"cvt.rn.bf16x2.ue8m0x2", W, {H}, [=](u64 a, u64, u64) {
                     return brain(a >> 8 & 0xff) << 16 | brain(a & 0xff);
                   }});
  checkCases(cases);
}

// cvt.rs: random bits are added below the last place, then the rest is cut off. f16 takes 13 bits
// of each half of the random word, bf16 all 16; four numbers share two: the first pair the upper
// half, of e2m1 the upper byte of each half.
TEST(BlackwellTable, StochasticRounding) {
  std::vector<Case> cases;
  auto stochastic = [](const Format &f, u64 a, u64 random, int bits, bool isRelu, bool isFinite) {
    long double x = asFloat(a);
    x = isRelu ? relu(x) : x;
    u64 below = roundTo(f, x, Direction::kZero, isFinite);
    if (!std::isfinite(x))
      return roundTo(f, x, Direction::kNearest, isFinite);
    long double low = std::fabs(valueOf(f, below));
    u64 rest = f.signBit() - 1;
    int exponent = std::max(int((below & rest) >> f.fractionBits), 1);
    long double unit =
        std::ldexp(1.0L, exponent - ((1 << (f.exponentBits - 1)) - 1) - f.fractionBits);
    bool isUp = (std::fabs(x) - low) / unit + std::ldexp((long double)random, -bits) >= 1;
    if (!isUp)
      return below;
    bool isLargest = (below & rest) == f.largest();
    return isLargest && (isFinite || !f.hasInfinity) ? below : below + 1;
  };
  for (bool isRelu : {false, true})
    for (bool isFinite : {false, true}) {
      std::string name =
          std::string("cvt.rs") + (isRelu ? ".relu" : "") + (isFinite ? ".satfinite" : "");
      cases.push_back({name + ".f16x2.f32", W, {F, F, W}, [=](u64 a, u64 b, u64 r) {
                         return stochastic(kHalfFormat, a, r >> 16 & 0x1fff, 13, isRelu, isFinite)
                                    << 16 |
                                stochastic(kHalfFormat, b, r & 0x1fff, 13, isRelu, isFinite);
                       }});
      cases.push_back({name + ".bf16x2.f32", W, {F, F, W}, [=](u64 a, u64 b, u64 r) {
                         return stochastic(kBrainFormat, a, r >> 16, 16, isRelu, isFinite) << 16 |
                                stochastic(kBrainFormat, b, r & 0xffff, 16, isRelu, isFinite);
                       }});
      if (!isFinite)
        continue;
      for (auto [type, format] : {std::pair<std::string, Format>{"e4m3x4", kE4M3},
                                  {"e5m2x4", kE5M2},
                                  {"e2m3x4", kE2M3},
                                  {"e3m2x4", kE3M2}})
        cases.push_back({name + "." + type + ".f32 %d, {%a, %b, %b, %a}, %c;",
                         W,
                         {F, F, W},
                         [=, f = format](u64 a, u64 b, u64 r) {
                           auto one = [&](u64 x, u64 random) {
                             return stochastic(f, x, random, 16, isRelu, true);
                           };
                           return one(a, r >> 16) << 24 | one(b, r >> 16) << 16 |
                                  one(b, r & 0xffff) << 8 | one(a, r & 0xffff);
                         }});
      cases.push_back(
          {name + ".e2m1x4.f32 %d, {%a, %b, %b, %a}, %c;", H, {F, F, W}, [=](u64 a, u64 b, u64 r) {
             u64 upper = (r >> 24 & 0xff) << 8 | (r >> 8 & 0xff);
             u64 lower = (r >> 16 & 0xff) << 8 | (r & 0xff);
             auto one = [&](u64 x, u64 random) {
               return stochastic(kE2M1, x, random, 16, isRelu, true);
             };
             return one(a, upper) << 12 | one(b, upper) << 8 | one(b, lower) << 4 | one(a, lower);
           }});
    }
  checkCases(cases);
}

// 32 bytes a thread in one load and one store.
TEST(BlackwellTable, WideLoadsAndStores) {
  std::vector<uint32_t> rows(8 * 64);
  for (uint32_t i = 0; i < rows.size(); ++i)
    rows[i] = i * 0x9e3779b1u;
  EXPECT_EQ(runBody(".reg .b32 v<8>; ld.global.v8.b32 {v0, v1, v2, v3, v4, v5, v6, v7}, [%in]; "
                    "st.global.v8.b32 [%out], {v0, v1, v2, v3, v4, v5, v6, v7};",
                    rows, 8, 64),
            rows);
  EXPECT_EQ(runBody(".reg .b64 v<4>; ld.global.nc.v4.u64 {v0, v1, v2, v3}, [%in]; "
                    "st.global.v4.f64 [%out], {v0, v1, v2, v3};",
                    rows, 8, 64),
            rows);
  // A part that is not wanted.
  std::vector<uint32_t> out =
      runBody(".reg .b32 v<8>; ld.global.v8.f32 {v0, _, _, _, _, _, _, v7}, [%in]; "
              "st.global.v2.b32 [%out], {v0, v7};",
              rows, 8, 64);
  for (uint32_t thread = 0; thread < 64; ++thread) {
    EXPECT_EQ(out[8 * thread], rows[8 * thread]);
    EXPECT_EQ(out[8 * thread + 1], rows[8 * thread + 7]);
  }
}
