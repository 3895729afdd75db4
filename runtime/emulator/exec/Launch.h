// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel on a grid of thread blocks.
#ifndef HEDDLE_RUNTIME_EMULATOR_EXEC_LAUNCH_H
#define HEDDLE_RUNTIME_EMULATOR_EXEC_LAUNCH_H

#include "runtime/emulator/exec/Warp.h"

namespace heddle::emulator {

/// Runs all blocks, on several threads if the grid has several blocks. Blocks until done; false: a
/// finding is in `launch`.
bool runLaunch(LaunchState &launch);

/// What the counters add for an op that is about to run.
void countOp(const Warp &warp, const Op &op, LaunchCounts &counts);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_EXEC_LAUNCH_H
