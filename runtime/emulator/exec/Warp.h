// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a thread block and a warp while they run.
#ifndef HEDDLE_RUNTIME_EMULATOR_EXEC_WARP_H
#define HEDDLE_RUNTIME_EMULATOR_EXEC_WARP_H

#include "runtime/emulator/exec/LaunchState.h"
#include <memory>

namespace heddle::emulator {

/// Why a warp does not go on.
enum class Stop : uint32_t {
  kNone,
  kYield,   ///< it can, but others come first
  kWaiting, ///< all of its groups of lanes wait
  kExited,
  kFault
};

struct AllocationHint {
  uint64_t begin = 0;
  uint64_t end = 0;
};

class BlockCheck;
class Tmem;
struct Cluster;
struct Warp;

constexpr uint32_t kBranchesBetweenLooks = 1 << 14;

/// What an instruction does with memory.
enum class Use : uint8_t { kRead, kWrite, kAtomic };

struct Block {
  LaunchState *launch = nullptr;
  Cluster *cluster = nullptr;
  uint32_t rank = 0;         ///< in the cluster
  uint8_t *shared = nullptr; ///< offset kSharedBase of the shared window
  uint32_t sharedBytes = 0;
  uint8_t *local = nullptr; ///< thread after thread
  uint32_t localBytes = 0;  ///< of a thread
  uint32_t index[3] = {0, 0, 0};
  uint32_t threadCount = 0;
  uint32_t warpCount = 0;
  Warp *warps = nullptr;
  LaunchCounts *counts = nullptr; ///< null: not counted
  BlockCheck *check = nullptr;    ///< null: accesses are checked for bounds and alignment alone
  std::shared_ptr<Tmem> tmem;     ///< null: tensor memory is not used
  static constexpr size_t kHints = 64;
  AllocationHint hints[kHints];
};

/// What a group of lanes waits for.
enum class Wait : uint8_t {
  kNothing,
  kChildren,       ///< lanes that have not come to the meeting place yet
  kBarrier,        ///< bar.sync: Group::barrier, threads
  kWarpSync,       ///< lanes that the instruction at pc names
  kProgress,       ///< that something happens in the cluster; then the op at pc runs again
  kClusterBarrier, ///< the next phase of the cluster's barrier
  kFree            ///< no group: the place may be used
};

/// Lanes of a warp that run together or wait together. Groups are a tree: where lanes part, the
/// group becomes the parent of those that run, and goes on when all of them have come to its pc.
struct Group {
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t join = kNoJoin; ///< where it ends and its lanes go back to the parent
  uint32_t parent = kNoGroup;
  uint32_t children = 0;
  uint32_t barrier = 0, threads = 0; ///< of kBarrier
  uint64_t progress = 0;             ///< of the cluster when the wait began
  Wait wait = Wait::kNothing;
  static constexpr uint32_t kNoGroup = ~0u;
};

struct Warp {
  const Op *pc = nullptr;
  uint32_t active = 0; ///< lanes that run now
  Stop stop = Stop::kNone;
  uint8_t *registers = nullptr;
  uint32_t *predicates = nullptr;
  Block *block = nullptr;
  const Op *code = nullptr;
  uint32_t live = 0;         ///< lanes that have not exited
  uint32_t join = kNoJoin;   ///< of the running group
  uint32_t current = 0;      ///< the running group in `groups`; its pc, mask and join are stale
  uint32_t branchBudget = 0; ///< branches until the clock is looked at
  uint32_t index = 0;
  uint32_t slices = 0;            ///< budgets used up in a row without waiting
  uint32_t wgmmaGroups = 0;       ///< that it has committed
  uint32_t clusterArrived = 0;    ///< lanes that have arrived at the cluster's barrier
  bool wasForced = false;         ///< lanes went on without others that they should have met
  bool mayGiveUp = false;         ///< a try_wait may return false now
  std::vector<Group> groups;      ///< empty: one group, which is described above
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

/// Looks at the clock; false: stop, or let others run first.
bool mayGoOn(Warp &warp, const Op &op);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_EXEC_WARP_H
