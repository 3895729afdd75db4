// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barriers of blocks and clusters: when they open, and where everybody is if they never do.
#include "runtime/emulator/check/AsyncNotes.h"
#include "runtime/emulator/check/SyncCheck.h"
#include "runtime/emulator/exec/Groups.h"
#include "runtime/emulator/exec/Runner.h"
#include <cstring>

namespace heddle::emulator {

namespace {

constexpr uint32_t kBarriers = 16;

uint32_t lanesAt(const Warp &warp, uint32_t barrier) {
  uint32_t lanes = 0;
  for (const Group &group : warp.groups)
    if (group.wait == Wait::kBarrier && group.barrier == barrier)
      lanes |= group.mask;
  return lanes & warp.live;
}

/// What the warps at a barrier did is before what those that wait there do next.
void passBarrier(Block &block, uint32_t barrier) {
  BlockCheck &shadow = *block.check;
  for (uint32_t w = 0; w < block.warpCount; ++w)
    if (lanesAt(block.warps[w], barrier))
      shadow.arrive(barrier, w);
  for (uint32_t w = 0; w < block.warpCount; ++w)
    if (lanesAt(block.warps[w], barrier))
      shadow.release(barrier, w);
  shadow.clearBarrier(barrier);
}

/// bar.red: op.more is {0 popc, 1 and, 2 or; predicate; all ones to negate it; result}.
struct Reduction {
  uint32_t kind, predicate, flip, result;
};

template <typename F> void eachReduction(Block &block, uint32_t barrier, F &&apply) {
  for (uint32_t w = 0; w < block.warpCount; ++w)
    for (Group &group : block.warps[w].groups) {
      if (group.wait != Wait::kBarrier || group.barrier != barrier)
        continue;
      const Op &op = block.warps[w].code[group.pc - 1];
      if (!op.more)
        continue;
      Reduction reduction;
      std::memcpy(&reduction, op.more, sizeof reduction);
      apply(block.warps[w], group.mask & block.warps[w].live, reduction);
    }
}

void reduceVotes(Block &block, uint32_t barrier) {
  uint32_t count = 0, threads = 0;
  eachReduction(block, barrier, [&](Warp &warp, uint32_t lanes, const Reduction &r) {
    count +=
        static_cast<uint32_t>(__builtin_popcount((warp.predicates[r.predicate] ^ r.flip) & lanes));
    threads += static_cast<uint32_t>(__builtin_popcount(lanes));
  });
  eachReduction(block, barrier, [&](Warp &warp, uint32_t lanes, const Reduction &r) {
    if (r.kind != 0) {
      bool holds = r.kind == 1 ? count == threads : count != 0;
      uint32_t &to = warp.predicates[r.result];
      to = (to & ~lanes) | (holds ? lanes : 0);
      return;
    }
    auto *to = reinterpret_cast<uint32_t *>(warp.registers + r.result);
    for (uint32_t lane = 0; lane < kLaneCount; ++lane)
      if (lanes >> lane & 1)
        to[lane] = count;
  });
}

void open(Block &block, uint32_t barrier) {
  if (block.check)
    passBarrier(block, barrier);
  reduceVotes(block, barrier);
  ++block.cluster->progress;
  for (uint32_t w = 0; w < block.warpCount; ++w) {
    Warp &warp = block.warps[w];
    for (Group &group : warp.groups)
      if (group.wait == Wait::kBarrier && group.barrier == barrier)
        group.wait = Wait::kNothing;
    for (size_t i = 0; i < warp.arrivals.size();) {
      auto at = warp.arrivals.begin() + static_cast<ptrdiff_t>(i);
      if (warp.arrivals[i] == barrier)
        warp.arrivals.erase(at, at + 2);
      else
        i += 2;
    }
  }
}

} // namespace

/// A warp counts as 32 threads once all of its lanes are there; warps that have ended count as
/// arrived where all threads are expected.
bool releaseBarriers(Block &block) {
  uint32_t waited = 0, ended = 0;
  for (uint32_t w = 0; w < block.warpCount; ++w) {
    ended += block.warps[w].stop == Stop::kExited ? kLaneCount : 0;
    for (const Group &group : block.warps[w].groups)
      if (group.wait == Wait::kBarrier)
        waited |= 1u << group.barrier;
  }
  bool any = false;
  for (uint32_t b = 0; waited && b < kBarriers; ++b) {
    if (!(waited >> b & 1))
      continue;
    uint32_t arrived = 0, expected = 0;
    auto take = [&](uint32_t threads) {
      arrived += kLaneCount;
      expected = threads ? threads : expected;
    };
    for (uint32_t w = 0; w < block.warpCount; ++w) {
      Warp &warp = block.warps[w];
      uint32_t lanes = lanesAt(warp, b), threads = 0;
      for (const Group &group : warp.groups)
        if (group.wait == Wait::kBarrier && group.barrier == b)
          threads = group.threads;
      if (lanes && lanes == warp.live)
        take(threads);
      for (size_t i = 0; i < warp.arrivals.size(); i += 2)
        if (warp.arrivals[i] == b)
          take(warp.arrivals[i + 1]);
    }
    if (expected ? arrived < expected : arrived + ended < block.warpCount * kLaneCount)
      continue;
    if (block.check && !barrierIsSound(block, b))
      return false;
    any = true;
    open(block, b);
  }
  return any;
}

/// All threads of the cluster that live arrive in each phase.
bool releaseClusterBarrier(Cluster &cluster) {
  bool anybody = false;
  for (uint32_t r = 0; r < cluster.size; ++r)
    for (uint32_t w = 0; w < cluster.blocks[r]->warpCount; ++w) {
      const Warp &warp = cluster.blocks[r]->warps[w];
      if (warp.live & ~warp.clusterArrived)
        return false;
      anybody |= warp.clusterArrived != 0;
    }
  if (!anybody)
    return false;
  if (cluster.blocks[0]->check)
    noteClusterPhase(cluster);
  ++cluster.barrierPhase;
  ++cluster.progress;
  for (uint32_t r = 0; r < cluster.size; ++r)
    for (uint32_t w = 0; w < cluster.blocks[r]->warpCount; ++w) {
      Warp &warp = cluster.blocks[r]->warps[w];
      warp.clusterArrived = 0;
      for (Group &group : warp.groups)
        if (group.wait == Wait::kClusterBarrier)
          group.wait = Wait::kNothing;
    }
  return true;
}

std::string describeWarps(const Cluster &cluster) {
  std::string text;
  constexpr size_t kEnough = 2000;
  for (uint32_t r = 0; r < cluster.size; ++r)
    for (uint32_t w = 0; w < cluster.blocks[r]->warpCount; ++w) {
      const Warp &warp = cluster.blocks[r]->warps[w];
      auto add = [&](const char *doing, uint32_t pc, const std::string &more) {
        if (text.size() > kEnough || pc == kNoJoin)
          return;
        text += (cluster.size > 1 ? " block rank " + std::to_string(r) + "," : std::string()) +
                " warp " + std::to_string(w) + doing + more + " in line " +
                std::to_string(warp.code[pc].line) + ";";
      };
      if (warp.active && warp.stop != Stop::kExited)
        add(" runs", static_cast<uint32_t>(warp.pc - warp.code - (warp.pc > warp.code ? 1 : 0)),
            "");
      for (uint32_t g = 0; g < warp.groups.size(); ++g) {
        const Group &group = warp.groups[g];
        if (g == warp.current && warp.active)
          continue;
        if (group.wait == Wait::kBarrier)
          add(" waits at barrier ", group.pc - 1, std::to_string(group.barrier));
        else if (group.wait == Wait::kClusterBarrier)
          add(" waits at the cluster's barrier", group.pc, "");
        else if (group.wait == Wait::kProgress)
          add(" waits for an mbarrier", group.pc, "");
        else if (group.wait == Wait::kWarpSync)
          add(" waits for other lanes", group.pc, "");
      }
    }
  return text;
}

} // namespace heddle::emulator
