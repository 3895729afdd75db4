// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What instructions of a whole warp on tensor memory have in common.
#ifndef HEDDLE_RUNTIME_EMULATOR_TMEM_TMEMISSUE_H
#define HEDDLE_RUNTIME_EMULATOR_TMEM_TMEMISSUE_H

#include "runtime/emulator/exec/Warp.h"

namespace heddle::emulator {

/// All lanes execute the instruction. False: none does, or a fault, which was reported.
bool isWholeWarp(Warp &warp, const Op &op);
/// A register of 32 bits that must be the same in all lanes. False: it is not, which was reported.
bool readSame(Warp &warp, const Op &op, uint32_t slot, const char *what, uint32_t &value);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_TMEM_TMEMISSUE_H
