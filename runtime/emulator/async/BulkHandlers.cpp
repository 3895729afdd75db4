// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of cp.async.bulk and cp.reduce.async.bulk without a tensor map, of their prefetch and
// their groups. Each lane issues its own copy (PTX ISA 9.0, 9.7.9.27.4).
#include "runtime/emulator/async/BulkIssue.h"
#include "runtime/emulator/async/Reduction.h"
#include "runtime/emulator/exec/Handlers.h"

namespace heddle::emulator {

namespace {

constexpr uint32_t kBulkAlign = 16;

bool checkSize(const Issuer &issuer, uint32_t bytes) {
  if (bytes % kBulkAlign == 0)
    return true;
  return issuer.fault(Fault::kInvalid,
                      "the size must be a multiple of 16 bytes, got " + std::to_string(bytes));
}

struct LoadWork {
  Issuer issuer;
  BulkTargets targets;
  const uint8_t *from;
  uint32_t bytes;

  bool run() {
    for (uint32_t i = 0; i < targets.count; ++i)
      std::memcpy(targets.at[i].to.at, from, bytes);
    return targets.complete(issuer, bytes);
  }
};

/// .shared::cluster.global, .shared::cta.global
void load(Warp &warp, const Op &op) {
  eachIssuer(warp, op, [](const Issuer &issuer, const BulkOperands &operands) {
    LoadWork work{issuer, {}, nullptr, issuer.word(operands.size)};
    uint64_t from = issuer.address(operands.from);
    if (!checkSize(issuer, work.bytes) || !issuer.checkGlobal(from, work.bytes, kBulkAlign) ||
        !work.targets.find(issuer, operands, work.bytes, kBulkAlign))
      return false;
    work.from = reinterpret_cast<const uint8_t *>(from);
    issuer.count(from, work.bytes);
    Warp &warp = *issuer.warp;
    if (warp.block->check) {
      AsyncRecord record = noteAsyncIssue(warp, *issuer.op, AsyncKind::kBulkLoad, issuer.laneBit());
      if (!noteAsyncGlobal(warp, *issuer.op, record, Use::kRead, issuer.lane, from, work.bytes))
        return false;
      for (uint32_t i = 0; i < work.targets.count; ++i) {
        const SharedPlace &to = work.targets.at[i].to;
        if (!noteAsyncShared(warp, *issuer.op, record, Use::kWrite, issuer.lane, *to.owner,
                             to.offset, work.bytes))
          return false;
      }
      work.targets.note(record);
    }
    if (asyncIsLazy())
      for (uint32_t i = 0; i < work.targets.count; ++i)
        std::memset(work.targets.at[i].to.at, 0xff, work.bytes);
    return submitBulk(issuer, AsyncKind::kBulkLoad, work);
  });
}

struct StoreWork {
  uint8_t *to;
  const uint8_t *from;
  uint32_t bytes;
  uint32_t mask; ///< of the bytes in each 16

  bool run() {
    if (mask == 0xffff) {
      std::memcpy(to, from, bytes);
      return true;
    }
    for (uint32_t i = 0; i < bytes; ++i)
      if (mask >> (i % 16) & 1)
        to[i] = from[i];
    return true;
  }
};

struct ReduceWork {
  Reduction reduction;
  uint8_t *to;
  const uint8_t *from;
  uint32_t bytes;

  bool run() {
    reduceInto(reduction, to, from, bytes);
    return true;
  }
};

Reduction reductionOf(const BulkOperands &operands) {
  return {static_cast<ReduceOp>(operands.reduceOp), static_cast<ReduceType>(operands.reduceType),
          operands.flushes != 0};
}

/// .global.shared::cta, with .cp_mask or a reduction.
template <bool kReduces> void store(Warp &warp, const Op &op) {
  eachIssuer(warp, op, [](const Issuer &issuer, const BulkOperands &operands) {
    uint32_t bytes = issuer.word(operands.size);
    if (!checkSize(issuer, bytes))
      return false;
    SharedPlace from = issuer.ownShared(operands.from, bytes, kBulkAlign);
    uint64_t to = issuer.address(operands.to);
    if (!from.owner || !issuer.checkGlobal(to, bytes, kBulkAlign))
      return false;
    uint32_t mask = operands.mask == kNoOperand ? 0xffff : issuer.half(operands.mask);
    issuer.count(to, bytes);
    Warp &warp = *issuer.warp;
    if (warp.block->check) {
      AsyncRecord record =
          noteAsyncIssue(warp, *issuer.op, AsyncKind::kBulkStore, issuer.laneBit());
      Use use = kReduces ? Use::kAtomic : Use::kWrite;
      if (!noteAsyncShared(warp, *issuer.op, record, Use::kRead, issuer.lane, *from.owner,
                           from.offset, bytes))
        return false;
      for (uint32_t i = 0; i < bytes; i += mask == 0xffff ? bytes : 1)
        if ((mask >> (i % 16) & 1) && !noteAsyncGlobal(warp, *issuer.op, record, use, issuer.lane,
                                                       to + i, mask == 0xffff ? bytes : 1))
          return false;
    }
    uint8_t *place = reinterpret_cast<uint8_t *>(to);
    if constexpr (kReduces)
      return submitBulk(issuer, AsyncKind::kBulkStore,
                        ReduceWork{reductionOf(operands), place, from.at, bytes});
    return submitBulk(issuer, AsyncKind::kBulkStore, StoreWork{place, from.at, bytes, mask});
  });
}

struct MoveWork {
  Issuer issuer;
  BulkTargets targets;
  const uint8_t *from;
  uint32_t bytes;
  Reduction reduction;
  bool reduces;

  bool run() {
    uint8_t *to = targets.at[0].to.at;
    if (reduces)
      reduceInto(reduction, to, from, bytes);
    else
      std::memmove(to, from, bytes);
    return targets.complete(issuer, bytes);
  }
};

/// .shared::cluster.shared::cta
template <bool kReduces> void move(Warp &warp, const Op &op) {
  eachIssuer(warp, op, [](const Issuer &issuer, const BulkOperands &operands) {
    uint32_t bytes = issuer.word(operands.size);
    MoveWork work{issuer, {}, nullptr, bytes, reductionOf(operands), kReduces};
    if (!checkSize(issuer, bytes))
      return false;
    SharedPlace from = issuer.ownShared(operands.from, bytes, kBulkAlign);
    if (!from.owner || !work.targets.find(issuer, operands, bytes, kBulkAlign))
      return false;
    work.from = from.at;
    const SharedPlace &to = work.targets.at[0].to;
    Warp &warp = *issuer.warp;
    if (warp.block->check) {
      AsyncRecord record = noteAsyncIssue(warp, *issuer.op, AsyncKind::kBulkLoad, issuer.laneBit());
      if (!noteAsyncShared(warp, *issuer.op, record, Use::kRead, issuer.lane, *from.owner,
                           from.offset, bytes) ||
          !noteAsyncShared(warp, *issuer.op, record, kReduces ? Use::kAtomic : Use::kWrite,
                           issuer.lane, *to.owner, to.offset, bytes))
        return false;
      work.targets.note(record);
    }
    if (asyncIsLazy() && !kReduces)
      std::memset(to.at, 0xff, bytes);
    return submitBulk(issuer, AsyncKind::kBulkLoad, work);
  });
}

void prefetch(Warp &warp, const Op &op) {
  eachIssuer(warp, op, [](const Issuer &issuer, const BulkOperands &operands) {
    uint32_t bytes = issuer.word(operands.size);
    return checkSize(issuer, bytes) &&
           issuer.checkGlobal(issuer.address(operands.from), bytes, kBulkAlign);
  });
}

/// st.bulk, which is no asynchronous copy: it writes as st does.
void fill(Warp &warp, const Op &op) {
  eachIssuer(warp, op, [](const Issuer &issuer, const BulkOperands &operands) {
    uint64_t bytes, address = issuer.address(operands.to);
    std::memcpy(&bytes, issuer.warp->registers + operands.size + issuer.lane * 8, 8);
    Block &block = *issuer.warp->block;
    if (static_cast<MapSpace>(operands.space) == MapSpace::kGeneric)
      address -= kSharedWindow;
    if (bytes % 8 != 0 || bytes > block.sharedBytes)
      return issuer.fault(Fault::kInvalid, "the size must be a multiple of 8 and at most that of "
                                           "shared memory, got " +
                                               std::to_string(bytes));
    SharedPlace place =
        sharedAt(*issuer.warp, *issuer.op, issuer.lane, address, static_cast<uint32_t>(bytes), 8);
    if (!place.owner)
      return false;
    if (place.owner != &block)
      return issuer.fault(Fault::kInvalid, "st.bulk fills the executing block's memory alone");
    uint64_t at[kLaneCount] = {};
    for (uint32_t i = 0; block.check && i < bytes; i += 8) {
      at[issuer.lane] = reinterpret_cast<uint64_t>(place.at) + i;
      if (!noteAccess(*issuer.warp, *issuer.op, Use::kWrite, issuer.laneBit(), 8, at))
        return false;
    }
    std::memset(place.at, 0, bytes);
    return true;
  });
}

uint32_t maskOf(const Warp &warp, const Op &op) {
  return warp.active & (warp.predicates[op.guard] ^ op.guardFlip);
}

void commit(Warp &warp, const Op &op) {
  uint32_t mask = maskOf(warp, op);
  if (mask == 0)
    return;
  if (warp.block->check)
    noteAsyncCommit(warp, op, AsyncKind::kBulkStore, mask);
  if (asyncIsLazy())
    warp.block->cluster->async.commit(warp, AsyncKind::kBulkStore, mask);
}

/// op.imm: how many groups may be left; op.b: 1 for .read.
void wait(Warp &warp, const Op &op) {
  uint32_t mask = maskOf(warp, op), pending = static_cast<uint32_t>(op.imm);
  if (mask == 0)
    return;
  if (warp.block->check)
    noteAsyncWait(warp, op, AsyncKind::kBulkStore, mask, pending, op.b != 0);
  if (asyncIsLazy() && !warp.block->cluster->async.wait(warp, AsyncKind::kBulkStore, mask, pending))
    warp.stop = Stop::kFault;
}

constexpr OpClass kC = OpClass::kMove, kB = OpClass::kBarrier;

const Instruction kRows[] = {
    {"bulk.load", load, nullptr, kC},
    {"bulk.store", store<false>, nullptr, kC},
    {"bulk.store.reduce", store<true>, nullptr, kC},
    {"bulk.move", move<false>, nullptr, kC},
    {"bulk.move.reduce", move<true>, nullptr, kC},
    {"bulk.prefetch", prefetch, nullptr, kC},
    {"bulk.fill", fill, nullptr, kC},
    {"bulk.commit_group", commit, nullptr, kB},
    {"bulk.wait_group", wait, nullptr, kB},
};

} // namespace

void addBulkHandlers(HandlerTable &table) { table.add(kRows, sizeof kRows / sizeof kRows[0]); }

} // namespace heddle::emulator
