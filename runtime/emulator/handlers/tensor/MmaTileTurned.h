// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of 16 rows with 8 columns without AVX-512; MmaTile.h has the idea.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMATILETURNED_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMATILETURNED_H

#include "runtime/emulator/handlers/tensor/MmaSteps.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

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

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMATILETURNED_H
