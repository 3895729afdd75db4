// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of a product: a vector of rows of A times one number of B is added to sums.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMASTEPS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMASTEPS_H

#include "runtime/emulator/handlers/tensor/MmaElements.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

/// Multiplies and adds in f32, rounded once.
template <bool kExactProducts> struct FloatSteps {
  using Number = f32;
  static Words step(Words a, f32 b, Words sum) {
    Floats factor = Floats{} + b;
#if defined(__AVX512F__)
    return (Words)_mm512_fmadd_ps((__m512)a, (__m512)factor, (__m512)sum);
#elif defined(__FMA__)
    return (Words)_mm256_fmadd_ps((__m256)a, (__m256)factor, (__m256)sum);
#else
    if (kExactProducts) // so that rounding the sum is rounding once
      return (Words)((Floats)a * factor + (Floats)sum);
    Floats result, x = (Floats)a, y = (Floats)sum;
    for (u32 l = 0; l < kVectorRows; ++l)
      result[l] = __builtin_fmaf(x[l], b, y[l]);
    return (Words)result;
#endif
  }
};

/// Two products of 16-bit integers and their sum.
struct PairSteps {
  using Number = s32;
  static Words step(Words a, s32 b, Words sum) {
    Words factor = Words{} + u32(b);
#if defined(__AVX512BW__)
    return sum + (Words)_mm512_madd_epi16((__m512i)a, (__m512i)factor);
#elif defined(__AVX2__)
    return sum + (Words)_mm256_madd_epi16((__m256i)a, (__m256i)factor);
#else
    return sum + (Words)_mm_madd_epi16((__m128i)a, (__m128i)factor);
#endif
  }
};

/// Counts the bits that both have (or only one of them has).
template <bool kXor> struct BitSteps {
  using Number = s32;
  static Words step(Words a, s32 b, Words sum) {
    Words x = kXor ? a ^ u32(b) : a & u32(b);
    x = x - ((x >> 1) & 0x55555555);
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return sum + ((x * 0x01010101) >> 24);
  }
};

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMASTEPS_H
