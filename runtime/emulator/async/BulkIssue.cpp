// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of a lane that issues a bulk copy, and the checks of memory that it names.
#include "runtime/emulator/async/BulkIssue.h"
#include "runtime/emulator/memory/DeviceMemory.h"

namespace heddle::emulator {

uint64_t Issuer::address(const BulkAddress &operand) const {
  uint64_t base = 0;
  std::memcpy(&base, warp->registers + operand.slot + lane * operand.bytes, operand.bytes);
  base += static_cast<uint64_t>(static_cast<int64_t>(operand.offset));
  return operand.bytes == 4 ? static_cast<uint32_t>(base) : base;
}

uint32_t Issuer::word(uint32_t slot) const {
  uint32_t value;
  std::memcpy(&value, warp->registers + slot + lane * 4, 4);
  return value;
}

uint16_t Issuer::half(uint32_t slot) const {
  uint16_t value;
  std::memcpy(&value, warp->registers + slot + lane * 2, 2);
  return value;
}

bool Issuer::fault(Fault fault, const std::string &what) const {
  reportFault(*warp, *op, fault, lane, what);
  return false;
}

SharedPlace Issuer::shared(const BulkAddress &operand, uint32_t bytes, uint32_t align) const {
  uint64_t at = address(operand);
  if (at % align != 0) {
    fault(Fault::kAlignment, "the shared address " + std::to_string(at & kOffsetMask) +
                                 " must be a multiple of " + std::to_string(align));
    return SharedPlace();
  }
  return sharedAt(*warp, *op, lane, at, bytes, align);
}

SharedPlace Issuer::ownShared(const BulkAddress &operand, uint32_t bytes, uint32_t align) const {
  SharedPlace place = shared(operand, bytes, align);
  if (place.owner && place.owner != warp->block) {
    fault(Fault::kInvalid, "a .shared::cta address must be in the executing block, it is in the "
                           "block of rank " +
                               std::to_string(place.owner->rank));
    return SharedPlace();
  }
  return place;
}

bool Issuer::checkGlobal(uint64_t address, uint32_t bytes, uint32_t align) const {
  if (address % align != 0) {
    char text[96];
    std::snprintf(text, sizeof text, "the global address 0x%llx must be a multiple of %u",
                  static_cast<unsigned long long>(address), align);
    return fault(Fault::kAlignment, text);
  }
  AllocationHint hint;
  if (bytes == 0 || (findAllocation(address, hint) && bytes <= hint.end - address))
    return true;
  reportAccess(*warp, *op, lane, "global", address, bytes, true);
  return false;
}

bool BulkTargets::find(const Issuer &issuer, const BulkOperands &operands, uint32_t bytes,
                       uint32_t align) {
  count = 0;
  Block &block = *issuer.warp->block;
  if (operands.mask == kNoOperand) {
    Target &target = at[count++];
    target.to = operands.isOwnBlock ? issuer.ownShared(operands.to, bytes, align)
                                    : issuer.shared(operands.to, bytes, align);
    if (!target.to.owner)
      return false;
    target.barrier = issuer.shared(operands.barrier, 8, 8);
    if (!target.barrier.owner)
      return false;
    bool isPeer = (target.barrier.owner->rank ^ target.to.owner->rank) == 1;
    if (target.barrier.owner != target.to.owner && !(operands.blockGroup == 2 && isPeer))
      return issuer.fault(Fault::kInvalid, "the mbarrier is in the block of rank " +
                                               std::to_string(target.barrier.owner->rank) +
                                               ", the destination in that of rank " +
                                               std::to_string(target.to.owner->rank) +
                                               "; they must be in the same block");
    return true;
  }
  uint32_t mask = issuer.half(operands.mask), size = block.cluster->size;
  if (mask == 0 || mask >> size)
    return issuer.fault(Fault::kInvalid, "the mask of the multicast is " + std::to_string(mask) +
                                             ", the cluster has " + std::to_string(size) +
                                             " blocks");
  // The same offsets in each block; with .cta_group::2 the mbarrier is in the block or its peer,
  // whichever has the parity of the block that the operand names.
  SharedPlace named = issuer.shared(operands.to, bytes, align);
  SharedPlace barrier = named.owner ? issuer.shared(operands.barrier, 8, 8) : SharedPlace();
  if (!barrier.owner)
    return false;
  for (; mask; mask &= mask - 1) {
    uint32_t rank = static_cast<uint32_t>(__builtin_ctz(mask)), signalled = rank;
    if (operands.blockGroup == 2)
      signalled = (rank & ~1u) | (barrier.owner->rank & 1);
    if (signalled >= size)
      return issuer.fault(Fault::kInvalid, "the block of rank " + std::to_string(rank) +
                                               " has no peer in the cluster");
    Block *to = block.cluster->blocks[rank], *signal = block.cluster->blocks[signalled];
    at[count++] = {{to, named.offset, to->shared + named.offset},
                   {signal, barrier.offset, signal->shared + barrier.offset}};
  }
  return true;
}

bool BulkTargets::complete(const Issuer &issuer, uint32_t bytes) const {
  for (uint32_t i = 0; i < count; ++i) {
    Mbarrier barrier{*issuer.warp, *issuer.op, issuer.lane, at[i].barrier};
    if (!barrier.completeTx(bytes))
      return false;
  }
  return true;
}

void BulkTargets::note(AsyncRecord record) const {
  for (uint32_t i = 0; i < count; ++i)
    noteAsyncBarrier(record, *at[i].barrier.owner, at[i].barrier.offset);
}

} // namespace heddle::emulator
