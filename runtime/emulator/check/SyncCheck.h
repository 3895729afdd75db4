// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers that open although not everybody came, or that are told different numbers of threads.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_SYNCCHECK_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_SYNCCHECK_H

#include "runtime/emulator/exec/Warp.h"

namespace heddle::emulator {

/// The barrier of a block is about to open, or cannot. False: a fault was reported.
bool barrierIsSound(Block &block, uint32_t barrier);
/// The cluster has ended: no block ended while another one could touch its shared memory.
bool endsSoundly(Cluster &cluster);
/// setmaxnreg: the registers of a thread. False: the block's warps want too many.
bool noteRegisterCount(Warp &warp, const Op &op, uint32_t count);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_SYNCCHECK_H
