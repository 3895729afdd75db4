// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree of groups of lanes of a warp; see the header.
#include "runtime/emulator/exec/Groups.h"
#include "runtime/emulator/exec/Cluster.h"

namespace heddle::emulator {

namespace {

uint32_t newGroup(Warp &warp) {
  constexpr size_t kFew = 64; // more than that only where groups ended in between
  if (warp.groups.size() > kFew)
    for (size_t i = 0; i < warp.groups.size(); ++i)
      if (warp.groups[i].wait == Wait::kFree) {
        warp.groups[i] = Group();
        return static_cast<uint32_t>(i);
      }
  warp.groups.emplace_back();
  return static_cast<uint32_t>(warp.groups.size() - 1);
}

void freeGroup(Warp &warp, uint32_t index) {
  warp.groups[index].wait = Wait::kFree;
  while (!warp.groups.empty() && warp.groups.back().wait == Wait::kFree)
    warp.groups.pop_back();
}

void load(Warp &warp, uint32_t index) {
  Group &group = warp.groups[index];
  group.wait = Wait::kNothing;
  warp.current = index;
  warp.active = group.mask & warp.live;
  warp.join = group.join;
  warp.pc = warp.code + group.pc;
}

/// What the running group has in registers of the engine goes to its place in the tree.
void save(Warp &warp) {
  if (warp.current == Group::kNoGroup || warp.current >= warp.groups.size())
    return;
  Group &group = warp.groups[warp.current];
  group.pc = static_cast<uint32_t>(warp.pc - warp.code);
  group.mask = warp.active;
  group.join = warp.join;
  group.wait = Wait::kNothing;
}

uint32_t addGroup(Warp &warp, uint32_t pc, uint32_t mask, uint32_t join, uint32_t parent) {
  uint32_t index = newGroup(warp);
  Group &group = warp.groups[index];
  group.pc = pc;
  group.mask = mask;
  group.join = join;
  group.parent = parent;
  if (parent != Group::kNoGroup)
    ++warp.groups[parent].children;
  return index;
}

bool canRun(const Warp &warp, const Group &group) {
  return group.wait == Wait::kNothing ||
         (group.wait == Wait::kProgress && group.progress != warp.block->cluster->progress);
}

/// The group has ended; its parents do as well while they have no lanes left. True: a parent runs.
bool closeGroup(Warp &warp, uint32_t index) {
  for (;;) {
    uint32_t parent = warp.groups[index].parent;
    freeGroup(warp, index);
    if (parent == Group::kNoGroup)
      return false;
    Group &above = warp.groups[parent];
    if (--above.children != 0)
      return false;
    // Lanes that meet at the exit have nothing to run: each leaves on its own.
    if ((above.mask & warp.live) != 0 && above.pc != kNoJoin) {
      load(warp, parent);
      return true;
    }
    index = parent;
  }
}

uint32_t maskOf(const Warp &warp, const Op &op, uint32_t lanes) {
  return lanes & (warp.predicates[op.guard] ^ op.guardFlip);
}

} // namespace

void partLanes(Warp &warp, uint32_t taken, uint32_t target, uint32_t next, uint32_t join) {
  uint32_t rest = warp.active & ~taken, index = warp.current;
  if (warp.join != join) {
    Group &above = warp.groups[index];
    above.pc = join;
    above.mask = warp.active;
    above.join = warp.join;
    above.wait = Wait::kChildren;
    above.children = 0;
    index = addGroup(warp, 0, 0, join, index);
    warp.current = index;
    warp.join = join;
  }
  // A side that is at the meeting place already waits for the others as a part of the parent.
  if (target == join && join != kNoJoin) {
    warp.active = rest;
    warp.pc = warp.code + next;
  } else if (next == join && join != kNoJoin) {
    warp.active = taken;
    warp.pc = warp.code + target;
  } else {
    addGroup(warp, target, taken, join, warp.groups[index].parent);
    warp.active = rest;
    warp.pc = warp.code + next;
  }
}

bool pickGroup(Warp &warp) {
  for (size_t i = warp.groups.size(); i-- > 0;) {
    if (!canRun(warp, warp.groups[i]))
      continue;
    load(warp, static_cast<uint32_t>(i));
    warp.stop = Stop::kNone;
    return true;
  }
  warp.active = 0;
  warp.current = Group::kNoGroup;
  warp.stop = warp.groups.empty() ? Stop::kExited : Stop::kWaiting;
  return false;
}

void endGroup(Warp &warp) {
  uint32_t index = warp.current;
  warp.current = Group::kNoGroup;
  if (!closeGroup(warp, index))
    pickGroup(warp);
}

void parkGroup(Warp &warp, uint32_t pc, const Group &what) {
  Group &group = warp.groups[warp.current];
  group.pc = pc;
  group.mask = warp.active;
  group.join = warp.join;
  group.wait = what.wait;
  group.barrier = what.barrier;
  group.threads = what.threads;
  group.progress = what.progress;
  warp.current = Group::kNoGroup;
  warp.slices = 0;
  pickGroup(warp);
}

void rotateGroups(Warp &warp) {
  uint32_t count = static_cast<uint32_t>(warp.groups.size()), from = warp.current;
  if (count < 2 || from == Group::kNoGroup)
    return;
  save(warp);
  for (uint32_t i = 1; i < count; ++i) {
    uint32_t index = (from + i) % count;
    if (!canRun(warp, warp.groups[index]))
      continue;
    load(warp, index);
    return;
  }
}

bool releaseEarly(Warp &warp) {
  save(warp);
  for (uint32_t p = 0; p < warp.groups.size(); ++p) {
    if (warp.groups[p].wait != Wait::kChildren || warp.groups[p].pc == kNoJoin)
      continue;
    uint32_t below = 0;
    for (const Group &group : warp.groups)
      if (group.parent == p && group.wait != Wait::kFree)
        below |= group.mask;
    uint32_t arrived = warp.groups[p].mask & warp.live & ~below;
    if (arrived == 0)
      continue;
    warp.groups[p].mask &= ~arrived;
    uint32_t pc = warp.groups[p].pc, join = warp.groups[p].join, parent = warp.groups[p].parent;
    addGroup(warp, pc, arrived, join, parent);
    warp.wasForced = true;
    return true;
  }
  return false;
}

bool gatherLanes(Warp &warp, const Op &op, uint32_t named) {
  uint32_t mask = maskOf(warp, op, warp.active), missing = named & warp.live & ~mask;
  if (missing == 0)
    return true;
  uint32_t pc = static_cast<uint32_t>(&op - warp.code), lanes = warp.active, all = mask;
  uint32_t here = warp.active & named & ~mask; // switched off by the predicate
  auto isParty = [&](const Group &group) {
    return group.wait == Wait::kWarpSync &&
           (group.pc == pc || (op.imm == kMeetsElsewhere && warp.code[group.pc].run == op.run));
  };
  for (const Group &group : warp.groups)
    if (isParty(group)) {
      lanes |= group.mask;
      all |= maskOf(warp, warp.code[group.pc], group.mask);
    }
  uint32_t mayCome = 0;
  for (const Group &group : warp.groups)
    if (group.wait != Wait::kFree && (group.wait != Wait::kChildren || op.imm == kMeetsElsewhere))
      mayCome |= group.mask;
  if (warp.current < warp.groups.size())
    mayCome &= ~warp.active;
  if (here || (missing & ~mayCome)) {
    reportFault(warp, op, Fault::kDivergence, static_cast<uint32_t>(__builtin_ctz(mask)),
                "the instruction names lanes that do not take part in it: they have taken another "
                "branch or are switched off by its predicate");
    return false;
  }
  if (named & warp.live & ~all) {
    Group wait;
    wait.wait = Wait::kWarpSync;
    wait.threads = warp.live;
    parkGroup(warp, pc, wait);
    return false;
  }
  uint32_t mine = warp.active;
  if (op.imm != kMeetsElsewhere) {
    warp.active = lanes;
    op.run(warp, op);
    warp.active = mine;
  }
  for (Group &group : warp.groups)
    if (isParty(group)) {
      ++group.pc;
      group.wait = Wait::kNothing;
    }
  return false;
}

} // namespace heddle::emulator
