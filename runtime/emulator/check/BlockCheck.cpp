// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of a warp, lane by lane where they must and in runs of bytes where they can, on their
// way to the shadow of shared memory and the marks of global memory.
#include "runtime/emulator/check/BlockCheck.h"
#include "runtime/emulator/check/AsyncNotes.h"
#include "runtime/emulator/check/global/GlobalRaces.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <algorithm>
#include <cstring>

namespace heddle::emulator {

static constexpr uint32_t kHalfWarp = kLaneCount / 2;

namespace {

enum class Pattern : uint8_t { kAny, kRow, kSame };

/// How the addresses of 32 lanes lie. This is asked at every access of a whole warp.
__attribute__((target_clones("avx512f", "avx2", "default"))) Pattern patternOf(const uint64_t *at,
                                                                               uint64_t bytes) {
  uint64_t apart = 0, differ = 0, first = at[0];
  for (uint32_t lane = 0; lane < kLaneCount; ++lane) {
    apart |= at[lane] - (first + lane * bytes);
    differ |= at[lane] - first;
  }
  return apart == 0 ? Pattern::kRow : differ == 0 ? Pattern::kSame : Pattern::kAny;
}

} // namespace

BlockCheck::BlockCheck(const Block &block, uint32_t warps)
    : block(block), warps(warps), group(block.cluster->check) {
  if (!group)
    group = block.cluster->check = std::make_shared<ClusterCheck>(block.cluster->size, warps);
}

void BlockCheck::startBlock() {
  if (!shadow)
    shadow = std::make_unique<SharedShadow>(block.sharedBytes, block.rank, group->orders,
                                            group->async, CheckOptions::get().laneRaces);
  if (block.rank == 0)
    group->start();
  shadow->startBlock();
  suspects.clear();
}

SharedAccess BlockCheck::accessOf(const Warp &warp, const Op &op, uint32_t lane,
                                  uint32_t laneBytes) const {
  SharedAccess access;
  access.warp = warp.block->rank * warps + warp.index;
  access.lane = lane;
  access.line = op.line;
  access.laneBytes = laneBytes;
  return access;
}

bool BlockCheck::settle() {
  for (const Suspect &suspect : suspects) {
    if (std::memcmp(block.shared + suspect.offset, suspect.before.data(), suspect.before.size()) ==
        0)
      continue;
    reportFault(*suspect.warp, *suspect.op, Fault::kRace, suspect.lane,
                "race: " + placeText("write", suspect.laneBytes, suspect.offset) + ", which is " +
                    partyText(suspect.conflict, agentOf(suspect.warp->index)) +
                    variableText(suspect.offset));
    suspects.clear();
    return false;
  }
  suspects.clear();
  return true;
}

bool BlockCheck::noteShared(Warp &warp, const Op &op, Use use, uint32_t offset, uint32_t bytes,
                            const SharedAccess &access) {
  SharedConflict conflict;
  SharedShadow::Kind kind = use == Use::kRead    ? SharedShadow::Kind::kRead
                            : use == Use::kWrite ? SharedShadow::Kind::kWrite
                                                 : SharedShadow::Kind::kAtomic;
  SharedShadow::Verdict verdict = shadow->note(kind, offset, bytes, access, conflict);
  return verdict == SharedShadow::Verdict::kFine ||
         judge(warp, op, use, offset, access, bytes, verdict, conflict);
}

bool BlockCheck::judge(Warp &warp, const Op &op, Use use, uint32_t offset,
                       const SharedAccess &access, uint32_t bytes, SharedShadow::Verdict verdict,
                       const SharedConflict &conflict) {
  using Verdict = SharedShadow::Verdict;
  const CheckOptions &options = CheckOptions::get();
  const char *what = use == Use::kRead ? "read" : use == Use::kWrite ? "write" : "atomic access";
  uint32_t laneBytes = access.laneBytes ? access.laneBytes : bytes;
  uint32_t skipped = conflict.offset > offset ? (conflict.offset - offset) / laneBytes : 0;
  uint32_t lane = access.laneBytes ? access.lane + skipped : access.lane;
  uint32_t start = offset + skipped * laneBytes;
  std::string place = placeText(what, laneBytes, start), variable = variableText(start);
  switch (verdict) {
  case Verdict::kFine:
    return true;
  case Verdict::kUninitialised:
    if (!options.initialised)
      return true;
    reportFault(warp, op, Fault::kUninitialised, lane,
                place + ", which nobody has written" + variable);
    return false;
  case Verdict::kMbarrier:
    reportFault(warp, op, Fault::kBarrierMisuse, lane,
                place + " overwrites a live mbarrier; mbarrier.inval must come first" + variable);
    return false;
  case Verdict::kUnseen:
    if (!options.async)
      return true;
    reportFault(warp, op, Fault::kAsync, lane,
                "missing fence.proxy.async: " + place + " by the asynchronous proxy, which was " +
                    partyText(conflict, access.warp) +
                    "; the fence belongs behind the write and before the barrier, or behind the "
                    "barrier" +
                    variable);
    return false;
  case Verdict::kInFlight:
    if (!options.async && !options.races)
      return true;
    if (isWaitedFor(conflict))
      reportFault(warp, op, Fault::kRace, lane,
                  "race: " + place + ", which is " + workText(conflict) + variable);
    else
      reportFault(warp, op, Fault::kAsync, lane,
                  "asynchronous work in flight: " + place + ", which is " + workText(conflict) +
                      variable);
    return false;
  case Verdict::kRace:
    break;
  }
  if (!options.races)
    return true;
  if (use == Use::kWrite && conflict.otherWrites && !access.isAsync) {
    Suspect &suspect = suspects.emplace_back();
    suspect = {&warp, &op, lane, laneBytes, start, {}, conflict};
    suspect.before.assign(block.shared + start, block.shared + offset + bytes);
    return true;
  }
  reportFault(warp, op, Fault::kRace, lane,
              "race: " + place + ", which is " + partyText(conflict, access.warp) + variable);
  return false;
}

bool BlockCheck::noteGlobal(Warp &warp, const Op &op, Use use, uint32_t lane, uint32_t laneBytes,
                            uint32_t bytes, uint64_t at) {
  uint32_t place = static_cast<uint32_t>(&op - warp.code);
  GlobalRaces *races = block.launch->races.get();
  bool isStrong = use == Use::kAtomic || (op.join & kStrongAccess);
  if (races && !races->note(warp, op, use, isStrong, lane, laneBytes, at, bytes))
    return false;
  if (!CheckOptions::get().initialised)
    return true;
  if (use != Use::kWrite) {
    uint32_t good = marks.findUnwritten(at, bytes, place);
    if (good != bytes) {
      char text[96];
      uint32_t skipped = laneBytes ? good / laneBytes : 0;
      at += skipped * laneBytes;
      std::snprintf(text, sizeof text,
                    "read of %u bytes of global memory at 0x%llx, which nobody has written: ",
                    laneBytes ? laneBytes : bytes, static_cast<unsigned long long>(at));
      reportFault(warp, op, Fault::kUninitialised, lane + skipped,
                  text + DeviceMemory::get().describe(at));
      return false;
    }
  }
  if (use != Use::kRead)
    marks.mark(at, bytes, place);
  return true;
}

bool BlockCheck::isOwnShared(uint32_t mask, const uint64_t *at) const {
  uint64_t base = reinterpret_cast<uint64_t>(block.shared);
  for (; mask; mask &= mask - 1)
    if (at[__builtin_ctz(mask)] - base >= block.sharedBytes)
      return false;
  return true;
}

bool BlockCheck::noteRows(Warp &warp, const Op &op, Use use, uint32_t mask, const uint64_t *at,
                          SharedAccess access) {
  SharedShadow::Kind kind =
      use == Use::kRead ? SharedShadow::Kind::kRead : SharedShadow::Kind::kWrite;
  uint64_t base = reinterpret_cast<uint64_t>(block.shared);
  while (mask) {
    SharedConflict conflict;
    SharedShadow::Verdict verdict = shadow->noteRows(kind, mask, at, base, access, conflict);
    uint32_t offset = static_cast<uint32_t>(at[access.lane] - base);
    if (verdict != SharedShadow::Verdict::kFine &&
        !judge(warp, op, use, offset, access, 16, verdict, conflict))
      return false;
  }
  return true;
}

/// Lanes in a row that touch bytes in a row.
bool BlockCheck::noteRun(Warp &warp, const Op &op, Use use, uint32_t lane, uint32_t laneBytes,
                         uint32_t bytes, uint64_t at) {
  uint64_t offset = at - reinterpret_cast<uint64_t>(block.shared);
  const Block *owner = &block;
  const Cluster &cluster = *block.cluster;
  for (uint32_t r = 0; offset >= owner->sharedBytes && cluster.size > 1 && r < cluster.size; ++r) {
    offset = at - reinterpret_cast<uint64_t>(cluster.blocks[r]->shared);
    owner = cluster.blocks[r];
  }
  if (offset >= owner->sharedBytes)
    return !looksAtGlobal || noteGlobal(warp, op, use, lane, laneBytes, bytes, at);
  SharedAccess access = accessOf(warp, op, lane, laneBytes);
  if (owner != &block)
    group->remote[{owner->rank, access.warp}] = {&warp, &op, lane, group->orders.now(access.warp)};
  access.isStrong = use == Use::kAtomic || (op.join & kStrongAccess);
  return owner->check->noteShared(warp, op, use, static_cast<uint32_t>(offset), bytes, access);
}

/// Strong accesses order what other warps did.
void BlockCheck::noteOrder(Warp &warp, const Op &op, Use use, uint32_t mask, const uint64_t *at) {
  uint32_t agent = agentOf(warp.index);
  for (; mask; mask &= mask - 1) {
    uint64_t place = at[__builtin_ctz(mask)];
    if (use != Use::kWrite)
      group->orders.acquireAt(agent, place, op.join & kAcquireAccess);
    if (use != Use::kRead)
      group->orders.releaseAt(agent, place, op.join & kReleaseAccess);
    if (GlobalRaces *races = block.launch->races.get())
      races->order(warp, use, place, op.join & kAcquireAccess, op.join & kReleaseAccess);
  }
}

bool BlockCheck::note(Warp &warp, const Op &op, Use use, uint32_t mask, uint32_t bytes,
                      const uint64_t *at) {
  if (!suspects.empty() && !settle()) {
    warp.stop = Stop::kFault;
    return false;
  }
  const bool isStrong = use == Use::kAtomic || (op.join & kStrongAccess);
  if (mask == kAllLanes && !isStrong) {
    Pattern pattern = patternOf(at, bytes);
    if (pattern == Pattern::kRow && looksAtMarksOnly &&
        marks.takeRow(use == Use::kRead, at[0], bytes * kLaneCount,
                      static_cast<uint32_t>(&op - warp.code)))
      return true;
    if (pattern == Pattern::kRow)
      return noteRun(warp, op, use, 0, bytes, bytes * kLaneCount, at[0]);
    if (pattern == Pattern::kSame && use == Use::kRead)
      return noteRun(warp, op, use, 0, bytes, bytes, at[0]);
  }
  if (bytes == 16 && !isStrong && mask && isOwnShared(mask, at))
    return noteRows(warp, op, use, mask, at, accessOf(warp, op, 0, bytes));
  uint64_t last = 0;
  for (uint32_t rest = mask; rest;) {
    uint32_t lane = static_cast<uint32_t>(__builtin_ctz(rest)), end = lane + 1;
    uint64_t start = at[lane], behind = start + bytes;
    // Tiles are often read by both halves of a warp alike; one note is enough.
    bool isRepeated = start == last || (lane >= kHalfWarp && (mask >> (lane - kHalfWarp) & 1) &&
                                        start == at[lane - kHalfWarp]);
    rest &= rest - 1;
    if (isRepeated && use == Use::kRead)
      continue;
    last = start;
    while (end < kLaneCount && (rest >> end & 1) && at[end] == behind) {
      behind += bytes;
      rest &= rest - 1;
      last = at[end++];
    }
    if (!noteRun(warp, op, use, lane, bytes, static_cast<uint32_t>(behind - start), start))
      return false;
  }
  if (isStrong)
    noteOrder(warp, op, use, mask, at);
  return true;
}

bool noteAccess(Warp &warp, const Op &op, Use use, uint32_t mask, uint32_t bytes,
                const uint64_t *at) {
  return warp.block->check->note(warp, op, use, mask, bytes, at);
}

void noteWarpSync(Warp &warp) { warp.block->check->syncLanes(warp.index); }

void noteArrival(Warp &warp, uint32_t barrier) { warp.block->check->arrive(barrier, warp.index); }

} // namespace heddle::emulator
