// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns accesses into findings with both parties named.
#include "runtime/emulator/check/BlockCheck.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace heddle::emulator {

static constexpr uint32_t kHalfWarp = kLaneCount / 2;

BlockCheck::BlockCheck(const Block &block, uint32_t warps)
    : block(block), shadow(block.sharedBytes, warps) {}

void BlockCheck::startBlock() {
  shadow.startBlock();
  suspects.clear();
}

static std::string partyText(const SharedConflict &conflict) {
  return std::string(conflict.otherWrites ? "written" : "read") + " by warp " +
         std::to_string(conflict.other.warp) + ", lane " + std::to_string(conflict.other.lane) +
         " in PTX line " + std::to_string(conflict.other.line) +
         " without a barrier between the two";
}

static std::string placeText(const char *what, uint32_t bytes, uint32_t offset) {
  return std::string(what) + " of " + std::to_string(bytes) + " bytes of shared memory at offset " +
         std::to_string(offset);
}

bool BlockCheck::settle() {
  for (const Suspect &suspect : suspects) {
    if (std::memcmp(reinterpret_cast<const void *>(suspect.at), suspect.before, suspect.bytes) == 0)
      continue;
    uint32_t offset = static_cast<uint32_t>(suspect.at - reinterpret_cast<uint64_t>(block.shared));
    reportFault(*suspect.warp, *suspect.op, Fault::kRace, suspect.lane,
                "race: " + placeText("write", suspect.bytes, offset) + ", which is " +
                    partyText(suspect.conflict));
    suspects.clear();
    return false;
  }
  suspects.clear();
  return true;
}

bool BlockCheck::noteShared(Warp &warp, const Op &op, Use use, uint32_t lane, uint32_t bytes,
                            uint64_t at) {
  uint32_t offset = static_cast<uint32_t>(at - reinterpret_cast<uint64_t>(block.shared));
  SharedConflict conflict;
  SharedShadow::Kind kind = use == Use::kRead    ? SharedShadow::Kind::kRead
                            : use == Use::kWrite ? SharedShadow::Kind::kWrite
                                                 : SharedShadow::Kind::kAtomic;
  switch (shadow.note(kind, offset, bytes, {warp.index, lane, op.line}, conflict)) {
  case SharedShadow::Verdict::kFine:
    return true;
  case SharedShadow::Verdict::kUninitialised:
    if (!CheckOptions::get().initialised)
      return true;
    reportFault(warp, op, Fault::kUninitialised, lane,
                placeText("read", bytes, offset) + ", which nobody has written");
    return false;
  case SharedShadow::Verdict::kRace:
    break;
  }
  if (!CheckOptions::get().races)
    return true;
  if (use == Use::kWrite && conflict.otherWrites && bytes <= sizeof(Suspect::before)) {
    Suspect &suspect = suspects.emplace_back();
    suspect.warp = &warp;
    suspect.op = &op;
    suspect.lane = lane;
    suspect.bytes = bytes;
    suspect.at = at;
    suspect.conflict = conflict;
    std::memcpy(suspect.before, reinterpret_cast<const void *>(at), bytes);
    return true;
  }
  const char *what = use == Use::kRead ? "read" : use == Use::kWrite ? "write" : "atomic access";
  reportFault(warp, op, Fault::kRace, lane,
              "race: " + placeText(what, bytes, offset) + ", which is " + partyText(conflict));
  return false;
}

bool BlockCheck::noteGlobal(Warp &warp, const Op &op, Use use, uint32_t lane, uint32_t bytes,
                            uint64_t at) {
  if (at - begin >= end - begin && !DeviceMemory::get().findWritten(at, begin, end, written)) {
    begin = end = 0;
    return true; // local memory or parameters
  }
  if (!written)
    return true;
  uint8_t *marks = written + (at - begin);
  if (use != Use::kWrite)
    for (uint32_t i = 0; i < bytes; ++i)
      if (!marks[i]) {
        char text[96];
        std::snprintf(text, sizeof text,
                      "read of %u bytes of global memory at 0x%llx, which nobody has written: ",
                      bytes, static_cast<unsigned long long>(at));
        reportFault(warp, op, Fault::kUninitialised, lane, text + DeviceMemory::get().describe(at));
        return false;
      }
  if (use != Use::kRead)
    std::memset(marks, 1, bytes);
  return true;
}

bool BlockCheck::note(Warp &warp, const Op &op, Use use, uint32_t mask, uint32_t bytes,
                      const uint64_t *at) {
  if (!suspects.empty() && !settle()) {
    warp.stop = Stop::kFault;
    return false;
  }
  uint64_t shared = reinterpret_cast<uint64_t>(block.shared), last = 0;
  for (uint32_t lane = 0; lane < kLaneCount; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    // Tiles are often read by both halves of a warp alike; one note is enough.
    bool isRepeated = at[lane] == last || (lane >= kHalfWarp && (mask >> (lane - kHalfWarp) & 1) &&
                                           at[lane] == at[lane - kHalfWarp]);
    if (isRepeated && use == Use::kRead)
      continue;
    last = at[lane];
    if (last - shared < block.sharedBytes) {
      if (!noteShared(warp, op, use, lane, bytes, last))
        return false;
    } else if (CheckOptions::get().initialised && !noteGlobal(warp, op, use, lane, bytes, last)) {
      return false;
    }
  }
  return true;
}

bool noteAccess(Warp &warp, const Op &op, Use use, uint32_t mask, uint32_t bytes,
                const uint64_t *at) {
  return warp.block->check->note(warp, op, use, mask, bytes, at);
}

void noteArrival(Warp &warp, uint32_t barrier) {
  warp.block->check->sharedShadow().arrive(barrier, warp.index);
}

} // namespace heddle::emulator
