// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the addresses of a warp's lanes to host memory: bounds and alignment are checked here, for
// all lanes at once where they lie together.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_ACCESS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_ACCESS_H

#include "runtime/emulator/handlers/Lanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

enum class Place : u8 { kGlobal, kShared, kLocal, kParam, kGeneric };

enum class Shape : u8 {
  kNone,       ///< no lane, or a fault that was reported
  kContiguous, ///< all lanes, one after the other from at[0]
  kScattered   ///< at[l] for the lanes of the mask
};

struct Lanes {
  alignas(64) u64 at[kLaneCount]; ///< host addresses
};

/// Where the address is one register of 64 (global, generic) or 32 or 64 bits (windows): op.imm is
/// added. `bytes` is what a lane moves and its alignment.
/// The register's width is op.target: 4 or 8.
template <Place kPlace>
Shape locate(Warp &warp, const Op &op, u32 mask, u32 addressSlot, u32 bytes, Use use, Lanes &lanes);

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
    return Shape::kScattered;
  return checkEachLane(warp, op, mask, bytes, lanes) ? Shape::kScattered : Shape::kNone;
}

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

/// Lane by lane: every lane may mean another space.
static inline Shape locateGeneric(Warp &warp, const Op &op, u32 mask, u32 bytes, Lanes &lanes) {
  u64 *at = lanes.at;
  Block &block = *warp.block;
  u64 windows = 0, shared = ~u64(0);
  for (u32 l = 0; l < kLaneCount; ++l) {
    if (!(mask & kLaneBit[l]))
      continue;
    windows |= u64(at[l] - kSharedWindow < 3 * kWindowBytes);
    if (at[l] - kSharedWindow >= kWindowBytes)
      shared = 0;
  }
  if (!windows)
    return locateGlobal(warp, op, mask, bytes, lanes);
  if (shared) {
    LANES at[l] -= kSharedWindow;
    return locateWindow(warp, op, mask, bytes, lanes, "shared", block.shared, kSharedBase,
                        block.sharedBytes, 0);
  }
  for (u32 l = 0; l < kLaneCount; ++l) {
    if (!(mask & kLaneBit[l]))
      continue;
    u64 address = at[l];
    bool aligned = (address & (bytes - 1)) == 0;
    const char *space = "generic";
    u8 *memory = nullptr;
    u64 offset = 0, limit = 0;
    if (address - kSharedWindow < kWindowBytes) {
      space = "shared", memory = block.shared, limit = block.sharedBytes;
      offset = address - kSharedWindow - kSharedBase;
    } else if (address - kLocalWindow < kWindowBytes) {
      space = "local", memory = localOf(warp) + u64(l) * block.localBytes, limit = block.localBytes;
      offset = address - kLocalWindow - kLocalBase;
    } else if (address - kParamWindow < kWindowBytes) {
      space = "param", memory = const_cast<u8 *>(block.launch->params);
      limit = block.launch->kernel->paramBytes;
      offset = address - kParamWindow;
    } else {
      AllocationHint hint;
      if (aligned && findAllocation(address, hint) && address + bytes <= hint.end)
        continue;
    }
    if (!aligned || offset + bytes > limit || offset > limit) {
      reportAccess(warp, op, l, space, address, bytes, aligned);
      return Shape::kNone;
    }
    at[l] = reinterpret_cast<u64>(memory) + offset;
  }
  return Shape::kScattered;
}

template <Place kPlace>
static inline Shape locateUnseen(Warp &warp, const Op &op, u32 mask, u32 addressSlot, u32 bytes,
                                 Lanes &lanes) {
  if (mask == 0)
    return Shape::kNone;
  u64 *at = lanes.at;
  u64 offset = u64(op.imm);
  if (kPlace == Place::kGlobal || kPlace == Place::kGeneric || op.target == 8) {
    const u64 *base = lanesOf<u64>(warp, addressSlot);
    LANES at[l] = base[l] + offset;
  } else {
    const u32 *base = lanesOf<u32>(warp, addressSlot);
    LANES at[l] = u32(base[l] + u32(offset));
  }
  Block &block = *warp.block;
  switch (kPlace) {
  case Place::kGlobal:
    return locateGlobal(warp, op, mask, bytes, lanes);
  case Place::kShared:
    return locateWindow(warp, op, mask, bytes, lanes, "shared", block.shared, kSharedBase,
                        block.sharedBytes, 0);
  case Place::kLocal:
    return locateWindow(warp, op, mask, bytes, lanes, "local", localOf(warp), kLocalBase,
                        block.localBytes, block.localBytes);
  case Place::kParam:
    return locateWindow(warp, op, mask, bytes, lanes, "param",
                        const_cast<u8 *>(block.launch->params), 0, block.launch->kernel->paramBytes,
                        0);
  case Place::kGeneric:
    return locateGeneric(warp, op, mask, bytes, lanes);
  }
  return Shape::kNone;
}

/// Tells the checks of an access that was located, where they are on.
static inline Shape seen(Warp &warp, const Op &op, u32 mask, u32 bytes, Use use, const Lanes &lanes,
                         Shape shape) {
  if (__builtin_expect(warp.block->check != nullptr, 0) && shape != Shape::kNone &&
      !noteAccess(warp, op, use, mask, bytes, lanes.at))
    return Shape::kNone;
  return shape;
}

template <Place kPlace>
Shape locate(Warp &warp, const Op &op, u32 mask, u32 addressSlot, u32 bytes, Use use,
             Lanes &lanes) {
  return seen(warp, op, mask, bytes, use, lanes,
              locateUnseen<kPlace>(warp, op, mask, addressSlot, bytes, lanes));
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_ACCESS_H
