// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How findings name a place in shared memory and the other party.
#include "runtime/emulator/check/BlockCheck.h"

namespace heddle::emulator {

static std::string warpText(const SharedConflict &conflict, const Block &block, uint32_t warps) {
  uint32_t rank = conflict.other.warp / warps;
  return (rank != block.rank ? "block rank " + std::to_string(rank) + ", " : std::string()) +
         "warp " + std::to_string(conflict.other.warp % warps) + ", lane " +
         std::to_string(conflict.other.lane) + " in PTX line " +
         std::to_string(conflict.other.line);
}

std::string BlockCheck::partyText(const SharedConflict &conflict, uint32_t agent) const {
  bool isOwn = conflict.other.warp == agent && CheckOptions::get().laneRaces;
  return std::string(conflict.otherWrites ? "written" : "read") + " by " +
         warpText(conflict, block, warps) +
         (isOwn ? " without a bar.warp.sync between the two"
                : " without a barrier between the two");
}

static const char *workName(AsyncKind kind) {
  switch (kind) {
  case AsyncKind::kCopy:
    return "cp.async";
  case AsyncKind::kBulkLoad:
  case AsyncKind::kBulkStore:
    return "a bulk copy";
  case AsyncKind::kWgmma:
    return "wgmma.mma_async";
  case AsyncKind::kTensor:
  case AsyncKind::kTmemLoad:
  case AsyncKind::kTmemStore:
    return "a tcgen05 instruction";
  }
  return "asynchronous work";
}

static const char *waitName(AsyncKind kind) {
  switch (kind) {
  case AsyncKind::kCopy:
    return "cp.async.wait_group, and a barrier behind it for other threads";
  case AsyncKind::kBulkLoad:
    return "the phase of its mbarrier";
  case AsyncKind::kBulkStore:
    return "cp.async.bulk.wait_group.read, and a barrier behind it for other threads";
  case AsyncKind::kWgmma:
    return "wgmma.wait_group, and a barrier behind it for other warps";
  case AsyncKind::kTensor:
    return "the mbarrier of a tcgen05.commit";
  case AsyncKind::kTmemLoad:
    return "tcgen05.wait::ld";
  case AsyncKind::kTmemStore:
    return "tcgen05.wait::st";
  }
  return "its end";
}

/// By somebody, but not in front of this access.
bool BlockCheck::isWaitedFor(const SharedConflict &conflict) const {
  const SharedAccess &other = conflict.other;
  return !other.isByRecord && group->orders.isKnown(other.agent, other.time);
}

std::string BlockCheck::workText(const SharedConflict &conflict) const {
  const SharedAccess &other = conflict.other;
  AsyncKind kind = other.isByRecord ? AsyncKind::kBulkLoad : group->async.kindOf(other.agent);
  return std::string(conflict.otherWrites ? "written" : "read") + " by " + workName(kind) + " of " +
         warpText(conflict, block, warps) + ", " +
         (isWaitedFor(conflict)
              ? "which was waited for, but without a barrier between that and this"
              : "which has not been waited for") +
         "; it takes " + waitName(kind);
}

std::string BlockCheck::placeText(const char *what, uint32_t bytes, uint32_t offset) const {
  return std::string(what) + " of " + std::to_string(bytes) + " bytes of shared memory at offset " +
         std::to_string(offset);
}

std::string BlockCheck::variableText(uint32_t offset) const {
  const Kernel &kernel = *block.launch->kernel;
  for (const Parameter &variable : kernel.sharedVariables)
    if (offset - variable.offset < variable.bytes)
      return "; byte " + std::to_string(offset - variable.offset) + " of shared variable \"" +
             variable.name + "\" of " + std::to_string(variable.bytes) + " bytes";
  return offset >= kernel.sharedBytes
             ? "; byte " + std::to_string(offset - kernel.sharedBytes) + " of dynamic shared memory"
             : "";
}

} // namespace heddle::emulator
