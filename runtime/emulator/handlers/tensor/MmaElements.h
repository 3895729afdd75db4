// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element types of mma.sync: how the parts of a 32-bit register become f32.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAELEMENTS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAELEMENTS_H

#include "runtime/emulator/handlers/HalfLanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

#if defined(__AVX512F__)
using f32x16 [[gnu::vector_size(64), gnu::may_alias]] = f32;
using u32x16 [[gnu::vector_size(64), gnu::may_alias]] = u32;

static inline f32x16 fusedMultiplyAdd(f32x16 a, f32x16 b, f32x16 c) {
  return (f32x16)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
#endif

/// An input type: `kParts` elements in a register, `widen` gives part `i` of a register.
struct MmaF16 {
  static constexpr u32 kParts = 2;
  static f32 widen(u32 word, u32 i) { return halfToFloat(u16(word >> (16 * i))); }
#if defined(__AVX512F__)
  static f32x16 widen(u32x16 words, u32 i) {
    __m512i shifted = (__m512i)(words >> (16 * i));
    __m256i halves = _mm512_maskz_cvtepi32_epi16(0xffff, shifted);
    return (f32x16)_mm512_maskz_cvtph_ps(0xffff, halves);
  }
#endif
};

struct MmaBf16 {
  static constexpr u32 kParts = 2;
  static f32 widen(u32 word, u32 i) { return floatOf(i == 0 ? word << 16 : word & 0xffff0000); }
#if defined(__AVX512F__)
  static f32x16 widen(u32x16 words, u32 i) {
    return (f32x16)(i == 0 ? words << 16 : words & 0xffff0000);
  }
#endif
};

/// The tensor cores ignore the 13 low bits.
struct MmaTf32 {
  static constexpr u32 kParts = 1;
  static f32 widen(u32 word, u32) { return floatOf(word & 0xffffe000); }
#if defined(__AVX512F__)
  static f32x16 widen(u32x16 words, u32) { return (f32x16)(words & 0xffffe000); }
#endif
};

/// One-byte floats: `kMantissa` 3 is e4m3 (no infinities), 2 is e5m2.
template <u32 kMantissa> struct MmaF8 {
  static constexpr u32 kParts = 4;
  static f32 widen(u32 word, u32 i) {
    u32 byte = (word >> (8 * i)) & 0xff, magnitude = byte & 0x7f;
    // A float with the byte's exponent field is too small by a power of two; the product is exact.
    f32 scaled = floatOf(magnitude << (23 - kMantissa)) * (kMantissa == 3 ? 0x1p120f : 0x1p112f);
    u32 bits = floatBits(scaled);
    if (kMantissa == 3 ? magnitude == 0x7f : magnitude > 0x7c)
      bits = 0x7fc00000;
    else if (kMantissa == 2 && magnitude == 0x7c)
      bits = 0x7f800000;
    return floatOf(bits | ((byte & 0x80) << 24));
  }
#if defined(__AVX512F__)
  static f32x16 widen(u32x16 words, u32 i) {
    f32x16 values;
    for (u32 l = 0; l < 16; ++l)
      values[l] = widen(words[l], i);
    return values;
  }
#endif
};

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAELEMENTS_H
