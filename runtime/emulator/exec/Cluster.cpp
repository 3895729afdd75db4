// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared addresses: which block's memory they mean.
#include "runtime/emulator/exec/Cluster.h"

namespace heddle::emulator {

SharedPlace sharedAt(Block &block, uint64_t address, uint32_t bytes) {
  SharedPlace place;
  uint64_t named = address >> kRankShift;
  if (named > block.cluster->size)
    return place;
  Block *owner = named == 0 ? &block : block.cluster->blocks[named - 1];
  uint64_t offset = (address & kOffsetMask) - kSharedBase;
  if (offset > owner->sharedBytes || bytes > owner->sharedBytes - offset)
    return place;
  place.owner = owner;
  place.offset = static_cast<uint32_t>(offset);
  place.at = owner->shared + offset;
  return place;
}

SharedPlace sharedAt(Warp &warp, const Op &op, uint32_t lane, uint64_t address, uint32_t bytes,
                     uint32_t align) {
  SharedPlace place = sharedAt(*warp.block, address, bytes);
  bool isAligned = (address & (align - 1)) == 0;
  if (place.owner && isAligned)
    return place;
  reportAccess(warp, op, lane, "shared", address, bytes, isAligned);
  return SharedPlace();
}

} // namespace heddle::emulator
