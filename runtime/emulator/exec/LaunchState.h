// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a launch: its shape, the first thing that went wrong, and what was counted.
#ifndef HEDDLE_RUNTIME_EMULATOR_EXEC_LAUNCHSTATE_H
#define HEDDLE_RUNTIME_EMULATOR_EXEC_LAUNCHSTATE_H

#include "runtime/emulator/exec/Kernel.h"
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

namespace heddle::emulator {

enum class Fault : uint8_t {
  kNone,
  kAddress,
  kAlignment,
  kTrap,
  kDeadlock,
  kTimeout,
  kDivergence, ///< an aligned instruction with lanes missing
  kRace,
  kUninitialised,
  kInvalid,       ///< an operand that the instruction does not allow
  kBarrierMisuse, ///< of an mbarrier: not initialised, overrun, ...
  kAsync          ///< asynchronous work: no wait, no fence, never waited for
};

/// The first thing that went wrong in a launch.
struct Finding {
  Fault fault = Fault::kNone;
  std::string text;
};

class GlobalRaces;

struct LaunchState {
  const Kernel *kernel = nullptr;
  std::shared_ptr<GlobalRaces> races; ///< null: not looked for
  uint32_t grid[3] = {1, 1, 1};
  uint32_t threads[3] = {1, 1, 1};
  uint32_t cluster[3] = {1, 1, 1}; ///< blocks; divides the grid
  bool isCooperative = false;      ///< all blocks are resident together
  uint64_t workspace = 0;          ///< of a cooperative launch: where its grid barrier lies
  uint32_t sharedBytes = 0;        ///< static and dynamic
  const uint8_t *params = nullptr;
  std::chrono::steady_clock::time_point deadline;
  std::atomic<uint64_t> nextBlock{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  Finding finding;
};

struct LaunchCounts {
  uint64_t byClass[static_cast<size_t>(OpClass::kCount)] = {};
  uint64_t lanes = 0;
  uint64_t globalBytes = 0, globalSectors = 0, globalRequests = 0;
  uint64_t sharedBytes = 0, sharedWavefronts = 0, sharedRequests = 0;
  uint64_t tensorFlop = 0;
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_EXEC_LAUNCHSTATE_H
