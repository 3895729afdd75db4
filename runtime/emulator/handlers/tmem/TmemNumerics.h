// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tcgen05.mma as tensor cores round it: a panel in tiles of 16 rows and 8 columns.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TMEM_TMEMNUMERICS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TMEM_TMEMNUMERICS_H

#include "runtime/emulator/handlers/tensor/MmaNumerics.h"
#include "runtime/emulator/handlers/tmem/TmemPanels.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

static inline MmaFormat formatOf(MmaType type) {
  switch (type) {
  case MmaType::kF16:
    return MmaF16::kFormat;
  case MmaType::kBf16:
    return MmaBf16::kFormat;
  case MmaType::kTf32:
    return MmaTf32::kFormat;
  case MmaType::kE4M3:
    return MmaE4M3::kFormat;
  case MmaType::kE5M2:
    return MmaE5M2::kFormat;
  case MmaType::kE2M3:
    return {0, 3};
  case MmaType::kE3M2:
    return {-2, 2};
  default:
    return {0, 1};
  }
}

/// Sums of f32 bits, `stride` apart; `a` has `depth` numbers in a row, `b` kMaxWidth.
static inline void multiplyPanelAsHardware(const MmaJob &job, const u32 *a, const u32 *b, u32 depth,
                                           u32 *sums, u32 stride, u32 rows, u32 columns) {
  const MmaCall &call = *job.call;
  MmaNumbers numbers;
  numbers.depth = depth;
  numbers.formatA = formatOf(call.shape.a);
  numbers.formatB = formatOf(call.shape.b);
  alignas(64) u32 tile[4][kLaneCount];
  u32 *fragment[4] = {tile[0], tile[1], tile[2], tile[3]};
  for (u32 row = 0; row < rows; row += 16) {
    for (u32 k = 0; k < depth; ++k)
      for (u32 r = 0; r < 16; ++r)
        numbers.a[k][r] = floatOf(a[(row + r) * depth + k]);
    for (u32 column = 0; column < columns; column += 8) {
      for (u32 n = 0; n < 8; ++n)
        for (u32 k = 0; k < depth; ++k)
          numbers.b[n][k] = floatOf(b[k * kMaxWidth + column + n]);
      // Register r of lane 4g + t is row g + 8 (r >> 1), column 2t + (r & 1).
      auto at = [&](u32 r, u32 l) {
        return sums + (row + l / 4 + 8 * (r >> 1)) * stride + column + 2 * (l % 4) + (r & 1);
      };
      for (u32 r = 0; r < 4; ++r)
        for (u32 l = 0; l < kLaneCount; ++l)
          tile[r][l] = call.accumulates ? *at(r, l) : 0;
      multiplyAsHardware(numbers, job.precision, job.seed + 64 * row + column, fragment,
                         call.accumulates ? fragment : nullptr);
      for (u32 r = 0; r < 4; ++r)
        for (u32 l = 0; l < kLaneCount; ++l)
          *at(r, l) = tile[r][l];
    }
  }
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TMEM_TMEMNUMERICS_H
