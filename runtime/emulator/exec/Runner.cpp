// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that are resident together: their warps run in turns, each until it waits or ends.
#include "runtime/emulator/exec/Runner.h"
#include "runtime/emulator/check/AsyncNotes.h"
#include "runtime/emulator/check/SyncCheck.h"
#include "runtime/emulator/exec/Groups.h"
#include "runtime/emulator/exec/Launch.h"
#include "runtime/emulator/tmem/Tmem.h"
#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace heddle::emulator {

namespace {

constexpr uint32_t kMaxFruitless = 64;
constexpr uint32_t kSlicesOfSpinning = 8;
constexpr uint32_t kMaxSlice = 200; // ops that a warp runs in a row in random order

} // namespace

const Schedule &Schedule::get() {
  static const Schedule schedule = [] {
    Schedule result;
    const char *text = std::getenv("HEDDLE_EMU_SCHEDULE");
    std::string_view name = text ? text : "";
    if (name == "reverse")
      result.order = Order::kReverse;
    else if (name == "random")
      result.order = Order::kRandom;
    else if (name == "interleave")
      result.order = Order::kInterleave;
    if (const char *seed = std::getenv("HEDDLE_EMU_SEED"))
      result.seed = static_cast<uint32_t>(std::strtoul(seed, nullptr, 10));
    return result;
  }();
  return schedule;
}

uint64_t Runner::unitsOf(const LaunchState &launch) {
  if (launch.isCooperative)
    return 1;
  uint64_t blocks = uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  return blocks / (uint64_t(launch.cluster[0]) * launch.cluster[1] * launch.cluster[2]);
}

Runner::Runner(LaunchState &launch, LaunchCounts *counts) : launch(launch), counts(counts) {
  uint32_t size = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  uint64_t blocks =
      launch.isCooperative ? uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2] : size;
  for (uint64_t c = 0; c < blocks / size; ++c) {
    auto cluster = std::make_unique<Cluster>();
    cluster->size = size;
    std::copy(launch.cluster, launch.cluster + 3, cluster->shape);
    for (uint32_t rank = 0; rank < size; ++rank) {
      residents.push_back(std::make_unique<Resident>(launch, *cluster, counts));
      Block &block = residents.back()->block;
      block.rank = rank;
      cluster->blocks[rank] = &block;
      for (Warp &warp : residents.back()->warps)
        order.push_back(&warp);
    }
    clusters.push_back(std::move(cluster));
  }
  if (Schedule::get().order == Schedule::Order::kReverse)
    std::reverse(order.begin(), order.end());
}

uint32_t Runner::random() {
  randomState = randomState * 1664525u + 1013904223u;
  return randomState >> 8;
}

void Runner::startBlocks(uint64_t unit) {
  randomState = Schedule::get().seed * 2654435761u + static_cast<uint32_t>(unit) * 40503u;
  fruitless = 0;
  const uint32_t (&s)[3] = launch.cluster;
  const uint64_t across = launch.grid[0] / s[0], down = launch.grid[1] / s[1];
  for (size_t c = 0; c < clusters.size(); ++c) {
    Cluster &cluster = *clusters[c];
    uint64_t number = launch.isCooperative ? c : unit;
    cluster.index[0] = static_cast<uint32_t>(number % across);
    cluster.index[1] = static_cast<uint32_t>(number / across % down);
    cluster.index[2] = static_cast<uint32_t>(number / across / down);
    cluster.barrierPhase = 0;
    cluster.async.start();
    for (uint32_t rank = 0; rank < cluster.size; ++rank) {
      uint32_t index[3] = {cluster.index[0] * s[0] + rank % s[0],
                           cluster.index[1] * s[1] + rank / s[0] % s[1],
                           cluster.index[2] * s[2] + rank / s[0] / s[1]};
      residents[c * cluster.size + rank]->start(index);
    }
  }
}

void Runner::runWarp(Warp &warp) {
  Schedule::Order order = Schedule::get().order;
  uint32_t slice = order == Schedule::Order::kInterleave ? 1
                   : order == Schedule::Order::kRandom   ? 1 + random() % kMaxSlice
                                                         : 0;
  if (slice == 0 && !counts) {
    while (warp.stop == Stop::kNone) {
      const Op *op = warp.pc++;
      op->run(warp, *op);
    }
    return;
  }
  for (uint32_t done = 0; warp.stop == Stop::kNone && (slice == 0 || done < slice); ++done) {
    const Op *op = warp.pc++;
    if (!counts) {
      op->run(warp, *op);
      continue;
    }
    countOp(warp, *op, *counts);
    op->run(warp, *op);
    // Arithmetic may have gone on with further ops of its kind.
    bool isArithmetic = op->kind <= OpClass::kMove;
    for (++op; isArithmetic && op < warp.pc; ++op)
      countOp(warp, *op, *counts);
  }
}

uint64_t Runner::progressOfAll() const {
  uint64_t sum = 0;
  for (const auto &cluster : clusters)
    sum += cluster->progress;
  return sum;
}

/// Each warp once. `ran`: one ran at all; `worked`: one did something else than to look again.
bool Runner::runRound(bool &ran, bool &worked) {
  if (Schedule::get().order == Schedule::Order::kRandom)
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[random() % i]);
  for (Warp *warp : order) {
    if (warp->stop == Stop::kExited || (warp->stop == Stop::kWaiting && !pickGroup(*warp)))
      continue;
    warp->stop = Stop::kNone;
    ran = true;
    runWarp(*warp);
    if (warp->stop == Stop::kFault)
      return false;
    worked |= warp->stop == Stop::kWaiting || warp->stop == Stop::kExited;
  }
  return true;
}

/// No warp can go on, or all that `ran` look for something that does not come: does late work, or
/// lets lanes go on that wait for others. False: nothing of it helps, or a fault.
bool Runner::unstick(bool ran) {
  bool isTooEarly = ran && random() % kMaxSlice != 0;
  for (auto &cluster : clusters) {
    bool isFault = false;
    if (!isTooEarly && cluster->async.runOne(random(), isFault))
      return !isFault;
  }
  bool any = false;
  for (Warp *warp : order)
    for (Group &group : warp->groups)
      if (group.wait == Wait::kWarpSync && group.threads != warp->live &&
          warp->code[group.pc].imm == kMeetsElsewhere) {
        group.wait = Wait::kNothing; // lanes have exited since: it looks again
        any = true;
      }
  for (Warp *warp : order)
    if (!any && (!ran || warp->slices > (warp->wasForced ? 0 : kSlicesOfSpinning)))
      any = releaseEarly(*warp);
  return any || (!ran && letTryWaitGiveUp());
}

bool Runner::letTryWaitGiveUp() {
  bool any = false;
  if (++fruitless > kMaxFruitless)
    return false;
  for (Warp *warp : order)
    for (Group &group : warp->groups)
      if (group.wait == Wait::kProgress) {
        warp->mayGiveUp = true;
        group.wait = Wait::kNothing;
        any = true;
      }
  return any;
}

bool Runner::reportDeadlock() {
  for (auto &resident : residents)
    for (uint32_t barrier = 0; resident->check && barrier < Orders::kBarriers; ++barrier)
      if (!barrierIsSound(resident->block, barrier))
        return false;
  for (Warp *warp : order) {
    if (warp->stop != Stop::kWaiting)
      continue;
    const Group *group = nullptr;
    for (const Group &candidate : warp->groups)
      if (candidate.wait != Wait::kChildren && candidate.wait != Wait::kFree)
        group = &candidate;
    if (!group)
      continue;
    uint32_t pc = group->wait == Wait::kBarrier ? group->pc - 1 : group->pc;
    bool isSync = group->wait == Wait::kWarpSync;
    reportFault(
        *warp, warp->code[pc], isSync ? Fault::kDivergence : Fault::kDeadlock, kLaneCount,
        std::string(isSync ? "the instruction names lanes that do not take part in it; " : "") +
            "no warp can go on:" + describeWarps(*warp->block->cluster) + " the others have ended");
    return false;
  }
  return false;
}

bool Runner::runAll() {
  for (;;) {
    bool ran = false, worked = false, opened = false;
    uint64_t before = progressOfAll();
    if (!runRound(ran, worked))
      return false;
    for (auto &resident : residents) {
      if (resident->check && !resident->check->settle())
        return false;
      opened |= releaseBarriers(resident->block);
    }
    if (launch.failed)
      return false;
    for (auto &cluster : clusters)
      opened |= releaseClusterBarrier(*cluster);
    bool ended = std::all_of(order.begin(), order.end(),
                             [](const Warp *warp) { return warp->stop == Stop::kExited; });
    if (ended)
      break;
    bool moved = opened || progressOfAll() != before;
    if (moved)
      fruitless = 0;
    if (moved || (ran && worked))
      continue;
    if (unstick(ran))
      continue;
    if (launch.failed)
      return false;
    if (!ran)
      return reportDeadlock();
  }
  for (auto &cluster : clusters)
    if (!cluster->async.finish() || !finishChecks(*cluster) || !finishTmem(*cluster))
      return false;
  return true;
}

bool Runner::run(uint64_t unit) {
  for (const auto &resident : residents)
    if (!resident->hasMemory()) {
      std::lock_guard lock(launch.mutex);
      launch.finding = {Fault::kInvalid,
                        "the host has too little memory for the kernel's registers"};
      launch.failed = true;
      return false;
    }
  startBlocks(unit);
  return runAll();
}

} // namespace heddle::emulator
