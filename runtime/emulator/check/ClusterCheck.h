// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the checks know of a cluster as a whole: the orders between its warps, its asynchronous work
// and its mbarriers.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_CLUSTERCHECK_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_CLUSTERCHECK_H

#include "runtime/emulator/check/AsyncGroups.h"
#include "runtime/emulator/check/registers/RegisterCheck.h"

namespace heddle::emulator {

/// An mbarrier as a point of order. Arrivals release into `arrivals`; a phase that completes hands
/// them to `phase`, which those that wait acquire.
struct MbarrierOrder {
  uint32_t agent = 0;  ///< its time is the number of completed phases
  uint32_t phases = 0; ///< completed
  VectorClock arrivals, phase;
  uint32_t initWarp = 0, initTime = 0, initLine = 0;
  bool isFenced = false; ///< mbarrier.init was made visible to the asynchronous proxy
};

class ClusterCheck {
public:
  ClusterCheck(uint32_t blocks, uint32_t warpsOfBlock)
      : orders(blocks, warpsOfBlock), async(orders), wgmma(blocks * warpsOfBlock),
        registers(blocks * warpsOfBlock, 0) {}
  void start() {
    orders.start();
    async.start();
    mbarriers.clear();
    remote.clear();
    registers.assign(orders.warpCount(), 0);
    for (WgmmaState &state : wgmma)
      state = WgmmaState();
  }
  /// Null: there was no mbarrier.init.
  MbarrierOrder *findMbarrier(uint32_t rank, uint32_t offset) {
    auto found = mbarriers.find(uint64_t(rank) << 32 | offset);
    return found == mbarriers.end() ? nullptr : &found->second;
  }
  MbarrierOrder &addMbarrier(uint32_t rank, uint32_t offset) {
    MbarrierOrder &barrier = mbarriers[uint64_t(rank) << 32 | offset];
    uint32_t agent = barrier.agent ? barrier.agent : orders.addAgent();
    uint32_t phases = barrier.phases; // an agent's time never goes back
    barrier = MbarrierOrder();
    barrier.agent = agent;
    barrier.phases = phases;
    return barrier;
  }
  /// fence.mbarrier_init, and fence.proxy.async.
  void fenceInits(uint32_t warpAgent) {
    for (auto &[place, barrier] : mbarriers)
      barrier.isFenced |= barrier.initWarp == warpAgent;
  }

  Orders orders;
  AsyncGroups async;
  std::vector<WgmmaState> wgmma; ///< by agent
  /// The last access of a warp to the shared memory of another block: by its rank and the warp.
  struct RemoteAccess {
    Warp *warp;
    const Op *op;
    uint32_t lane, time;
  };
  std::map<std::pair<uint32_t, uint32_t>, RemoteAccess> remote;
  std::vector<uint32_t> registers; ///< that setmaxnreg gave each warp's threads; 0: none

private:
  std::unordered_map<uint64_t, MbarrierOrder> mbarriers;
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_CLUSTERCHECK_H
