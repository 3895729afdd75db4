// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer instructions that saturate, that see a register as two halves or as 24 bits, that make
// and search masks of bits, and lop3 with a predicate. PTX ISA 9.0, 9.7.1 and 9.7.8.
#include "test/emulator/InstructionRig.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace heddle::test;

namespace {

using u64 = uint64_t;
using s64 = int64_t;
constexpr Type W = Type::kB32, D = Type::kB64, P = Type::kPred;

s64 word(u64 a) { return int32_t(a); }
u64 clamped(s64 a) { return uint32_t(std::clamp<s64>(a, INT32_MIN, INT32_MAX)); }

/// The low 24 bits as a number.
s64 low24(u64 a, bool isSigned) {
  s64 value = a & 0xffffff;
  return isSigned && value >= 1 << 23 ? value - (1 << 24) : value;
}

} // namespace

TEST(PackedIntegerTable, Saturation) {
  checkCases({
      {"add.sat.s32", W, {W, W}, [](u64 a, u64 b, u64) { return clamped(word(a) + word(b)); }},
      {"sub.sat.s32", W, {W, W}, [](u64 a, u64 b, u64) { return clamped(word(a) - word(b)); }},
      {"mad.hi.sat.s32",
       W,
       {W, W, W},
       [](u64 a, u64 b, u64 c) { return clamped((word(a) * word(b) >> 32) + word(c)); }},
      {"mad24.hi.sat.s32",
       W,
       {W, W, W},
       [](u64 a, u64 b, u64 c) {
         return clamped((low24(a, true) * low24(b, true) >> 16) + word(c));
       }},
  });
}

// The product of 24 bits has 48: .lo is its lower 32 bits, .hi its upper 32.
TEST(PackedIntegerTable, TwentyFourBits) {
  std::vector<Case> cases;
  for (bool isSigned : {false, true})
    for (bool isHigh : {false, true}) {
      auto product = [=](u64 a, u64 b) {
        s64 full = low24(a, isSigned) * low24(b, isSigned);
        return uint32_t(isHigh ? full >> 16 : full);
      };
      std::string name = std::string(isHigh ? ".hi." : ".lo.") + (isSigned ? "s32" : "u32");
      cases.push_back(
          {"mul24" + name, W, {W, W}, [=](u64 a, u64 b, u64) { return u64(product(a, b)); }});
      cases.push_back({"mad24" + name, W, {W, W, W}, [=](u64 a, u64 b, u64 c) {
                         return u64(product(a, b)) + c;
                       }});
    }
  checkCases(cases);
}

TEST(PackedIntegerTable, PairsOfHalves) {
  std::vector<Case> cases;
  auto add = [&](const std::string &name, bool isSigned, std::function<s64(s64, s64)> f) {
    auto value = [=](u64 a) { return isSigned ? s64(int16_t(a)) : s64(uint16_t(a)); };
    cases.push_back({name + (isSigned ? ".s16x2" : ".u16x2"), W, {W, W}, [=](u64 a, u64 b, u64) {
                       return (u64(f(value(a), value(b))) & 0xffff) |
                              (u64(f(value(a >> 16), value(b >> 16))) & 0xffff) << 16;
                     }});
  };
  for (bool isSigned : {false, true}) {
    add("add", isSigned, [](s64 a, s64 b) { return a + b; });
    add("min", isSigned, [](s64 a, s64 b) { return std::min(a, b); });
    add("max", isSigned, [](s64 a, s64 b) { return std::max(a, b); });
  }
  add("min.relu", true, [](s64 a, s64 b) { return std::max<s64>(std::min(a, b), 0); });
  add("max.relu", true, [](s64 a, s64 b) { return std::max<s64>(std::max(a, b), 0); });
  cases.push_back({"min.relu.s32", W, {W, W}, [](u64 a, u64 b, u64) {
                     return u64(std::max<s64>(std::min(word(a), word(b)), 0));
                   }});
  cases.push_back({"max.s32.relu", W, {W, W}, [](u64 a, u64 b, u64) { // nvcc's order
                     return u64(std::max<s64>(std::max(word(a), word(b)), 0));
                   }});
  cases.push_back({"max.relu.s32", W, {W, W}, [](u64 a, u64 b, u64) {
                     return u64(std::max<s64>(std::max(word(a), word(b)), 0));
                   }});
  checkCases(cases);
}

TEST(PackedIntegerTable, Masks) {
  auto ones = [](u64 start, u64 width) {
    u64 result = 0;
    for (u64 i = start; i < std::min<u64>(start + width, 32); ++i)
      result |= 1ull << i;
    return result;
  };
  checkCases({
      {"bmsk.clamp.b32",
       W,
       {W, W},
       [=](u64 a, u64 b, u64) { return ones(std::min<u64>(a, 32), std::min<u64>(b, 32)); }},
      {"bmsk.wrap.b32", W, {W, W}, [=](u64 a, u64 b, u64) { return ones(a & 31, b & 31); }},
      // The c-th set bit from b on, upwards or downwards; c = 0 asks for b itself.
      {"and.b32 %b, %b, 31; fns.b32 %d, %a, %b, %c;",
       W,
       {W, W, W},
       [](u64 a, u64 b, u64 c) {
         s64 wanted = word(c), at = s64(b & 31);
         if (wanted == 0)
           return a >> at & 1 ? u64(at) : 0xffffffff;
         s64 step = wanted > 0 ? 1 : -1;
         for (s64 left = std::abs(wanted); at >= 0 && at < 32; at += step)
           if ((a >> at & 1) && --left == 0)
             return u64(at);
         return u64(0xffffffff);
       }},
      {"shr.b32 %c, %c, 29; shr.b32 %c, %c, 0; and.b32 %b, %b, 31; sub.s32 %c, %c, 4; "
       "fns.b32 %d, %a, %b, %c;",
       W,
       {W, W, W},
       [](u64 a, u64 b, u64 c) {
         s64 wanted = s64(uint32_t(c) >> 29) - 4, at = s64(b & 31);
         if (wanted == 0)
           return a >> at & 1 ? u64(at) : 0xffffffff;
         s64 step = wanted > 0 ? 1 : -1;
         for (s64 left = std::abs(wanted); at >= 0 && at < 32; at += step)
           if ((a >> at & 1) && --left == 0)
             return u64(at);
         return u64(0xffffffff);
       }},
  });
}

// d|p: p is whether d has a bit, combined with another predicate.
TEST(PackedIntegerTable, Lop3WithPredicate) {
  std::vector<Case> cases;
  for (int table : {0x80, 0x96, 0xe8, 0x00, 0xff, 0x3c})
    for (bool isOr : {false, true}) {
      std::string name = std::string("lop3.") + (isOr ? "or" : "and") + ".b32 ";
      auto logic = [=](u64 a, u64 b, u64 c) {
        u64 result = 0;
        for (int i = 0; i < 32; ++i)
          result |= u64(table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
        return result;
      };
      std::string rest = ", %a, %b, %a, " + std::to_string(table) + ", !%cp; ";
      cases.push_back(
          {"{ .reg .pred p; .reg .b32 t; " + name + "t|p" + rest + "selp.b32 %d, 1, 0, p; }",
           W,
           {W, W, P},
           [=](u64 a, u64 b, u64 q) {
             bool isSet = logic(a, b, a) != 0;
             return u64(isOr ? isSet || !q : isSet && !q);
           }});
      cases.push_back(
          {"{ .reg .pred p; " + name + "%d|p" + rest + "}", W, {W, W, P}, [=](u64 a, u64 b, u64) {
             return logic(a, b, a);
           }});
    }
  checkCases(cases);
}

// Products and sums of 64 bits with carry: the parts of a number of 128 bits.
TEST(PackedIntegerTable, CarriesOf64Bits) {
  using u128 = unsigned __int128;
  checkCases({
      {"{ .reg .b64 t; add.cc.u64 t, %a, %b; addc.cc.s64 t, %c, %c; addc.u64 %d, 0, 0; }",
       D,
       {D, D, D},
       [](u64 a, u64 b, u64 c) {
         u64 carry = u64((u128(a) + b) >> 64);
         return u64((u128(c) + c + carry) >> 64);
       }},
      {"{ .reg .b64 t; sub.cc.s64 t, %a, %b; subc.u64 %d, %c, 0; }",
       D,
       {D, D, D},
       [](u64 a, u64 b, u64 c) { return c - (a < b); }},
      {"{ .reg .b64 t; mad.lo.cc.u64 t, %a, %b, %c; madc.hi.u64 %d, %a, %b, 0; }",
       D,
       {D, D, D},
       [](u64 a, u64 b, u64 c) { return u64((u128(a) * b + c) >> 64); }},
      {"{ .reg .b64 t; mad.hi.cc.u64 t, %a, %b, %c; addc.u64 %d, 0, 0; }",
       D,
       {D, D, D},
       [](u64 a, u64 b, u64 c) { return u64((u128(u64(u128(a) * b >> 64)) + c) >> 64); }},
      {"{ .reg .b32 t; mad.hi.cc.s32 t, %a, %b, %c; madc.lo.s32 %d, %a, %b, %c; }",
       W,
       {W, W, W},
       [](u64 a, u64 b, u64 c) {
         u64 high = uint32_t(word(a) * word(b) >> 32);
         return a * b + c + ((high + uint32_t(c)) >> 32);
       }},
  });
}

// Video instructions: each part is computed with more bits, then saturated or cut; .add sums the
// parts and the third source. PTX ISA 9.0, 9.7.18.2.
TEST(PackedIntegerTable, Video) {
  struct Operation {
    const char *name;
    s64 (*f)(s64, s64);
  };
  const Operation kOperations[] = {
      {"vadd", [](s64 a, s64 b) { return a + b; }},
      {"vsub", [](s64 a, s64 b) { return a - b; }},
      {"vavrg", [](s64 a, s64 b) { return (a + b + (a + b >= 0)) >> 1; }},
      {"vabsdiff", [](s64 a, s64 b) { return a > b ? a - b : b - a; }},
      {"vmin", [](s64 a, s64 b) { return std::min(a, b); }},
      {"vmax", [](s64 a, s64 b) { return std::max(a, b); }}};
  auto part = [](u64 word, int i, int bits, bool isSigned) {
    s64 value = s64(word >> (i * bits)) & ((1 << bits) - 1);
    return isSigned && value >> (bits - 1) ? value - (1 << bits) : value;
  };
  std::vector<Case> cases;
  auto add = [&](const std::string &name, int parts, int signs, const char *suffix,
                 std::function<s64(s64, s64)> f) {
    int bits = 32 / parts;
    std::string modifier = suffix;
    cases.push_back({name, W, {W, W, W}, [=](u64 a, u64 b, u64 c) {
                       u64 word = 0, sum = c;
                       for (int i = 0; i < parts; ++i) {
                         s64 x = f(part(a, i, bits, signs & 2), part(b, i, bits, signs & 1));
                         s64 low = signs & 4 ? -(1 << (bits - 1)) : 0;
                         s64 high = signs & 4 ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
                         if (modifier == ".sat")
                           x = std::clamp(x, low, high);
                         word |= (u64(x) & ((1 << bits) - 1)) << (i * bits);
                         sum += u64(x);
                       }
                       return modifier == ".add" ? sum : word;
                     }});
  };
  for (int parts : {2, 4}) {
    for (const Operation &op : kOperations)
      for (int signs = 0; signs < 8; ++signs)
        for (const char *suffix : {"", ".sat", ".add"})
          add(op.name + std::to_string(parts) + (signs & 4 ? ".s32" : ".u32") +
                  (signs & 2 ? ".s32" : ".u32") + (signs & 1 ? ".s32" : ".u32") + suffix,
              parts, signs, suffix, op.f);
    for (const char *suffix : {"", ".add"}) {
      add("vset" + std::to_string(parts) + ".u32.s32.lt" + suffix, parts, 1, suffix,
          [](s64 a, s64 b) { return s64(a < b); });
      add("vset" + std::to_string(parts) + ".s32.s32.ge" + suffix, parts, 3, suffix,
          [](s64 a, s64 b) { return s64(a >= b); });
    }
  }
  checkCases(cases);
}
