// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What comes before what in a cluster: a vector clock for each warp.
//
// Agents are the warps of all blocks (rank * warps of a block + warp), and whatever else completes
// work: the asynchronous work of a kind that a warp issues, and each mbarrier, whose time is its
// phase. A warp's own time goes up where it releases. Each clock is kept twice: what has happened,
// and how much of it a fence.proxy.async has made visible to the asynchronous proxy since.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_ORDERS_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_ORDERS_H

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heddle::emulator {

struct VectorClock {
  std::vector<uint32_t> times;   ///< agent -> up to when its accesses have happened
  std::vector<uint32_t> visible; ///< the same, to the asynchronous proxy; empty: nothing

  void join(const VectorClock &other);
  void clear();
  bool isEmpty() const { return times.empty(); }
};

class Orders {
public:
  static constexpr uint32_t kBarriers = 16;

  Orders(uint32_t blocks, uint32_t warpsOfBlock);
  /// Forgets everything: another cluster begins.
  void start();

  uint32_t warpCount() const { return warps; }
  uint32_t warpsOfBlock() const { return warps / blocks; }
  /// Another agent; its times begin at 1.
  uint32_t addAgent();

  uint32_t now(uint32_t warp) const { return clocks[warp].times[warp]; }
  /// Agent -> time, for all agents.
  const uint32_t *timesOf(uint32_t warp) const { return clocks[warp].times.data(); }
  bool knows(uint32_t warp, uint32_t agent, uint32_t time) const {
    return clocks[warp].times[agent] >= time;
  }
  bool isVisible(uint32_t warp, uint32_t agent, uint32_t time) const {
    const auto &visible = clocks[warp].visible;
    return agent < visible.size() && visible[agent] >= time;
  }
  /// Does any warp know?
  bool isKnown(uint32_t agent, uint32_t time) const;

  void release(uint32_t warp, VectorClock &into);
  void acquire(uint32_t warp, const VectorClock &from) { clocks[warp].join(from); }
  void tick(uint32_t warp) { ++clocks[warp].times[warp]; }
  void learn(uint32_t warp, uint32_t agent, uint32_t time);

  /// bar.sync, bar.arrive: what a warp did so far is before whatever waits there does next.
  void arrive(uint32_t block, uint32_t barrier, uint32_t warp) {
    release(warp, barriers[block * kBarriers + barrier]);
  }
  void leave(uint32_t block, uint32_t barrier, uint32_t warp) {
    acquire(warp, barriers[block * kBarriers + barrier]);
  }
  void clearBarrier(uint32_t block, uint32_t barrier) {
    barriers[block * kBarriers + barrier].clear();
  }
  /// barrier.cluster: arrivals of a phase, its end, and who saw it.
  void arriveAtCluster(uint32_t warp) { release(warp, clusterArrivals); }
  void openCluster();
  void leaveCluster(uint32_t warp) { acquire(warp, clusterPhase); }

  /// fence.proxy.async: what is known to this warp can be seen by the asynchronous proxy.
  void proxyFence(uint32_t warp);
  /// fence, membar.
  void memoryFence(uint32_t warp);
  /// A strong write (or the writing half of an atomic) and a strong read of a place in memory.
  /// Relaxed ones order what lies before a fence and behind one.
  void releaseAt(uint32_t warp, uint64_t place, bool isRelease);
  void acquireAt(uint32_t warp, uint64_t place, bool isAcquire);

private:
  uint32_t blocks, warps, agents = 0;
  std::vector<VectorClock> clocks, barriers;
  VectorClock clusterArrivals, clusterPhase;
  std::vector<VectorClock> fenced;  ///< a warp's clock at its last fence
  std::vector<VectorClock> pending; ///< what it acquires at its next one
  std::unordered_map<uint64_t, VectorClock> places;
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_ORDERS_H
