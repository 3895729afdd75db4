// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16, bf16 and pairs of them. Operands become f32, the result is rounded once.
#include "runtime/emulator/handlers/HalfLanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

struct Half {
  template <u32 kCount> static void load(f32 *to, const u16 *from) { loadHalves<kCount>(to, from); }
  template <u32 kCount> static void store(u16 *to, const f32 *from) {
    storeHalves<kCount>(to, from);
  }
};
struct Brain {
  template <u32 kCount> static void load(f32 *to, const u16 *from) { loadBrains<kCount>(to, from); }
  template <u32 kCount> static void store(u16 *to, const f32 *from) {
    storeBrains<kCount>(to, from);
  }
};

/// kPack numbers a lane: 1 in 16-bit registers, 2 in 32-bit registers.
template <u32 kPack> void writeLanes(Warp &warp, const Op &op, const u16 *result) {
  u32 mask = maskOf(warp, op);
  if constexpr (kPack == 1)
    merge(lanesOf<u16>(warp, op.d), result, mask);
  else
    merge(lanesOf<u32>(warp, op.d), reinterpret_cast<const u32 *>(result), mask);
}

template <class Type, u32 kPack, f32 (*F)(f32)> void half1(Warp &warp, const Op &op) {
  constexpr u32 n = kPack * kLaneCount;
  alignas(64) f32 a[n];
  alignas(64) u16 result[n];
  Type::template load<n>(a, lanesOf<u16>(warp, op.a));
  for (u32 i = 0; i < n; ++i)
    a[i] = F(a[i]);
  Type::template store<n>(result, a);
  writeLanes<kPack>(warp, op, result);
}
template <class Type, u32 kPack, f32 (*F)(f32, f32)> void half2(Warp &warp, const Op &op) {
  constexpr u32 n = kPack * kLaneCount;
  alignas(64) f32 a[n], b[n];
  alignas(64) u16 result[n];
  Type::template load<n>(a, lanesOf<u16>(warp, op.a));
  Type::template load<n>(b, lanesOf<u16>(warp, op.b));
  for (u32 i = 0; i < n; ++i)
    a[i] = F(a[i], b[i]);
  Type::template store<n>(result, a);
  writeLanes<kPack>(warp, op, result);
}
/// What tensor copies put outside of a tensor (async/TensorCopy.cpp); fma.oob makes zero of it.
constexpr u16 kOutsideNaN = 0x7ff7;

f32 relu(f32 a) { return (a > 0) | (a != a) ? a : 0.0f; }

template <class Type, u32 kPack, bool kRelu, bool kOutside = false>
void half3(Warp &warp, const Op &op) {
  constexpr u32 n = kPack * kLaneCount;
  alignas(64) f32 a[n], b[n], c[n];
  alignas(64) u16 result[n];
  Type::template load<n>(a, lanesOf<u16>(warp, op.a));
  Type::template load<n>(b, lanesOf<u16>(warp, op.b));
  Type::template load<n>(c, lanesOf<u16>(warp, op.c));
  for (u32 i = 0; i < n; ++i) {
    f32 value = oddFma(a[i], b[i], c[i]);
    a[i] = kRelu ? relu(value) : value;
  }
  if constexpr (kOutside) {
    const u16 *from[] = {lanesOf<u16>(warp, op.a), lanesOf<u16>(warp, op.b),
                         lanesOf<u16>(warp, op.c)};
    for (u32 i = 0; i < n; ++i) {
      bool isOutside =
          (from[0][i] == kOutsideNaN) | (from[1][i] == kOutsideNaN) | (from[2][i] == kOutsideNaN);
      a[i] = isOutside ? 0.0f : a[i];
    }
  }
  Type::template store<n>(result, a);
  writeLanes<kPack>(warp, op, result);
}

/// Sign operations on the bits: no NaN is changed.
template <u32 kPack, bool kNegate> void halfSign(Warp &warp, const Op &op) {
  constexpr u32 n = kPack * kLaneCount;
  const u16 *a = lanesOf<u16>(warp, op.a);
  alignas(64) u16 result[n];
  for (u32 i = 0; i < n; ++i)
    result[i] = kNegate ? a[i] ^ 0x8000 : a[i] & 0x7fff;
  writeLanes<kPack>(warp, op, result);
}

/// Subnormals become zeros of their sign.
template <u32 kPack, u16 kExponent> void halfFlush(Warp &warp, const Op &op) {
  constexpr u32 n = kPack * kLaneCount;
  const u16 *a = lanesOf<u16>(warp, op.a);
  alignas(64) u16 result[n];
  for (u32 i = 0; i < n; ++i)
    result[i] = a[i] & kExponent ? a[i] : a[i] & 0x8000;
  writeLanes<kPack>(warp, op, result);
}

f32 add(f32 a, f32 b) { return a + b; }
f32 sub(f32 a, f32 b) { return a - b; }
f32 mul(f32 a, f32 b) { return a * b; }
f32 lesser(f32 a, f32 b) {
  f32 result = a < b ? a : (a == b ? floatOf(floatBits(a) | floatBits(b)) : b);
  return b != b ? a : result;
}
f32 greater(f32 a, f32 b) {
  f32 result = a > b ? a : (a == b ? floatOf(floatBits(a) & floatBits(b)) : b);
  return b != b ? a : result;
}
f32 lesserNaN(f32 a, f32 b) { return a != a ? a : (b != b ? b : lesser(a, b)); }
f32 greaterNaN(f32 a, f32 b) { return a != a ? a : (b != b ? b : greater(a, b)); }
/// min and max of magnitudes; the sign is that of the product.
template <f32 (*F)(f32, f32)> f32 xorSign(f32 a, f32 b) {
  f32 result = F(floatOf(floatBits(a) & 0x7fffffff), floatOf(floatBits(b) & 0x7fffffff));
  u32 sign = (floatBits(a) ^ floatBits(b)) & 0x80000000;
  return result != result ? result : floatOf((floatBits(result) & 0x7fffffff) | sign);
}
f32 saturate(f32 a) { return a > 0 ? (a < 1 ? a : 1.0f) : 0.0f; }

constexpr OpClass kF = OpClass::kFloat;

#define HALF(name, Type, pack, L, exponent)                                                        \
  {"fma.oob." #name, half3<Type, pack, false, true>, L ":" L L L, kF},                             \
      {"fma.relu.oob." #name, half3<Type, pack, true, true>, L ":" L L L, kF},                     \
      {"flush." #name, halfFlush<pack, exponent>, L ":" L, kF},                                    \
      {"add." #name, half2<Type, pack, add>, L ":" L L, kF},                                       \
      {"sub." #name, half2<Type, pack, sub>, L ":" L L, kF},                                       \
      {"mul." #name, half2<Type, pack, mul>, L ":" L L, kF},                                       \
      {"fma." #name, half3<Type, pack, false>, L ":" L L L, kF},                                   \
      {"fma.relu." #name, half3<Type, pack, true>, L ":" L L L, kF},                               \
      {"min." #name, half2<Type, pack, lesser>, L ":" L L, kF},                                    \
      {"max." #name, half2<Type, pack, greater>, L ":" L L, kF},                                   \
      {"min.NaN." #name, half2<Type, pack, lesserNaN>, L ":" L L, kF},                             \
      {"max.NaN." #name, half2<Type, pack, greaterNaN>, L ":" L L, kF},                            \
      {"min.xorsign.abs." #name, half2<Type, pack, xorSign<lesser>>, L ":" L L, kF},               \
      {"max.xorsign.abs." #name, half2<Type, pack, xorSign<greater>>, L ":" L L, kF},              \
      {"min.NaN.xorsign.abs." #name, half2<Type, pack, xorSign<lesserNaN>>, L ":" L L, kF},        \
      {"max.NaN.xorsign.abs." #name, half2<Type, pack, xorSign<greaterNaN>>, L ":" L L, kF},       \
      {"neg." #name, halfSign<pack, true>, L ":" L, kF},                                           \
      {"abs." #name, halfSign<pack, false>, L ":" L, kF},                                          \
      {"relu." #name, half1<Type, pack, relu>, L ":" L, kF}, {                                     \
    "saturate." #name, half1<Type, pack, saturate>, L ":" L, kF                                    \
  }

const Instruction kRows[] = {
    HALF(f16, Half, 1, "h", 0x7c00),
    HALF(bf16, Brain, 1, "h", 0x7f80),
    HALF(f16x2, Half, 2, "w", 0x7c00),
    HALF(bf16x2, Brain, 2, "w", 0x7f80),
};

} // namespace

void addHalfHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
