// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a launch, a thread block and a warp while they run.
#ifndef HEDDLE_RUNTIME_EMULATOR_EXEC_WARP_H
#define HEDDLE_RUNTIME_EMULATOR_EXEC_WARP_H

#include "runtime/emulator/exec/Op.h"
#include <atomic>
#include <chrono>
#include <mutex>

namespace heddle::emulator {

/// Why a warp does not go on.
enum class Stop : uint32_t { kNone, kBarrier, kExited, kFault };

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
  kInvalid ///< an operand that the instruction does not allow
};

/// The first thing that went wrong in a launch.
struct Finding {
  Fault fault = Fault::kNone;
  std::string text;
};

struct LaunchState {
  const Kernel *kernel = nullptr;
  uint32_t grid[3] = {1, 1, 1};
  uint32_t threads[3] = {1, 1, 1};
  uint32_t sharedBytes = 0; ///< static and dynamic
  const uint8_t *params = nullptr;
  std::chrono::steady_clock::time_point deadline;
  std::atomic<uint64_t> nextBlock{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  Finding finding;
};

struct AllocationHint {
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct LaunchCounts {
  uint64_t byClass[static_cast<size_t>(OpClass::kCount)] = {};
  uint64_t lanes = 0;
  uint64_t globalBytes = 0, globalSectors = 0, globalRequests = 0;
  uint64_t sharedBytes = 0, sharedWavefronts = 0, sharedRequests = 0;
  uint64_t tensorFlop = 0;
};

class BlockCheck;

/// What an instruction does with memory.
enum class Use : uint8_t { kRead, kWrite, kAtomic };

struct Block {
  LaunchState *launch = nullptr;
  uint8_t *shared = nullptr; ///< offset kSharedBase of the shared window
  uint32_t sharedBytes = 0;
  uint8_t *local = nullptr; ///< thread after thread
  uint32_t localBytes = 0;  ///< of a thread
  uint32_t index[3] = {0, 0, 0};
  uint32_t threadCount = 0;
  LaunchCounts *counts = nullptr; ///< null: not counted
  BlockCheck *check = nullptr;    ///< null: accesses are checked for bounds and alignment alone
  static constexpr size_t kHints = 64;
  AllocationHint hints[kHints];
};

struct Warp {
  const Op *pc = nullptr;
  uint32_t active = 0; ///< lanes that run now
  Stop stop = Stop::kNone;
  uint8_t *registers = nullptr;
  uint32_t *predicates = nullptr;
  Block *block = nullptr;
  const Op *code = nullptr;
  uint32_t live = 0;       ///< lanes that have not exited
  uint32_t join = kNoJoin; ///< where the running lanes wait for others
  uint32_t index = 0;
  uint32_t branchBudget = 0; ///< branches until the clock is looked at
  uint32_t barrier = 0;      ///< that it waits at
  uint32_t barrierThreads = 0;
  struct Side {
    uint32_t pc;
    uint32_t mask;
    uint32_t join;
  };
  std::vector<Side> sides;        ///< groups of lanes that wait
  std::vector<uint32_t> arrivals; ///< barriers it has arrived at without waiting: index, threads
};

/// Records what went wrong and stops the warp. `lane` is kLaneCount when no lane is meant.
void reportFault(Warp &warp, const Op &op, Fault fault, uint32_t lane, const std::string &what);
/// The text and the fault of an access of `bytes` at `address` that is not allowed.
void reportAccess(Warp &warp, const Op &op, uint32_t lane, const char *space, uint64_t address,
                  uint32_t bytes, bool isAligned);

/// Only with Block::check: remembers an access that is about to happen at these host addresses.
/// False: it is a fault, which was reported.
bool noteAccess(Warp &warp, const Op &op, Use use, uint32_t mask, uint32_t bytes,
                const uint64_t *at);
/// Only with Block::check: the warp arrives at a barrier.
void noteArrival(Warp &warp, uint32_t barrier);

/// The allocation that an address lies in.
bool findAllocation(uint64_t address, AllocationHint &hint);

/// Goes on with another group of lanes after the running ones came to an end.
void resumeOtherSide(Warp &warp);
/// Looks at the clock; false: stop.
bool mayGoOn(Warp &warp, const Op &op);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_EXEC_WARP_H
