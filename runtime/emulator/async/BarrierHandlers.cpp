// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of mbarrier.*, barrier.cluster, mapa, st.async, red.async and the groups of cp.async.
// They compute nothing, so they are compiled once for all instruction sets of the host.
#include "runtime/emulator/async/Mbarrier.h"
#include "runtime/emulator/check/AsyncNotes.h"
#include "runtime/emulator/exec/Groups.h"
#include "runtime/emulator/exec/Handlers.h"
#include <cstring>

namespace heddle::emulator {

namespace {

uint32_t maskOf(const Warp &warp, const Op &op) {
  return warp.active & (warp.predicates[op.guard] ^ op.guardFlip);
}

template <typename T> T *lanesOf(Warp &warp, uint32_t slot) {
  return reinterpret_cast<T *>(warp.registers + slot);
}

void setPredicate(Warp &warp, uint32_t predicate, uint32_t value, uint32_t mask) {
  uint32_t &p = warp.predicates[predicate];
  p = (p & ~mask) | (value & mask);
}

/// op.a and op.imm: the address; op.target: the bytes of its register, and kGenericBit for a
/// generic address.
constexpr uint32_t kGenericBit = 0x100;

uint64_t addressOf(Warp &warp, const Op &op, uint32_t slot, int64_t offset, uint32_t lane) {
  bool isWide = (op.target & 0xff) == 8;
  uint64_t address =
      isWide ? lanesOf<uint64_t>(warp, slot)[lane] : lanesOf<uint32_t>(warp, slot)[lane];
  address += static_cast<uint64_t>(offset);
  if (!isWide)
    address = static_cast<uint32_t>(address);
  return op.target & kGenericBit ? address - kSharedWindow : address;
}

/// Calls `f(Mbarrier)` for each lane of the mask; stops at a fault.
template <typename F> void eachBarrier(Warp &warp, const Op &op, F &&f) {
  for (uint32_t mask = maskOf(warp, op); mask; mask &= mask - 1) {
    uint32_t lane = static_cast<uint32_t>(__builtin_ctz(mask));
    uint64_t address = addressOf(warp, op, op.a, op.imm, lane);
    SharedPlace place = sharedAt(warp, op, lane, address, 8, 8);
    if (!place.owner)
      return;
    if (!f(Mbarrier{warp, op, lane, place}))
      return;
  }
}

constexpr uint32_t kNoSlot = ~0u;

void init(Warp &warp, const Op &op) {
  const uint32_t *count = lanesOf<uint32_t>(warp, op.b);
  eachBarrier(warp, op, [&](Mbarrier m) { return m.init(count[m.lane]); });
}
void invalidate(Warp &warp, const Op &op) {
  eachBarrier(warp, op, [&](Mbarrier m) { return m.invalidate(); });
}
void expectTx(Warp &warp, const Op &op) {
  const uint32_t *bytes = lanesOf<uint32_t>(warp, op.b);
  eachBarrier(warp, op, [&](Mbarrier m) { return m.expectTx(bytes[m.lane]); });
}
void completeTx(Warp &warp, const Op &op) {
  const uint32_t *bytes = lanesOf<uint32_t>(warp, op.b);
  eachBarrier(warp, op, [&](Mbarrier m) { return m.completeTx(bytes[m.lane]); });
}

/// op.b: the count, or kNoSlot; op.c: the bytes to expect, or kNoSlot; op.d: the state or kNoSlot.
template <bool kDrops, bool kCompletes> void arrive(Warp &warp, const Op &op) {
  const uint32_t *count = op.b == kNoSlot ? nullptr : lanesOf<uint32_t>(warp, op.b);
  const uint32_t *bytes = op.c == kNoSlot ? nullptr : lanesOf<uint32_t>(warp, op.c);
  eachBarrier(warp, op, [&](Mbarrier m) {
    uint64_t before = 0;
    if (bytes && !m.expectTx(bytes[m.lane]))
      return false;
    if (!m.arrive(count ? count[m.lane] : 1, &before, kDrops, kCompletes))
      return false;
    if (op.d != kNoSlot)
      lanesOf<uint64_t>(warp, op.d)[m.lane] = before;
    return true;
  });
}

void pendingCount(Warp &warp, const Op &op) {
  const uint64_t *state = lanesOf<uint64_t>(warp, op.a);
  for (uint32_t mask = maskOf(warp, op); mask; mask &= mask - 1) {
    uint32_t lane = static_cast<uint32_t>(__builtin_ctz(mask));
    lanesOf<uint32_t>(warp, op.d)[lane] = MbarrierState::unpack(state[lane]).pending;
  }
}

/// op.b: the parity or the state, op.d: the predicate. A test tells at once and lets others run; a
/// try waits until something happened, as long as no lane has what it waits for.
template <bool kTries, bool kParity> void wait(Warp &warp, const Op &op) {
  uint32_t mask = maskOf(warp, op), passed = 0;
  if (mask == 0)
    return;
  eachBarrier(warp, op, [&](Mbarrier m) {
    bool done = false;
    bool isFine = kParity ? m.testParity(lanesOf<uint32_t>(warp, op.b)[m.lane], done)
                          : m.testWait(lanesOf<uint64_t>(warp, op.b)[m.lane], done);
    passed |= uint32_t(done) << m.lane;
    return isFine;
  });
  if (warp.stop == Stop::kFault)
    return;
  if (passed == 0 && kTries && !warp.mayGiveUp) {
    Group group;
    group.wait = Wait::kProgress;
    group.progress = warp.block->cluster->progress;
    parkGroup(warp, static_cast<uint32_t>(&op - warp.code), group);
    return;
  }
  warp.mayGiveUp = false;
  setPredicate(warp, op.d, passed, mask);
  if (passed == 0) {
    warp.stop = Stop::kYield;
    rotateGroups(warp);
  }
}

/// cp.async.mbarrier.arrive: what the thread copied so far, then an arrival. op.b: 1 for .noinc.
void copyArrive(Warp &warp, const Op &op) {
  eachBarrier(warp, op, [&](Mbarrier m) {
    if (op.b == 0 && !m.raisePending())
      return false;
    uint32_t lane = 1u << m.lane;
    if (warp.block->check)
      noteAsyncBarrierAll(warp, AsyncKind::kCopy, lane, *m.place.owner, m.place.offset);
    if (!asyncIsLazy())
      return m.arrive(1, nullptr);
    warp.block->cluster->async.deferBehind(warp, AsyncKind::kCopy, lane,
                                           [m]() mutable { return m.arrive(1, nullptr); });
    return true;
  });
}

void commitCopies(Warp &warp, const Op &op) {
  uint32_t mask = maskOf(warp, op);
  if (warp.block->check)
    noteAsyncCommit(warp, op, AsyncKind::kCopy, mask);
  if (asyncIsLazy())
    warp.block->cluster->async.commit(warp, AsyncKind::kCopy, mask);
}
void waitForCopies(Warp &warp, const Op &op) {
  uint32_t mask = maskOf(warp, op), pending = static_cast<uint32_t>(op.imm);
  if (warp.block->check)
    noteAsyncWait(warp, op, AsyncKind::kCopy, mask, pending, false);
  if (asyncIsLazy() && !warp.block->cluster->async.wait(warp, AsyncKind::kCopy, mask, pending))
    warp.stop = Stop::kFault;
}

/// op.imm: 1 for .aligned.
void clusterArrive(Warp &warp, const Op &op) {
  uint32_t mask = maskOf(warp, op);
  if (mask == 0)
    return;
  uint32_t lane = static_cast<uint32_t>(__builtin_ctz(mask));
  if (op.imm == 1 && mask != warp.live && !warp.wasForced) {
    reportFault(warp, op, Fault::kDivergence, lane,
                "a part of the warp's lanes arrives at the cluster's barrier, the others have "
                "taken another branch; every lane must arrive together");
    return;
  }
  if (warp.clusterArrived & mask) {
    reportFault(warp, op, Fault::kInvalid, lane,
                "barrier.cluster.arrive twice without barrier.cluster.wait in between");
    return;
  }
  if (warp.block->check)
    noteClusterArrive(warp);
  warp.clusterArrived |= mask;
}
/// A lane that has arrived waits for this phase, one whose phase is over already goes on.
void clusterWait(Warp &warp, const Op &op) {
  uint32_t mask = maskOf(warp, op);
  if (mask == 0)
    return;
  if (warp.clusterArrived & mask) {
    Group group;
    group.wait = Wait::kClusterBarrier;
    parkGroup(warp, static_cast<uint32_t>(&op - warp.code), group);
    return;
  }
  if (warp.block->check)
    noteClusterWait(warp);
}

/// op.a: an address in the executing block, or in any; op.b: the rank; op.d: the same place there.
/// op.target: bytes of the address, kGenericBit for generic addresses.
void mapAddress(Warp &warp, const Op &op) {
  uint32_t bytes = op.target & 0xff;
  bool isGeneric = op.target & kGenericBit;
  for (uint32_t mask = maskOf(warp, op); mask; mask &= mask - 1) {
    uint32_t lane = static_cast<uint32_t>(__builtin_ctz(mask));
    uint64_t address = addressOf(warp, op, op.a, op.imm, lane);
    uint32_t rank = lanesOf<uint32_t>(warp, op.b)[lane];
    if (rank >= warp.block->cluster->size) {
      reportFault(warp, op, Fault::kInvalid, lane,
                  "mapa names block rank " + std::to_string(rank) + ", the cluster has " +
                      std::to_string(warp.block->cluster->size) + " blocks");
      return;
    }
    uint64_t there = (address & kOffsetMask) | uint64_t(rank + 1) << kRankShift;
    there += isGeneric ? kSharedWindow : 0;
    std::memcpy(warp.registers + op.d + lane * bytes, &there, bytes);
  }
}
void rankOf(Warp &warp, const Op &op) {
  for (uint32_t mask = maskOf(warp, op); mask; mask &= mask - 1) {
    uint32_t lane = static_cast<uint32_t>(__builtin_ctz(mask));
    uint64_t named = addressOf(warp, op, op.a, op.imm, lane) >> kRankShift;
    lanesOf<uint32_t>(warp, op.d)[lane] =
        named ? static_cast<uint32_t>(named - 1) : warp.block->rank;
  }
}

/// What op.more holds for st.async and red.async.
struct StoreOperands {
  uint32_t barrier; ///< register with the mbarrier's address
  int32_t barrierOffset;
  uint32_t operation;    ///< 0 store, then as kReductions
  uint32_t elementBytes; ///< 4 or 8
  uint32_t isSigned;
  uint32_t count;
  uint32_t values[4];
};
enum Reduction : uint32_t { kStore, kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor };

template <typename T, typename S> T reduced(uint32_t operation, T old, T value) {
  switch (operation) {
  case kAdd:
    return old + value;
  case kMin:
    return static_cast<T>(std::min(static_cast<S>(old), static_cast<S>(value)));
  case kMax:
    return static_cast<T>(std::max(static_cast<S>(old), static_cast<S>(value)));
  case kInc:
    return old >= value ? 0 : old + 1;
  case kDec:
    return old == 0 || old > value ? value : old - 1;
  case kAnd:
    return old & value;
  case kOr:
    return old | value;
  case kXor:
    return old ^ value;
  default:
    return value;
  }
}

void storeElement(uint8_t *to, uint64_t value, const StoreOperands &o) {
  uint64_t old = 0;
  std::memcpy(&old, to, o.elementBytes);
  uint64_t next;
  if (o.elementBytes == 8)
    next = o.isSigned ? reduced<uint64_t, int64_t>(o.operation, old, value)
                      : reduced<uint64_t, uint64_t>(o.operation, old, value);
  else
    next = o.isSigned ? reduced<uint32_t, int32_t>(o.operation, uint32_t(old), uint32_t(value))
                      : reduced<uint32_t, uint32_t>(o.operation, uint32_t(old), uint32_t(value));
  std::memcpy(to, &next, o.elementBytes);
}

void storeAsync(Warp &warp, const Op &op) {
  StoreOperands o;
  std::memcpy(&o, op.more, sizeof o);
  uint32_t bytes = o.elementBytes * o.count, mask = maskOf(warp, op);
  AsyncRecord record = warp.block->check && mask ? noteRemoteStore(warp, op, mask) : 0;
  for (; mask; mask &= mask - 1) {
    uint32_t lane = static_cast<uint32_t>(__builtin_ctz(mask));
    SharedPlace to =
        sharedAt(warp, op, lane, addressOf(warp, op, op.a, op.imm, lane), bytes, bytes);
    if (!to.owner)
      return;
    SharedPlace barrier =
        sharedAt(warp, op, lane, addressOf(warp, op, o.barrier, o.barrierOffset, lane), 8, 8);
    if (!barrier.owner)
      return;
    if (barrier.owner != to.owner) {
      reportFault(warp, op, Fault::kInvalid, lane,
                  "the mbarrier and the destination must be in the same block's shared memory");
      return;
    }
    uint64_t values[4] = {};
    for (uint32_t i = 0; i < o.count; ++i)
      std::memcpy(&values[i], warp.registers + o.values[i] + lane * o.elementBytes, o.elementBytes);
    if (warp.block->check) {
      Use use = o.operation == kStore ? Use::kWrite : Use::kAtomic;
      if (!noteAsyncShared(warp, op, record, use, lane, *to.owner, to.offset, bytes))
        return;
      noteAsyncBarrier(record, *barrier.owner, barrier.offset);
    }
    Mbarrier m{warp, op, lane, barrier};
    auto work = [=]() mutable {
      for (uint32_t i = 0; i < o.count; ++i)
        storeElement(to.at + i * o.elementBytes, values[i], o);
      return m.completeTx(bytes);
    };
    if (asyncIsLazy())
      warp.block->cluster->async.defer(warp, AsyncKind::kBulkLoad, 1u << lane, work);
    else if (!work())
      return;
  }
}

void proxyFence(Warp &warp, const Op &op) {
  uint32_t mask = maskOf(warp, op);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (warp.block->check && mask)
    noteProxyFence(warp, mask);
}

void initFence(Warp &warp, const Op &op) {
  if (warp.block->check && maskOf(warp, op))
    noteInitFence(warp);
}
void fence(Warp &warp, const Op &op) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (warp.block->check && maskOf(warp, op))
    noteMemoryFence(warp);
}

constexpr OpClass kB = OpClass::kBarrier;

const Instruction kRows[] = {
    {"mbarrier.init", init, nullptr, kB},
    {"mbarrier.inval", invalidate, nullptr, kB},
    {"mbarrier.expect_tx", expectTx, nullptr, kB},
    {"mbarrier.complete_tx", completeTx, nullptr, kB},
    {"mbarrier.arrive", arrive<false, true>, nullptr, kB},
    {"mbarrier.arrive.noComplete", arrive<false, false>, nullptr, kB},
    {"mbarrier.arrive_drop", arrive<true, true>, nullptr, kB},
    {"mbarrier.arrive_drop.noComplete", arrive<true, false>, nullptr, kB},
    {"mbarrier.pending_count", pendingCount, "w:d", kB},
    {"mbarrier.test_wait", wait<false, false>, nullptr, kB},
    {"mbarrier.test_wait.parity", wait<false, true>, nullptr, kB},
    {"mbarrier.try_wait", wait<true, false>, nullptr, kB},
    {"mbarrier.try_wait.parity", wait<true, true>, nullptr, kB},
    {"cp.async.mbarrier.arrive", copyArrive, nullptr, kB},
    {"cp.async.commit_group", commitCopies, nullptr, kB},
    {"cp.async.wait_group", waitForCopies, nullptr, kB},
    {"barrier.cluster.arrive", clusterArrive, nullptr, kB},
    {"barrier.cluster.wait", clusterWait, nullptr, kB},
    {"mapa", mapAddress, nullptr, OpClass::kInteger},
    {"getctarank", rankOf, nullptr, OpClass::kInteger},
    {"st.async", storeAsync, nullptr, OpClass::kShared},
    {"fence.proxy.async", proxyFence, nullptr, kB},
    {"fence.mbarrier_init", initFence, nullptr, kB},
    {"fence", fence, nullptr, kB},
};

} // namespace

void addBarrierHandlers(HandlerTable &table) { table.add(kRows, sizeof kRows / sizeof kRows[0]); }

} // namespace heddle::emulator
