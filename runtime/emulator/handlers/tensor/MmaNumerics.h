// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products as tensor cores round them ("exact"), and with any order of the sum and any direction of
// rounding ("paranoid"); numerics/Numerics.h says which of them an instruction wants.
//
// A tensor core aligns all products and c to the largest exponent among them, cuts each off at a
// number of places, adds exactly, and cuts the sum off (f32) or rounds it to nearest even (f16).
// Exponents are those of the operands, not of the normalised product; zeros have none. The rule was
// found by probing hardware: MMA-Sim (arXiv 2511.10909).
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMANUMERICS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMANUMERICS_H

#include "runtime/emulator/handlers/tensor/MmaElements.h"
#include "runtime/emulator/numerics/Numerics.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

static constexpr u32 kMaxDepth = 64;

/// 16 rows and 8 columns as f32, which every input type is exactly.
struct MmaNumbers {
  u32 depth;
  MmaFormat formatA, formatB;
  f32 a[kMaxDepth][16];
  f32 b[8][kMaxDepth];
};

template <typename A, u32 kSteps>
static inline void readRowNumbers(MmaNumbers &numbers, const u32 *const *a) {
  constexpr u32 p = A::kParts;
  static_assert(4 * p * kSteps <= kMaxDepth);
  numbers.depth = 4 * p * kSteps;
  numbers.formatA = A::kFormat;
  for (u32 step = 0; step < kSteps; ++step)
    for (u32 l = 0; l < kLaneCount; ++l)
      for (u32 i = 0; i < p; ++i) {
        u32 k = 4 * p * step + p * (l & 3) + i;
        numbers.a[k][l >> 2] = A::widen(a[2 * step][l], i);
        numbers.a[k][8 + (l >> 2)] = A::widen(a[2 * step + 1][l], i);
      }
}
template <typename B, u32 kSteps>
static inline void readColumnNumbers(MmaNumbers &numbers, const u32 *const *b) {
  constexpr u32 p = B::kParts;
  numbers.formatB = B::kFormat;
  for (u32 step = 0; step < kSteps; ++step)
    for (u32 l = 0; l < kLaneCount; ++l)
      for (u32 i = 0; i < p; ++i)
        numbers.b[l >> 2][4 * p * step + p * (l & 3) + i] = B::widen(b[step][l], i);
}

/// d = a * b + c, registers of f32 sums; c null: zero. Sums that will be f16 are rounded to it.
void multiplyAsHardware(const MmaNumbers &numbers, TensorPrecision precision, u64 seed,
                        u32 *const *d, const u32 *const *c);

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMANUMERICS_H
