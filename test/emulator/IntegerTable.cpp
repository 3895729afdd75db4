// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer instructions against scalar models. PTX ISA, "Integer Arithmetic Instructions", "Logic
// and Shift Instructions", "Comparison and Selection Instructions".
#include "test/emulator/InstructionRig.h"
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>

using namespace heddle::test;

namespace {

using u64 = uint64_t;
using s64 = int64_t;
using u128 = unsigned __int128;
using s128 = __int128;

constexpr Type P = Type::kPred, H = Type::kB16, W = Type::kB32, D = Type::kB64;

Type typeOf(int bits) { return bits == 16 ? H : bits == 32 ? W : D; }

/// The value of a field of `bits` bits, as a wide number.
s128 valueOf(u64 raw, int bits, bool isSigned) {
  u128 mask = (u128(1) << bits) - 1;
  u128 value = u128(raw) & mask;
  if (isSigned && (value >> (bits - 1)))
    return s128(value) - (s128(1) << bits);
  return s128(value);
}

struct Width {
  const char *name;
  int bits;
  bool isSigned;
};
const Width kWidths[] = {{"s16", 16, true},  {"u16", 16, false}, {"s32", 32, true},
                         {"u32", 32, false}, {"s64", 64, true},  {"u64", 64, false}};

Model wide(const Width &width, std::function<s128(s128, s128, s128)> f) {
  return [=](u64 a, u64 b, u64 c) {
    return u64(f(valueOf(a, width.bits, width.isSigned), valueOf(b, width.bits, width.isSigned),
                 valueOf(c, width.bits, width.isSigned)));
  };
}

std::string named(const std::string &opcode, const Width &width) {
  return opcode + "." + width.name;
}

} // namespace

TEST(IntegerTable, Arithmetic) {
  std::vector<Case> cases;
  for (const Width &width : kWidths) {
    Type t = typeOf(width.bits);
    int bits = width.bits;
    auto add = [&](const char *opcode, std::vector<Type> operands,
                   std::function<s128(s128, s128, s128)> f) {
      cases.push_back({named(opcode, width), t, operands, wide(width, f)});
    };
    add("add", {t, t}, [](s128 a, s128 b, s128) { return a + b; });
    add("sub", {t, t}, [](s128 a, s128 b, s128) { return a - b; });
    add("mul.lo", {t, t}, [](s128 a, s128 b, s128) { return s128(u128(a) * u128(b)); });
    add("mad.lo", {t, t, t}, [](s128 a, s128 b, s128 c) { return s128(u128(a) * u128(b) + c); });
    add("min", {t, t}, [](s128 a, s128 b, s128) { return a < b ? a : b; });
    add("max", {t, t}, [](s128 a, s128 b, s128) { return a > b ? a : b; });
    auto high = [bits, isSigned = width.isSigned](s128 a, s128 b) {
      return isSigned ? (a * b) >> bits : s128((u128(a) * u128(b)) >> bits);
    };
    add("mul.hi", {t, t}, [high](s128 a, s128 b, s128) { return high(a, b); });
    if (bits >= 32)
      add("mad.hi", {t, t, t}, [high](s128 a, s128 b, s128 c) { return high(a, b) + c; });
    // Division by zero does not trap: all ones, and the dividend as remainder.
    if (bits >= 32) {
      add("div", {t, t}, [](s128 a, s128 b, s128) { return b == 0 ? s128(-1) : a / b; });
      add("rem", {t, t}, [](s128 a, s128 b, s128) { return b == 0 ? a : a % b; });
      add("sad", {t, t, t}, [](s128 a, s128 b, s128 c) { return c + (a > b ? a - b : b - a); });
    }
    if (width.isSigned) {
      add("neg", {t}, [](s128 a, s128, s128) { return -a; });
      add("abs", {t}, [](s128 a, s128, s128) { return a < 0 ? -a : a; });
    }
    if (bits < 64) {
      Type twice = typeOf(2 * bits);
      cases.push_back(
          {named("mul.wide", width), twice, {t, t}, wide(width, [](s128 a, s128 b, s128) {
             return a * b;
           })});
      cases.push_back({named("mad.wide", width), twice, {t, t, twice}, [=](u64 a, u64 b, u64 c) {
                         return u64(valueOf(a, bits, width.isSigned) *
                                        valueOf(b, bits, width.isSigned) +
                                    s128(c));
                       }});
    }
  }
  checkCases(cases);
}

TEST(IntegerTable, CarriesGoThroughTheConditionCode) {
  checkCases({
      {"add.cc.u32 %d, %a, %b; addc.u32 %d, %c, 0;",
       W,
       {W, W, W},
       [](u64 a, u64 b, u64 c) { return c + ((a + b) >> 32); }},
      {"sub.cc.u32 %d, %a, %b; subc.u32 %d, %c, 0;",
       W,
       {W, W, W},
       [](u64 a, u64 b, u64 c) { return c - (a < b); }},
      {"mad.lo.cc.u32 %d, %a, %b, %c; madc.hi.u32 %d, %a, %b, %c;",
       W,
       {W, W, W},
       [](u64 a, u64 b, u64 c) {
         u64 low = (a * b & 0xffffffff) + c;
         return (a * b >> 32) + c + (low >> 32);
       }},
      {"add.cc.u64 %d, %a, %b; addc.u64 %d, %c, 0;",
       D,
       {D, D, D},
       [](u64 a, u64 b, u64 c) { return c + (a + b < a); }},
  });
}

TEST(IntegerTable, LogicAndShifts) {
  std::vector<Case> cases;
  for (int bits : {16, 32, 64}) {
    Type t = typeOf(bits);
    std::string name = ".b" + std::to_string(bits);
    cases.push_back({"and" + name, t, {t, t}, [](u64 a, u64 b, u64) { return a & b; }});
    cases.push_back({"or" + name, t, {t, t}, [](u64 a, u64 b, u64) { return a | b; }});
    cases.push_back({"xor" + name, t, {t, t}, [](u64 a, u64 b, u64) { return a ^ b; }});
    cases.push_back({"not" + name, t, {t}, [](u64 a, u64, u64) { return ~a; }});
    cases.push_back({"cnot" + name, t, {t}, [](u64 a, u64, u64) { return u64(a == 0); }});
    // Amounts at or above the width give zero, or the sign.
    cases.push_back(
        {"shl" + name, t, {t, W}, [=](u64 a, u64 n, u64) { return n >= u64(bits) ? 0 : a << n; }});
    cases.push_back({"shr.u" + std::to_string(bits), t, {t, W}, [=](u64 a, u64 n, u64) {
                       return n >= u64(bits) ? 0 : a >> n;
                     }});
    cases.push_back({"shr.s" + std::to_string(bits), t, {t, W}, [=](u64 a, u64 n, u64) {
                       return u64(valueOf(a, bits, true) >> std::min<u64>(n, bits - 1));
                     }});
  }
  auto both = [](u64 low, u64 high) { return high << 32 | low; };
  cases.push_back({"shf.l.wrap.b32", W, {W, W, W}, [=](u64 a, u64 b, u64 c) {
                     return both(a, b) << (c & 31) >> 32;
                   }});
  cases.push_back({"shf.r.wrap.b32", W, {W, W, W}, [=](u64 a, u64 b, u64 c) {
                     return both(a, b) >> (c & 31);
                   }});
  cases.push_back({"shf.l.clamp.b32", W, {W, W, W}, [=](u64 a, u64 b, u64 c) {
                     return u64(u128(both(a, b)) << std::min<u64>(c, 32) >> 32);
                   }});
  cases.push_back({"shf.r.clamp.b32", W, {W, W, W}, [=](u64 a, u64 b, u64 c) {
                     return both(a, b) >> std::min<u64>(c, 32);
                   }});
  for (int table : {0x00, 0x96, 0xe8, 0xca, 0x1d, 0xff})
    cases.push_back({"lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";",
                     W,
                     {W, W, W},
                     [=](u64 a, u64 b, u64 c) {
                       u64 result = 0;
                       for (int i = 0; i < 32; ++i) {
                         int row = int(a >> i & 1) << 2 | int(b >> i & 1) << 1 | int(c >> i & 1);
                         result |= u64(table >> row & 1) << i;
                       }
                       return result;
                     }});
  for (const char *op : {"and", "or", "xor"})
    cases.push_back({std::string(op) + ".pred", P, {P, P}, [=](u64 a, u64 b, u64) {
                       return *op == 'a' ? a & b : *op == 'o' ? a | b : a ^ b;
                     }});
  cases.push_back({"not.pred", P, {P}, [](u64 a, u64, u64) { return a ^ 1; }});
  checkCases(cases);
}

TEST(IntegerTable, Bits) {
  std::vector<Case> cases;
  for (int bits : {32, 64}) {
    Type t = typeOf(bits);
    std::string b = ".b" + std::to_string(bits);
    cases.push_back({"popc" + b, W, {t}, [](u64 a, u64, u64) { return u64(std::popcount(a)); }});
    cases.push_back({"clz" + b, W, {t}, [=](u64 a, u64, u64) {
                       return u64(std::countl_zero(a) - (64 - bits));
                     }});
    cases.push_back({"brev" + b, t, {t}, [=](u64 a, u64, u64) {
                       u64 result = 0;
                       for (int i = 0; i < bits; ++i)
                         result |= (a >> i & 1) << (bits - 1 - i);
                       return result;
                     }});
    for (bool isSigned : {false, true}) {
      std::string type = (isSigned ? ".s" : ".u") + std::to_string(bits);
      // The highest bit that differs from the sign (or is set); all ones if there is none.
      auto top = [=](u64 a) {
        bool negative = isSigned && (a >> (bits - 1) & 1);
        for (int i = bits - 1; i >= 0; --i)
          if ((a >> i & 1) != u64(negative))
            return i;
        return -1;
      };
      cases.push_back({"bfind" + type, W, {t}, [=](u64 a, u64, u64) { return u64(top(a)); }});
      cases.push_back({"bfind.shiftamt" + type, W, {t}, [=](u64 a, u64, u64) {
                         return u64(top(a) < 0 ? -1 : bits - 1 - top(a));
                       }});
      // PTX ISA, bfe: the pseudo code, bit by bit.
      cases.push_back({"bfe" + type, t, {t, W, W}, [=](u64 a, u64 b, u64 c) {
                         int position = int(b & 0xff), length = int(c & 0xff), msb = bits - 1;
                         bool sign = false;
                         if (isSigned && length != 0)
                           sign = a >> std::min(position + length - 1, msb) & 1;
                         u64 result = 0;
                         for (int i = 0; i <= msb; ++i) {
                           bool inside = i < length && position + i <= msb;
                           result |= u64(inside ? a >> (position + i) & 1 : sign) << i;
                         }
                         return result;
                       }});
    }
    for (auto [position, length] : {std::pair{0, 8}, {5, 0}, {3, 29}, {31, 4}, {40, 8}, {16, 255}})
      cases.push_back({"bfi" + b + " %d, %a, %b, " + std::to_string(position) + ", " +
                           std::to_string(length) + ";",
                       t,
                       {t, t},
                       [=, p = position, n = length](u64 a, u64 base, u64) {
                         u64 result = base;
                         for (int i = 0; i < n && p + i < bits; ++i) {
                           result &= ~(1ull << (p + i));
                           result |= (a >> i & 1) << (p + i);
                         }
                         return result;
                       }});
  }
  checkCases(cases);
}

TEST(IntegerTable, BytesAndDots) {
  auto byte = [](u64 a, u64 b, u64 i) { return (b << 32 | a) >> (8 * i) & 0xff; };
  std::vector<Case> cases;
  cases.push_back({"prmt.b32", W, {W, W, W}, [=](u64 a, u64 b, u64 c) {
                     u64 result = 0;
                     for (int i = 0; i < 4; ++i) {
                       u64 choice = c >> (4 * i) & 15, value = byte(a, b, choice & 7);
                       if (choice & 8)
                         value = value & 0x80 ? 0xff : 0;
                       result |= value << (8 * i);
                     }
                     return result;
                   }});
  // PTX ISA, prmt: the table of modes; entries from the highest byte to the lowest.
  const struct {
    const char *mode;
    int table[4][4];
  } kModes[] = {{"f4e", {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}},
                {"b4e", {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}},
                {"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
                {"ecl", {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}},
                {"ecr", {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}},
                {"rc16", {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}}};
  for (const auto &mode : kModes)
    cases.push_back({std::string("prmt.b32.") + mode.mode, W, {W, W, W}, [=](u64 a, u64 b, u64 c) {
                       u64 result = 0;
                       for (int i = 0; i < 4; ++i)
                         result = result << 8 | byte(a, b, u64(mode.table[c & 3][i]));
                       return result;
                     }});
  for (bool signedA : {false, true})
    for (bool signedB : {false, true}) {
      auto part = [](u64 word, int i, int bits, bool isSigned) {
        return s64(valueOf(word >> (bits * i), bits, isSigned));
      };
      std::string types = std::string(signedA ? ".s32" : ".u32") + (signedB ? ".s32" : ".u32");
      cases.push_back({"dp4a" + types, W, {W, W, W}, [=](u64 a, u64 b, u64 c) {
                         s64 sum = s64(c);
                         for (int i = 0; i < 4; ++i)
                           sum += part(a, i, 8, signedA) * part(b, i, 8, signedB);
                         return u64(sum);
                       }});
      for (bool high : {false, true})
        cases.push_back({std::string("dp2a.") + (high ? "hi" : "lo") + types,
                         W,
                         {W, W, W},
                         [=](u64 a, u64 b, u64 c) {
                           s64 sum = s64(c);
                           for (int i = 0; i < 2; ++i)
                             sum += part(a, i, 16, signedA) * part(b, i + 2 * high, 8, signedB);
                           return u64(sum);
                         }});
    }
  checkCases(cases);
}

TEST(IntegerTable, Comparisons) {
  std::vector<Case> cases;
  for (const Width &width : kWidths) {
    Type t = typeOf(width.bits);
    auto compare = [&](const char *name, std::function<bool(s128, s128)> f) {
      cases.push_back({named(std::string("setp.") + name, width),
                       P,
                       {t, t},
                       wide(width, [f](s128 a, s128 b, s128) { return s128(f(a, b)); })});
      if (width.bits == 32)
        cases.push_back(
            {named(std::string("set.") + name + ".u32", width),
             W,
             {t, t},
             wide(width, [f](s128 a, s128 b, s128) { return s128(f(a, b) ? -1 : 0); })});
    };
    compare("eq", [](s128 a, s128 b) { return a == b; });
    compare("ne", [](s128 a, s128 b) { return a != b; });
    compare("lt", [](s128 a, s128 b) { return a < b; });
    compare("le", [](s128 a, s128 b) { return a <= b; });
    compare("gt", [](s128 a, s128 b) { return a > b; });
    compare("ge", [](s128 a, s128 b) { return a >= b; });
    if (!width.isSigned) {
      compare("lo", [](s128 a, s128 b) { return a < b; });
      compare("hs", [](s128 a, s128 b) { return a >= b; });
    }
  }
  // With a boolean operation, and with the complement as a second result.
  cases.push_back({"setp.lt.and.s32 %dp, %a, %b, %cp;", P, {W, W, P}, [](u64 a, u64 b, u64 c) {
                     return u64(int32_t(a) < int32_t(b) && c);
                   }});
  cases.push_back({"setp.lt.or.s32 %dp, %a, %b, !%cp;", P, {W, W, P}, [](u64 a, u64 b, u64 c) {
                     return u64(int32_t(a) < int32_t(b) || !c);
                   }});
  cases.push_back({"{ .reg .pred q; setp.eq.xor.b32 q|%dp, %a, %b, %cp; }",
                   P,
                   {W, W, P},
                   [](u64 a, u64 b, u64 c) { return u64((a != b) != (c != 0)); }});
  for (int bits : {16, 32, 64}) {
    Type t = typeOf(bits);
    cases.push_back({"selp.b" + std::to_string(bits) + " %d, %a, %b, %cp;",
                     t,
                     {t, t, P},
                     [](u64 a, u64 b, u64 c) { return c ? a : b; }});
    cases.push_back(
        {"slct.b" + std::to_string(bits) + ".s32", t, {t, t, W}, [](u64 a, u64 b, u64 c) {
           return int32_t(c) >= 0 ? a : b;
         }});
  }
  checkCases(cases);
}

TEST(IntegerTable, MovesPackAndUnpack) {
  checkCases({
      {"mov.b32", W, {W}, [](u64 a, u64, u64) { return a; }},
      {"mov.b64", D, {D}, [](u64 a, u64, u64) { return a; }},
      {"mov.b64 %d, {%a, %b};", D, {W, W}, [](u64 a, u64 b, u64) { return b << 32 | a; }},
      {"mov.b32 %d, {%a, %b};", W, {H, H}, [](u64 a, u64 b, u64) { return b << 16 | a; }},
      {"{ .reg .b32 l; mov.b64 {l, %d}, %a; }", W, {D}, [](u64 a, u64, u64) { return a >> 32; }},
      {"mov.b64 {%d, _}, %a;", W, {D}, [](u64 a, u64, u64) { return a; }},
      {"{ .reg .b16 l, h; mov.b32 {l, h}, %a; mov.b32 %d, {h, l}; }",
       W,
       {W},
       [](u64 a, u64, u64) { return a << 16 | a >> 16; }},
      {"{ .reg .b16 p, q, r, s; mov.b64 {p, q, r, s}, %a; mov.b64 %d, {s, r, q, p}; }",
       D,
       {D},
       [](u64 a, u64, u64) {
         return a << 48 | (a & 0xffff0000) << 16 | (a >> 16 & 0xffff0000) | a >> 48;
       }},
      {"@%cp mov.b32 %d, %a; @!%cp mov.b32 %d, %b;",
       W,
       {W, W, P},
       [](u64 a, u64 b, u64 c) { return c ? a : b; }},
      {"szext.wrap.s32",
       W,
       {W, W},
       [](u64 a, u64 b, u64) {
         int n = b & 31;
         return n == 0 ? 0 : u64(valueOf(a, n, true));
       }},
      {"szext.clamp.u32",
       W,
       {W, W},
       [](u64 a, u64 b, u64) { return b >= 32 ? a : a & ((1ull << b) - 1); }},
  });
}
