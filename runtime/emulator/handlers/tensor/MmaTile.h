// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of 16 rows with 8 columns, the inner loop of mma.sync, wgmma and wmma.
//
// PTX ISA, "Matrix Fragments for mma.m16n8k*", in one rule: let lane = 4g + t and let a 32-bit
// register hold p elements. Register r of A holds row g + 8(r & 1), k = tp + i + 4p(r >> 1) in its
// part i; register r of B holds column g, k = tp + i + 4pr; register r of C and D holds row
// g + 8(r >> 1), column 2t + (r & 1).
//
// With AVX-512 a register of C is two vectors of 4 rows with 4 columns each, and the element of A
// that it needs for a k stands in the same group of 4 lanes: a shuffle inside of groups for A and a
// permutation for B feed every step, and C is never moved. Narrower vectors have too few registers
// for that: there 4x4 matrices inside of 128 bits of A and C are turned, which gives vectors of one
// column each, and a step multiplies one with one number of B.
//
// Sums run over k in ascending order, each step rounded once, at every vector width.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMATILE_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMATILE_H

#include "runtime/emulator/handlers/tensor/MmaSteps.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

#if defined(__AVX512F__)

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

#else

/// Vectors that 16 rows take.
static constexpr u32 kSets = 16 / kVectorRows;

/// Four vectors of a pair of registers, `low` with 8 rows and `high` with 8 more.
template <typename Word> static inline Word *turnedPart(Word *low, Word *high, u32 set, u32 j) {
  u32 at = (4 * set + j) * kVectorRows;
  return at < kLaneCount ? low + at : high + at - kLaneCount;
}
static inline void loadTurned(const u32 *low, const u32 *high, u32 set, Words (&x)[4]) {
#pragma GCC unroll 4
  for (u32 j = 0; j < 4; ++j)
    x[j] = *(const Words *)turnedPart(low, high, set, j);
  turnInLanes(x);
}
static inline void storeTurned(u32 *low, u32 *high, u32 set, Words (&x)[4]) {
  turnInLanes(x);
#pragma GCC unroll 4
  for (u32 j = 0; j < 4; ++j)
    *(Words *)turnedPart(low, high, set, j) = x[j];
}

/// 16 rows of A from the 2 * kSteps registers of a fragment, k after k.
template <typename A, u32 kSteps> struct RowPanel {
  Words at[kSets][4 * A::kParts * kSteps];
  explicit RowPanel(const u32 *const *a) {
    constexpr u32 p = A::kParts;
    for (u32 step = 0; step < kSteps; ++step)
      for (u32 set = 0; set < kSets; ++set)
        for (u32 i = 0; i < p; ++i) {
          Words x[4];
#pragma GCC unroll 4
          for (u32 j = 0; j < 4; ++j)
            x[j] = (Words)A::widen(*(const Words *)turnedPart(a[2 * step], a[2 * step + 1], set, j),
                                   i);
          turnInLanes(x);
          for (u32 t = 0; t < 4; ++t)
            at[set][4 * p * step + p * t + i] = x[t];
        }
  }
};
template <typename A, u32 kSteps> using RegisterRows = RowPanel<A, kSteps>;

/// As above.
template <typename Steps, typename B, u32 kSteps, typename Rows>
static inline void multiplyTile(const Rows &rows, const u32 *const *b, u32 *const *d,
                                const u32 *const *c) {
  constexpr u32 kDepth = 4 * B::kParts * kSteps;
  alignas(64) typename Steps::Number columns[8 * kDepth];
  for (u32 step = 0; step < kSteps; ++step)
    for (u32 n = 0; n < 8; ++n)
      B::widenRow((const u8 *)(b[step] + 4 * n), columns + kDepth * n + 4 * B::kParts * step);
  for (u32 set = 0; set < kSets; ++set) {
    Words even[4] = {}, odd[4] = {};
    if (c) {
      loadTurned(c[0], c[2], set, even);
      loadTurned(c[1], c[3], set, odd);
    }
#pragma GCC unroll 32
    for (u32 k = 0; k < kDepth; ++k) {
      Words row = rows.at[set][k];
#pragma GCC unroll 4
      for (u32 t = 0; t < 4; ++t) {
        even[t] = Steps::step(row, splat(columns[2 * t * kDepth + k]), even[t]);
        odd[t] = Steps::step(row, splat(columns[(2 * t + 1) * kDepth + k]), odd[t]);
      }
    }
    storeTurned(d[0], d[2], set, even);
    storeTurned(d[1], d[3], set, odd);
  }
}

#endif

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMATILE_H
