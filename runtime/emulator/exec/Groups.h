// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of lanes of a warp: how they part, meet and wait for each other.
//
// Lanes that part at a branch meet again at its immediate post-dominator, as on hardware before
// Volta; but a group that waits lets the others run, and where lanes would wait for ever for some
// that spin, they go on without them, as independent thread scheduling promises.
#ifndef HEDDLE_RUNTIME_EMULATOR_EXEC_GROUPS_H
#define HEDDLE_RUNTIME_EMULATOR_EXEC_GROUPS_H

#include "runtime/emulator/exec/Warp.h"

namespace heddle::emulator {

/// The lanes of `taken`, a part of the running ones, go to the op `target`; the others go on at
/// `next`. All meet at `join`.
void partLanes(Warp &warp, uint32_t taken, uint32_t target, uint32_t next, uint32_t join);
/// The running group came to its meeting place or has no lanes left: goes on with another one.
void endGroup(Warp &warp);
/// The running group waits, at the op `pc`; another one runs, or the warp stops.
void parkGroup(Warp &warp, uint32_t pc, const Group &what);
/// Picks a group that can run. False: there is none, and Warp::stop says so.
bool pickGroup(Warp &warp);
/// Another group of the warp runs next, if there is one that can.
void rotateGroups(Warp &warp);
/// Lanes that wait for others at a meeting place go on without them. False: there are none.
bool releaseEarly(Warp &warp);

/// For instructions that name lanes. True: all of them that live are here, or have come together
/// and the op was executed for them. False: the running group waits for them, or a fault.
bool gatherLanes(Warp &warp, const Op &op, uint32_t named);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_EXEC_GROUPS_H
