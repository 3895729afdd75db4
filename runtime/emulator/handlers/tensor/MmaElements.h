// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input types of matrix products: how a 32-bit word or 16 bytes of them become the operands of
// one step of a product. Floats narrower than f32 are widened, which is exact; integers become
// pairs of 16 bits (MmaIntegers.h).
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAELEMENTS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAELEMENTS_H

#include "runtime/emulator/handlers/tensor/MmaVectors.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

/// What the alignment of products depends on: the exponent of the smallest normal number and the
/// places behind the point.
struct MmaFormat {
  s32 minExponent;
  u32 mantissaBits;
};

/// A type has `kParts` operands in a word; `widen` gives part `i` of the words of many lanes,
/// `widenRow` the parts of four words that follow each other in memory, in their order.
/// kExactProducts: a product of two has no more places and no larger exponent than f32 has.
struct MmaF16 {
  static constexpr u32 kParts = 2;
  static constexpr MmaFormat kFormat{-14, 10};
  static constexpr bool kExactProducts = true;
  static f32 widen(u32 word, u32 i) { return halfToFloat(u16(word >> (16 * i))); }
  static Floats widen(Words words, u32 i) {
#if defined(__AVX512F__)
    __m512i shifted = (__m512i)(words >> (16 * i));
    __m256i halves = _mm512_maskz_cvtepi32_epi16(0xffff, shifted);
    return (Floats)_mm512_maskz_cvtph_ps(0xffff, halves);
#elif defined(__F16C__)
    // The halves of a lane of 128 bits side by side, then those of both lanes.
    char first = char(2 * i), second = char(2 * i + 1);
    __m128i pick = _mm_setr_epi8(first, second, char(first + 4), char(second + 4), char(first + 8),
                                 char(second + 8), char(first + 12), char(second + 12), -1, -1, -1,
                                 -1, -1, -1, -1, -1);
    __m256i near = _mm256_shuffle_epi8((__m256i)words, _mm256_broadcastsi128_si256(pick));
    __m256i halves = _mm256_permute4x64_epi64(near, 0x08);
    return (Floats)_mm256_cvtph_ps(_mm256_castsi256_si128(halves));
#else
    Words half = (words >> (16 * i)) & 0xffff, sign = (half & 0x8000) << 16, rest = half & 0x7fff;
    Words scaled = (Words)((Floats)(rest << 13) * 0x1p112f);
    Words special = (Words)(rest >= 0x7c00);
    return (Floats)(sign | (special & (0x7f800000 | (rest << 13))) | (~special & scaled));
#endif
  }
  static void widenRow(const u8 *from, f32 *to) { loadHalves<8>(to, (const u16 *)from); }
};

struct MmaBf16 {
  static constexpr u32 kParts = 2;
  static constexpr MmaFormat kFormat{-126, 7};
  static constexpr bool kExactProducts = false;
  static f32 widen(u32 word, u32 i) { return floatOf(i == 0 ? word << 16 : word & 0xffff0000); }
  static Floats widen(Words words, u32 i) {
    return (Floats)(i == 0 ? words << 16 : words & 0xffff0000);
  }
  static void widenRow(const u8 *from, f32 *to) { loadBrains<8>(to, (const u16 *)from); }
};

/// The tensor cores ignore the 13 low bits.
struct MmaTf32 {
  static constexpr u32 kParts = 1;
  static constexpr MmaFormat kFormat{-126, 10};
  static constexpr bool kExactProducts = false;
  static f32 widen(u32 word, u32) { return floatOf(word & 0xffffe000); }
  static Floats widen(Words words, u32) { return (Floats)(words & 0xffffe000); }
  static void widenRow(const u8 *from, f32 *to) {
    for (u32 i = 0; i < 4; ++i)
      to[i] = widen(((const u32 *)from)[i], 0);
  }
};

/// One-byte floats: `kMantissa` 3 is e4m3 (no infinities), 2 is e5m2.
template <u32 kMantissa> struct MmaF8 {
  static constexpr u32 kParts = 4;
  static constexpr MmaFormat kFormat{kMantissa == 3 ? -6 : -14, kMantissa};
  static constexpr bool kExactProducts = true;
  template <typename WordType> static WordType bitsOf(WordType byte) {
    using FloatType = decltype(floatLike(byte));
    WordType magnitude = byte & 0x7f;
    // A float with the byte's exponent field is too small by a power of two; the product is exact.
    FloatType scaled =
        bitCast<FloatType>(magnitude << (23 - kMantissa)) * (kMantissa == 3 ? 0x1p120f : 0x1p112f);
    WordType bits = bitCast<WordType>(scaled);
    if (kMantissa == 3)
      bits = magnitude == 0x7f ? WordType{} + 0x7fc00000 : bits;
    else
      bits = magnitude >= 0x7c ? ((magnitude << 21) + 0x70000000) : bits;
    return bits | ((byte & 0x80) << 24);
  }
  static f32 widen(u32 word, u32 i) { return floatOf(bitsOf<u32>((word >> (8 * i)) & 0xff)); }
  static Floats widen(Words words, u32 i) {
    return (Floats)bitsOf<Words>((words >> (8 * i)) & 0xff);
  }
  static void widenRow(const u8 *from, f32 *to) {
    for (u32 i = 0; i < 16; i += kVectorRows) {
      Words bytes;
      for (u32 l = 0; l < kVectorRows; ++l)
        bytes[l] = from[i + l];
      *(FloatsAnywhere *)(to + i) = (Floats)bitsOf<Words>(bytes);
    }
  }
};

using MmaE4M3 = MmaF8<3>;
using MmaE5M2 = MmaF8<2>;

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAELEMENTS_H
