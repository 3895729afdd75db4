// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the checks make of asynchronous work.
#include "runtime/emulator/check/AsyncNotes.h"

namespace heddle::emulator {

AsyncRecord noteAsyncIssue(Warp &, const Op &, AsyncKind, uint32_t) { return 0; }
bool noteAsyncShared(Warp &warp, const Op &op, AsyncRecord, Use use, uint32_t lane, Block &owner,
                     uint32_t offset, uint32_t bytes) {
  uint64_t at[kLaneCount] = {};
  at[lane] = reinterpret_cast<uint64_t>(owner.shared) + offset;
  return &owner != warp.block || noteAccess(warp, op, use, 1u << lane, bytes, at);
}
bool noteAsyncGlobal(Warp &, const Op &, AsyncRecord, Use, uint32_t, uint64_t, uint32_t) {
  return true;
}
void noteAsyncCommit(Warp &, const Op &, AsyncKind, uint32_t) {}
void noteAsyncWait(Warp &, const Op &, AsyncKind, uint32_t, uint32_t, bool) {}
void noteAsyncBarrier(AsyncRecord, Block &, uint32_t) {}
void noteAsyncBarrierAll(Warp &, AsyncKind, uint32_t, Block &, uint32_t) {}
void noteMbarrierInit(Warp &, const Op &, Block &, uint32_t) {}
void noteMbarrierArrive(Warp &, uint32_t, Block &, uint32_t) {}
void noteMbarrierPhase(Block &, uint32_t) {}
void noteMbarrierWait(Warp &, uint32_t, Block &, uint32_t) {}
void noteClusterArrive(Warp &) {}
void noteClusterPhase(Cluster &) {}
void noteClusterWait(Warp &) {}
void noteProxyFence(Warp &, uint32_t) {}
void noteWgmmaFence(Warp &) {}

} // namespace heddle::emulator
