// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the engine tells the checks about asynchronous work, mbarriers and proxies. Call these only
// where Block::check is set.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_ASYNCNOTES_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_ASYNCNOTES_H

#include "runtime/emulator/exec/Cluster.h"

namespace heddle::emulator {

/// A piece of asynchronous work as the checks know it; 0: none.
using AsyncRecord = uint32_t;

/// Work is issued by lanes of a warp.
AsyncRecord noteAsyncIssue(Warp &warp, const Op &op, AsyncKind kind, uint32_t lanes);
/// st.async and red.async: they are reported by an mbarrier, but belong to the generic proxy.
AsyncRecord noteRemoteStore(Warp &warp, const Op &op, uint32_t lanes);
/// It will read or write this shared memory: as if the issuing lane did so now, and in flight until
/// it is done. False: a fault, which was reported.
bool noteAsyncShared(Warp &warp, const Op &op, AsyncRecord record, Use use, uint32_t lane,
                     Block &owner, uint32_t offset, uint32_t bytes);
/// The same for lanes of a warp and host addresses in the shared memory of its block.
bool noteAsyncLanes(Warp &warp, const Op &op, AsyncRecord record, Use use, uint32_t mask,
                    uint32_t bytes, const uint64_t *at);
/// The same for global memory.
bool noteAsyncGlobal(Warp &warp, const Op &op, AsyncRecord record, Use use, uint32_t lane,
                     uint64_t at, uint32_t bytes);
/// commit_group.
void noteAsyncCommit(Warp &warp, const Op &op, AsyncKind kind, uint32_t lanes);
/// wait_group: at most `pending` of the newest groups are left. `readsOnly`: .read.
void noteAsyncWait(Warp &warp, const Op &op, AsyncKind kind, uint32_t lanes, uint32_t pending,
                   bool readsOnly);
/// wgmma.wait_group of `warp`: of another warp of its warpgroup at most `pending` groups are left.
void noteWarpgroupWait(Warp &warp, Warp &other, uint32_t pending);
/// The work's completion is seen by whoever waits for this phase of the mbarrier. To be called
/// before the work is done.
void noteAsyncBarrier(AsyncRecord record, Block &owner, uint32_t offset);
/// cp.async.mbarrier.arrive and tcgen05.commit: all work of this kind that the lanes issued so far.
void noteAsyncBarrierAll(Warp &warp, AsyncKind kind, uint32_t lanes, Block &owner, uint32_t offset);
/// A lane arrives at an mbarrier (release), or saw its phase complete (acquire).
void noteMbarrierInit(Warp &warp, const Op &op, Block &owner, uint32_t offset);
void noteMbarrierInval(Warp &warp, const Op &op, Block &owner, uint32_t offset);
void noteMbarrierArrive(Warp &warp, uint32_t lane, Block &owner, uint32_t offset);
void noteMbarrierPhase(Block &owner, uint32_t offset); ///< the phase completed
void noteMbarrierWait(Warp &warp, uint32_t lane, Block &owner, uint32_t offset);
/// barrier.cluster: a warp arrived; all have; a warp saw it.
void noteClusterArrive(Warp &warp);
void noteClusterPhase(Cluster &cluster);
void noteClusterWait(Warp &warp);
/// fence.proxy.async by lanes of a warp; wgmma.fence; tcgen05.fence.
void noteProxyFence(Warp &warp, uint32_t lanes);
void noteWgmmaFence(Warp &warp);
/// fence.mbarrier_init; fence and membar.
void noteInitFence(Warp &warp);
void noteMemoryFence(Warp &warp);
/// Lanes of the warp are at bar.warp.sync.
void noteWarpSync(Warp &warp);
/// The cluster has ended. False: a fault was reported.
bool finishChecks(Cluster &cluster);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_ASYNCNOTES_H
