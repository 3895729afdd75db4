// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses in global memory: bounds and alignment are checked for all lanes at once where they lie
// in one allocation, which the op remembers.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_GLOBALACCESS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_GLOBALACCESS_H

#include "runtime/emulator/handlers/Lanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

enum class Shape : u8 {
  kNone,       ///< no lane, or a fault that was reported
  kContiguous, ///< all lanes, one after the other from at[0]
  kUniform,    ///< at[0] for every lane of the mask, which is not empty
  kScattered   ///< at[l] for the lanes of the mask
};

struct Lanes {
  alignas(64) u64 at[kLaneCount]; ///< host addresses
};

static inline u32 firstLane(u32 mask) { return u32(__builtin_ctz(mask)); }

/// All lanes of a mask inside one allocation and aligned; lanes.at holds the addresses.
static inline bool inOneAllocation(Warp &warp, const Op &op, u64 low, u64 high, u32 bytes,
                                   u64 joined) {
  AllocationHint &hint = warp.block->hints[(&op - warp.code) % Block::kHints];
  if (joined & (bytes - 1))
    return false;
  if (low >= hint.begin && high + bytes <= hint.end && high + bytes >= high)
    return true;
  return findAllocation(low, hint) && high + bytes <= hint.end && high + bytes >= high;
}

/// Slow: each lane for itself, so that the finding names the right one.
static inline bool checkEachLane(Warp &warp, const Op &op, u32 mask, u32 bytes, Lanes &lanes) {
  for (u32 l = 0; l < kLaneCount; ++l) {
    if (!(mask & kLaneBit[l]))
      continue;
    AllocationHint hint;
    u64 address = lanes.at[l];
    bool aligned = (address & (bytes - 1)) == 0;
    if (!aligned || !findAllocation(address, hint) || address + bytes > hint.end) {
      reportAccess(warp, op, l, "global", address, bytes, aligned);
      return false;
    }
  }
  return true;
}

static inline Shape locateGlobal(Warp &warp, const Op &op, u32 mask, u32 bytes, Lanes &lanes) {
  u64 *at = lanes.at;
  u64 first = at[firstLane(mask)];
  if (mask == kAllLanes) {
    u64 apart = 0;
    LANES apart |= at[l] - (first + u64(l) * bytes);
    if (apart == 0) {
      if (inOneAllocation(warp, op, first, first + 31 * u64(bytes), bytes, first))
        return Shape::kContiguous;
      return checkEachLane(warp, op, mask, bytes, lanes) ? Shape::kContiguous : Shape::kNone;
    }
  } else {
    LANES at[l] = (mask & kLaneBit[l]) ? at[l] : first;
  }
  s64 low = s64(first), high = s64(first);
  u64 joined = 0;
  LANES {
    s64 a = s64(at[l]);
    low = a < low ? a : low;
    high = a > high ? a : high;
    joined |= at[l];
  }
  // Addresses with the top bit set are in no allocation, so signed comparisons do.
  if (low > 0 && inOneAllocation(warp, op, u64(low), u64(high), bytes, joined))
    return low == high ? Shape::kUniform : Shape::kScattered;
  return checkEachLane(warp, op, mask, bytes, lanes) ? Shape::kScattered : Shape::kNone;
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_GLOBALACCESS_H
