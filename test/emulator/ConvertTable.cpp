// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt against scalar models. PTX ISA, "Data Movement and Conversion Instructions: cvt": conversions
// to integers saturate and make zero of NaN, conversions to floats round once.
#include "test/emulator/FormatModel.h"
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

/// The double is a whole number or not finite. PTX ISA 9.0, 9.7.9.21: a NaN gives zero where
/// neither the source is .f64 nor the result has 64 bits, else the top bit alone.
u64 toInteger(double whole, const Integer &type, bool fromDouble = false) {
  if (std::isnan(whole))
    return fromDouble || type.bits == 64 ? u64(valueOf(1ull << (type.bits - 1), type)) : 0;
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
                         return toInteger(roundBy(mode, asDouble(a)), to, true);
                       }});
      cases.push_back({name + ".f16", result, {Type::kF16}, [=](u64 a, u64, u64) {
                         return toInteger(roundBy(mode, halfValue(a)), to);
                       }});
      cases.push_back({std::string("cvt.") + mode + ".sat." + to.name + ".f32",
                       result,
                       {F},
                       [=](u64 a, u64, u64) { return toInteger(roundBy(mode, asFloat(a)), to); }});
      if (to.bits == 8) // bf16 has no wider registers
        continue;
      cases.push_back({name + ".bf16", result, {Type::kBF16}, [=](u64 a, u64, u64) {
                         return toInteger(roundBy(mode, brainValue(a)), to);
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
    for (auto [mode, round] :
         {std::pair{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}}) {
      cases.push_back({std::string("cvt.") + mode + ".f64." + name,
                       G,
                       {operand},
                       [=, round = round](u64 a, u64, u64) {
                         long double exact = valueOf(a, from);
                         std::fesetround(round);
                         volatile double result = double(exact);
                         std::fesetround(FE_TONEAREST);
                         return bitsOf(double(result));
                       }});
      cases.push_back(
          {std::string("cvt.") + mode + ".sat.f32." + name, F, {operand}, [=](u64 a, u64, u64) {
             return bitsOf(float(std::clamp<s128>(valueOf(a, from), 0, 1)));
           }});
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
  // .sat clamps to [0, 1] and makes +0 of NaN; .ftz flushes f32 on both sides.
  auto clamp = [](double x) { return std::isnan(x) || x <= 0 ? 0.0 : x > 1 ? 1.0 : x; };
  std::vector<Case> more = {
      {"cvt.sat.f64.f64", G, {G}, [=](u64 a, u64, u64) { return bitsOf(clamp(asDouble(a))); }},
      {"cvt.rn.sat.f32.f64",
       F,
       {G},
       [=](u64 a, u64, u64) { return bitsOf(float(clamp(asDouble(a)))); }},
      {"cvt.sat.f64.f32", G, {F}, [=](u64 a, u64, u64) { return bitsOf(clamp(asFloat(a))); }},
      {"cvt.sat.f32.f16",
       F,
       {Type::kF16},
       [=](u64 a, u64, u64) { return bitsOf(float(clamp(halfValue(a)))); }},
      {"cvt.sat.f16.f16",
       Type::kB16,
       {Type::kF16},
       [=](u64 a, u64, u64) { return nearestHalf(clamp(halfValue(a))); }},
      {"cvt.rni.sat.f32.f32",
       F,
       {F},
       [=](u64 a, u64, u64) { return bitsOf(float(clamp(std::nearbyint(asFloat(a))))); }},
      {"cvt.f64.bf16", G, {Type::kBF16}, [](u64 a, u64, u64) { return bitsOf(brainValue(a)); }},
      {"cvt.ftz.f32.f32", F, {F}, [](u64 a, u64, u64) { return bitsOf(flush(asFloat(a))); }},
      {"cvt.rpi.ftz.f32.f32",
       F,
       {F},
       [](u64 a, u64, u64) { return bitsOf(std::ceil(flush(asFloat(a)))); }},
      {"cvt.ftz.f64.f32",
       G,
       {F},
       [](u64 a, u64, u64) { return bitsOf(double(flush(asFloat(a)))); }},
      {"cvt.rn.ftz.f32.f64",
       F,
       {G},
       [](u64 a, u64, u64) { return bitsOf(flush(float(asDouble(a)))); }},
      {"cvt.ftz.f32.f16",
       F,
       {Type::kF16},
       [](u64 a, u64, u64) { return bitsOf(float(halfValue(a))); }},
      {"cvt.ftz.f32.bf16",
       F,
       {Type::kBF16},
       [](u64 a, u64, u64) { return bitsOf(flush(float(brainValue(a)))); }},
      {"cvt.rp.ftz.f16.f32",
       Type::kB16,
       {F},
       [](u64 a, u64, u64) { return roundTo(kHalfFormat, flush(asFloat(a)), Direction::kUp); }},
  };
  for (const char *mode : {"rni", "rzi", "rmi", "rpi"})
    more.push_back({std::string("cvt.") + mode + ".bf16.bf16",
                    Type::kBF16,
                    {Type::kBF16},
                    [=](u64 a, u64, u64) { return nearestBrain(roundBy(mode, brainValue(a))); }});
  cases.insert(cases.end(), more.begin(), more.end());
  checkCases(cases);
}
