// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory of a block: 128 lanes of 512 columns of 32 bits, handed out in columns (PTX ISA
// 9.0, 9.7.16.1). An address has the lane in its upper 16 bits and the column in the lower ones.
#ifndef HEDDLE_RUNTIME_EMULATOR_TMEM_TMEM_H
#define HEDDLE_RUNTIME_EMULATOR_TMEM_TMEM_H

#include <cstdint>
#include <memory>
#include <string>

namespace heddle::emulator {

struct Warp;
struct Block;
struct Cluster;

class Tmem {
public:
  static constexpr uint32_t kLanes = 128, kColumns = 512;
  static constexpr uint32_t kGrain = 32; ///< columns that are allocated together
  static constexpr uint32_t kNone = ~0u;

  Tmem();
  /// A new block begins: nothing is allocated.
  void start();
  /// 512 columns that follow each other.
  uint32_t *row(uint32_t lane) { return words.get() + lane * kColumns; }
  const uint32_t *row(uint32_t lane) const { return words.get() + lane * kColumns; }

  /// The first of `columns` free columns, which hold NaN; kNone: there are not as many.
  uint32_t allocate(uint32_t columns);
  /// Empty, or what is wrong with giving these columns back.
  std::string deallocate(uint32_t first, uint32_t columns);
  bool isAllocated(uint32_t first, uint32_t columns) const;
  uint32_t allocatedColumns() const;
  /// Empty, or why these columns may not be used.
  std::string whyNot(uint32_t first, uint32_t columns) const;

  bool isRelinquished = false;
  /// tcgen05.alloc with .cta_group::2, which both blocks of a pair execute.
  struct PairRequest {
    const Warp *warp = nullptr; ///< null: none
    uint32_t columns = 0;
    bool isGranted = false;
    uint32_t first = 0;
  } request;

private:
  static constexpr uint32_t kGrains = kColumns / kGrain;
  std::unique_ptr<uint32_t[]> words;
  uint32_t ownerOf[kGrains];  ///< first grain of the allocation; kNone: free
  bool wasAllocated[kGrains]; ///< before
};

/// The block's tensor memory, made when it is used first.
Tmem &tmemOf(Block &block);
/// The other block of a pair, whose rank differs in the last bit; null: there is none.
Block *peerOf(Block &block);
/// The cluster has ended. False: a block left columns allocated, which was reported.
bool finishTmem(Cluster &cluster);

struct TmemAddress {
  uint32_t lane, column;
  explicit TmemAddress(uint32_t address) : lane(address >> 16), column(address & 0xffff) {}
};
std::string tmemText(uint32_t address);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_TMEM_TMEM_H
