// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector clocks; see the header for who the agents are.
#include "runtime/emulator/check/Orders.h"
#include <algorithm>

namespace heddle::emulator {

static void joinTimes(std::vector<uint32_t> &to, const std::vector<uint32_t> &from) {
  if (to.size() < from.size())
    to.resize(from.size(), 0);
  const uint32_t *source = from.data();
  uint32_t *target = to.data();
  for (size_t i = 0, count = from.size(); i < count; ++i)
    target[i] = std::max(target[i], source[i]);
}

void VectorClock::join(const VectorClock &other) {
  joinTimes(times, other.times);
  joinTimes(visible, other.visible);
}

void VectorClock::clear() {
  times.clear();
  visible.clear();
}

Orders::Orders(uint32_t blocks, uint32_t warpsOfBlock)
    : blocks(blocks), warps(blocks * warpsOfBlock), clocks(warps), barriers(blocks * kBarriers),
      fenced(warps), pending(warps) {
  start();
}

void Orders::start() {
  agents = warps;
  for (uint32_t warp = 0; warp < warps; ++warp) {
    clocks[warp].clear();
    clocks[warp].times.assign(warps, 0);
    clocks[warp].times[warp] = 1;
    fenced[warp].clear();
    pending[warp].clear();
  }
  for (VectorClock &barrier : barriers)
    barrier.clear();
  clusterArrivals.clear();
  clusterPhase.clear();
  places.clear();
}

uint32_t Orders::addAgent() {
  ++agents;
  for (VectorClock &clock : clocks)
    clock.times.resize(agents, 0);
  return agents - 1;
}

bool Orders::isKnown(uint32_t agent, uint32_t time) const {
  return std::any_of(clocks.begin(), clocks.end(),
                     [&](const VectorClock &clock) { return clock.times[agent] >= time; });
}

void Orders::release(uint32_t warp, VectorClock &into) {
  into.join(clocks[warp]);
  ++clocks[warp].times[warp];
}

void Orders::learn(uint32_t warp, uint32_t agent, uint32_t time) {
  uint32_t &known = clocks[warp].times[agent];
  known = std::max(known, time);
}

void Orders::openCluster() {
  clusterPhase = clusterArrivals;
  clusterArrivals.clear();
}

void Orders::proxyFence(uint32_t warp) {
  clocks[warp].visible = clocks[warp].times;
  ++clocks[warp].times[warp];
}

void Orders::memoryFence(uint32_t warp) {
  if (!pending[warp].isEmpty()) {
    clocks[warp].join(pending[warp]);
    pending[warp].clear();
  }
  fenced[warp] = clocks[warp];
  ++clocks[warp].times[warp];
}

void Orders::releaseAt(uint32_t warp, uint64_t place, bool isRelease) {
  if (isRelease)
    release(warp, places[place]);
  else if (!fenced[warp].isEmpty())
    places[place].join(fenced[warp]);
}

void Orders::acquireAt(uint32_t warp, uint64_t place, bool isAcquire) {
  if (places.empty())
    return;
  auto found = places.find(place);
  if (found == places.end())
    return;
  if (isAcquire)
    clocks[warp].join(found->second);
  else
    pending[warp].join(found->second);
}

} // namespace heddle::emulator
