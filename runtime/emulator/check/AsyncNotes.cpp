// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the checks make of asynchronous work, mbarriers, clusters and fences.
#include "runtime/emulator/check/AsyncNotes.h"
#include "runtime/emulator/check/BlockCheck.h"
#include "runtime/emulator/check/SyncCheck.h"
#include "runtime/emulator/check/global/GlobalRaces.h"

namespace heddle::emulator {

namespace {

BlockCheck &checkOf(Warp &warp) { return *warp.block->check; }
uint32_t agentOf(Warp &warp) { return checkOf(warp).agentOf(warp.index); }
ClusterCheck &clusterOf(Warp &warp) { return checkOf(warp).cluster(); }

const Op &opOf(const Warp &warp) { return warp.pc > warp.code ? warp.pc[-1] : *warp.pc; }

/// Makes it an access of the piece, not of the warp.
bool makeAsync(SharedAccess &access, const AsyncPiece *piece, AsyncRecord record) {
  if (!piece)
    return false;
  access.isAsync = true;
  access.isAsyncProxy = piece->isAsyncProxy;
  access.isByRecord = piece->kind == AsyncKind::kBulkLoad;
  access.agent = piece->agent;
  access.time = access.isByRecord ? record : piece->time;
  return true;
}

std::string barrierText(const Block &owner, uint32_t offset) {
  return "mbarrier at shared offset " + std::to_string(offset) +
         (owner.cluster->size > 1 ? " of block rank " + std::to_string(owner.rank) : "");
}

/// Who uses an mbarrier must know that it was initialised.
bool knowsInit(Warp &warp, const MbarrierOrder &barrier, uint32_t lane, Block &owner,
               uint32_t offset) {
  const Orders &orders = clusterOf(warp).orders;
  uint32_t agent = agentOf(warp);
  if (barrier.initWarp == agent || orders.knows(agent, barrier.initWarp, barrier.initTime))
    return true;
  if (CheckOptions::get().races)
    reportFault(warp, opOf(warp), Fault::kRace, lane,
                "race: " + barrierText(owner, offset) +
                    " is used without a barrier behind its mbarrier.init in PTX line " +
                    std::to_string(barrier.initLine));
  return false;
}

} // namespace

AsyncRecord noteAsyncIssue(Warp &warp, const Op &op, AsyncKind kind, uint32_t lanes) {
  ClusterCheck &cluster = clusterOf(warp);
  uint32_t agent = agentOf(warp);
  uint32_t record = cluster.async.issue(kind, agent, warp, op, lanes);
  if (kind == AsyncKind::kWgmma)
    startWgmma(cluster.wgmma[agent], cluster.async.find(record)->time, op.line);
  return record;
}

AsyncRecord noteRemoteStore(Warp &warp, const Op &op, uint32_t lanes) {
  AsyncGroups &async = clusterOf(warp).async;
  uint32_t record = async.issue(AsyncKind::kBulkLoad, agentOf(warp), warp, op, lanes);
  async.makeGeneric(record);
  return record;
}

bool noteAsyncShared(Warp &warp, const Op &op, AsyncRecord record, Use use, uint32_t lane,
                     Block &owner, uint32_t offset, uint32_t bytes) {
  BlockCheck &check = *owner.check;
  SharedAccess access = checkOf(warp).accessOf(warp, op, lane, 0);
  if (bytes == 0 || !makeAsync(access, clusterOf(warp).async.find(record), record))
    return true;
  return check.settle() && check.noteShared(warp, op, use, offset, bytes, access);
}

bool noteAsyncLanes(Warp &warp, const Op &op, AsyncRecord record, Use use, uint32_t mask,
                    uint32_t bytes, const uint64_t *at) {
  BlockCheck &check = checkOf(warp);
  SharedAccess access = check.accessOf(warp, op, 0, bytes);
  if (!makeAsync(access, clusterOf(warp).async.find(record), record))
    return true;
  uint64_t shared = reinterpret_cast<uint64_t>(warp.block->shared);
  if (!check.settle())
    return false;
  if (bytes == 16 && !access.isByRecord)
    return check.noteRows(warp, op, use, mask, at, access);
  for (uint32_t lane = 0; lane < kLaneCount; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    access.lane = lane;
    uint64_t start = at[lane], behind = start + bytes;
    while (lane + 1 < kLaneCount && (mask >> (lane + 1) & 1) && at[lane + 1] == behind) {
      behind += bytes;
      ++lane;
    }
    if (!check.noteShared(warp, op, use, static_cast<uint32_t>(start - shared),
                          static_cast<uint32_t>(behind - start), access))
      return false;
  }
  return true;
}

bool noteAsyncGlobal(Warp &warp, const Op &op, AsyncRecord, Use use, uint32_t lane, uint64_t at,
                     uint32_t bytes) {
  return bytes == 0 || checkOf(warp).noteGlobal(warp, op, use, lane, 0, bytes, at);
}

void noteAsyncCommit(Warp &warp, const Op &, AsyncKind kind, uint32_t lanes) {
  clusterOf(warp).async.commit(kind, agentOf(warp), lanes);
}

void noteAsyncWait(Warp &warp, const Op &, AsyncKind kind, uint32_t lanes, uint32_t pending, bool) {
  clusterOf(warp).async.wait(kind, agentOf(warp), agentOf(warp), lanes, pending);
}
void noteWarpgroupWait(Warp &warp, Warp &other, uint32_t pending) {
  clusterOf(warp).async.wait(AsyncKind::kWgmma, agentOf(other), agentOf(warp), kAllLanes, pending);
}

void noteAsyncBarrier(AsyncRecord record, Block &owner, uint32_t offset) {
  ClusterCheck &cluster = owner.check->cluster();
  MbarrierOrder *barrier = cluster.findMbarrier(owner.rank, offset);
  const AsyncPiece *piece = cluster.async.find(record);
  if (!barrier || !piece)
    return; // misuse, which the engine reports
  Warp &warp = *piece->warp;
  uint32_t lane = piece->lanes ? static_cast<uint32_t>(__builtin_ctz(piece->lanes)) : 0;
  cluster.async.signal(record, owner.rank, {barrier->agent, barrier->phases + 1});
  if (!knowsInit(warp, *barrier, lane, owner, offset))
    return;
  // In its own block a barrier is enough; what nvcc's library prints relies on that.
  bool isOwn = piece->warp->block->rank == owner.rank;
  bool isSeen = !piece->isAsyncProxy || isOwn || barrier->isFenced ||
                cluster.orders.isVisible(piece->agentOfWarp, barrier->initWarp, barrier->initTime);
  if (!isSeen && CheckOptions::get().async)
    reportFault(warp, *piece->op, Fault::kAsync, lane,
                "missing fence: " + barrierText(owner, offset) + " was initialised in PTX line " +
                    std::to_string(barrier->initLine) +
                    ", and no fence.mbarrier_init or fence.proxy.async made that visible to the "
                    "asynchronous proxy");
}

void noteAsyncBarrierAll(Warp &warp, AsyncKind kind, uint32_t, Block &owner, uint32_t offset) {
  ClusterCheck &cluster = clusterOf(warp);
  MbarrierOrder *barrier = cluster.findMbarrier(owner.rank, offset);
  Completion all = cluster.async.issuedSoFar(kind, agentOf(warp));
  if (!barrier || all.phase == 0)
    return;
  VectorClock work;
  work.times.resize(all.agent + 1, 0);
  work.times[all.agent] = all.phase;
  barrier->arrivals.join(work);
}

void noteMbarrierInit(Warp &warp, const Op &op, Block &owner, uint32_t offset) {
  ClusterCheck &cluster = clusterOf(warp);
  SharedShadow &shadow = owner.check->shadowWords();
  uint32_t lane = warp.active ? static_cast<uint32_t>(__builtin_ctz(warp.active)) : 0;
  if (shadow.isMbarrier(offset) && CheckOptions::get().sync) {
    const MbarrierOrder *old = cluster.findMbarrier(owner.rank, offset);
    reportFault(warp, op, Fault::kBarrierMisuse, lane,
                barrierText(owner, offset) +
                    ": mbarrier.init of a live mbarrier, which was "
                    "initialised in PTX line " +
                    std::to_string(old ? old->initLine : 0) + "; mbarrier.inval must come first");
    return;
  }
  shadow.setMbarrier(offset, false);
  SharedAccess access = checkOf(warp).accessOf(warp, op, lane, 0);
  if (!owner.check->noteShared(warp, op, Use::kWrite, offset, 8, access))
    return;
  shadow.setMbarrier(offset, true);
  MbarrierOrder &barrier = cluster.addMbarrier(owner.rank, offset);
  barrier.initWarp = access.warp;
  barrier.initTime = cluster.orders.now(access.warp);
  barrier.initLine = op.line;
}

void noteMbarrierInval(Warp &, const Op &, Block &owner, uint32_t offset) {
  owner.check->shadowWords().setMbarrier(offset, false);
}

void noteMbarrierArrive(Warp &warp, uint32_t lane, Block &owner, uint32_t offset) {
  ClusterCheck &cluster = clusterOf(warp);
  MbarrierOrder *barrier = cluster.findMbarrier(owner.rank, offset);
  if (barrier && knowsInit(warp, *barrier, lane, owner, offset))
    cluster.orders.release(agentOf(warp), barrier->arrivals);
}

void noteMbarrierPhase(Block &owner, uint32_t offset) {
  MbarrierOrder *barrier = owner.check->cluster().findMbarrier(owner.rank, offset);
  if (!barrier)
    return;
  barrier->phase.join(barrier->arrivals);
  barrier->arrivals.clear();
  auto &times = barrier->phase.times;
  if (times.size() <= barrier->agent)
    times.resize(barrier->agent + 1, 0);
  times[barrier->agent] = ++barrier->phases;
}

void noteMbarrierWait(Warp &warp, uint32_t lane, Block &owner, uint32_t offset) {
  ClusterCheck &cluster = clusterOf(warp);
  MbarrierOrder *barrier = cluster.findMbarrier(owner.rank, offset);
  if (!barrier || !knowsInit(warp, *barrier, lane, owner, offset))
    return;
  uint32_t agent = agentOf(warp);
  if (barrier->phases && !cluster.orders.knows(agent, barrier->agent, barrier->phases))
    cluster.orders.acquire(agent, barrier->phase);
}

void noteClusterArrive(Warp &warp) { clusterOf(warp).orders.arriveAtCluster(agentOf(warp)); }

void noteClusterPhase(Cluster &cluster) {
  cluster.blocks[0]->check->cluster().orders.openCluster();
}

void noteClusterWait(Warp &warp) { clusterOf(warp).orders.leaveCluster(agentOf(warp)); }

void noteProxyFence(Warp &warp, uint32_t) {
  clusterOf(warp).orders.proxyFence(agentOf(warp));
  clusterOf(warp).fenceInits(agentOf(warp));
}

void noteInitFence(Warp &warp) { clusterOf(warp).fenceInits(agentOf(warp)); }

void noteMemoryFence(Warp &warp) {
  clusterOf(warp).orders.memoryFence(agentOf(warp));
  if (GlobalRaces *races = warp.block->launch->races.get())
    races->fence(warp);
}

void noteWgmmaFence(Warp &warp) { fenceWgmma(clusterOf(warp).wgmma[agentOf(warp)]); }

bool finishChecks(Cluster &cluster) {
  if (!cluster.blocks[0]->check)
    return true;
  GlobalRaces *races = cluster.blocks[0]->launch->races.get();
  if (races && !races->settle())
    return false;
  if (CheckOptions::get().sync && !endsSoundly(cluster))
    return false;
  if (!CheckOptions::get().async)
    return true;
  const char *missing = nullptr;
  const AsyncPiece *piece = cluster.blocks[0]->check->cluster().async.findForgotten(missing);
  if (!piece)
    return true;
  reportFault(*piece->warp, *piece->op, Fault::kAsync,
              piece->lanes ? static_cast<uint32_t>(__builtin_ctz(piece->lanes)) : kLaneCount,
              std::string("the kernel ends and nobody has waited for this asynchronous work: a ") +
                  missing + " is missing");
  return false;
}

} // namespace heddle::emulator
