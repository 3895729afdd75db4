// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel on a grid of thread blocks.
#ifndef HEDDLE_RUNTIME_EMULATOR_EXEC_LAUNCH_H
#define HEDDLE_RUNTIME_EMULATOR_EXEC_LAUNCH_H

#include "runtime/emulator/check/BlockCheck.h"
#include "runtime/emulator/exec/Warp.h"
#include <memory>

namespace heddle::emulator {

/// A worker's memory for one block after the other.
class BlockRunner {
public:
  BlockRunner(LaunchState &launch, LaunchCounts *counts);
  ~BlockRunner();
  BlockRunner(const BlockRunner &) = delete;
  BlockRunner &operator=(const BlockRunner &) = delete;
  /// False: a fault was recorded.
  bool run(uint64_t block);

private:
  void prepareRegisters();
  void startBlock(uint64_t block);
  void runWarp(Warp &warp);
  void runCounted(Warp &warp);
  bool releaseBarriers();
  void passBarrier(uint32_t barrier);
  void reportDeadlock();
  void fill(uint8_t *registers, const SpecialRegister &reg, uint32_t warp);
  void fillAllLanes(const SpecialRegister &reg);
  uint32_t valueOf(Special which, uint32_t warp, uint32_t lane) const;

  LaunchState &launch;
  const Kernel &kernel;
  Block block;
  std::vector<Warp> warps;
  std::unique_ptr<BlockCheck> check;
  uint32_t warpCount;
  uint8_t *registers = nullptr;
  std::vector<uint32_t> predicates;
};

/// Runs all blocks, on several threads if the grid has several blocks. Blocks until done; false: a
/// finding is in `launch`.
bool runLaunch(LaunchState &launch);

/// What the counters add for an op that is about to run.
void countOp(const Warp &warp, const Op &op, LaunchCounts &counts);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_EXEC_LAUNCH_H
