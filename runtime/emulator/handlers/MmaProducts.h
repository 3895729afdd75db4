// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of mma.sync.m16n8k*: products of small matrices whose elements are spread over the
// lanes of a warp.
//
// PTX ISA, "Matrix Fragments for mma.m16n8k*", in one rule: let lane = 4g + t and let a 32-bit
// register hold p elements. Register r of A holds row g + 8(r & 1), k = tp + i + 4p(r >> 1) in its
// part i; register r of B holds column g, k = tp + i + 4pr; register r of C and D holds row
// g + 8(r >> 1), column 2t + (r & 1). So a register of C is, in lane order, 8 rows of 4 columns,
// and the element of A that it needs for a k stands in the same group of 4 lanes: one shuffle
// inside a group for A and one permutation for B feed every fused multiply-add, and C is never
// moved.
//
// Sums run over k in ascending order, each step rounded once, at every vector level: the results
// are bit-identical. Float inputs narrower than f32 are widened first, which is exact.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_MMAPRODUCTS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_MMAPRODUCTS_H

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

#if defined(__AVX512F__)

/// The four lanes of each group become the group's lane `t`.
template <u32 t> static inline f32x16 spreadInGroups(f32x16 v) {
  return __builtin_shufflevector(v, v, t, t, t, t, t + 4, t + 4, t + 4, t + 4, t + 8, t + 8, t + 8,
                                 t + 8, t + 12, t + 12, t + 12, t + 12);
}

/// Columns 2t' + `parity` of B at the k of lane `t`, for the lanes t' of every group.
template <u32 t, u32 parity> static inline f32x16 spreadColumns(f32x16 low, f32x16 high) {
  constexpr u32 a = 4 * parity + t, b = a + 8, c = a + 16, d = a + 24;
  return __builtin_shufflevector(low, high, a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d);
}

template <u32 t>
static inline void mmaStep(const f32x16 (&rows)[4], f32x16 columnsLow, f32x16 columnsHigh,
                           f32x16 (&sum)[8]) {
  f32x16 even = spreadColumns<t, 0>(columnsLow, columnsHigh);
  f32x16 odd = spreadColumns<t, 1>(columnsLow, columnsHigh);
  for (u32 q = 0; q < 4; ++q) {
    f32x16 row = spreadInGroups<t>(rows[q]);
    // sum: c0 low, c0 high, c1 low, c1 high, c2 low, ... halves of 16 lanes.
    u32 base = (q >> 1) * 4 + (q & 1);
    sum[base] = fusedMultiplyAdd(row, even, sum[base]);
    sum[base + 2] = fusedMultiplyAdd(row, odd, sum[base + 2]);
  }
}

/// d[4] = a * b + c for k = 4 * kParts * kSteps; A has 2 * kSteps registers, B has kSteps.
template <typename A, typename B, u32 kSteps>
static inline void mmaFloat(f32 *const *d, const u32 *const *a, const u32 *const *b,
                            const f32 *const *c) {
  static_assert(A::kParts == B::kParts);
  f32x16 sum[8];
  for (u32 q = 0; q < 8; ++q)
    sum[q] = *(const f32x16 *)(c[q >> 1] + 16 * (q & 1));
#pragma GCC unroll 4
  for (u32 step = 0; step < kSteps; ++step) {
    f32x16 rows[A::kParts][4], columns[B::kParts][2];
#pragma GCC unroll 4
    for (u32 i = 0; i < A::kParts; ++i) {
      for (u32 q = 0; q < 4; ++q)
        rows[i][q] = A::widen(*(const u32x16 *)(a[2 * step + (q >> 1)] + 16 * (q & 1)), i);
      for (u32 h = 0; h < 2; ++h)
        columns[i][h] = B::widen(*(const u32x16 *)(b[step] + 16 * h), i);
    }
#define HEDDLE_EMU_STEP(t)                                                                         \
  for (u32 i = 0; i < A::kParts; ++i)                                                              \
  mmaStep<t>(rows[i], columns[i][0], columns[i][1], sum)
    HEDDLE_EMU_STEP(0);
    HEDDLE_EMU_STEP(1);
    HEDDLE_EMU_STEP(2);
    HEDDLE_EMU_STEP(3);
#undef HEDDLE_EMU_STEP
  }
  for (u32 q = 0; q < 8; ++q)
    *(f32x16 *)(d[q >> 1] + 16 * (q & 1)) = sum[q];
}

#else

template <typename A, typename B, u32 kSteps>
static inline void mmaFloat(f32 *const *d, const u32 *const *a, const u32 *const *b,
                            const f32 *const *c) {
  static_assert(A::kParts == B::kParts);
  constexpr u32 kParts = A::kParts, kDepth = 4 * kParts * kSteps;
  alignas(64) f32 rows[kDepth][16], columns[8][kDepth], sum[8][16];
  for (u32 step = 0; step < kSteps; ++step)
    for (u32 i = 0; i < kParts; ++i)
      for (u32 g = 0; g < 8; ++g)
        for (u32 t = 0; t < 4; ++t) {
          u32 k = 4 * kParts * step + kParts * t + i;
          rows[k][g] = A::widen(a[2 * step][4 * g + t], i);
          rows[k][g + 8] = A::widen(a[2 * step + 1][4 * g + t], i);
          columns[g][k] = B::widen(b[step][4 * g + t], i);
        }
  for (u32 r = 0; r < 4; ++r)
    for (u32 l = 0; l < 32; ++l)
      sum[2 * (l & 3) + (r & 1)][(l >> 2) + 8 * (r >> 1)] = c[r][l];
  for (u32 n = 0; n < 8; ++n)
    for (u32 k = 0; k < kDepth; ++k) {
      f32 factor = columns[n][k];
      for (u32 m = 0; m < 16; ++m)
        sum[n][m] = __builtin_fmaf(rows[k][m], factor, sum[n][m]);
    }
  for (u32 r = 0; r < 4; ++r)
    for (u32 l = 0; l < 32; ++l)
      d[r][l] = sum[2 * (l & 3) + (r & 1)][(l >> 2) + 8 * (r >> 1)];
}

#endif

/// Integers of one byte, signed or not; sums wrap, or stop at the ends of s32 when kSaturates.
/// Saturation acts on the exact sum of c and all products, as the PTX ISA describes .satfinite.
template <typename A, typename B, u32 kSteps, bool kSaturates>
static inline void mmaInteger(s32 *const *d, const u32 *const *a, const u32 *const *b,
                              const s32 *const *c) {
  alignas(64) s32 sum[4][kLaneCount];
  alignas(64) u32 column[kLaneCount], row[kLaneCount];
  for (u32 r = 0; r < 4; ++r) {
    alignas(64) s32 products[kLaneCount] = {};
    for (u32 step = 0; step < kSteps; ++step)
      for (u32 t = 0; t < 4; ++t) {
        for (u32 l = 0; l < kLaneCount; ++l) {
          row[l] = a[2 * step + (r >> 1)][(l & ~3u) | t];
          column[l] = b[step][(2 * (l & 3) + (r & 1)) * 4 + t];
        }
        // At most 32 products below 2^16 each: no overflow before c is added.
        LANES {
          s32 dot = 0;
          for (u32 i = 0; i < 4; ++i)
            dot += s32(A(row[l] >> (8 * i))) * s32(B(column[l] >> (8 * i)));
          products[l] += dot;
        }
      }
    LANES {
      if (kSaturates) {
        s64 exact = s64(c[r][l]) + products[l];
        exact = exact > INT32_MAX ? INT32_MAX : exact;
        sum[r][l] = s32(exact < INT32_MIN ? INT32_MIN : exact);
      } else {
        sum[r][l] = s32(u32(c[r][l]) + u32(products[l]));
      }
    }
  }
  for (u32 r = 0; r < 4; ++r)
    memcpy(d[r], sum[r], sizeof sum[r]);
}

/// m16n8k(4 * kSteps) in f64: as the rule above with p = 1. With kRowHalves 1 it is m8n8k4.
template <u32 kRowHalves, u32 kSteps>
static inline void mmaDouble(f64 *const *d, const f64 *const *a, const f64 *const *b,
                             const f64 *const *c) {
  alignas(64) f64 sum[2 * kRowHalves][kLaneCount];
  for (u32 r = 0; r < 2 * kRowHalves; ++r)
    for (u32 l = 0; l < kLaneCount; ++l) {
      f64 s = c[r][l];
      u32 column = 2 * (l & 3) + (r & 1);
      for (u32 step = 0; step < kSteps; ++step)
        for (u32 t = 0; t < 4; ++t)
          s = __builtin_fma(a[kRowHalves * step + (r >> 1)][(l & ~3u) | t], b[step][4 * column + t],
                            s);
      sum[r][l] = s;
    }
  for (u32 r = 0; r < 2 * kRowHalves; ++r)
    memcpy(d[r], sum[r], sizeof sum[r]);
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_MMAPRODUCTS_H
