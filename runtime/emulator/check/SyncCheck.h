// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers that open although not everybody came, or that are told different numbers of threads.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_SYNCCHECK_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_SYNCCHECK_H

#include "runtime/emulator/exec/Warp.h"

namespace heddle::emulator {

/// The barrier of a block is about to open, or cannot. False: a fault was reported.
bool barrierIsSound(Block &block, uint32_t barrier);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_SYNCCHECK_H
