// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The products of mma.sync in integers and in f64; MmaProducts.h has the rule of the fragments.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAEXACT_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAEXACT_H

#include "runtime/emulator/handlers/tensor/MmaElements.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

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

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAEXACT_H
