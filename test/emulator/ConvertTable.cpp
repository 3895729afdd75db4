// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt against scalar models. PTX ISA, "Data Movement and Conversion Instructions: cvt": conversions
// to integers saturate and make zero of NaN, conversions to floats round once.
#include "test/emulator/InstructionRig.h"
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <gtest/gtest.h>

using namespace heddle::test;

namespace {

using u64 = uint64_t;
using s128 = __int128;
constexpr Type H = Type::kB16, W = Type::kB32, D = Type::kB64, F = Type::kF32, G = Type::kF64;

struct Integer {
  const char *name;
  int bits;
  bool isSigned;
};
const Integer kIntegers[] = {{"s8", 8, true},    {"u8", 8, false},  {"s16", 16, true},
                             {"u16", 16, false}, {"s32", 32, true}, {"u32", 32, false},
                             {"s64", 64, true},  {"u64", 64, false}};

Type registerOf(const Integer &type) { return type.bits <= 16 ? H : type.bits == 32 ? W : D; }

s128 valueOf(u64 raw, const Integer &type) {
  if (type.bits < 64)
    raw &= (1ull << type.bits) - 1;
  if (type.isSigned && raw >> (type.bits - 1) & 1)
    return s128(raw) - (s128(1) << type.bits);
  return s128(raw);
}
s128 lowest(const Integer &type) { return type.isSigned ? -(s128(1) << (type.bits - 1)) : 0; }
s128 highest(const Integer &type) { return (s128(1) << (type.bits - type.isSigned)) - 1; }

/// The double is a whole number or not finite.
u64 toInteger(double whole, const Integer &type) {
  if (std::isnan(whole))
    return 0;
  if (whole <= double(lowest(type)))
    return u64(lowest(type));
  if (whole >= std::ldexp(1.0, type.bits - type.isSigned))
    return u64(highest(type));
  return u64(s128(whole));
}

double roundBy(const char *mode, double x) {
  switch (mode[1]) {
  case 'z':
    return std::trunc(x);
  case 'm':
    return std::floor(x);
  case 'p':
    return std::ceil(x);
  default:
    return std::nearbyint(x);
  }
}

float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

} // namespace

TEST(ConvertTable, IntegersToIntegers) {
  std::vector<Case> cases;
  for (const Integer &to : kIntegers)
    for (const Integer &from : kIntegers) {
      Type result = to.bits == 8 ? W : registerOf(to);
      Type operand = from.bits == 8 ? W : registerOf(from);
      std::string name = std::string(to.name) + "." + from.name;
      // A result of 8 bits is extended to the register.
      cases.push_back({"cvt." + name, result, {operand}, [=](u64 a, u64, u64) {
                         return u64(valueOf(u64(valueOf(a, from)), to));
                       }});
      if (lowest(from) >= lowest(to) && highest(from) <= highest(to))
        continue;
      cases.push_back({"cvt.sat." + name, result, {operand}, [=](u64 a, u64, u64) {
                         return u64(std::clamp(valueOf(a, from), lowest(to), highest(to)));
                       }});
    }
  checkCases(cases);
}

TEST(ConvertTable, FloatsToIntegers) {
  std::vector<Case> cases;
  for (const Integer &to : kIntegers) {
    Type result = to.bits == 8 ? W : registerOf(to);
    for (const char *mode : {"rni", "rzi", "rmi", "rpi"}) {
      std::string name = std::string("cvt.") + mode + "." + to.name;
      cases.push_back({name + ".f32", result, {F}, [=](u64 a, u64, u64) {
                         return toInteger(roundBy(mode, asFloat(a)), to);
                       }});
      cases.push_back({name + ".f64", result, {G}, [=](u64 a, u64, u64) {
                         return toInteger(roundBy(mode, asDouble(a)), to);
                       }});
      if (to.bits == 8)
        continue;
      cases.push_back({name + ".f16", result, {Type::kF16}, [=](u64 a, u64, u64) {
                         return toInteger(roundBy(mode, halfValue(a)), to);
                       }});
    }
    if (to.bits != 32)
      continue;
    cases.push_back(
        {std::string("cvt.rmi.ftz.") + to.name + ".f32", result, {F}, [=](u64 a, u64, u64) {
           return toInteger(std::floor(flush(asFloat(a))), to);
         }});
  }
  checkCases(cases);
}

TEST(ConvertTable, IntegersToFloats) {
  std::vector<Case> cases;
  for (const Integer &from : kIntegers) {
    Type operand = from.bits == 8 ? W : registerOf(from);
    std::string name = from.name;
    cases.push_back({"cvt.rn.f32." + name, F, {operand}, [=](u64 a, u64, u64) {
                       return bitsOf(float(valueOf(a, from)));
                     }});
    cases.push_back({"cvt.rn.f64." + name, G, {operand}, [=](u64 a, u64, u64) {
                       return bitsOf(double(valueOf(a, from)));
                     }});
    if (from.bits <= 32 && from.bits > 8)
      cases.push_back({"cvt.rn.f16." + name, Type::kF16, {operand}, [=](u64 a, u64, u64) {
                         return nearestHalf(double(valueOf(a, from)));
                       }});
    for (auto [mode, round] :
         {std::pair{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}}) {
      if (from.bits < 32)
        continue;
      cases.push_back({std::string("cvt.") + mode + ".f32." + name,
                       F,
                       {operand},
                       [=, round = round](u64 a, u64, u64) {
                         // 64 bits fit into an x87 number, so this rounds once.
                         long double exact = valueOf(a, from);
                         std::fesetround(round);
                         volatile float result = float(exact);
                         std::fesetround(FE_TONEAREST);
                         return bitsOf(float(result));
                       }});
    }
  }
  checkCases(cases);
}

TEST(ConvertTable, FloatsToFloats) {
  std::vector<Case> cases = {
      {"cvt.f64.f32", G, {F}, [](u64 a, u64, u64) { return bitsOf(double(asFloat(a))); }},
      {"cvt.rn.f32.f64", F, {G}, [](u64 a, u64, u64) { return bitsOf(float(asDouble(a))); }},
      {"cvt.f32.f16", F, {Type::kF16}, [](u64 a, u64, u64) { return bitsOf(float(halfValue(a))); }},
      {"cvt.f64.f16", G, {Type::kF16}, [](u64 a, u64, u64) { return bitsOf(halfValue(a)); }},
      {"cvt.f32.bf16",
       F,
       {Type::kBF16},
       [](u64 a, u64, u64) { return bitsOf(float(brainValue(a))); }},
      {"cvt.rn.f16.f32", Type::kF16, {F}, [](u64 a, u64, u64) { return nearestHalf(asFloat(a)); }},
      {"cvt.rn.f16.f64", Type::kF16, {G}, [](u64 a, u64, u64) { return nearestHalf(asDouble(a)); }},
      {"cvt.rn.bf16.f32",
       Type::kBF16,
       {F},
       [](u64 a, u64, u64) { return nearestBrain(asFloat(a)); }},
      // The first operand is the high half.
      {"cvt.rn.f16x2.f32",
       Type::kF16x2,
       {F, F},
       [](u64 a, u64 b, u64) { return nearestHalf(asFloat(a)) << 16 | nearestHalf(asFloat(b)); }},
      {"cvt.rn.bf16x2.f32",
       Type::kBF16x2,
       {F, F},
       [](u64 a, u64 b, u64) { return nearestBrain(asFloat(a)) << 16 | nearestBrain(asFloat(b)); }},
      {"cvt.rn.relu.f16.f32",
       Type::kF16,
       {F},
       [](u64 a, u64, u64) { return nearestHalf(asFloat(a) <= 0 ? 0 : asFloat(a)); }},
      {"cvt.sat.f32.f32",
       F,
       {F},
       [](u64 a, u64, u64) {
         float x = asFloat(a);
         return bitsOf(std::isnan(x) || x <= 0 ? 0.0f : std::min(x, 1.0f));
       }},
  };
  for (const char *mode : {"rni", "rzi", "rmi", "rpi"}) {
    std::string name = std::string("cvt.") + mode;
    cases.push_back({name + ".f32.f32", F, {F}, [=](u64 a, u64, u64) {
                       return bitsOf(float(roundBy(mode, asFloat(a))));
                     }});
    cases.push_back({name + ".f64.f64", G, {G}, [=](u64 a, u64, u64) {
                       return bitsOf(roundBy(mode, asDouble(a)));
                     }});
    cases.push_back({name + ".f16.f16", Type::kF16, {Type::kF16}, [=](u64 a, u64, u64) {
                       return nearestHalf(roundBy(mode, halfValue(a)));
                     }});
  }
  for (auto [mode, round] :
       {std::pair{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}})
    cases.push_back(
        {std::string("cvt.") + mode + ".f32.f64", F, {G}, [=, round = round](u64 a, u64, u64) {
           volatile double wide = asDouble(a);
           std::fesetround(round);
           volatile float result = float(wide);
           std::fesetround(FE_TONEAREST);
           return bitsOf(float(result));
         }});
  // To nearest, ties away from zero, 10 bits of mantissa; the 13 low bits of the result are free.
  cases.push_back(
      {"{ cvt.rna.tf32.f32 %d, %a; and.b32 %d, %d, 0xffffe000; }", F, {F}, [](u64 a, u64, u64) {
         if (!std::isfinite(asFloat(a)))
           return a & 0xffffe000;
         return (a + 0x1000) & 0xffffe000;
       }});
  checkCases(cases);
}

TEST(ConvertTable, BytesOfFloats) {
  // Decoded by the definition of the formats; e4m3 has no infinity, 0x7f is NaN.
  auto e4m3 = [](u64 byte) {
    int exponent = int(byte >> 3 & 15), mantissa = int(byte & 7);
    double value = exponent == 15 && mantissa == 7 ? NAN
                   : exponent == 0                 ? std::ldexp(mantissa, -9)
                                                   : std::ldexp(8 + mantissa, exponent - 10);
    return byte & 0x80 ? -value : value;
  };
  auto e5m2 = [](u64 byte) { return halfValue(byte << 8); };
  // The nearest by search, ties to the even code; what is larger than the largest becomes it.
  auto nearest = [](double x, auto decode, u64 largest) -> u64 {
    if (std::isnan(x))
      return 0x7f;
    u64 sign = std::signbit(x) ? 0x80 : 0, best = 0;
    for (u64 code = 0; code <= largest; ++code) {
      double error = std::fabs(decode(code) - std::fabs(x));
      double before = std::fabs(decode(best) - std::fabs(x));
      if (error < before || (error == before && !(code & 1)))
        best = code;
    }
    return sign | (std::fabs(x) > decode(largest) ? largest : best);
  };
  auto pairOf = [=](auto decode, u64 largest) {
    return [=](u64 a, u64 b, u64) {
      return nearest(asFloat(a), decode, largest) << 8 | nearest(asFloat(b), decode, largest);
    };
  };
  auto widened = [](auto decode) {
    return [=](u64 a, u64, u64) {
      return nearestHalf(decode(a & 0xff)) | nearestHalf(decode(a >> 8 & 0xff)) << 16;
    };
  };
  checkCases({
      {"cvt.rn.satfinite.e4m3x2.f32", H, {F, F}, pairOf(e4m3, 0x7e)},
      {"cvt.rn.satfinite.e5m2x2.f32", H, {F, F}, pairOf(e5m2, 0x7b)},
      {"cvt.rn.f16x2.e4m3x2", Type::kF16x2, {H}, widened(e4m3)},
      {"cvt.rn.f16x2.e5m2x2", Type::kF16x2, {H}, widened(e5m2)},
  });
}
