// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk of a tensor copy over its box: which bytes of global memory belong to which bytes of
// shared memory (PTX ISA 9.0, 5.5). Nothing here knows of warps; addresses have been checked by
// whoever moves the rows.
//
// In shared memory a box is a row after row of its innermost dimension, dense; with swizzling a row
// takes up a whole span of 32, 64 or 128 bytes, and 16-byte units change places by bits of their
// absolute shared addresses. With interleaved layouts an element of dimension 0 is a slice of 16 or
// 32 bytes, and the dimension before the last counts slices of channels; that reading of 5.5.6 has
// not been compared with hardware, nor has where im2col::w finds its halo.
#ifndef HEDDLE_RUNTIME_EMULATOR_ASYNC_TENSORCOPY_H
#define HEDDLE_RUNTIME_EMULATOR_ASYNC_TENSORCOPY_H

#include "runtime/emulator/async/Reduction.h"
#include "runtime/emulator/async/TensorMap.h"

namespace heddle::emulator {

/// .load_mode; kFourRows is tile::gather4 and tile::scatter4.
enum class TensorAccess : uint8_t { kTile, kFourRows, kIm2col, kIm2colW, kIm2colW128 };

struct TensorPlace {
  TensorAccess access = TensorAccess::kTile;
  uint8_t rank = 1;            ///< of the instruction
  int32_t coordinates[5] = {}; ///< innermost first; kFourRows: the column, then four rows
  uint16_t offsets[3] = {};    ///< im2col: W, H, D; im2col::w: wHalo, wOffset
};

/// What the instruction does not allow with this map; empty: nothing. `isStore`: also reductions.
std::string whyNotCopied(const TensorMap &map, const TensorPlace &place, bool isStore);

/// A part of the box that lies together in global memory and, but for swizzling, in shared memory.
struct TensorRow {
  uint64_t global = 0;         ///< of its first byte that is inside the tensor
  uint32_t shared = 0;         ///< offset in the box of its first byte, before swizzling
  uint32_t begin = 0, end = 0; ///< bytes of it that are inside the tensor, half open
};

class TensorWalk {
public:
  TensorWalk(const TensorMap &map, const TensorPlace &place);
  /// False: there are no more rows.
  bool next(TensorRow &row);
  /// In global memory, what is outside of the tensor included.
  uint32_t rowBytes() const { return runBytes; }
  uint32_t sharedRowBytes() const { return runSharedBytes; }
  /// What the copy completes on an mbarrier.
  uint32_t completedBytes() const { return rows * inner * runBytes; }
  /// That the box takes up in shared memory.
  uint32_t sharedBytes() const;
  /// The box has no gaps in shared memory, swizzled or not.
  bool isDense() const;

private:
  void startTile(const TensorPlace &place);
  void startIm2col(const TensorPlace &place);
  bool nextTile(TensorRow &row);
  bool nextPixel(TensorRow &row);
  void placeRow(TensorRow &row, uint64_t offset, bool isInside) const;
  /// Bytes from the tensor's start; they may wrap, as addresses do.
  uint64_t along(uint32_t stride, int64_t coordinate) const {
    return static_cast<uint64_t>(coordinate) * map.strides[stride];
  }
  void setInner(int64_t at);
  void advancePixel();

  const TensorMap &map;
  TensorAccess access;
  uint32_t unitBits;           ///< of an element of dimension 0 in global memory
  uint32_t runUnits = 0;       ///< elements of dimension 0 that lie together
  uint32_t runBytes = 0;       ///< these, in global memory
  uint32_t inner = 1;          ///< runs along dimension 0
  uint32_t runSharedBytes = 0; ///< a run in shared memory
  uint32_t pitch = 0;          ///< from a row to the next in shared memory
  uint32_t rows = 0;           ///< without `inner`
  uint32_t done = 0;           ///< rows that were given out, without `inner`
  uint32_t run = 0;            ///< of `inner`
  // Of a run: its bytes that are inside along dimension 0, and where the first of them is.
  uint32_t innerBegin = 0, innerEnd = 0;
  int64_t innerOffset = 0;
  uint64_t outerOffset = 0; ///< of the dimensions behind 1
  bool isOuterInside = true;
  int64_t start[5] = {}; ///< coordinates of the box
  uint32_t counts[5] = {1, 1, 1, 1, 1};
  uint32_t index[5] = {};
  int64_t fourRows[4] = {};
  // im2col
  uint32_t spatial = 0, firstSpatial = 0; ///< W and so on: how many, and which dimension W is
  int64_t pixel[3] = {}, low[3] = {}, high[3] = {}; ///< before the offsets are added
  int64_t shift[3] = {};
  int64_t image = 0;
  uint32_t halo = 0, haloLeft = 0, untilHalo = 0;
};

/// The address of a byte of a box after swizzling.
uint32_t swizzled(const TensorMap &map, uint32_t address);

/// A row from global memory into the box that begins at `box`, whose shared address is `address`.
/// What lies outside of the tensor is filled.
void loadRow(const TensorMap &map, const TensorRow &row, uint32_t rowBytes, uint8_t *box,
             uint32_t address);
/// The other way: bytes outside of the tensor are dropped.
void storeRow(const TensorMap &map, const TensorRow &row, uint32_t rowBytes, const uint8_t *box,
              uint32_t address);
void reduceRow(const TensorMap &map, const Reduction &reduction, const TensorRow &row,
               uint32_t rowBytes, const uint8_t *box, uint32_t address);
/// Bytes that no program expects, until the copy is done.
void poisonRow(const TensorMap &map, const TensorRow &row, uint32_t rowBytes, uint8_t *box,
               uint32_t address);
/// How the elements of a map are reduced; false: the map's type has no such operation.
bool tensorReduction(const TensorMap &map, ReduceOp op, Reduction &reduction);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_ASYNC_TENSORCOPY_H
