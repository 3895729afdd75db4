// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread blocks that are resident together and share one worker thread: a cluster, or a block that
// is in none. Nothing in here needs a lock.
//
// A shared address has 32 bits: an offset in bits 0 to 23 and above it 0 for the executing block or
// r + 1 for the block of rank r (what mapa makes). Generic addresses are kSharedWindow and these.
#ifndef HEDDLE_RUNTIME_EMULATOR_EXEC_CLUSTER_H
#define HEDDLE_RUNTIME_EMULATOR_EXEC_CLUSTER_H

#include "runtime/emulator/async/Async.h"
#include "runtime/emulator/exec/Warp.h"
#include <map>
#include <memory>
#include <random>

namespace heddle::emulator {

constexpr uint32_t kMaxClusterBlocks = 16;
constexpr uint32_t kRankShift = 24;
constexpr uint32_t kOffsetMask = (1u << kRankShift) - 1;

class ClusterCheck;

struct Cluster {
  uint32_t size = 1;
  uint32_t shape[3] = {1, 1, 1};
  uint32_t index[3] = {0, 0, 0}; ///< of the cluster in the grid of clusters
  Block *blocks[kMaxClusterBlocks] = {};
  uint64_t progress = 1; ///< goes up when something happens that a warp may wait for
  uint32_t barrierPhase = 0;
  AsyncQueue async;
  std::shared_ptr<ClusterCheck> check; ///< null: accesses are not checked
};

/// Memory of a shared address (32 bits, see above) as the block sees it.
struct SharedPlace {
  Block *owner = nullptr; ///< null: outside of every block's shared memory
  uint32_t offset = 0;    ///< from the start of the owner's shared memory: address - kSharedBase
  uint8_t *at = nullptr;
};
/// `bytes` must lie inside; alignment is not looked at.
SharedPlace sharedAt(Block &block, uint64_t address, uint32_t bytes);
/// The same, and reports what is wrong with it. `align` is a power of two.
SharedPlace sharedAt(Warp &warp, const Op &op, uint32_t lane, uint64_t address, uint32_t bytes,
                     uint32_t align);
/// 32 bits that name the same place from everywhere in the cluster.
inline uint32_t clusterAddress(const Block &owner, uint32_t offset) {
  return (owner.rank + 1) << kRankShift | (offset + kSharedBase);
}

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_EXEC_CLUSTER_H
