// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma but for its arithmetic: operands, groups, and accumulators whose values come late.
#ifndef HEDDLE_RUNTIME_EMULATOR_ASYNC_WGMMA_H
#define HEDDLE_RUNTIME_EMULATOR_ASYNC_WGMMA_H

#include "runtime/emulator/exec/Op.h"
#include <map>

namespace heddle::emulator {

struct Warp;

/// What Op::more holds for wgmma.mma_async; Op::a and b are the registers of the descriptors.
struct WgmmaOperands {
  uint32_t columns;    ///< N
  uint32_t sums;       ///< registers of D
  uint32_t scale;      ///< predicate: D is added to
  uint32_t scaleFlip;  ///< all ones for "!"
  uint32_t isNegative; ///< imm-scale-a * imm-scale-b is -1
  uint32_t isTurnedA;  ///< MN-major
  uint32_t isTurnedB;
  uint32_t hasRegisters; ///< A is in a[], else Op::a is its descriptor
  uint32_t a[4];
  uint32_t d[128];
};

/// An instruction of one warp with what it read when it was issued.
struct WgmmaCall {
  Warp *warp;
  const Op *op;
  uint64_t descriptorA, descriptorB;
  bool accumulates;
};

/// Computes the rows of one warp into `d`; false: a fault, which was reported.
using WgmmaWork = bool (*)(const WgmmaCall &call, uint32_t *const *d);

/// Does the work at once, or in lazy mode when its group is waited for; until then the accumulators
/// hold NaN.
void issueWgmma(const WgmmaCall &call, WgmmaWork work);

/// Accumulators of a cluster's warps that are not computed yet.
struct WgmmaAccumulators {
  struct Pending {
    alignas(64) uint32_t values[kLaneCount];
    uint32_t works = 0; ///< that will add to it
  };
  std::map<std::pair<const Warp *, uint32_t>, Pending> bySlot;
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_ASYNC_WGMMA_H
