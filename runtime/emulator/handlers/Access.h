// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the addresses of a warp's lanes to host memory, in any space, and the checks that may be on.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_ACCESS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_ACCESS_H

#include "runtime/emulator/exec/Cluster.h"
#include "runtime/emulator/handlers/WindowAccess.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

enum class Place : u8 { kGlobal, kShared, kLocal, kParam, kGeneric, kCluster };

/// Shared memory of any block of the cluster: each lane for itself.
static inline Shape locateCluster(Warp &warp, const Op &op, u32 mask, u32 bytes, Lanes &lanes) {
  for (u32 l = 0; l < kLaneCount; ++l) {
    if (!(mask & kLaneBit[l]))
      continue;
    SharedPlace place = sharedAt(warp, op, l, lanes.at[l], bytes, bytes);
    if (!place.owner)
      return Shape::kNone;
    lanes.at[l] = reinterpret_cast<u64>(place.at);
  }
  return Shape::kScattered;
}

/// Where the address is one register of 64 (global, generic) or 32 or 64 bits (windows): op.imm is
/// added. `bytes` is what a lane moves and its alignment.
/// The register's width is op.target: 4 or 8.
template <Place kPlace>
Shape locate(Warp &warp, const Op &op, u32 mask, u32 addressSlot, u32 bytes, Use use, Lanes &lanes);

/// Lane by lane: every lane may mean another space.
static inline Shape locateGeneric(Warp &warp, const Op &op, u32 mask, u32 bytes, Lanes &lanes) {
  u64 *at = lanes.at;
  Block &block = *warp.block;
  u64 windows = 0, shared = ~u64(0);
  for (u32 l = 0; l < kLaneCount; ++l) {
    if (!(mask & kLaneBit[l]))
      continue;
    windows |= u64(at[l] - kSharedWindow < 3 * kWindowBytes);
    if (at[l] - kSharedWindow > kOffsetMask) // not shared, or of another block
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
      SharedPlace place = sharedAt(warp, op, l, address - kSharedWindow, bytes, bytes);
      if (!place.owner)
        return Shape::kNone;
      at[l] = reinterpret_cast<u64>(place.at);
      continue;
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
  case Place::kCluster:
    return locateCluster(warp, op, mask, bytes, lanes);
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
