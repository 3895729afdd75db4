// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma.fence, commit_group and wait_group, and the accumulators of lazy mode.
#include "runtime/emulator/async/Wgmma.h"
#include "runtime/emulator/check/AsyncNotes.h"
#include "runtime/emulator/exec/Groups.h"
#include "runtime/emulator/exec/Handlers.h"
#include <algorithm>
#include <cstring>

namespace heddle::emulator {

void issueWgmma(const WgmmaCall &call, WgmmaWork work) {
  Warp &warp = *call.warp;
  const auto *operands = reinterpret_cast<const WgmmaOperands *>(call.op->more);
  uint32_t count = operands->sums;
  uint32_t *d[128];
  if (!asyncIsLazy()) {
    for (uint32_t i = 0; i < count; ++i)
      d[i] = reinterpret_cast<uint32_t *>(warp.registers + operands->d[i]);
    work(call, d);
    return;
  }
  AsyncQueue &queue = warp.block->cluster->async;
  auto &bySlot = queue.accumulators.bySlot;
  for (uint32_t i = 0; i < count; ++i) {
    auto [place, isNew] = bySlot.try_emplace({&warp, operands->d[i]});
    uint8_t *values = warp.registers + operands->d[i];
    if (isNew)
      std::memcpy(place->second.values, values, sizeof place->second.values);
    ++place->second.works;
    std::memset(values, 0xff, sizeof place->second.values);
  }
  queue.defer(warp, AsyncKind::kWgmma, kAllLanes, [call, work, operands, count, &bySlot] {
    uint32_t *late[128];
    for (uint32_t i = 0; i < count; ++i)
      late[i] = bySlot.at({call.warp, operands->d[i]}).values;
    bool isFine = work(call, late);
    for (uint32_t i = 0; i < count; ++i) {
      auto place = bySlot.find({call.warp, operands->d[i]});
      if (--place->second.works > 0)
        continue;
      std::memcpy(call.warp->registers + operands->d[i], place->second.values,
                  sizeof place->second.values);
      bySlot.erase(place);
    }
    return isFine;
  });
}

namespace {

/// All lanes or none.
bool isWhole(Warp &warp, const Op &op) {
  uint32_t mask = warp.active & (warp.predicates[op.guard] ^ op.guardFlip);
  if (mask == kAllLanes || mask == 0)
    return mask != 0;
  reportFault(warp, op, Fault::kDivergence, kLaneCount,
              "wgmma needs all 32 lanes of the warp, some are missing");
  return false;
}

void fence(Warp &warp, const Op &op) {
  if (isWhole(warp, op) && warp.block->check)
    noteWgmmaFence(warp);
}

void commit(Warp &warp, const Op &op) {
  if (!isWhole(warp, op))
    return;
  ++warp.wgmmaGroups;
  ++warp.block->cluster->progress; // other warps of the warpgroup may wait for it
  if (asyncIsLazy())
    warp.block->cluster->async.commit(warp, AsyncKind::kWgmma, kAllLanes);
  if (warp.block->check)
    noteAsyncCommit(warp, op, AsyncKind::kWgmma, kAllLanes);
}

/// The warpgroup's warps work together: a group is done when all of them have issued it and its
/// work is done. So whoever has waited may tell others that operands in shared memory were read.
void wait(Warp &warp, const Op &op) {
  if (!isWhole(warp, op))
    return;
  Block &block = *warp.block;
  uint32_t pending = static_cast<uint32_t>(op.imm);
  uint32_t wanted = warp.wgmmaGroups > pending ? warp.wgmmaGroups - pending : 0;
  uint32_t first = warp.index & ~3u, end = std::min(first + 4, block.warpCount);
  for (uint32_t w = first; w < end; ++w) {
    if (block.warps[w].wgmmaGroups >= wanted || block.warps[w].live == 0)
      continue;
    Group group;
    group.wait = Wait::kProgress;
    group.progress = block.cluster->progress;
    parkGroup(warp, static_cast<uint32_t>(&op - warp.code), group);
    return;
  }
  for (uint32_t w = first; w < end; ++w) {
    Warp &other = block.warps[w];
    uint32_t left = other.wgmmaGroups > wanted ? other.wgmmaGroups - wanted : 0;
    if (asyncIsLazy() && !block.cluster->async.wait(other, AsyncKind::kWgmma, kAllLanes, left)) {
      warp.stop = Stop::kFault;
      return;
    }
    if (block.check)
      noteWarpgroupWait(warp, other, left);
  }
}

const Instruction kRows[] = {
    {"wgmma.fence", fence, nullptr, OpClass::kBarrier},
    {"wgmma.commit_group", commit, nullptr, OpClass::kBarrier},
    {"wgmma.wait_group", wait, nullptr, OpClass::kBarrier},
};

} // namespace

void addWgmmaGroupHandlers(HandlerTable &table) {
  table.add(kRows, sizeof kRows / sizeof kRows[0]);
}

} // namespace heddle::emulator
