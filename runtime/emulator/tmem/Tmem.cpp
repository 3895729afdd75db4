// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which columns of tensor memory are allocated.
#include "runtime/emulator/tmem/Tmem.h"
#include "runtime/emulator/exec/Cluster.h"
#include <algorithm>
#include <cstring>

namespace heddle::emulator {

namespace {
constexpr uint32_t kFreshWord = ~0u; ///< NaN in every float type
}

Tmem::Tmem() : words(new uint32_t[kLanes * kColumns]) { start(); }

void Tmem::start() {
  std::fill_n(words.get(), kLanes * kColumns, kFreshWord);
  std::fill_n(ownerOf, kGrains, kNone);
  std::fill_n(wasAllocated, kGrains, false);
  isRelinquished = false;
  request = PairRequest();
}

uint32_t Tmem::allocate(uint32_t columns) {
  uint32_t grains = columns / kGrain;
  for (uint32_t first = 0; first + grains <= kGrains; ++first) {
    auto isFree = [](uint32_t owner) { return owner == kNone; };
    if (!std::all_of(ownerOf + first, ownerOf + first + grains, isFree))
      continue;
    std::fill_n(ownerOf + first, grains, first);
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      std::fill_n(row(lane) + first * kGrain, columns, kFreshWord);
    return first * kGrain;
  }
  return kNone;
}

std::string Tmem::deallocate(uint32_t first, uint32_t columns) {
  uint32_t grain = first / kGrain;
  if (first % kGrain != 0 || first >= kColumns || ownerOf[grain] != grain) {
    std::string why = whyNot(std::min(first, kColumns), 1);
    return "column " + std::to_string(first) + " does not begin an allocation" +
           (why.empty() ? "" : ": " + why);
  }
  uint32_t size = 0;
  while (grain + size < kGrains && ownerOf[grain + size] == grain)
    ++size;
  if (size * kGrain != columns)
    return "the allocation at column " + std::to_string(first) + " has " +
           std::to_string(size * kGrain) + " columns, " + std::to_string(columns) +
           " are given back";
  std::fill_n(ownerOf + grain, size, kNone);
  std::fill_n(wasAllocated + grain, size, true);
  return "";
}

bool Tmem::isAllocated(uint32_t first, uint32_t columns) const {
  if (first >= kColumns || columns > kColumns - first)
    return false;
  for (uint32_t grain = first / kGrain; grain <= (first + columns - 1) / kGrain; ++grain)
    if (ownerOf[grain] == kNone)
      return false;
  return true;
}

uint32_t Tmem::allocatedColumns() const {
  auto isUsed = [](uint32_t owner) { return owner != kNone; };
  return kGrain * static_cast<uint32_t>(std::count_if(ownerOf, ownerOf + kGrains, isUsed));
}

std::string Tmem::whyNot(uint32_t first, uint32_t columns) const {
  if (isAllocated(first, columns))
    return "";
  if (first >= kColumns || columns > kColumns - first)
    return "tensor memory has " + std::to_string(kColumns) + " columns";
  for (uint32_t column = first; column < first + columns; ++column)
    if (ownerOf[column / kGrain] == kNone)
      return "column " + std::to_string(column) +
             (wasAllocated[column / kGrain] ? " was given back with tcgen05.dealloc"
                                            : " is not allocated");
  return "";
}

Tmem &tmemOf(Block &block) {
  if (!block.tmem)
    block.tmem = std::make_shared<Tmem>();
  return *block.tmem;
}

Block *peerOf(Block &block) {
  uint32_t rank = block.rank ^ 1;
  return rank < block.cluster->size ? block.cluster->blocks[rank] : nullptr;
}

bool finishTmem(Cluster &cluster) {
  for (uint32_t rank = 0; rank < cluster.size; ++rank) {
    Block &block = *cluster.blocks[rank];
    uint32_t columns = block.tmem ? block.tmem->allocatedColumns() : 0;
    if (columns == 0)
      continue;
    Warp &warp = block.warps[0];
    reportFault(warp, warp.pc > warp.code ? warp.pc[-1] : *warp.pc, Fault::kInvalid, kLaneCount,
                "the block ends with " + std::to_string(columns) +
                    " columns of tensor memory allocated; every tcgen05.alloc needs its "
                    "tcgen05.dealloc before the kernel ends");
    return false;
  }
  return true;
}

std::string tmemText(uint32_t address) {
  TmemAddress at(address);
  return "lane " + std::to_string(at.lane) + ", column " + std::to_string(at.column);
}

} // namespace heddle::emulator
