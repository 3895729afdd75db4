// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, the places where lanes meet again, exits and barriers.
//
// When lanes part, the immediate post-dominator of the branch is where they meet: one group runs
// until there, then the next, then all together (exec/Groups.h).
#include "runtime/emulator/check/AsyncNotes.h"
#include "runtime/emulator/exec/Groups.h"
#include "runtime/emulator/handlers/Lanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

bool chargeBranch(Warp &warp, const Op &op) {
  return --warp.branchBudget != 0 || mayGoOn(warp, op);
}

void branch(Warp &warp, const Op &op) {
  u32 taken = maskOf(warp, op), rest = warp.active & ~taken;
  if (!chargeBranch(warp, op) || taken == 0)
    return;
  if (rest == 0)
    warp.pc = warp.code + op.target;
  else
    partLanes(warp, taken, op.target, u32(warp.pc - warp.code), op.join);
}

/// brx.idx: op.more is the number of targets and the targets.
void branchIndexed(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (!chargeBranch(warp, op) || mask == 0)
    return;
  const u32 *index = lanesOf<u32>(warp, op.a);
  u32 next = u32(warp.pc - warp.code);
  while (mask) {
    u32 lane = u32(__builtin_ctz(mask)), wanted = index[lane], same = 0;
    if (wanted >= op.more[0]) {
      reportFault(warp, op, Fault::kInvalid, lane, "index is behind the table of branch targets");
      return;
    }
    u32 target = op.more[1 + wanted];
    for (u32 l = 0; l < kLaneCount; ++l)
      if ((mask & kLaneBit[l]) && index[l] < op.more[0] && op.more[1 + index[l]] == target)
        same |= kLaneBit[l];
    mask &= ~same;
    if (warp.active == same) {
      warp.pc = warp.code + target;
      return;
    }
    // Lanes without the guard go on at the next op, the others are parted from them one by one.
    partLanes(warp, same, target, next, op.join);
  }
}

void meet(Warp &warp, const Op &op) {
  if (warp.join == op.target)
    endGroup(warp);
}

void leave(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  warp.live &= ~mask;
  warp.active &= ~mask;
  if (warp.active == 0)
    endGroup(warp);
}

void trap(Warp &warp, const Op &op) {
  if (u32 mask = maskOf(warp, op))
    reportFault(warp, op, Fault::kTrap, u32(__builtin_ctz(mask)), "the kernel executed a trap");
}

/// op.a: the barrier's number; op.b: how many threads, or kNoJoin for all; op.imm: 1 for .aligned.
bool enterBarrier(Warp &warp, const Op &op, u32 &number, u32 &threads) {
  u32 mask = maskOf(warp, op);
  if (mask == 0)
    return false;
  u32 lane = u32(__builtin_ctz(mask));
  if (mask != warp.live && op.imm == 1 && !warp.wasForced) {
    reportFault(warp, op, Fault::kDivergence, lane,
                "a part of the warp's lanes arrives at the barrier, the others have taken another "
                "branch; every lane must arrive together");
    return false;
  }
  number = lanesOf<u32>(warp, op.a)[lane];
  threads = op.b == kNoJoin ? 0 : lanesOf<u32>(warp, op.b)[lane];
  if (number >= 16 || threads % kLaneCount != 0 || (op.b != kNoJoin && threads == 0)) {
    reportFault(warp, op, Fault::kInvalid, lane,
                "barriers are numbered 0 to 15 and count multiples of 32 threads");
    return false;
  }
  return true;
}
void waitAtBarrier(Warp &warp, const Op &op) {
  u32 number, threads;
  if (!enterBarrier(warp, op, number, threads))
    return;
  Group wait;
  wait.wait = Wait::kBarrier;
  wait.barrier = number;
  wait.threads = threads;
  parkGroup(warp, u32(warp.pc - warp.code), wait);
}
void arriveAtBarrier(Warp &warp, const Op &op) {
  u32 number, threads;
  if (!enterBarrier(warp, op, number, threads))
    return;
  if (warp.block->check)
    noteArrival(warp, number);
  warp.arrivals.push_back(number);
  warp.arrivals.push_back(threads);
}
/// op.a: the lanes that it names.
void syncWarp(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (mask && warp.block->check)
    noteWarpSync(warp);
  if (mask)
    gatherLanes(warp, op, lanesOf<u32>(warp, op.a)[__builtin_ctz(mask)]);
}

void clock32(Warp &warp, const Op &op) {
  u32 *d = lanesOf<u32>(warp, op.d);
  u32 now = u32(__builtin_ia32_rdtsc());
  LANES d[l] = now;
}
void clock64(Warp &warp, const Op &op) {
  u64 *d = lanesOf<u64>(warp, op.d);
  u64 now = __builtin_ia32_rdtsc();
  LANES d[l] = now;
}

const Instruction kRows[] = {
    {"bra", branch, nullptr, OpClass::kBranch},
    {"brx.idx", branchIndexed, nullptr, OpClass::kBranch},
    {"meet", meet, nullptr, OpClass::kNone},
    {"exit", leave, "", OpClass::kBranch},
    {"trap", trap, "", OpClass::kBranch},
    {"bar.sync", waitAtBarrier, nullptr, OpClass::kBarrier},
    {"bar.warp.sync", syncWarp, nullptr, OpClass::kBarrier},
    {"bar.arrive", arriveAtBarrier, nullptr, OpClass::kBarrier},
    {"clock.u32", clock32, "w:", OpClass::kMove},
    {"clock.u64", clock64, "d:", OpClass::kMove},
};

} // namespace

void addControlHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
