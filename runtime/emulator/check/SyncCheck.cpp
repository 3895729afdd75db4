// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Misuse of bar.sync and bar.arrive (PTX ISA 9.0, 9.7.13.1): all that come to a barrier must name
// the same number of threads, and without a number every thread of the block must come.
#include "runtime/emulator/check/SyncCheck.h"
#include "runtime/emulator/check/CheckOptions.h"

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

} // namespace heddle::emulator
