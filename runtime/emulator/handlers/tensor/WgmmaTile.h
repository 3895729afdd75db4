// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices in shared memory as wgmma's descriptors say where they lie.
//
// A matrix is made of pieces of 16 bytes; 8 of them are a core matrix. PTX ISA 9.0, 9.7.15.5.1,
// with W = 1, 2, 4, 8 pieces in a row of the swizzling pattern (none, 32, 64, 128 bytes):
//   K-major: row r, piece c of the two that 32 bytes along K are: (r % 8) * 16 W + (r / 8) *
//   stride,
//     and c * leading without swizzling, c * 16 with it.
//   MN-major: piece b along M or N, row k: without swizzling b * stride + (k % 8) * 16 +
//     (k / 8) * leading; else (b % W) * 16 + (b / W) * leading + (k % 8) * 16 W + (k / 8) * stride.
// Swizzling exchanges address bits 4.. by those from bit 7 on, counted from where the pattern
// begins, which the base offset says.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_WGMMATILE_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_WGMMATILE_H

#include "runtime/emulator/handlers/tensor/MatrixTurn.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

class WgmmaTile {
public:
  WgmmaTile(u64 descriptor, bool isTurned)
      : start(u32(descriptor & 0x3fff) << 4), leading(u32(descriptor >> 16 & 0x3fff) << 4),
        stride(u32(descriptor >> 32 & 0x3fff) << 4), base(u32(descriptor >> 49 & 7)),
        isTurned(isTurned) {
    u32 layout = u32(descriptor >> 62);
    width = layout == 0 ? 1 : 16u >> layout;
  }

  /// Where a piece lies; `block` counts 8 rows or columns, `half` 16 bytes along K (K-major) or 8
  /// elements (MN-major), `row` is the piece in the core matrix.
  u32 address(u32 block, u32 half, u32 row) const {
    u32 at = start + row * 16 * width;
    if (!isTurned)
      at += block * stride + half * (width == 1 ? leading : 16);
    else if (width == 1)
      at += block * stride + half * leading;
    else
      at += block % width * 16 + block / width * leading + half * stride;
    return at ^ (((at >> 7) - base) & (width - 1)) << 4;
  }

  /// The first piece that is not inside [begin, end) of the blocks [first, last); 0: none.
  u32 firstOutside(u32 first, u32 last, u32 begin, u32 end) const {
    u64 far = u64(start) + 7 * 16 * width + (width == 1 ? leading : isTurned ? stride : 16);
    far += isTurned && width > 1 ? 16 * (width - 1) + u64((last - 1) / width) * leading
                                 : u64(last - 1) * stride;
    if (start >= begin && (far | 127) < end)
      return 0;
    for (u32 block = first; block < last; ++block)
      for (u32 half = 0; half < 2; ++half)
        for (u32 row = 0; row < 8; ++row) {
          u32 at = address(block, half, row);
          if (at < begin || at + 16 > end)
            return at | 1; // addresses are multiples of 16
        }
    return 0;
  }

  /// Core matrices of the blocks [first, last), both halves of each, as registers of a fragment:
  /// rows along M or N, 16 bytes along K each.
  void read(const u8 *memory, u32 first, u32 last, u32 (*to)[2][32]) const {
    // Blocks repeat the addresses of the first ones where the pattern of swizzling does.
    u32 period = isTurned ? width : 1, jump = isTurned && width > 1 ? leading : stride;
    bool repeats = width == 1 || (jump & (128 * width - 1)) == 0;
    u32 at[8][2][8];
    for (u32 block = first; block < last; ++block) {
      u32 j = block % period, skipped = 0;
      if (repeats && block >= first + period)
        skipped =
            (block / period - (first + (j + period - first % period) % period) / period) * jump;
      else
        for (u32 piece = 0; piece < 16; ++piece)
          at[j][piece >> 3][piece & 7] = address(block, piece >> 3, piece & 7);
      for (u32 half = 0; half < 2; ++half) {
        MatrixRow rows[8];
        for (u32 row = 0; row < 8; ++row)
          rows[row] = *(const MatrixRow *)(memory + (at[j][half][row] + skipped));
        if (isTurned)
          turnMatrix(rows);
        __builtin_memcpy(to[block - first][half], rows, sizeof rows);
      }
    }
  }

private:
  u32 start, leading, stride, base, width;
  bool isTurned; ///< MN-major
};

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_WGMMATILE_H
