// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of 16 rows with 8 columns with AVX-512; MmaTile.h has the idea.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMATILEWIDE_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMATILEWIDE_H

#include "runtime/emulator/handlers/tensor/MmaSteps.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

/// The four lanes of each group become the group's lane `t`.
template <u32 t> static inline Words spreadInGroups(Words v) {
  return __builtin_shufflevector(v, v, t, t, t, t, t + 4, t + 4, t + 4, t + 4, t + 8, t + 8, t + 8,
                                 t + 8, t + 12, t + 12, t + 12, t + 12);
}

/// Columns 2t' + `parity` of B at the k of lane `t`, for the lanes t' of every group.
template <u32 t, u32 parity> static inline Words spreadColumns(Words low, Words high) {
  constexpr u32 a = 4 * parity + t, b = a + 8, c = a + 16, d = a + 24;
  return __builtin_shufflevector(low, high, a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d);
}

/// 16 rows of A from the 2 * kSteps registers of a fragment, widened when they are needed.
template <typename A, u32 kSteps> struct RegisterRows {
  const u32 *const *a;
  struct Step {
    Words wide[A::kParts][4];
    template <u32 t> Words get(u32 i, u32 q) const { return spreadInGroups<t>(wide[i][q]); }
  };
  Step step(u32 step) const {
    Step result;
#pragma GCC unroll 8
    for (u32 i = 0; i < A::kParts; ++i)
#pragma GCC unroll 4
      for (u32 q = 0; q < 4; ++q)
        result.wide[i][q] =
            (Words)A::widen(*(const Words *)(a[2 * step + (q >> 1)] + 16 * (q & 1)), i);
    return result;
  }
};

/// The same for many products: all is widened and spread before.
template <typename A, u32 kSteps> struct RowPanel {
  Words at[kSteps][4][A::kParts][4];
  struct Step {
    const Words (*at)[A::kParts][4];
    template <u32 t> Words get(u32 i, u32 q) const { return at[t][i][q]; }
  };
  explicit RowPanel(const u32 *const *a) {
    for (u32 step = 0; step < kSteps; ++step)
      for (u32 i = 0; i < A::kParts; ++i)
        for (u32 q = 0; q < 4; ++q) {
          Words wide = (Words)A::widen(*(const Words *)(a[2 * step + (q >> 1)] + 16 * (q & 1)), i);
          at[step][0][i][q] = spreadInGroups<0>(wide);
          at[step][1][i][q] = spreadInGroups<1>(wide);
          at[step][2][i][q] = spreadInGroups<2>(wide);
          at[step][3][i][q] = spreadInGroups<3>(wide);
        }
  }
  Step step(u32 step) const { return {at[step]}; }
};

template <typename Steps, u32 t, u32 kParts, typename Rows>
static inline void multiplyStep(const Rows &rows, const Words (&columns)[kParts][2],
                                Words (&sum)[8]) {
#pragma GCC unroll 8
  for (u32 i = 0; i < kParts; ++i) {
    Words even = spreadColumns<t, 0>(columns[i][0], columns[i][1]);
    Words odd = spreadColumns<t, 1>(columns[i][0], columns[i][1]);
#pragma GCC unroll 4
    for (u32 q = 0; q < 4; ++q) {
      Words row = rows.template get<t>(i, q);
      // sum: c0 low, c0 high, c1 low, c1 high, c2 low, ... halves of 16 lanes.
      u32 base = (q >> 1) * 4 + (q & 1);
      sum[base] = Steps::step(row, even, sum[base]);
      sum[base + 2] = Steps::step(row, odd, sum[base + 2]);
    }
  }
}

/// d = a * b + c for 8 columns, of which b holds kSteps registers; c null: zero. d and c are the
/// four registers of a fragment.
template <typename Steps, typename B, u32 kSteps, typename Rows>
static inline void multiplyTile(const Rows &rows, const u32 *const *b, u32 *const *d,
                                const u32 *const *c) {
  Words sum[8] = {};
  if (c)
#pragma GCC unroll 8
    for (u32 q = 0; q < 8; ++q)
      sum[q] = *(const Words *)(c[q >> 1] + 16 * (q & 1));
#pragma GCC unroll 4
  for (u32 step = 0; step < kSteps; ++step) {
    Words columns[B::kParts][2];
#pragma GCC unroll 8
    for (u32 i = 0; i < B::kParts; ++i)
      for (u32 h = 0; h < 2; ++h)
        columns[i][h] = (Words)B::widen(*(const Words *)(b[step] + 16 * h), i);
    auto part = rows.step(step);
    multiplyStep<Steps, 0>(part, columns, sum);
    multiplyStep<Steps, 1>(part, columns, sum);
    multiplyStep<Steps, 2>(part, columns, sum);
    multiplyStep<Steps, 3>(part, columns, sum);
  }
#pragma GCC unroll 8
  for (u32 q = 0; q < 8; ++q)
    *(Words *)(d[q >> 1] + 16 * (q & 1)) = sum[q];
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMATILEWIDE_H
