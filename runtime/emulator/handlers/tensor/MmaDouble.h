// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The products of mma.sync in f64; MmaTile.h has the rule of the fragments.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMADOUBLE_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMADOUBLE_H

#include "runtime/emulator/handlers/Lanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

/// m16n8k(4 * kSteps) in f64 with one element a register. With kRowHalves 1 it is m8n8k4.
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
    __builtin_memcpy(d[r], sum[r], sizeof sum[r]);
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMADOUBLE_H
