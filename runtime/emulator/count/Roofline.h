// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel's counts would take on the named GPU at best, from the rates of the target table.
// An estimate: caches, latencies and dependences are not in it, and nothing was measured.
#ifndef HEDDLE_RUNTIME_EMULATOR_COUNT_ROOFLINE_H
#define HEDDLE_RUNTIME_EMULATOR_COUNT_ROOFLINE_H

#include "heddle/Target.h"
#include "runtime/emulator/exec/LaunchState.h"

namespace heddle::emulator {

struct Roofline {
  double microseconds = 0;
  const char *limit = "none"; ///< "issue", "f32", "special", "tensor", "shared" or "memory"
};

/// `fill`: what share of the places for blocks on the GPU the launches use, above 0, at most 1.
Roofline estimate(const Gpu &gpu, const LaunchCounts &counts, double fill);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_COUNT_ROOFLINE_H
