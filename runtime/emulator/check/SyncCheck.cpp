// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Misuse of bar.sync and bar.arrive (PTX ISA 9.0, 9.7.13.1): all that come to a barrier must name
// the same number of threads, and without a number every thread of the block must come.
#include "runtime/emulator/check/SyncCheck.h"
#include "runtime/emulator/check/BlockCheck.h"

namespace heddle::emulator {

static std::string countText(uint32_t threads, uint32_t all) {
  return threads ? std::to_string(threads) + " threads"
                 : "all " + std::to_string(all) + " threads of the block";
}

bool barrierIsSound(Block &block, uint32_t barrier) {
  if (!CheckOptions::get().sync)
    return true;
  Warp *first = nullptr;
  const Op *firstOp = nullptr;
  uint32_t firstThreads = 0;
  bool isFine = true;
  const uint32_t all = block.warpCount * kLaneCount;
  auto take = [&](Warp &warp, const Op *op, uint32_t threads) {
    uint32_t number = threads ? threads : all;
    if (number > all && op) {
      reportFault(warp, *op, Fault::kInvalid, kLaneCount,
                  "barrier " + std::to_string(barrier) + " waits for " + std::to_string(threads) +
                      " threads, the block has " + std::to_string(all));
      isFine = false;
    } else if (first && (firstThreads ? firstThreads : all) != number) {
      const Op &at = op ? *op : *firstOp;
      reportFault(op ? warp : *first, at, Fault::kInvalid, kLaneCount,
                  "barrier " + std::to_string(barrier) + " is told " + countText(threads, all) +
                      " by warp " + std::to_string(warp.index) + " and " +
                      countText(firstThreads, all) + " by warp " + std::to_string(first->index) +
                      " in PTX line " + std::to_string(firstOp->line));
      isFine = false;
    } else if (op && !first) {
      first = &warp;
      firstOp = op;
      firstThreads = threads;
    }
  };
  for (uint32_t w = 0; w < block.warpCount && isFine; ++w)
    for (const Group &group : block.warps[w].groups)
      if (isFine && group.wait == Wait::kBarrier && group.barrier == barrier)
        take(block.warps[w], &block.warps[w].code[group.pc - 1], group.threads);
  for (uint32_t w = 0; w < block.warpCount && isFine; ++w) {
    const Warp &warp = block.warps[w];
    for (size_t i = 0; i < warp.arrivals.size() && isFine; i += 2)
      if (warp.arrivals[i] == barrier)
        take(block.warps[w], nullptr, warp.arrivals[i + 1]);
  }
  if (!isFine || !first || firstThreads)
    return isFine;
  for (uint32_t w = 0; w < block.warpCount; ++w)
    if (block.warps[w].stop == Stop::kExited) {
      reportFault(*first, *firstOp, Fault::kDivergence, kLaneCount,
                  "barrier " + std::to_string(barrier) +
                      " waits for all threads of the block, but warp " + std::to_string(w) +
                      " has ended without coming to it");
      return false;
    }
  return true;
}

bool endsSoundly(Cluster &cluster) {
  ClusterCheck &check = *cluster.check;
  for (const auto &[who, access] : check.remote) {
    auto [rank, agent] = who;
    uint32_t warps = check.orders.warpsOfBlock(), time = access.time;
    bool isKnown = false;
    for (uint32_t w = 0; w < warps; ++w)
      isKnown |= check.orders.knows(rank * warps + w, agent, time);
    if (isKnown)
      continue;
    reportFault(*access.warp, *access.op, Fault::kRace, access.lane,
                "shared memory of block rank " + std::to_string(rank) +
                    " is accessed, and nothing keeps that block from ending before; a "
                    "barrier.cluster at its end is missing");
    return false;
  }
  return true;
}

bool noteRegisterCount(Warp &warp, const Op &op, uint32_t count) {
  constexpr uint32_t kRegisters = 1 << 16; // of a multiprocessor
  BlockCheck &check = *warp.block->check;
  std::vector<uint32_t> &all = check.cluster().registers;
  all[check.agentOf(warp.index)] = count;
  uint64_t sum = 0;
  for (uint32_t w = 0; w < warp.block->warpCount; ++w)
    sum += uint64_t(all[check.agentOf(w)]) * kLaneCount;
  if (sum <= kRegisters)
    return true;
  reportFault(warp, op, Fault::kInvalid, kLaneCount,
              "setmaxnreg: the warps that have executed it want " + std::to_string(sum) +
                  " registers together, a block has at most " + std::to_string(kRegisters));
  return false;
}

} // namespace heddle::emulator
