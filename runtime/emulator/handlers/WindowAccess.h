// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses in the windows of a block: shared memory, local memory and parameters.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_WINDOWACCESS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_WINDOWACCESS_H

#include "runtime/emulator/handlers/GlobalAccess.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

/// Offsets in a window become host addresses: memory + (offset - base), `limit` bytes long.
static inline Shape locateWindow(Warp &warp, const Op &op, u32 mask, u32 bytes, Lanes &lanes,
                                 const char *space, u8 *memory, u32 base, u32 limit, u64 perLane) {
  u64 *at = lanes.at;
  u64 lane = firstLane(mask);
  if (mask != kAllLanes) {
    u64 first = at[lane];
    LANES at[l] = (mask & kLaneBit[l]) ? at[l] : first;
  }
  u64 bad = limit < bytes ? 1 : 0;
  u64 last = u64(limit) - bytes;
  LANES bad |= u64(at[l] - base > last) | (at[l] & (bytes - 1));
  if (bad) {
    for (u32 l = 0; l < kLaneCount; ++l) {
      if (!(mask & kLaneBit[l]))
        continue;
      bool aligned = (at[l] & (bytes - 1)) == 0;
      if (!aligned || limit < bytes || at[l] - base > last) {
        reportAccess(warp, op, l, space, at[l], bytes, aligned);
        return Shape::kNone;
      }
    }
  }
  u64 start = reinterpret_cast<u64>(memory) - base;
  if (perLane == 0) {
    u64 first = at[0], apart = 0;
    LANES apart |= at[l] - (first + u64(l) * bytes);
    LANES at[l] += start;
    return apart == 0 && mask == kAllLanes ? Shape::kContiguous : Shape::kScattered;
  }
  LANES at[l] += start + l * perLane;
  return Shape::kScattered;
}

static inline u8 *localOf(Warp &warp) {
  return warp.block->local + u64(warp.index) * kLaneCount * warp.block->localBytes;
}

/// The fast way to shared memory for a whole warp: offsets from the block's memory in 32 bits.
/// False: some lane is outside or misaligned, or accesses are checked; take the careful way.
static inline bool sharedOffsets(Warp &warp, const Op &op, u32 bytes, u32 (&at)[kLaneCount]) {
  const Block &block = *warp.block;
  if (block.check || block.sharedBytes < bytes)
    return false;
  u32 bad = 0, last = block.sharedBytes - bytes;
  if (op.target == 8) {
    const u64 *base = lanesOf<u64>(warp, op.a);
    u64 shift = u64(op.imm) - kSharedBase, high = 0;
    LANES {
      u64 offset = base[l] + shift;
      high |= offset;
      at[l] = u32(offset);
    }
    bad = u32(high >> 32);
  } else {
    const u32 *base = lanesOf<u32>(warp, op.a);
    u32 shift = u32(op.imm) - kSharedBase;
    LANES at[l] = base[l] + shift;
  }
  LANES bad |= u32(at[l] > last) | (at[l] & (bytes - 1));
  return bad == 0;
}

static inline Shape shapeOf(const u32 (&at)[kLaneCount], u32 bytes) {
  u32 first = at[0], apart = 0, differ = 0;
  LANES {
    apart |= at[l] ^ (first + l * bytes);
    differ |= at[l] ^ first;
  }
  return differ == 0 ? Shape::kUniform : apart == 0 ? Shape::kContiguous : Shape::kScattered;
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_WINDOWACCESS_H
