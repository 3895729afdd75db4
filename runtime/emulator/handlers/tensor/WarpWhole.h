// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tensor handlers begin with: all lanes of the warp, and the registers of their operands.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_WARPWHOLE_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_WARPWHOLE_H

#include "runtime/emulator/handlers/Lanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

/// The warp's 32 lanes work on one matrix; a lane that is missing has no meaning. False: nothing
/// to do, or a fault that was reported.
static inline bool isWhole(Warp &warp, const Op &op, const char *what) {
  u32 mask = maskOf(warp, op);
  if (mask == kAllLanes || mask == 0)
    return mask != 0;
  reportFault(warp, op, Fault::kDivergence, kLaneCount, what);
  return false;
}

template <typename T, u32 kCount>
static inline void registersAt(Warp &warp, const u32 *slots, T *(&to)[kCount]) {
  for (u32 i = 0; i < kCount; ++i)
    to[i] = lanesOf<T>(warp, slots[i]);
}
template <typename T, u32 kCount>
static inline void registersAt(Warp &warp, const u32 *slots, const T *(&to)[kCount]) {
  for (u32 i = 0; i < kCount; ++i)
    to[i] = lanesOf<T>(warp, slots[i]);
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_WARPWHOLE_H
