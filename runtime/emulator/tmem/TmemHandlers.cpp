// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of tcgen05.alloc, dealloc and relinquish_alloc_permit, of its fences, waits and commit
// (PTX ISA 9.0, 9.7.16.7 and 9.7.16.8.5 onwards).
#include "runtime/emulator/async/Mbarrier.h"
#include "runtime/emulator/check/AsyncNotes.h"
#include "runtime/emulator/exec/Groups.h"
#include "runtime/emulator/exec/Handlers.h"
#include "runtime/emulator/tmem/Tmem.h"
#include "runtime/emulator/tmem/TmemIssue.h"
#include <cstring>

namespace heddle::emulator {

namespace {

constexpr uint32_t kGenericBit = 0x100; ///< in Op::target, see async/BarrierHandlers.cpp
constexpr uint32_t kMulticastBit = 0x200;

uint64_t sharedAddress(const Warp &warp, const Op &op, uint32_t lane) {
  bool isWide = (op.target & 0xff) == 8;
  uint64_t address = 0;
  std::memcpy(&address, warp.registers + op.a + lane * (isWide ? 8 : 4), isWide ? 8 : 4);
  address += static_cast<uint64_t>(op.imm);
  if (!isWide)
    address = static_cast<uint32_t>(address);
  return op.target & kGenericBit ? address - kSharedWindow : address;
}

void waitForProgress(Warp &warp, const Op &op) {
  Group group;
  group.wait = Wait::kProgress;
  group.progress = warp.block->cluster->progress;
  parkGroup(warp, static_cast<uint32_t>(&op - warp.code), group);
}

/// The columns of one lane, which all lanes must agree on.
bool readColumns(Warp &warp, const Op &op, uint32_t &columns) {
  if (!readSame(warp, op, op.b, "number of columns", columns))
    return false;
  if (columns >= Tmem::kGrain && columns <= Tmem::kColumns && (columns & (columns - 1)) == 0)
    return true;
  reportFault(warp, op, Fault::kInvalid, 0,
              "the number of columns must be 32, 64, 128, 256 or 512, got " +
                  std::to_string(columns));
  return false;
}

/// Both blocks of a pair must ask; the second one gets the columns for both. kNone: wait, or a
/// fault, which was reported.
uint32_t allocateInPair(Warp &warp, const Op &op, uint32_t columns) {
  Block &block = *warp.block;
  Block *peer = peerOf(block);
  if (!peer) {
    reportFault(
        warp, op, Fault::kInvalid, 0,
        ".cta_group::2 needs a cluster with a second block; launch with clusters of an even "
        "number of blocks");
    return Tmem::kNone;
  }
  Tmem &own = tmemOf(block), &other = tmemOf(*peer);
  Tmem::PairRequest &mine = own.request, &theirs = other.request;
  if (mine.warp && mine.warp != &warp) // another warp of the block is at it
    return waitForProgress(warp, op), Tmem::kNone;
  if (mine.isGranted) {
    uint32_t first = mine.first;
    mine = Tmem::PairRequest();
    ++block.cluster->progress;
    return first;
  }
  mine.warp = &warp;
  mine.columns = columns;
  if (!theirs.warp || theirs.isGranted)
    return waitForProgress(warp, op), Tmem::kNone;
  if (theirs.columns != columns) {
    reportFault(warp, op, Fault::kInvalid, 0,
                "tcgen05.alloc with .cta_group::2 takes " + std::to_string(columns) +
                    " columns here and " + std::to_string(theirs.columns) + " in the other block");
    return Tmem::kNone;
  }
  uint32_t first = own.allocate(columns);
  uint32_t there = first == Tmem::kNone ? first : other.allocate(columns);
  if (first != there) {
    reportFault(warp, op, Fault::kInvalid, 0,
                "the two blocks of a pair have different columns allocated; with .cta_group::2 "
                "both allocate and give back the same");
    return Tmem::kNone;
  }
  if (first == Tmem::kNone)
    return waitForProgress(warp, op), Tmem::kNone;
  mine = Tmem::PairRequest();
  theirs.isGranted = true;
  theirs.first = first;
  ++block.cluster->progress;
  return first;
}

/// op.b: the columns; op.c: .cta_group.
void allocate(Warp &warp, const Op &op) {
  if (!isWholeWarp(warp, op))
    return;
  Block &block = *warp.block;
  Tmem &tmem = tmemOf(block);
  uint32_t columns;
  if (!readColumns(warp, op, columns))
    return;
  if (tmem.isRelinquished)
    return reportFault(warp, op, Fault::kInvalid, 0,
                       "tcgen05.alloc behind tcgen05.relinquish_alloc_permit");
  SharedPlace place = sharedAt(warp, op, 0, sharedAddress(warp, op, 0), 4, 4);
  if (!place.owner)
    return;
  uint32_t first;
  if (op.c == 2) {
    first = allocateInPair(warp, op, columns);
    if (first == Tmem::kNone)
      return;
  } else {
    first = tmem.allocate(columns);
    if (first == Tmem::kNone)
      return waitForProgress(warp, op);
  }
  uint64_t at[kLaneCount] = {reinterpret_cast<uint64_t>(place.at)};
  if (block.check && !noteAccess(warp, op, Use::kWrite, 1, 4, at))
    return;
  std::memcpy(place.at, &first, 4);
}

/// op.a: the address, op.b: the columns.
void deallocate(Warp &warp, const Op &op) {
  if (!isWholeWarp(warp, op))
    return;
  uint32_t columns, address;
  if (!readColumns(warp, op, columns) || !readSame(warp, op, op.a, "address", address))
    return;
  Block &block = *warp.block;
  std::string why = TmemAddress(address).lane != 0
                        ? "the address is " + tmemText(address) + "; its lane must be 0"
                        : tmemOf(block).deallocate(TmemAddress(address).column, columns);
  if (!why.empty())
    return reportFault(warp, op, Fault::kInvalid, 0, why);
  ++block.cluster->progress;
}

void relinquish(Warp &warp, const Op &op) {
  if (isWholeWarp(warp, op))
    tmemOf(*warp.block).isRelinquished = true;
}

template <AsyncKind kKind> void wait(Warp &warp, const Op &op) {
  if (!isWholeWarp(warp, op))
    return;
  AsyncQueue &queue = warp.block->cluster->async;
  if (asyncIsLazy()) {
    queue.commit(warp, kKind, kAllLanes);
    if (!queue.wait(warp, kKind, kAllLanes, 0)) {
      warp.stop = Stop::kFault;
      return;
    }
  }
  if (warp.block->check) {
    noteAsyncCommit(warp, op, kKind, kAllLanes);
    noteAsyncWait(warp, op, kKind, kAllLanes, 0, false);
  }
}

/// op.c: register with the blocks of a multicast.
void commit(Warp &warp, const Op &op) {
  uint32_t lanes = warp.active & (warp.predicates[op.guard] ^ op.guardFlip);
  Cluster &cluster = *warp.block->cluster;
  for (; lanes; lanes &= lanes - 1) {
    uint32_t lane = static_cast<uint32_t>(__builtin_ctz(lanes));
    SharedPlace place = sharedAt(warp, op, lane, sharedAddress(warp, op, lane), 8, 8);
    if (!place.owner)
      return;
    uint32_t blocks = 1u << place.owner->rank;
    if (op.target & kMulticastBit) {
      uint16_t mask;
      std::memcpy(&mask, warp.registers + op.c + lane * 2, 2);
      blocks = mask;
      if (blocks >> cluster.size)
        return reportFault(warp, op, Fault::kInvalid, lane,
                           "the multicast mask names blocks that the cluster of " +
                               std::to_string(cluster.size) + " does not have");
    }
    for (uint32_t rank = 0; rank < cluster.size; ++rank) {
      if (!(blocks >> rank & 1))
        continue;
      Block &owner = *cluster.blocks[rank];
      Mbarrier barrier{warp, op, lane, {&owner, place.offset, owner.shared + place.offset}};
      if (warp.block->check)
        noteAsyncBarrierAll(warp, AsyncKind::kTensor, 1u << lane, owner, place.offset);
      if (asyncIsLazy())
        cluster.async.defer(warp, AsyncKind::kTensor, 1u << lane,
                            [barrier]() mutable { return barrier.arrive(1, nullptr); });
      else if (!barrier.arrive(1, nullptr))
        return;
    }
  }
}

/// Orders what is asynchronous against barriers, which here always holds.
void fence(Warp &, const Op &) {}

constexpr OpClass kB = OpClass::kBarrier;

const Instruction kRows[] = {
    {"tcgen05.alloc", allocate, nullptr, kB},
    {"tcgen05.dealloc", deallocate, nullptr, kB},
    {"tcgen05.relinquish_alloc_permit", relinquish, nullptr, kB},
    {"tcgen05.wait::ld", wait<AsyncKind::kTmemLoad>, nullptr, kB},
    {"tcgen05.wait::st", wait<AsyncKind::kTmemStore>, nullptr, kB},
    {"tcgen05.commit", commit, nullptr, kB},
    {"tcgen05.fence", fence, nullptr, kB},
};

} // namespace

bool isWholeWarp(Warp &warp, const Op &op) {
  uint32_t mask = warp.active & (warp.predicates[op.guard] ^ op.guardFlip);
  if (mask == kAllLanes)
    return true;
  if (mask != 0)
    reportFault(warp, op, Fault::kDivergence, kLaneCount,
                "the instruction needs all 32 lanes of the warp, some are missing");
  return false;
}

bool readSame(Warp &warp, const Op &op, uint32_t slot, const char *what, uint32_t &value) {
  const uint32_t *lanes = reinterpret_cast<const uint32_t *>(warp.registers + slot);
  value = lanes[0];
  for (uint32_t lane = 1; lane < kLaneCount; ++lane)
    if (lanes[lane] != value) {
      reportFault(warp, op, Fault::kInvalid, lane,
                  std::string("the ") + what + " must be the same in all lanes, lane 0 has " +
                      std::to_string(value) + " and lane " + std::to_string(lane) + " has " +
                      std::to_string(lanes[lane]));
      return false;
    }
  return true;
}

void addTmemHandlers(HandlerTable &table) { table.add(kRows, sizeof kRows / sizeof kRows[0]); }

} // namespace heddle::emulator
