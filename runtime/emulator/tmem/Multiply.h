// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tcgen05.mma but for its arithmetic: operands, footprints, layouts of D, scale factors, and when
// it is done.
#ifndef HEDDLE_RUNTIME_EMULATOR_TMEM_MULTIPLY_H
#define HEDDLE_RUNTIME_EMULATOR_TMEM_MULTIPLY_H

#include "runtime/emulator/exec/Op.h"
#include "runtime/emulator/numerics/Numerics.h"
#include "runtime/emulator/tmem/Descriptors.h"

namespace heddle::emulator {

struct Block;
struct Warp;
class Tmem;

constexpr uint32_t kNoTmemOperand = ~0u;

/// [register + offset] in tensor memory
struct TmemOperand {
  uint32_t slot = kNoTmemOperand;
  int32_t offset = 0;
};

/// What Op::more holds for tcgen05.mma: registers, predicates and what the modifiers say.
struct MmaOperands {
  MmaForm form{};
  TmemOperand d, a, scaleA, scaleB; ///< `a` is not set: Op::a has A's descriptor
  uint32_t isShifted = 0;           ///< .ashift
  uint32_t b = 0, shape = 0;        ///< descriptors
  uint32_t predicate = 0, flip = 0; ///< enable-input-d
  uint32_t scaleD = 0;              ///< D is multiplied by 2^-scaleD
  uint32_t maskCount = 0, masks[8] = {};
  uint32_t columnMask = kNoTmemOperand;
};

/// An instruction of one thread with what it read when it was issued.
struct MmaCall {
  Warp *warp;
  const Op *op;
  uint32_t lane;
  MmaForm form;
  MmaShape shape;
  bool accumulates, isShifted, hasTmemA;
  uint32_t scaleD;
  uint64_t a, b;
  uint32_t tmemA, tmemD, scaleA, scaleB;
  uint32_t disabled[8];
  ColumnMask columnMask;
};

/// Rows of a block's part of A and columns of B whose products stand together in tensor memory.
struct MmaPanel {
  uint32_t row, rows;       ///< of the block's part of A
  uint32_t lane;            ///< of the first row
  uint32_t column, columns; ///< of B; in D they begin at D's column
};

/// All that the arithmetic needs.
struct MmaJob {
  static constexpr uint32_t kMaxRows = 128, kMaxColumns = 256 + 32, kTmemColumns = 512;
  const MmaCall *call;
  uint32_t blockCount;
  uint32_t columnsOfBlock; ///< columns of B that a block holds
  MmaPanel panels[4];
  uint32_t panelCount;
  bool isAsHardware; ///< sums round as HEDDLE_EMU_NUMERICS says
  TensorPrecision precision;
  uint64_t seed;
  struct Part {
    Block *block;
    Tmem *tmem;
    uint32_t *words;                              ///< tensor memory, of lane 0
    const uint8_t *memory;                        ///< shared memory, of address 0
    uint32_t a[2 * kMaxRows], b[2 * kMaxColumns]; ///< addresses of pieces of 16 bytes
    uint32_t disabled[4];
    double scaleA[kMaxRows][4];
    double scaleB[256][4];
  } parts[2];
};

/// Numbers of pieces along both directions of a matrix with `count` rows along M or N.
struct MmaPieces {
  uint32_t outer, inner;
};
MmaPieces piecesOf(uint32_t count, bool isTurned, const MmaShape &shape, MmaType type);

/// How rows and columns of D lie in the lanes of a block (PTX ISA 9.0, 9.7.16.10.5).
uint32_t layoutPanels(const MmaForm &form, const MmaShape &shape, uint32_t lane,
                      MmaPanel (&panels)[4]);

using MmaWork = void (*)(const MmaJob &job);

/// Issues the instruction for each of its lanes: does it at once, or late in lazy mode.
void issueMma(Warp &warp, const Op &op, MmaWork work);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_TMEM_MULTIPLY_H
