// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which element of tensor memory a register of a lane holds in tcgen05.ld and tcgen05.st, and what
// tcgen05.cp and tcgen05.shift move (PTX ISA 9.0, 9.7.16.2.3, 9.7.16.8 and 9.7.16.9).
#ifndef HEDDLE_RUNTIME_EMULATOR_TMEM_FRAGMENTS_H
#define HEDDLE_RUNTIME_EMULATOR_TMEM_FRAGMENTS_H

#include <cstdint>

namespace heddle::emulator {

class Tmem;

enum class TmemShape : uint32_t { k32x32, k16x64, k16x128, k16x256, k16x32x2 };

/// What Op::more holds for tcgen05.ld and tcgen05.st, followed by the registers.
struct TmemMove {
  TmemShape shape;
  uint32_t isPacked;  ///< .pack::16b, .unpack::16b: a register holds the halves of two columns
  uint32_t split;     ///< columns between the halves of .16x32bx2
  uint32_t count;     ///< registers
  uint32_t reduction; ///< TmemReduction
  uint32_t reduced;   ///< register of .red
};
enum TmemReduction : uint32_t {
  kNoReduction = 0,
  kReduceMax = 1, ///< else .min
  kReduceSigned = 2,
  kReduceFloat = 4,
  kReduceAbs = 8,
  kReduceNan = 16,
  kReduces = 32
};

struct TmemElement {
  uint32_t lane;   ///< from the first lane that the warp reaches
  uint32_t column; ///< from that of the address
};
/// The element, or with .pack::16b the first of two columns, that register `reg` of `lane` holds.
TmemElement tmemElement(const TmemMove &move, uint32_t lane, uint32_t reg);
/// Columns from that of the address on, of which all are touched but for a gap of .16x32bx2.
uint32_t tmemColumns(const TmemMove &move);

/// registers[r][lane] from tensor memory, and back. `lane` and `column` are those of the address.
void loadFragment(const Tmem &tmem, const TmemMove &move, uint32_t lane, uint32_t column,
                  uint32_t *const *registers);
void storeFragment(Tmem &tmem, const TmemMove &move, uint32_t lane, uint32_t column,
                   const uint32_t *const *registers);
/// .red: the smallest or largest of a lane's registers.
void reduceFragment(const TmemMove &move, const uint32_t *const *registers, uint32_t *to);

/// Rows of the source and where tcgen05.cp puts them.
enum class TmemCopyShape : uint32_t { k128x256, k4x256, k128x128, k64x128w02, k64x128w01, k32x128 };
struct TmemCopyRows {
  uint32_t rows;   ///< of the source
  uint32_t pieces; ///< of 16 bytes in a row
  uint32_t copies; ///< of each row
};
TmemCopyRows copyRows(TmemCopyShape shape);
/// The lane, from that of the address, that copy `copy` of a row goes to.
uint32_t copyLane(TmemCopyShape shape, uint32_t row, uint32_t copy);

/// 16 elements of 4 or 6 bits, packed from the first byte on, to bytes.
void unpackElements(const uint8_t *from, uint32_t bits, uint8_t *to);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_TMEM_FRAGMENTS_H
