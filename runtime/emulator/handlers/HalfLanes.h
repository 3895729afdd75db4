// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 16-bit floats as lanes of f32: reading them is exact, writing them rounds once to nearest even.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_HALFLANES_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_HALFLANES_H

#include "runtime/emulator/handlers/Lanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

static inline u32 floatBits(f32 value) {
  u32 bits;
  __builtin_memcpy(&bits, &value, 4);
  return bits;
}
static inline f32 floatOf(u32 bits) {
  f32 value;
  __builtin_memcpy(&value, &bits, 4);
  return value;
}

static inline f32 halfToFloat(u16 half) {
  u32 sign = u32(half & 0x8000) << 16, rest = half & 0x7fff;
  // 2^112 corrects the exponent's bias; the product is exact, subnormals included.
  f32 scaled = floatOf(rest << 13) * 0x1p112f;
  u32 bits = rest >= 0x7c00 ? 0x7f800000 | (rest << 13) : floatBits(scaled);
  return floatOf(sign | bits);
}

static inline u16 floatToHalf(f32 value) {
  u32 bits = floatBits(value), sign = (bits >> 16) & 0x8000, rest = bits & 0x7fffffff;
  if (rest > 0x7f800000)
    return 0x7fff;
  if (rest >= 0x477ff000) // rounds to 2^16 or more
    return u16(sign | 0x7c00);
  if (rest < 0x38800000) {
    // Below the smallest normal number: adding 0.5 puts the last place where it belongs.
    f32 aligned = floatOf(rest) + 0.5f;
    return u16(sign | (floatBits(aligned) - 0x3f000000));
  }
  u32 rounded = rest + 0xfff + ((rest >> 13) & 1);
  return u16(sign | ((rounded - 0x38000000) >> 13));
}

static inline f32 brainToFloat(u16 half) { return floatOf(u32(half) << 16); }

static inline u16 floatToBrain(f32 value) {
  u32 bits = floatBits(value);
  u32 rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return u16((bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : rounded);
}

template <u32 kCount> static inline void loadHalves(f32 *to, const u16 *from) {
#if defined(__F16C__)
  for (u32 i = 0; i < kCount; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i))));
#else
  for (u32 i = 0; i < kCount; ++i)
    to[i] = halfToFloat(from[i]);
#endif
}

template <u32 kCount> static inline void storeHalves(u16 *to, const f32 *from) {
#if defined(__F16C__)
  for (u32 i = 0; i < kCount; i += 8)
    _mm_storeu_si128((__m128i *)(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0));
  for (u32 i = 0; i < kCount; ++i)
    to[i] = u16((to[i] & 0x7fff) > 0x7c00 ? 0x7fff : to[i]);
#else
  for (u32 i = 0; i < kCount; ++i)
    to[i] = floatToHalf(from[i]);
#endif
}

template <u32 kCount> static inline void loadBrains(f32 *to, const u16 *from) {
  for (u32 i = 0; i < kCount; ++i)
    to[i] = brainToFloat(from[i]);
}

template <u32 kCount> static inline void storeBrains(u16 *to, const f32 *from) {
  for (u32 i = 0; i < kCount; ++i)
    to[i] = floatToBrain(from[i]);
}

// Rounding to odd keeps a later rounding to fewer places exact: inexact results get their last
// place set, so that they are never taken for a tie.
static inline f64 oddSum(f64 a, f64 b) {
  f64 sum = a + b, back = sum - a, error = (a - (sum - back)) + (b - back);
  u64 bits;
  __builtin_memcpy(&bits, &sum, 8);
  bool away = (error > 0) == (sum > 0); // the exact value lies further from zero
  u64 moved = away ? bits + 1 : bits - 1;
  bits = (error != 0 && (bits & 1) == 0) ? moved : bits;
  f64 result;
  __builtin_memcpy(&result, &bits, 8);
  return result;
}
static inline f32 oddFloat(f64 value) {
  f32 near = f32(value);
  u32 bits = floatBits(near);
  f64 back = f64(near);
  bool away = (value > back) == (value > 0);
  u32 moved = away ? bits + 1 : bits - 1;
  bool inexact = back != value && value == value && (bits & 0x7f800000) != 0x7f800000;
  return floatOf(inexact && (bits & 1) == 0 ? moved : bits);
}
/// a * b + c with enough places that rounding to 16 bits is rounding once.
static inline f32 oddFma(f32 a, f32 b, f32 c) {
  f64 product = f64(a) * f64(b); // exact
  f64 sum = product + f64(c);
  // Infinities and NaN have no error term.
  return sum - sum == 0 ? oddFloat(oddSum(product, f64(c))) : f32(sum);
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_HALFLANES_H
