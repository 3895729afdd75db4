// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of 16 rows with 8 columns at a time, the inner loop of wgmma and, where there is no
// AVX-512, of mma.sync.
//
// PTX ISA, "Matrix Fragments for mma.m16n8k*": let lane = 4g + t. Registers r and r + 1 of A hold
// the rows g and g + 8, registers r and r + 2 of C too; in lane order each is 8 rows of 4 words. So
// 4x4 matrices inside 128 bits, turned, give vectors of one column each with the rows in an order
// that is the same for A and C, and the product is a loop over k of one such vector of A with one
// number of B. Sums run over k in ascending order, each step rounded once, at every vector width.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMATILE_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMATILE_H

#include "runtime/emulator/handlers/tensor/MmaSteps.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

/// Vectors that 16 rows take.
static constexpr u32 kSets = 16 / kVectorRows;

static inline void loadTurned(const u32 *low, const u32 *high, u32 set, Words (&x)[4]) {
#pragma GCC unroll 4
  for (u32 j = 0; j < 4; ++j) {
    u32 at = (4 * set + j) * kVectorRows;
    x[j] = *(const Words *)(at < kLaneCount ? low + at : high + at - kLaneCount);
  }
  turnInLanes(x);
}

static inline void storeTurned(u32 *low, u32 *high, u32 set, Words (&x)[4]) {
  turnInLanes(x);
#pragma GCC unroll 4
  for (u32 j = 0; j < 4; ++j) {
    u32 at = (4 * set + j) * kVectorRows;
    *(Words *)(at < kLaneCount ? low + at : high + at - kLaneCount) = x[j];
  }
}

/// 16 rows of A, k after k: kDepth = 4 * kParts * kSteps numbers in a row.
template <u32 kDepth> struct RowPanel {
  Words at[kSets][kDepth];
};

/// From the registers of a fragment, 2 * kSteps of them.
template <typename A, u32 kSteps>
static inline void fillRows(RowPanel<4 * A::kParts * kSteps> &panel, const u32 *const *a) {
  constexpr u32 p = A::kParts;
  for (u32 step = 0; step < kSteps; ++step)
    for (u32 set = 0; set < kSets; ++set) {
      const u32 *low = a[2 * step], *high = a[2 * step + 1];
      for (u32 i = 0; i < p; ++i) {
        Words x[4];
#pragma GCC unroll 4
        for (u32 j = 0; j < 4; ++j) {
          u32 at = (4 * set + j) * kVectorRows;
          x[j] = (Words)A::widen(
              *(const Words *)(at < kLaneCount ? low + at : high + at - kLaneCount), i);
        }
        turnInLanes(x);
        for (u32 t = 0; t < 4; ++t)
          panel.at[set][4 * p * step + p * t + i] = x[t];
      }
    }
}

/// 8 columns from the registers of a fragment: b[kDepth * n + k].
template <typename B, u32 kSteps, typename Number>
static inline void fillColumns(Number *panel, const u32 *const *b) {
  constexpr u32 kDepth = 4 * B::kParts * kSteps;
  for (u32 step = 0; step < kSteps; ++step)
    for (u32 n = 0; n < 8; ++n)
      B::widenRow((const u8 *)(b[step] + 4 * n), panel + kDepth * n + 4 * B::kParts * step);
}

/// d = a * b + c for 8 columns; c null: zero. d and c are the four registers of a fragment.
template <typename Steps, u32 kDepth>
static inline void multiplyTile(const RowPanel<kDepth> &a, const typename Steps::Number *b,
                                u32 *const *d, const u32 *const *c) {
  for (u32 set = 0; set < kSets; ++set) {
    Words even[4] = {}, odd[4] = {};
    if (c) {
      loadTurned(c[0], c[2], set, even);
      loadTurned(c[1], c[3], set, odd);
    }
#pragma GCC unroll 32
    for (u32 k = 0; k < kDepth; ++k) {
      Words row = a.at[set][k];
#pragma GCC unroll 4
      for (u32 t = 0; t < 4; ++t) {
        even[t] = Steps::step(row, b[(2 * t) * kDepth + k], even[t]);
        odd[t] = Steps::step(row, b[(2 * t + 1) * kDepth + k], odd[t]);
      }
    }
    storeTurned(d[0], d[2], set, even);
    storeTurned(d[1], d[3], set, odd);
  }
}

/// Registers with two f16 sums each to registers with one f32, and back, rounding once.
static inline void widenSums(f32 (*to)[kLaneCount], const u32 *const *from) {
  alignas(64) f32 wide[2 * kLaneCount];
  for (u32 r = 0; r < 2; ++r) {
    loadHalves<2 * kLaneCount>(wide, (const u16 *)from[r]);
    for (u32 l = 0; l < kLaneCount; ++l) {
      to[2 * r][l] = wide[2 * l];
      to[2 * r + 1][l] = wide[2 * l + 1];
    }
  }
}
static inline void narrowSums(u32 *const *to, const f32 (*from)[kLaneCount]) {
  alignas(64) f32 wide[2 * kLaneCount];
  for (u32 r = 0; r < 2; ++r) {
    for (u32 l = 0; l < kLaneCount; ++l) {
      wide[2 * l] = from[2 * r][l];
      wide[2 * l + 1] = from[2 * r + 1][l];
    }
    storeHalves<2 * kLaneCount>((u16 *)to[r], wide);
  }
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMATILE_H
