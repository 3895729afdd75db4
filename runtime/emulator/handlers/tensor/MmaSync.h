// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync on the registers of a warp. Operands are many registers, so all of them stand in
// Op::more in the order of the text, vectors spread out: d..., a..., b..., c....
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMASYNC_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMASYNC_H

#include "runtime/emulator/handlers/tensor/MmaNumerics.h"
#include "runtime/emulator/handlers/tensor/MmaTile.h"
#include "runtime/emulator/handlers/tensor/WarpWhole.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

static constexpr const char *kMissingLanes =
    "mma needs all 32 lanes of the warp, some have branched away or exited";

/// A register that is zero in all lanes, for the rows that a fragment does not have.
alignas(64) static constexpr u32 kZeroRegister[kLaneCount] = {};

/// How sums are kept: f32 or s32, two f16 in a register, s32 that may stop at its ends (Op::c).
enum class Sums : u8 { kWords, kHalves, kIntegers };

/// Registers of a product of 16 rows, or 8 with kHalves 1.
template <u32 kSteps, u32 kHalves, Sums kSums> struct MmaRegisters {
  static constexpr u32 kSum = kSums == Sums::kHalves ? kHalves : 2 * kHalves;
  static constexpr u32 kA = kHalves * kSteps;
  u32 *d[kSum];
  const u32 *a[2 * kSteps], *b[kSteps], *c[kSum];

  MmaRegisters(Warp &warp, const u32 *slots) {
    registersAt(warp, slots, d);
    for (u32 i = 0; i < 2 * kSteps; ++i)
      a[i] = kHalves == 2   ? lanesOf<u32>(warp, slots[kSum + i])
             : (i & 1) == 0 ? lanesOf<u32>(warp, slots[kSum + i / 2])
                            : kZeroRegister;
    registersAt(warp, slots + kSum + kA, b);
    registersAt(warp, slots + kSum + kA + kSteps, c);
  }
};

/// m(8 * kHalves)n8k(4 * kParts * kSteps).
template <typename Steps, typename A, typename B, u32 kSteps, u32 kHalves, Sums kSums>
static void mma(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, kMissingLanes))
    return;
  MmaRegisters<kSteps, kHalves, kSums> r(warp, op.more);
  RegisterRows<A, kSteps> rows{r.a};
  if constexpr (kSums == Sums::kWords && kHalves == 2) {
    multiplyTile<Steps, B, kSteps>(rows, r.b, r.d, r.c);
    return;
  }
  alignas(64) u32 sums[4][kLaneCount];
  u32 *sum[4] = {sums[0], sums[1], sums[2], sums[3]};
  if constexpr (kSums == Sums::kHalves) {
    widenSums(sum, r.c);
    multiplyTile<Steps, B, kSteps>(rows, r.b, sum, sum);
    narrowSums(r.d, sum);
  } else {
    multiplyTile<Steps, B, kSteps>(rows, r.b, sum, nullptr);
    for (u32 i = 0; i < r.kSum; ++i) {
      if (op.c)
        addSaturating(r.d[i], sum[i], r.c[i]);
      else
        LANES r.d[i][l] = sum[i][l] + r.c[i][l];
    }
  }
}

/// The same as a tensor core rounds.
template <typename A, typename B, u32 kSteps, Sums kSums>
static void mmaAsHardware(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, kMissingLanes))
    return;
  MmaRegisters<kSteps, 2, kSums> r(warp, op.more);
  TensorPrecision precision = bitCast<TensorPrecision>(op.target);
  MmaNumbers numbers;
  readRowNumbers<A, kSteps>(numbers, r.a);
  readColumnNumbers<B, kSteps>(numbers, r.b);
  u64 seed = precision.isParanoid ? numericsSeed(warp, op) + r.c[0][0] : 0;
  if constexpr (kSums == Sums::kWords) {
    multiplyAsHardware(numbers, precision, seed, r.d, r.c);
  } else {
    alignas(64) u32 sums[4][kLaneCount];
    u32 *sum[4] = {sums[0], sums[1], sums[2], sums[3]};
    widenSums(sum, r.c);
    multiplyAsHardware(numbers, precision, seed, sum, sum);
    narrowSums(r.d, sum);
  }
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMASYNC_H
