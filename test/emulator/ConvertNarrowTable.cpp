// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt to f16, bf16, tf32 and e4m3, e5m2 in every direction, against rounding by search in the
// format. PTX ISA 9.0, 9.7.9.21: results round once; a NaN is 0x7fff in 16 bits and 0x7f in 8;
// .relu makes +0 of what is negative; .satfinite the largest number of what is beyond it.
#include "test/emulator/FormatModel.h"
#include "test/emulator/InstructionRig.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace heddle::test;

namespace {

using u64 = uint64_t;
using Exact = std::function<long double(u64)>;
constexpr Type H = Type::kB16, W = Type::kB32, D = Type::kB64, F = Type::kF32, G = Type::kF64;

struct Source {
  const char *name;
  Type type;
  Exact exact;
};
const Source kIntegers[] = {
    {"s8", W, [](u64 a) { return int8_t(a); }},   {"u8", W, [](u64 a) { return uint8_t(a); }},
    {"s16", H, [](u64 a) { return int16_t(a); }}, {"u16", H, [](u64 a) { return uint16_t(a); }},
    {"s32", W, [](u64 a) { return int32_t(a); }}, {"u32", W, [](u64 a) { return uint32_t(a); }},
    {"s64", D, [](u64 a) { return int64_t(a); }}, {"u64", D, [](u64 a) { return uint64_t(a); }}};
const Source kFloat{"f32", F, [](u64 a) { return asFloat(a); }};
const Source kDouble{"f64", G, [](u64 a) { return asDouble(a); }};
const Source kHalf{"f16", Type::kF16, [](u64 a) { return valueOf(kHalfFormat, a); }};
const Source kBrain{"bf16", Type::kBF16, [](u64 a) { return valueOf(kBrainFormat, a); }};

const std::pair<const char *, Direction> kDirections[] = {{"rn", Direction::kNearest},
                                                          {"rz", Direction::kZero},
                                                          {"rm", Direction::kDown},
                                                          {"rp", Direction::kUp}};

long double relu(long double x) { return std::isnan(x) || x > 0 ? x : 0; }
long double saturated(long double x) { return std::isnan(x) || x <= 0 ? 0 : x > 1 ? 1 : x; }

void addDirections(std::vector<Case> &cases, const std::string &name, const Format &format,
                   const Source &from, bool saturates) {
  for (const auto &[mode, direction] : kDirections) {
    std::string start = std::string("cvt.") + mode, types = "." + name + "." + from.name;
    cases.push_back({start + types, H, {from.type}, [=, d = direction](u64 a, u64, u64) {
                       return roundTo(format, from.exact(a), d);
                     }});
    if (saturates)
      cases.push_back({start + ".sat" + types, H, {from.type}, [=, d = direction](u64 a, u64, u64) {
                         return roundTo(format, saturated(from.exact(a)), d);
                       }});
  }
}

} // namespace

TEST(ConvertNarrowTable, ToSixteenBits) {
  std::vector<Case> cases;
  for (const Source &from : kIntegers) {
    addDirections(cases, "f16", kHalfFormat, from, true);
    if (from.type != W || std::string(from.name).ends_with("32")) // bf16 has no wider registers
      addDirections(cases, "bf16", kBrainFormat, from, false);
  }
  for (const Source &from : {kFloat, kDouble})
    addDirections(cases, "f16", kHalfFormat, from, true);
  for (const Source &from : {kFloat, kDouble, kHalf})
    addDirections(cases, "bf16", kBrainFormat, from, false);
  addDirections(cases, "f16", kHalfFormat, kBrain, false);
  checkCases(cases);
}

// .rn and .rz from f32, one number or two: the first source is the upper half.
TEST(ConvertNarrowTable, ReluAndFinite) {
  std::vector<Case> cases;
  for (auto [name, format] : {std::pair{"f16", kHalfFormat}, {"bf16", kBrainFormat}})
    for (auto [mode, direction] : {kDirections[0], kDirections[1]})
      for (bool isRelu : {false, true})
        for (bool isFinite : {false, true}) {
          auto one = [=, f = format, d = direction](u64 a) {
            long double x = asFloat(a);
            return roundTo(f, isRelu ? relu(x) : x, d, isFinite);
          };
          std::string start = std::string("cvt.") + mode + (isRelu ? ".relu" : "") +
                              (isFinite ? ".satfinite." : ".") + name;
          cases.push_back({start + ".f32", H, {F}, [=](u64 a, u64, u64) { return one(a); }});
          cases.push_back({start + "x2.f32", W, {F, F}, [=](u64 a, u64 b, u64) {
                             return one(a) << 16 | one(b);
                           }});
        }
  checkCases(cases);
}

// 8 bits of exponent and 10 of fraction in the upper bits of 32; the ISA leaves the others open.
TEST(ConvertNarrowTable, Tf32) {
  constexpr Format kTf32{8, 10};
  std::vector<Case> cases;
  auto add = [&](const std::string &modifiers, Direction direction, bool isRelu, bool isFinite) {
    cases.push_back({"{ cvt." + modifiers + ".tf32.f32 %d, %a; and.b32 %d, %d, 0xffffe000; }",
                     F,
                     {F},
                     [=](u64 a, u64, u64) {
                       long double x = asFloat(a);
                       return roundTo(kTf32, isRelu ? relu(x) : x, direction, isFinite) << 13;
                     }});
  };
  add("rna", Direction::kTiesAway, false, false);
  add("rna.satfinite", Direction::kTiesAway, false, true);
  add("rn", Direction::kNearest, false, false);
  add("rz", Direction::kZero, false, false);
  add("rn.relu", Direction::kNearest, true, false);
  add("rz.relu", Direction::kZero, true, false);
  checkCases(cases);
}

TEST(ConvertNarrowTable, BytesOfFloats) {
  std::vector<Case> cases;
  for (auto [name, format] : {std::pair<std::string, Format>{"e4m3x2", kE4M3}, {"e5m2x2", kE5M2}})
    for (bool isRelu : {false, true}) {
      std::string modifiers = isRelu ? "cvt.rn.satfinite.relu." : "cvt.rn.satfinite.";
      auto one = [=, f = format](long double x) {
        return roundTo(f, isRelu ? relu(x) : x, Direction::kNearest, true);
      };
      cases.push_back({modifiers + name + ".f32", H, {F, F}, [=](u64 a, u64 b, u64) {
                         return one(asFloat(a)) << 8 | one(asFloat(b));
                       }});
      cases.push_back({modifiers + name + ".f16x2", H, {Type::kF16x2}, [=](u64 a, u64, u64) {
                         return one(halfValue(a >> 16)) << 8 | one(halfValue(a & 0xffff));
                       }});
      auto wide = [=, f = format](u64 byte) {
        long double x = valueOf(f, byte);
        return roundTo(kHalfFormat, isRelu ? relu(x) : x, Direction::kNearest);
      };
      cases.push_back(
          {std::string("cvt.rn") + (isRelu ? ".relu" : "") + ".f16x2." + name,
           W,
           {H},
           [=](u64 a, u64, u64) { return wide(a >> 8 & 0xff) << 16 | wide(a & 0xff); }});
    }
  checkCases(cases);
}

// cvt.pack: the first source above the second; with bytes, the third moves up behind them.
TEST(ConvertNarrowTable, Pack) {
  auto clamp = [](u64 a, int64_t low, int64_t high) {
    int64_t x = int32_t(a);
    return u64(x < low ? low : x > high ? high : x);
  };
  std::vector<Case> cases;
  for (bool isSigned : {false, true}) {
    int64_t low16 = isSigned ? -32768 : 0, high16 = isSigned ? 32767 : 65535;
    int64_t low8 = isSigned ? -128 : 0, high8 = isSigned ? 127 : 255;
    std::string sign = isSigned ? "s" : "u";
    cases.push_back({"cvt.pack.sat." + sign + "16.s32", W, {W, W}, [=](u64 a, u64 b, u64) {
                       return (clamp(a, low16, high16) & 0xffff) << 16 |
                              (clamp(b, low16, high16) & 0xffff);
                     }});
    cases.push_back({"cvt.pack.sat." + sign + "8.s32.b32", W, {W, W, W}, [=](u64 a, u64 b, u64 c) {
                       return c << 16 | (clamp(a, low8, high8) & 0xff) << 8 |
                              (clamp(b, low8, high8) & 0xff);
                     }});
  }
  checkCases(cases);
}
