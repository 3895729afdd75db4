// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all bulk copies share when a lane issues one: its operands, the blocks that it goes to, and
// the checks of memory that it names.
#ifndef HEDDLE_RUNTIME_EMULATOR_ASYNC_BULKISSUE_H
#define HEDDLE_RUNTIME_EMULATOR_ASYNC_BULKISSUE_H

#include "runtime/emulator/async/BulkOperands.h"
#include "runtime/emulator/async/Mbarrier.h"
#include "runtime/emulator/check/AsyncNotes.h"
#include "runtime/emulator/exec/LaunchState.h"

namespace heddle::emulator {

/// A lane that issues a copy. It lives as long as the cluster runs, as warp and op do.
struct Issuer {
  Warp *warp;
  const Op *op;
  uint32_t lane;

  uint64_t address(const BulkAddress &operand) const;
  uint32_t word(uint32_t slot) const; ///< of 32 bits
  uint16_t half(uint32_t slot) const; ///< of 16 bits
  bool fault(Fault fault, const std::string &what) const;
  /// Shared memory of any block, or of the executing one alone; owner is null after a fault.
  SharedPlace shared(const BulkAddress &operand, uint32_t bytes, uint32_t align) const;
  SharedPlace ownShared(const BulkAddress &operand, uint32_t bytes, uint32_t align) const;
  /// False: a fault, which was reported.
  bool checkGlobal(uint64_t address, uint32_t bytes, uint32_t align) const;
  /// Counts what goes between global memory and the block, where counters are wanted.
  void count(uint64_t address, uint32_t bytes) const {
    if (LaunchCounts *counts = warp->block->counts; counts && bytes) {
      counts->globalBytes += bytes;
      counts->globalSectors += (address + bytes - 1) / 32 - address / 32 + 1;
    }
  }
  /// The lane's place in `lanes`, as groups count it.
  uint32_t laneBit() const { return 1u << lane; }
};

/// Where a load goes: one block, or those of a multicast.
struct BulkTargets {
  uint32_t count = 0;
  struct Target {
    SharedPlace to, barrier;
  } at[kMaxClusterBlocks];

  /// `bytes` are written from the destination on. False: a fault.
  bool find(const Issuer &issuer, const BulkOperands &operands, uint32_t bytes, uint32_t align);
  /// Tells the mbarriers. False: a fault.
  bool complete(const Issuer &issuer, uint32_t bytes) const;
  void note(AsyncRecord record) const;
};

/// Does the work now, or leaves it to the queue in lazy mode. `T::run()` does it; false: a fault.
template <typename T> bool submitBulk(const Issuer &issuer, AsyncKind kind, T work) {
  if (!asyncIsLazy())
    return work.run();
  issuer.warp->block->cluster->async.defer(*issuer.warp, kind, issuer.laneBit(),
                                           [work]() mutable { return work.run(); });
  return true;
}

/// Calls f(issuer, operands) for each lane that issues; stops at a fault.
template <typename F> void eachIssuer(Warp &warp, const Op &op, F &&f) {
  uint32_t mask = warp.active & (warp.predicates[op.guard] ^ op.guardFlip);
  if (mask == 0)
    return;
  BulkOperands operands = BulkOperands::unpack(op.more);
  for (; mask; mask &= mask - 1)
    if (!f(Issuer{&warp, &op, static_cast<uint32_t>(__builtin_ctz(mask))}, operands))
      return;
}

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_ASYNC_BULKISSUE_H
