// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments of wmma. The PTX ISA leaves open which element is where, so the emulated device takes
// the layout of mma.sync's fragments, block after block of 16 (or 8) rows and 8 columns; registers
// that the ISA counts beyond that are zero.
#ifndef HEDDLE_RUNTIME_EMULATOR_NUMERICS_WMMALAYOUT_H
#define HEDDLE_RUNTIME_EMULATOR_NUMERICS_WMMALAYOUT_H

#include <cstdint>

namespace heddle::emulator {

struct WmmaShape {
  uint32_t m = 0, n = 0, k = 0;
  uint32_t rowHalves() const { return m == 8 ? 1 : 2; } ///< 8 rows each, of a block
  uint32_t rowBlocks() const { return m == 32 ? 2 : 1; }
  uint32_t columnBlocks() const { return n / 8; }
};

enum class WmmaMatrix : uint32_t { kA, kB, kSum };

/// What Op::more holds for wmma.load and wmma.store; the registers follow.
struct WmmaMove {
  WmmaShape shape;
  WmmaMatrix matrix;
  uint32_t bits;      ///< of an element
  uint32_t isColumn;  ///< columns follow each other in memory
  uint32_t stride;    ///< register with the elements from one line to the next; kNoStride: dense
  uint32_t registers; ///< behind this struct
  static constexpr uint32_t kNoStride = ~0u;

  uint32_t rows() const { return matrix == WmmaMatrix::kB ? shape.k : shape.m; }
  uint32_t columns() const { return matrix == WmmaMatrix::kA ? shape.k : shape.n; }
  uint32_t lines() const { return isColumn ? columns() : rows(); }
  uint32_t lineElements() const { return isColumn ? rows() : columns(); }

  /// Where part `part` of a lane's register stands in the matrix. False: nowhere.
  bool element(uint32_t reg, uint32_t lane, uint32_t part, uint32_t &row, uint32_t &column) const {
    uint32_t g = lane >> 2, t = lane & 3, parts = bits > 32 ? 1 : 32 / bits;
    uint32_t halves = shape.rowHalves();
    if (matrix == WmmaMatrix::kSum) {
      // f16 sums stand in pairs, the others alone.
      uint32_t pairs = parts == 2 ? halves : 2 * halves, block = reg / pairs, r = reg % pairs;
      row = block / shape.columnBlocks() * 16 + (parts == 2 ? r : r >> 1) * 8 + g;
      column = block % shape.columnBlocks() * 8 + 2 * t + (parts == 2 ? part : r & 1);
      return block < shape.rowBlocks() * shape.columnBlocks();
    }
    uint32_t steps = shape.k / (4 * parts), own = matrix == WmmaMatrix::kA ? halves : 1;
    uint32_t block = reg / (own * steps), r = reg % (own * steps);
    uint32_t along = r / own * 4 * parts + t * parts + part;
    if (matrix == WmmaMatrix::kA) {
      row = block * 16 + r % own * 8 + g;
      column = along;
      return block < shape.rowBlocks();
    }
    row = along;
    column = block * 8 + g;
    return block < shape.columnBlocks();
  }
};

/// What Op::more holds for wmma.mma; d, a, b and c follow.
struct WmmaMultiply {
  WmmaShape shape;
  uint32_t d, a, b, c; ///< registers of each
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_NUMERICS_WMMALAYOUT_H
