// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of a product, a vector of A times a vector of B added to sums; and what becomes of sums
// that are not kept as they are.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMASTEPS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMASTEPS_H

#include "runtime/emulator/handlers/tensor/MmaElements.h"
#include "runtime/emulator/handlers/tensor/MmaIntegers.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

static inline Words splat(f32 value) { return (Words)(Floats{} + value); }
static inline Words splat(s32 value) { return Words{} + u32(value); }

/// Multiplies and adds in f32, rounded once.
template <bool kExactProducts> struct FloatSteps {
  using Number = f32;
  static Words step(Words a, Words b, Words sum) {
#if defined(__AVX512F__)
    return (Words)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)sum);
#elif defined(__FMA__)
    return (Words)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)sum);
#else
    Floats x = (Floats)a, y = (Floats)b, z = (Floats)sum;
    if (kExactProducts) // so that rounding the sum is rounding once
      return (Words)(x * y + z);
    Floats result;
    for (u32 l = 0; l < kVectorRows; ++l)
      result[l] = __builtin_fmaf(x[l], y[l], z[l]);
    return (Words)result;
#endif
  }
};

/// Two products of 16-bit integers and their sum.
struct PairSteps {
  using Number = s32;
  static Words step(Words a, Words b, Words sum) {
#if defined(__AVX512BW__)
    return sum + (Words)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return sum + (Words)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#else
    return sum + (Words)_mm_madd_epi16((__m128i)a, (__m128i)b);
#endif
  }
};

/// Counts the bits that both have, or that one of them has.
template <bool kXor> struct BitSteps {
  using Number = s32;
  static Words step(Words a, Words b, Words sum) {
    Words x = kXor ? a ^ b : a & b;
    x = x - ((x >> 1) & 0x55555555);
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return sum + ((x * 0x01010101) >> 24);
  }
};

/// f16 bits of floats, rounded to nearest even; NaN is 0x7fff.
static inline Words halvesOf(Floats x) {
#if defined(__AVX512F__)
  __m256i halves = _mm512_maskz_cvtps_ph(0xffff, (__m512)x, 0);
  Words bits = (Words)_mm512_maskz_cvtepu16_epi32(0xffff, halves);
#elif defined(__F16C__)
  Words bits = (Words)_mm256_cvtepu16_epi32(_mm256_cvtps_ph((__m256)x, 0));
#else
  Words bits;
  for (u32 l = 0; l < kVectorRows; ++l)
    bits[l] = floatToHalf(x[l]);
#endif
  return x != x ? Words{} + 0x7fff : bits;
}

/// Registers with two f16 sums each to registers with one f32, and back.
static inline void widenSums(u32 *const *to, const u32 *const *from) {
  for (u32 r = 0; r < 2; ++r)
    for (u32 l = 0; l < kLaneCount; l += kVectorRows) {
      Words pair = *(const Words *)(from[r] + l);
      *(Words *)(to[2 * r] + l) = (Words)MmaF16::widen(pair, 0);
      *(Words *)(to[2 * r + 1] + l) = (Words)MmaF16::widen(pair, 1);
    }
}
static inline void narrowSums(u32 *const *to, const u32 *const *from) {
  for (u32 r = 0; r < 2; ++r)
    for (u32 l = 0; l < kLaneCount; l += kVectorRows)
      *(Words *)(to[r] + l) = halvesOf(*(const Floats *)(from[2 * r] + l)) |
                              halvesOf(*(const Floats *)(from[2 * r + 1] + l)) << 16;
}

/// sum = products + c, which stops at the ends of s32: .satfinite acts on the exact sum.
static inline void addSaturating(u32 *sum, const u32 *products, const u32 *c) {
  LANES {
    s64 exact = s64(s32(products[l])) + (c ? s32(c[l]) : 0);
    exact = exact > INT32_MAX ? INT32_MAX : exact;
    sum[l] = u32(exact < INT32_MIN ? INT32_MIN : exact);
  }
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMASTEPS_H
