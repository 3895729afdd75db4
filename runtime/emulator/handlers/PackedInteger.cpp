// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer instructions that saturate, that see a register as two numbers of 16 bits, or as one of
// 24, and those that make and search masks of bits.
#include "runtime/emulator/handlers/Lanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

void addVideoHandlers(HandlerTable &table); // Video.cpp

namespace {

constexpr s64 kLowest = -2147483648ll, kHighest = 2147483647ll;

s32 clamped(s64 value) {
  return s32(value < kLowest ? kLowest : value > kHighest ? kHighest : value);
}
s32 addSaturated(s32 a, s32 b) { return clamped(s64(a) + b); }
s32 subSaturated(s32 a, s32 b) { return clamped(s64(a) - b); }
s32 madHighSaturated(s32 a, s32 b, s32 c) { return clamped(((s64(a) * b) >> 32) + c); }

template <typename T> s64 low24(T a) {
  return T(-1) < T(0) ? s64(s32(u32(a) << 8) >> 8) : s64(u32(a) & 0xffffff);
}
/// The product of the low 24 bits has 48; high means the upper 32 of them.
template <typename T, bool kHigh> T mul24(T a, T b) {
  s64 product = low24(a) * low24(b);
  return T(kHigh ? product >> 16 : product);
}
template <typename T, bool kHigh> T mad24(T a, T b, T c) {
  return T(u32(mul24<T, kHigh>(a, b)) + u32(c));
}
s32 mad24Saturated(s32 a, s32 b, s32 c) { return clamped(s64(mul24<s32, true>(a, b)) + c); }

template <typename T, T (*F)(T, T)> u32 halves(u32 a, u32 b) {
  u32 low = u16(F(T(a), T(b))), high = u16(F(T(a >> 16), T(b >> 16)));
  return high << 16 | low;
}
template <typename T> T add(T a, T b) { return T(u32(a) + u32(b)); }
template <typename T> T lesser(T a, T b) { return a < b ? a : b; }
template <typename T> T greater(T a, T b) { return a > b ? a : b; }
template <typename T> T lesserRelu(T a, T b) { return greater<T>(lesser<T>(a, b), 0); }
template <typename T> T greaterRelu(T a, T b) { return greater<T>(greater<T>(a, b), 0); }

/// PTX ISA 9.7.1.23: `width` ones from bit `start` on.
template <bool kClamps> u32 bitMask(u32 start, u32 width) {
  u32 from = start & 31, sum = from + (width & 31);
  u32 above = ~0u << from;
  if (kClamps && start >= 32)
    above = 0;
  bool isOpen = sum >= 32 || (kClamps && (start >= 32 || width >= 32));
  return above & ~(isOpen ? 0 : ~0u << (sum & 31));
}

/// PTX ISA 9.7.1.17: the n-th set bit from `base` on, upwards for n > 0, downwards for n < 0.
u32 findNth(u32 mask, u32 base, s32 offset) {
  if (base > 31)
    return ~0u;
  if (offset == 0)
    return (mask >> base) & 1 ? base : ~0u;
  s32 position = s32(base), step = offset < 0 ? -1 : 1;
  s64 count = 0, wanted = offset < 0 ? -s64(offset) : offset;
  for (; position >= 0 && position <= 31; position += step)
    if (((mask >> position) & 1) && ++count == wanted)
      return u32(position);
  return ~0u;
}

/// cvt.pack.sat: two numbers saturated to T, the first one above the second; c keeps its low part
/// and moves above both where it is given.
template <typename T> u32 saturated(s32 a) {
  constexpr bool isSigned = T(-1) < T(0);
  constexpr u32 bits = sizeof(T) * 8;
  constexpr s64 low = isSigned ? -(s64(1) << (bits - 1)) : 0;
  constexpr s64 high = isSigned ? (s64(1) << (bits - 1)) - 1 : (s64(1) << bits) - 1;
  s64 value = a < low ? low : a > high ? high : a;
  return u32(value) & ((u32(1) << (bits & 31)) - 1);
}
template <typename T> u32 packTwo(s32 a, s32 b) { return saturated<T>(a) << 16 | saturated<T>(b); }
template <typename T> u32 packBehind(s32 a, s32 b, u32 c) {
  return c << 16 | saturated<T>(a) << 8 | saturated<T>(b);
}

/// isspacep: generic addresses of a window.
template <u64 kStart> void isInWindow(Warp &warp, const Op &op) {
  const u64 *a = lanesOf<u64>(warp, op.a);
  u32 result = 0;
  for (u32 l = 0; l < kLaneCount; ++l)
    result |= u32(a[l] - kStart < kWindowBytes) << l;
  setPredicate(warp, op.d, result, maskOf(warp, op));
}
/// In no window.
void isGlobal(Warp &warp, const Op &op) {
  const u64 *a = lanesOf<u64>(warp, op.a);
  u32 result = 0;
  for (u32 l = 0; l < kLaneCount; ++l)
    result |= u32(a[l] - kSharedWindow >= 3 * kWindowBytes) << l;
  setPredicate(warp, op.d, result, maskOf(warp, op));
}
/// In the executing block's shared memory.
void isOwnShared(Warp &warp, const Op &op) {
  const u64 *a = lanesOf<u64>(warp, op.a);
  u32 result = 0;
  for (u32 l = 0; l < kLaneCount; ++l) {
    u64 offset = a[l] - kSharedWindow, named = offset >> 24;
    result |= u32(named == 0 || named == warp.block->rank + 1) << l;
  }
  setPredicate(warp, op.d, result, maskOf(warp, op));
}

constexpr OpClass kI = OpClass::kInteger;

#define TWO(name, F, T) {name, binary<u32, u32, u32, halves<T, F<T>>>, "w:ww", kI}

const Instruction kRows[] = {
    {"add.sat.s32", binary<s32, s32, s32, addSaturated>, "w:ww", kI},
    {"sub.sat.s32", binary<s32, s32, s32, subSaturated>, "w:ww", kI},
    {"mad.hi.sat.s32", ternary<s32, s32, s32, s32, madHighSaturated>, "w:www", kI},
    {"mul24.lo.u32", binary<u32, u32, u32, mul24<u32, false>>, "w:ww", kI},
    {"mul24.hi.u32", binary<u32, u32, u32, mul24<u32, true>>, "w:ww", kI},
    {"mul24.lo.s32", binary<s32, s32, s32, mul24<s32, false>>, "w:ww", kI},
    {"mul24.hi.s32", binary<s32, s32, s32, mul24<s32, true>>, "w:ww", kI},
    {"mad24.lo.u32", ternary<u32, u32, u32, u32, mad24<u32, false>>, "w:www", kI},
    {"mad24.hi.u32", ternary<u32, u32, u32, u32, mad24<u32, true>>, "w:www", kI},
    {"mad24.lo.s32", ternary<s32, s32, s32, s32, mad24<s32, false>>, "w:www", kI},
    {"mad24.hi.s32", ternary<s32, s32, s32, s32, mad24<s32, true>>, "w:www", kI},
    {"mad24.hi.sat.s32", ternary<s32, s32, s32, s32, mad24Saturated>, "w:www", kI},
    TWO("add.u16x2", add, u16),
    TWO("add.s16x2", add, s16),
    TWO("min.u16x2", lesser, u16),
    TWO("min.s16x2", lesser, s16),
    TWO("max.u16x2", greater, u16),
    TWO("max.s16x2", greater, s16),
    TWO("min.relu.s16x2", lesserRelu, s16),
    TWO("max.relu.s16x2", greaterRelu, s16),
    {"min.relu.s32", binary<s32, s32, s32, lesserRelu<s32>>, "w:ww", kI},
    {"max.relu.s32", binary<s32, s32, s32, greaterRelu<s32>>, "w:ww", kI},
    {"bmsk.clamp.b32", binary<u32, u32, u32, bitMask<true>>, "w:ww", kI},
    {"bmsk.wrap.b32", binary<u32, u32, u32, bitMask<false>>, "w:ww", kI},
    {"fns.b32", ternary<u32, u32, u32, s32, findNth>, "w:www", kI},
    {"cvt.pack.sat.u16.s32", binary<u32, s32, s32, packTwo<u16>>, "w:ww", OpClass::kConvert},
    {"cvt.pack.sat.s16.s32", binary<u32, s32, s32, packTwo<s16>>, "w:ww", OpClass::kConvert},
    {"cvt.pack.sat.u8.s32.b32", ternary<u32, s32, s32, u32, packBehind<u8>>, "w:www",
     OpClass::kConvert},
    {"cvt.pack.sat.s8.s32.b32", ternary<u32, s32, s32, u32, packBehind<s8>>, "w:www",
     OpClass::kConvert},
    {"isspacep.global", isGlobal, "p:d", kI},
    {"isspacep.shared", isOwnShared, "p:d", kI},
    {"isspacep.shared::cta", isOwnShared, "p:d", kI},
    {"isspacep.shared::cluster", isInWindow<kSharedWindow>, "p:d", kI},
    {"isspacep.local", isInWindow<kLocalWindow>, "p:d", kI},
    {"isspacep.param", isInWindow<kParamWindow>, "p:d", kI},
};

} // namespace

void addPackedIntegerHandlers(HandlerTable &table) {
  addRows(table, kRows);
  addVideoHandlers(table);
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA
