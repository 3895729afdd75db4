// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma.fence, commit_group and wait_group, and the accumulators of lazy mode.
#include "runtime/emulator/async/Wgmma.h"
#include "runtime/emulator/check/AsyncNotes.h"
#include "runtime/emulator/exec/Handlers.h"
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
  if (asyncIsLazy())
    warp.block->cluster->async.commit(warp, AsyncKind::kWgmma, kAllLanes);
  if (warp.block->check)
    noteAsyncCommit(warp, op, AsyncKind::kWgmma, kAllLanes);
}

void wait(Warp &warp, const Op &op) {
  if (!isWhole(warp, op))
    return;
  uint32_t pending = static_cast<uint32_t>(op.imm);
  if (asyncIsLazy() &&
      !warp.block->cluster->async.wait(warp, AsyncKind::kWgmma, kAllLanes, pending))
    return;
  if (warp.block->check)
    noteAsyncWait(warp, op, AsyncKind::kWgmma, kAllLanes, pending, false);
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
