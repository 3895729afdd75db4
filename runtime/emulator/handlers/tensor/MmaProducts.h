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
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAPRODUCTS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAPRODUCTS_H

#include "runtime/emulator/handlers/tensor/MmaTile.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

#if defined(__AVX512F__)

static inline Floats fusedMultiplyAdd(Floats a, Floats b, Floats c) {
  return (Floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

/// The four lanes of each group become the group's lane `t`.
template <u32 t> static inline Floats spreadInGroups(Floats v) {
  return __builtin_shufflevector(v, v, t, t, t, t, t + 4, t + 4, t + 4, t + 4, t + 8, t + 8, t + 8,
                                 t + 8, t + 12, t + 12, t + 12, t + 12);
}

/// Columns 2t' + `parity` of B at the k of lane `t`, for the lanes t' of every group.
template <u32 t, u32 parity> static inline Floats spreadColumns(Floats low, Floats high) {
  constexpr u32 a = 4 * parity + t, b = a + 8, c = a + 16, d = a + 24;
  return __builtin_shufflevector(low, high, a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d);
}

template <u32 t>
static inline void mmaStep(const Floats (&rows)[4], Floats columnsLow, Floats columnsHigh,
                           Floats (&sum)[8]) {
  Floats even = spreadColumns<t, 0>(columnsLow, columnsHigh);
  Floats odd = spreadColumns<t, 1>(columnsLow, columnsHigh);
  for (u32 q = 0; q < 4; ++q) {
    Floats row = spreadInGroups<t>(rows[q]);
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
  Floats sum[8];
  for (u32 q = 0; q < 8; ++q)
    sum[q] = *(const Floats *)(c[q >> 1] + 16 * (q & 1));
#pragma GCC unroll 4
  for (u32 step = 0; step < kSteps; ++step) {
    Floats rows[A::kParts][4], columns[B::kParts][2];
#pragma GCC unroll 4
    for (u32 i = 0; i < A::kParts; ++i) {
      for (u32 q = 0; q < 4; ++q)
        rows[i][q] = A::widen(*(const Words *)(a[2 * step + (q >> 1)] + 16 * (q & 1)), i);
      for (u32 h = 0; h < 2; ++h)
        columns[i][h] = B::widen(*(const Words *)(b[step] + 16 * h), i);
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
    *(Floats *)(d[q >> 1] + 16 * (q & 1)) = sum[q];
}

#else

template <typename A, typename B, u32 kSteps>
static inline void mmaFloat(f32 *const *d, const u32 *const *a, const u32 *const *b,
                            const f32 *const *c) {
  static_assert(A::kParts == B::kParts);
  constexpr u32 kDepth = 4 * A::kParts * kSteps;
  RowPanel<kDepth> rows;
  fillRows<A, kSteps>(rows, a);
  alignas(64) f32 columns[8 * kDepth];
  fillColumns<B, kSteps>(columns, b);
  multiplyTile<FloatSteps<A::kExactProducts>, kDepth>(rows, columns, (u32 *const *)d,
                                                      (const u32 *const *)c);
}

#endif

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAPRODUCTS_H
