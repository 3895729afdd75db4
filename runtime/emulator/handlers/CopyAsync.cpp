// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async: copies of 4, 8 or 16 bytes a thread from global to shared memory, at once or, in lazy
// mode, when the thread waits for them.
#include "runtime/emulator/check/AsyncNotes.h"
#include "runtime/emulator/handlers/Access.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

typedef u32 Quad __attribute__((vector_size(16), may_alias));

/// What op.more holds for cp.async.
struct CopyOperands {
  u32 sharedOffset, globalOffset;
  u32 isGeneric;    ///< the source may be in any space
  u32 addressBytes; ///< of the register with the shared address
  u32 sizeSlot;     ///< how many bytes are read, the rest is zero; kNoSize: all
  u32 ignoreSlot;   ///< a predicate: nothing is read; kNoSize: none
  u32 ignoreFlip;
};
constexpr u32 kNoSize = ~0u;

struct Copy {
  Lanes from, to;
  u32 count[kLaneCount]; ///< bytes that are read
};

void copyLane(u64 from, u64 to, u32 count, u32 bytes) {
  u8 *destination = reinterpret_cast<u8 *>(to);
  const u8 *source = reinterpret_cast<const u8 *>(from);
  if (count == 16) {
    *reinterpret_cast<Quad *>(destination) = *reinterpret_cast<const Quad *>(source);
    return;
  }
  for (u32 i = 0; i < bytes; ++i)
    destination[i] = i < count ? source[i] : 0;
}

/// False: a fault.
bool noteCopy(Warp &warp, const Op &op, u32 mask, u32 bytes, const Lanes &to) {
  AsyncRecord record = noteAsyncIssue(warp, op, AsyncKind::kCopy, mask);
  return noteAsyncLanes(warp, op, record, Use::kWrite, mask, bytes, to.at);
}

/// op.a: the global address, op.b: the shared one, op.bytes: 4, 8 or 16. False: a fault.
bool find(Warp &warp, const Op &op, u32 mask, Copy &copy) {
  u32 bytes = op.bytes;
  CopyOperands operands;
  __builtin_memcpy(&operands, op.more, sizeof operands);
  Lanes &from = copy.from, &to = copy.to;
  u32 reads = mask;
  LANES copy.count[l] = bytes;
  if (operands.sizeSlot != kNoSize) {
    const u32 *size = lanesOf<u32>(warp, operands.sizeSlot);
    for (u32 l = 0; l < kLaneCount; ++l) {
      copy.count[l] = size[l] < bytes ? size[l] : bytes;
      if ((mask & kLaneBit[l]) && size[l] > bytes) {
        reportFault(warp, op, Fault::kInvalid, l, "cp.async reads more bytes than it writes");
        return false;
      }
    }
  }
  if (operands.ignoreSlot != kNoSize) {
    u32 ignored = warp.predicates[operands.ignoreSlot] ^ operands.ignoreFlip;
    for (u32 l = 0; l < kLaneCount; ++l)
      copy.count[l] = (ignored & kLaneBit[l]) ? 0 : copy.count[l];
  }
  for (u32 l = 0; l < kLaneCount; ++l)
    reads &= copy.count[l] == 0 ? ~kLaneBit[l] : ~0u;
  if (reads) {
    const u64 *base = lanesOf<u64>(warp, op.a);
    LANES from.at[l] = base[l] + u64(s64(s32(operands.globalOffset)));
    Shape shape = operands.isGeneric ? locateGeneric(warp, op, reads, bytes, from)
                                     : locateGlobal(warp, op, reads, bytes, from);
    if (seen(warp, op, reads, bytes, Use::kRead, from, shape) == Shape::kNone)
      return false;
  }
  if (operands.addressBytes == 8) {
    const u64 *base = lanesOf<u64>(warp, op.b);
    LANES to.at[l] = base[l] + u64(s64(s32(operands.sharedOffset)));
  } else {
    const u32 *base = lanesOf<u32>(warp, op.b);
    LANES to.at[l] = u32(base[l] + operands.sharedOffset);
  }
  Block &block = *warp.block;
  if (locateWindow(warp, op, mask, bytes, to, "shared", block.shared, kSharedBase,
                   block.sharedBytes, 0) == Shape::kNone)
    return false;
  return !block.check || noteCopy(warp, op, mask, bytes, to);
}

void copyNow(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op), bytes = op.bytes;
  Copy copy;
  if (mask == 0 || !find(warp, op, mask, copy))
    return;
  for (u32 l = 0; l < kLaneCount; ++l)
    if (mask & kLaneBit[l])
      copyLane(copy.from.at[l], copy.to.at[l], copy.count[l], bytes);
}

/// What was in shared memory is lost at once, what comes there later.
void copyLate(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op), bytes = op.bytes;
  Copy copy;
  if (mask == 0 || !find(warp, op, mask, copy))
    return;
  for (u32 l = 0; l < kLaneCount; ++l) {
    if (!(mask & kLaneBit[l]))
      continue;
    u64 from = copy.from.at[l], to = copy.to.at[l];
    u32 count = copy.count[l];
    __builtin_memset(reinterpret_cast<void *>(to), 0xff, bytes);
    warp.block->cluster->async.defer(warp, AsyncKind::kCopy, kLaneBit[l], [=] {
      copyLane(from, to, count, bytes);
      return true;
    });
  }
}

const Instruction kRows[] = {
    {"cp.async", copyNow, nullptr, OpClass::kGlobal},
    {"cp.async.lazy", copyLate, nullptr, OpClass::kGlobal},
};

} // namespace

void addCopyAsyncHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
