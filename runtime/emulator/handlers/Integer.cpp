// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic, logic, shifts, bit fields and moves.
#include "runtime/emulator/handlers/Lanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

template <typename T> struct UnsignedOf {
  using type = T;
};
template <> struct UnsignedOf<s16> {
  using type = u16;
};
template <> struct UnsignedOf<s32> {
  using type = u32;
};
template <> struct UnsignedOf<s64> {
  using type = u64;
};
template <typename T> using Unsigned = typename UnsignedOf<T>::type;
template <typename T> constexpr bool kIsSigned = T(-1) < T(0);
template <typename T> constexpr u32 kBits = sizeof(T) * 8;

template <typename T> T add(T a, T b) { return T(Unsigned<T>(a) + Unsigned<T>(b)); }
template <typename T> T sub(T a, T b) { return T(Unsigned<T>(a) - Unsigned<T>(b)); }
/// Wide enough to multiply in without an overflow that C++ leaves open.
template <typename T> struct ProductOf {
  using type = u32;
};
template <> struct ProductOf<s64> {
  using type = u64;
};
template <> struct ProductOf<u64> {
  using type = u64;
};
template <typename T> using Product = typename ProductOf<T>::type;
template <typename T> T mulLow(T a, T b) { return T(Product<T>(a) * Product<T>(b)); }
template <typename T> T mulHigh(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    if constexpr (kIsSigned<T>)
      return T((static_cast<__int128>(a) * b) >> 64);
    else
      return T((static_cast<unsigned __int128>(a) * b) >> 64);
  } else if constexpr (kIsSigned<T>) {
    return T((s64(a) * s64(b)) >> kBits<T>);
  } else {
    return T((u64(a) * u64(b)) >> kBits<T>);
  }
}
template <typename W, typename T> W mulWide(T a, T b) { return W(W(a) * W(b)); }
template <typename T> T madLow(T a, T b, T c) {
  return T(Product<T>(a) * Product<T>(b) + Product<T>(c));
}
template <typename T> T madHigh(T a, T b, T c) { return add(mulHigh(a, b), c); }
template <typename W, typename T> W madWide(T a, T b, W c) {
  return W(Unsigned<W>(W(a) * W(b)) + Unsigned<W>(c));
}
// Division by zero does not trap on the device: all ones, and the dividend as remainder.
template <typename T> T divide(T a, T b) {
  if (b == 0)
    return T(-1);
  if (kIsSigned<T> && b == T(-1))
    return T(0 - Unsigned<T>(a));
  return T(a / b);
}
template <typename T> T remainder(T a, T b) {
  if (b == 0)
    return a;
  if (kIsSigned<T> && b == T(-1))
    return 0;
  return T(a % b);
}
template <typename T> T lesser(T a, T b) { return a < b ? a : b; }
template <typename T> T greater(T a, T b) { return a > b ? a : b; }
template <typename T> T negate(T a) { return T(0 - Unsigned<T>(a)); }
template <typename T> T absolute(T a) { return a < 0 ? negate(a) : a; }
template <typename T> T bitAnd(T a, T b) { return a & b; }
template <typename T> T bitOr(T a, T b) { return a | b; }
template <typename T> T bitXor(T a, T b) { return a ^ b; }
template <typename T> T bitNot(T a) { return T(~a); }
template <typename T> T logicalNot(T a) { return a == 0; }
template <typename T> T copy(T a) { return a; }
template <typename T> T shiftLeft(T a, u32 n) {
  return n >= kBits<T> ? T(0) : T(Unsigned<T>(a) << (n & (kBits<T> - 1)));
}
template <typename T> T shiftRight(T a, u32 n) {
  if (n >= kBits<T>)
    return kIsSigned<T> && a < 0 ? T(-1) : T(0);
  return T(a >> (n & (kBits<T> - 1)));
}
u32 funnelLeftWrap(u32 low, u32 high, u32 n) {
  u64 both = (u64(high) << 32) | low;
  return u32((both << (n & 31)) >> 32);
}
u32 funnelRightWrap(u32 low, u32 high, u32 n) { return u32(((u64(high) << 32) | low) >> (n & 31)); }
u32 funnelLeftClamp(u32 low, u32 high, u32 n) {
  return n >= 32 ? low : funnelLeftWrap(low, high, n);
}
u32 funnelRightClamp(u32 low, u32 high, u32 n) {
  return n >= 32 ? high : funnelRightWrap(low, high, n);
}
template <typename T> u32 population(T a) {
  u32 low = u32(a), high = u32(u64(a) >> 32), sum = 0;
  for (u32 v : {low, high}) {
    v = v - ((v >> 1) & 0x55555555);
    v = (v & 0x33333333) + ((v >> 2) & 0x33333333);
    sum += (((v + (v >> 4)) & 0x0f0f0f0f) * 0x01010101) >> 24;
  }
  return sum;
}
template <typename T> u32 leadingZeros(T a) {
  return a == 0 ? kBits<T> : u32(__builtin_clzll(u64(a))) - (64 - kBits<T>);
}
template <typename T> T reverse(T a) {
  u64 v = a;
  v = ((v >> 1) & 0x5555555555555555) | ((v & 0x5555555555555555) << 1);
  v = ((v >> 2) & 0x3333333333333333) | ((v & 0x3333333333333333) << 2);
  v = ((v >> 4) & 0x0f0f0f0f0f0f0f0f) | ((v & 0x0f0f0f0f0f0f0f0f) << 4);
  v = __builtin_bswap64(v);
  return T(v >> (64 - kBits<T>));
}
template <typename T> u32 findTop(T a) {
  Unsigned<T> v = kIsSigned<T> && a < 0 ? Unsigned<T>(~a) : Unsigned<T>(a);
  return v == 0 ? ~0u : kBits<T> - 1 - leadingZeros<Unsigned<T>>(v);
}
template <typename T> u32 findTopShift(T a) {
  u32 top = findTop<T>(a);
  return top == ~0u ? top : kBits<T> - 1 - top;
}
template <typename T> T extractBits(T a, u32 position, u32 length) {
  position &= 0xff;
  length &= 0xff;
  u32 top = position + length - 1;
  if (top > kBits<T> - 1)
    top = kBits<T> - 1;
  bool sign = kIsSigned<T> && length != 0 && ((Unsigned<T>(a) >> top) & 1);
  if (position >= kBits<T> || length == 0)
    return sign ? T(-1) : T(0);
  Unsigned<T> field = Unsigned<T>(a) >> position;
  u32 kept = top - position + 1;
  if (kept >= kBits<T>)
    return T(field);
  Unsigned<T> low = (Unsigned<T>(1) << kept) - 1;
  return T(sign ? field | ~low : field & low);
}
template <typename T> T insertBits(T a, T b, u32 position, u32 length) {
  position &= 0xff;
  length &= 0xff;
  if (position >= kBits<T> || length == 0)
    return b;
  T low = length >= kBits<T> ? T(-1) : T((T(1) << length) - 1);
  T field = T(low << position);
  return T((b & ~field) | ((a << position) & field));
}
u32 permute(u32 a, u32 b, u32 selector) {
  u64 bytes = (u64(b) << 32) | a;
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    u32 choice = (selector >> (4 * i)) & 15;
    u32 byte = u32(bytes >> ((choice & 7) * 8)) & 0xff;
    if (choice & 8)
      byte = (byte & 0x80) ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}
u32 permuteForward4(u32 a, u32 b, u32 c) { return u32(((u64(b) << 32) | a) >> ((c & 3) * 8)); }
/// The modes of prmt: which of the eight bytes of b and a come, from the highest to the lowest.
template <u32 kMode> u32 permuteBy(u32 a, u32 b, u32 c) {
  constexpr u32 kChoices[5][4] = {{0x5670, 0x6701, 0x7012, 0x0123},  // b4e
                                  {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
                                  {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
                                  {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
                                  {0x1010, 0x3232, 0x1010, 0x3232}}; // rc16
  return permute(a, b, kChoices[kMode][c & 3]);
}
template <typename A, typename B, bool kHigh> s32 dot2(u32 a, u32 b, s32 c) {
  u32 sum = u32(c);
  for (u32 i = 0; i < 2; ++i)
    sum += u32(s32(A(a >> (16 * i))) * s32(B(b >> (8 * i + (kHigh ? 16 : 0)))));
  return s32(sum);
}
template <typename T> T signExtend(T a, u32 n) {
  if (n == 0)
    return 0;
  if (n >= 32)
    return a;
  return kIsSigned<T> ? T(T(Unsigned<T>(a) << (32 - n)) >> (32 - n))
                      : T(Unsigned<T>(a) & ((1u << n) - 1));
}
template <typename T> T signExtendWrapped(T a, u32 n) { return signExtend<T>(a, n & 31); }
template <typename A, typename B> s32 dot4(u32 a, u32 b, s32 c) {
  u32 sum = u32(c);
  for (u32 i = 0; i < 4; ++i)
    sum += u32(s32(A(a >> (8 * i))) * s32(B(b >> (8 * i))));
  return s32(sum);
}
template <typename T> T absoluteDifference(T a, T b, T c) {
  Unsigned<T> difference =
      a > b ? Unsigned<T>(a) - Unsigned<T>(b) : Unsigned<T>(b) - Unsigned<T>(a);
  return T(Unsigned<T>(c) + difference);
}

void bitFieldInsert32(Warp &warp, const Op &op) {
  const u32 *length = lanesOf<u32>(warp, op.more[0]);
  const u32 *a = lanesOf<u32>(warp, op.a), *b = lanesOf<u32>(warp, op.b);
  const u32 *position = lanesOf<u32>(warp, op.c);
  alignas(64) u32 result[kLaneCount];
  LANES result[l] = insertBits<u32>(a[l], b[l], position[l], length[l]);
  merge(lanesOf<u32>(warp, op.d), result, maskOf(warp, op));
}
void bitFieldInsert64(Warp &warp, const Op &op) {
  const u32 *length = lanesOf<u32>(warp, op.more[0]);
  const u64 *a = lanesOf<u64>(warp, op.a), *b = lanesOf<u64>(warp, op.b);
  const u32 *position = lanesOf<u32>(warp, op.c);
  alignas(64) u64 result[kLaneCount];
  LANES result[l] = insertBits<u64>(a[l], b[l], position[l], length[l]);
  merge(lanesOf<u64>(warp, op.d), result, maskOf(warp, op));
}
void logic3(Warp &warp, const Op &op) {
  const u32 *a = lanesOf<u32>(warp, op.a), *b = lanesOf<u32>(warp, op.b);
  const u32 *c = lanesOf<u32>(warp, op.c);
  u32 table = u32(op.imm);
  alignas(64) u32 result[kLaneCount] = {};
  for (u32 row = 0; row < 8; ++row) {
    if (!((table >> row) & 1))
      continue;
    u32 na = row & 4 ? 0 : ~0u, nb = row & 2 ? 0 : ~0u, nc = row & 1 ? 0 : ~0u;
    LANES result[l] |= (a[l] ^ na) & (b[l] ^ nb) & (c[l] ^ nc);
  }
  merge(lanesOf<u32>(warp, op.d), result, maskOf(warp, op));
}

template <typename W, typename T> W packTwo(T low, T high) {
  return W(low) | W(W(high) << kBits<T>);
}
template <typename T, typename W> T upperHalf(W a) { return T(a >> kBits<T>); }

// Carries: the condition code is a predicate, op.more[0] names it.
template <bool kTakesCarry, bool kSetsCarry, bool kSubtract, typename T>
void addCarry(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op), carryIn = warp.predicates[op.more[0]], carryOut = 0;
  T *d = lanesOf<T>(warp, op.d);
  const T *a = lanesOf<T>(warp, op.a), *b = lanesOf<T>(warp, op.b);
  for (u32 l = 0; l < kLaneCount; ++l) {
    if (!(mask & kLaneBit[l]))
      continue;
    T other = kSubtract ? T(~b[l]) : b[l];
    // A borrow is a carry that is missing.
    T in = kTakesCarry ? T(((carryIn >> l) & 1) ^ (kSubtract ? 1 : 0)) : T(kSubtract ? 1 : 0);
    T sum, total;
    bool carry = __builtin_add_overflow(a[l], other, &sum);
    carry |= __builtin_add_overflow(sum, in, &total);
    carryOut |= u32(carry != kSubtract) << l;
    d[l] = total;
  }
  if (kSetsCarry)
    setPredicate(warp, op.more[0], carryOut, mask);
}

/// mad.lo, mad.hi and madc with carries: half of the product of a and b, and c.
template <bool kTakesCarry, bool kSetsCarry, bool kHigh, typename T>
void multiplyAddCarry(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op), carryIn = warp.predicates[op.more[0]], carryOut = 0;
  T *d = lanesOf<T>(warp, op.d);
  const T *a = lanesOf<T>(warp, op.a), *b = lanesOf<T>(warp, op.b), *c = lanesOf<T>(warp, op.c);
  for (u32 l = 0; l < kLaneCount; ++l) {
    if (!(mask & kLaneBit[l]))
      continue;
    Unsigned<T> half = Unsigned<T>(kHigh ? mulHigh<T>(a[l], b[l]) : mulLow<T>(a[l], b[l]));
    Unsigned<T> in = kTakesCarry ? (carryIn >> l) & 1 : 0, sum, total;
    bool carry = __builtin_add_overflow(half, Unsigned<T>(c[l]), &sum);
    carry |= __builtin_add_overflow(sum, in, &total);
    carryOut |= u32(carry) << l;
    d[l] = T(total);
  }
  if (kSetsCarry)
    setPredicate(warp, op.more[0], carryOut, mask);
}

#define TYPED3(name, letter, T, L)                                                                 \
  {"add." #name, binary<T, T, T, add<T>>, L ":" L L, OpClass::kInteger},                           \
      {"sub." #name, binary<T, T, T, sub<T>>, L ":" L L, OpClass::kInteger},                       \
      {"mul.lo." #name, binary<T, T, T, mulLow<T>>, L ":" L L, OpClass::kInteger},                 \
      {"mul.hi." #name, binary<T, T, T, mulHigh<T>>, L ":" L L, OpClass::kInteger},                \
      {"mad.lo." #name, ternary<T, T, T, T, madLow<T>>, L ":" L L L, OpClass::kInteger},           \
      {"mad.hi." #name, ternary<T, T, T, T, madHigh<T>>, L ":" L L L, OpClass::kInteger},          \
      {"sad." #name, ternary<T, T, T, T, absoluteDifference<T>>, L ":" L L L, OpClass::kInteger},  \
      {"div." #name, binary<T, T, T, divide<T>>, L ":" L L, OpClass::kInteger},                    \
      {"rem." #name, binary<T, T, T, remainder<T>>, L ":" L L, OpClass::kInteger},                 \
      {"min." #name, binary<T, T, T, lesser<T>>, L ":" L L, OpClass::kInteger},                    \
      {"max." #name, binary<T, T, T, greater<T>>, L ":" L L, OpClass::kInteger}, {                 \
    "shr." #name, binary<T, T, u32, shiftRight<T>>, L ":" L "w", OpClass::kInteger                 \
  }

#define BITS(name, T, L)                                                                           \
  {"and." #name, binary<T, T, T, bitAnd<T>>, L ":" L L, OpClass::kInteger},                        \
      {"or." #name, binary<T, T, T, bitOr<T>>, L ":" L L, OpClass::kInteger},                      \
      {"xor." #name, binary<T, T, T, bitXor<T>>, L ":" L L, OpClass::kInteger},                    \
      {"not." #name, unary<T, T, bitNot<T>>, L ":" L, OpClass::kInteger},                          \
      {"cnot." #name, unary<T, T, logicalNot<T>>, L ":" L, OpClass::kInteger},                     \
      {"shl." #name, binary<T, T, u32, shiftLeft<T>>, L ":" L "w", OpClass::kInteger},             \
      {"shr." #name, binary<T, T, u32, shiftRight<T>>, L ":" L "w", OpClass::kInteger}, {          \
    "mov." #name, unary<T, T, copy<T>>, L ":" L, OpClass::kMove                                    \
  }

#define CARRY(name, T, L)                                                                          \
  {"add.cc." #name, addCarry<false, true, false, T>, L ":" L L "c", OpClass::kInteger},            \
      {"addc." #name, addCarry<true, false, false, T>, L ":" L L "c", OpClass::kInteger},          \
      {"addc.cc." #name, addCarry<true, true, false, T>, L ":" L L "c", OpClass::kInteger},        \
      {"sub.cc." #name, addCarry<false, true, true, T>, L ":" L L "c", OpClass::kInteger},         \
      {"subc." #name, addCarry<true, false, true, T>, L ":" L L "c", OpClass::kInteger}, {         \
    "subc.cc." #name, addCarry<true, true, true, T>, L ":" L L "c", OpClass::kInteger              \
  }

#define MULTIPLY_CARRY(half, high, name, T, L)                                                     \
  {"mad." half ".cc." name, multiplyAddCarry<false, true, high, T>, L ":" L L L "c",               \
   OpClass::kInteger},                                                                             \
      {"madc." half "." name, multiplyAddCarry<true, false, high, T>, L ":" L L L "c",             \
       OpClass::kInteger},                                                                         \
  {                                                                                                \
    "madc." half ".cc." name, multiplyAddCarry<true, true, high, T>, L ":" L L L "c",              \
        OpClass::kInteger                                                                          \
  }
#define MULTIPLY_CARRIES(name, T, L)                                                               \
  MULTIPLY_CARRY("lo", false, name, T, L), MULTIPLY_CARRY("hi", true, name, T, L)

#define DOT2(types, A, B)                                                                          \
  {"dp2a.lo." types, ternary<s32, u32, u32, s32, dot2<A, B, false>>, "w:www", OpClass::kInteger},  \
  {                                                                                                \
    "dp2a.hi." types, ternary<s32, u32, u32, s32, dot2<A, B, true>>, "w:www", OpClass::kInteger    \
  }

const Instruction kRows[] = {
    MULTIPLY_CARRIES("u32", u32, "w"),
    MULTIPLY_CARRIES("s32", s32, "w"),
    MULTIPLY_CARRIES("u64", u64, "d"),
    MULTIPLY_CARRIES("s64", s64, "d"),
    DOT2("s32.s32", s16, s8),
    DOT2("s32.u32", s16, u8),
    DOT2("u32.s32", u16, s8),
    DOT2("u32.u32", u16, u8),
    {"prmt.b32.b4e", ternary<u32, u32, u32, u32, permuteBy<0>>, "w:www", OpClass::kInteger},
    {"prmt.b32.rc8", ternary<u32, u32, u32, u32, permuteBy<1>>, "w:www", OpClass::kInteger},
    {"prmt.b32.ecl", ternary<u32, u32, u32, u32, permuteBy<2>>, "w:www", OpClass::kInteger},
    {"prmt.b32.ecr", ternary<u32, u32, u32, u32, permuteBy<3>>, "w:www", OpClass::kInteger},
    {"prmt.b32.rc16", ternary<u32, u32, u32, u32, permuteBy<4>>, "w:www", OpClass::kInteger},
    TYPED3(s16, s16, s16, "h"),
    TYPED3(u16, u16, u16, "h"),
    TYPED3(s32, s32, s32, "w"),
    TYPED3(u32, u32, u32, "w"),
    TYPED3(s64, s64, s64, "d"),
    TYPED3(u64, u64, u64, "d"),
    BITS(b16, u16, "h"),
    BITS(b32, u32, "w"),
    BITS(b64, u64, "d"),
    CARRY(u32, u32, "w"),
    CARRY(s32, u32, "w"),
    CARRY(b32, u32, "w"),
    CARRY(u64, u64, "d"),
    CARRY(s64, u64, "d"),
    {"mul.wide.s16", binary<s32, s16, s16, mulWide<s32, s16>>, "w:hh", OpClass::kInteger},
    {"mul.wide.u16", binary<u32, u16, u16, mulWide<u32, u16>>, "w:hh", OpClass::kInteger},
    {"mul.wide.s32", binary<s64, s32, s32, mulWide<s64, s32>>, "d:ww", OpClass::kInteger},
    {"mul.wide.u32", binary<u64, u32, u32, mulWide<u64, u32>>, "d:ww", OpClass::kInteger},
    {"mad.wide.s16", ternary<s32, s16, s16, s32, madWide<s32, s16>>, "w:hhw", OpClass::kInteger},
    {"mad.wide.u16", ternary<u32, u16, u16, u32, madWide<u32, u16>>, "w:hhw", OpClass::kInteger},
    {"mad.wide.s32", ternary<s64, s32, s32, s64, madWide<s64, s32>>, "d:wwd", OpClass::kInteger},
    {"mad.wide.u32", ternary<u64, u32, u32, u64, madWide<u64, u32>>, "d:wwd", OpClass::kInteger},
    {"neg.s16", unary<s16, s16, negate<s16>>, "h:h", OpClass::kInteger},
    {"neg.s32", unary<s32, s32, negate<s32>>, "w:w", OpClass::kInteger},
    {"neg.s64", unary<s64, s64, negate<s64>>, "d:d", OpClass::kInteger},
    {"abs.s16", unary<s16, s16, absolute<s16>>, "h:h", OpClass::kInteger},
    {"abs.s32", unary<s32, s32, absolute<s32>>, "w:w", OpClass::kInteger},
    {"abs.s64", unary<s64, s64, absolute<s64>>, "d:d", OpClass::kInteger},
    {"shf.l.wrap.b32", ternary<u32, u32, u32, u32, funnelLeftWrap>, "w:www", OpClass::kInteger},
    {"shf.r.wrap.b32", ternary<u32, u32, u32, u32, funnelRightWrap>, "w:www", OpClass::kInteger},
    {"shf.l.clamp.b32", ternary<u32, u32, u32, u32, funnelLeftClamp>, "w:www", OpClass::kInteger},
    {"shf.r.clamp.b32", ternary<u32, u32, u32, u32, funnelRightClamp>, "w:www", OpClass::kInteger},
    {"popc.b32", unary<u32, u32, population<u32>>, "w:w", OpClass::kInteger},
    {"popc.b64", unary<u32, u64, population<u64>>, "w:d", OpClass::kInteger},
    {"clz.b32", unary<u32, u32, leadingZeros<u32>>, "w:w", OpClass::kInteger},
    {"clz.b64", unary<u32, u64, leadingZeros<u64>>, "w:d", OpClass::kInteger},
    {"brev.b32", unary<u32, u32, reverse<u32>>, "w:w", OpClass::kInteger},
    {"brev.b64", unary<u64, u64, reverse<u64>>, "d:d", OpClass::kInteger},
    {"bfind.u32", unary<u32, u32, findTop<u32>>, "w:w", OpClass::kInteger},
    {"bfind.s32", unary<u32, s32, findTop<s32>>, "w:w", OpClass::kInteger},
    {"bfind.u64", unary<u32, u64, findTop<u64>>, "w:d", OpClass::kInteger},
    {"bfind.s64", unary<u32, s64, findTop<s64>>, "w:d", OpClass::kInteger},
    {"bfind.shiftamt.u32", unary<u32, u32, findTopShift<u32>>, "w:w", OpClass::kInteger},
    {"bfind.shiftamt.s32", unary<u32, s32, findTopShift<s32>>, "w:w", OpClass::kInteger},
    {"bfind.shiftamt.u64", unary<u32, u64, findTopShift<u64>>, "w:d", OpClass::kInteger},
    {"bfind.shiftamt.s64", unary<u32, s64, findTopShift<s64>>, "w:d", OpClass::kInteger},
    {"bfe.u32", ternary<u32, u32, u32, u32, extractBits<u32>>, "w:www", OpClass::kInteger},
    {"bfe.s32", ternary<s32, s32, u32, u32, extractBits<s32>>, "w:www", OpClass::kInteger},
    {"bfe.u64", ternary<u64, u64, u32, u32, extractBits<u64>>, "d:dww", OpClass::kInteger},
    {"bfe.s64", ternary<s64, s64, u32, u32, extractBits<s64>>, "d:dww", OpClass::kInteger},
    {"bfi.b32", bitFieldInsert32, "w:wwww", OpClass::kInteger},
    {"bfi.b64", bitFieldInsert64, "d:ddww", OpClass::kInteger},
    {"prmt.b32", ternary<u32, u32, u32, u32, permute>, "w:www", OpClass::kInteger},
    {"prmt.b32.f4e", ternary<u32, u32, u32, u32, permuteForward4>, "w:www", OpClass::kInteger},
    {"szext.wrap.s32", binary<s32, s32, u32, signExtendWrapped<s32>>, "w:ww", OpClass::kInteger},
    {"szext.wrap.u32", binary<u32, u32, u32, signExtendWrapped<u32>>, "w:ww", OpClass::kInteger},
    {"szext.clamp.s32", binary<s32, s32, u32, signExtend<s32>>, "w:ww", OpClass::kInteger},
    {"szext.clamp.u32", binary<u32, u32, u32, signExtend<u32>>, "w:ww", OpClass::kInteger},
    {"pack.b32", binary<u32, u16, u16, packTwo<u32, u16>>, "w:hh", OpClass::kMove},
    {"pack.b64", binary<u64, u32, u32, packTwo<u64, u32>>, "d:ww", OpClass::kMove},
    {"unpack.b32", unary<u16, u32, upperHalf<u16, u32>>, "h:w", OpClass::kMove},
    {"unpack.b64", unary<u32, u64, upperHalf<u32, u64>>, "w:d", OpClass::kMove},
    {"lop3.b32", logic3, "w:wwwi", OpClass::kInteger},
    {"dp4a.s32.s32", ternary<s32, u32, u32, s32, dot4<s8, s8>>, "w:www", OpClass::kInteger},
    {"dp4a.s32.u32", ternary<s32, u32, u32, s32, dot4<s8, u8>>, "w:www", OpClass::kInteger},
    {"dp4a.u32.s32", ternary<s32, u32, u32, s32, dot4<u8, s8>>, "w:www", OpClass::kInteger},
    {"dp4a.u32.u32", ternary<s32, u32, u32, s32, dot4<u8, u8>>, "w:www", OpClass::kInteger},
};

} // namespace

void addIntegerHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
