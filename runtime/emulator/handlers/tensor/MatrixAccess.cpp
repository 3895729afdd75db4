// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, stmatrix and movmatrix: 8x8 matrices of 16-bit elements between shared memory and the
// fragments of mma.sync.
//
// A register that holds a matrix is, in lane order, the matrix row by row: lane 4g + t has elements
// 2t and 2t + 1 of row g. So a load without .trans copies rows, and .trans turns the matrix.
#include "runtime/emulator/handlers/Access.h"
#include "runtime/emulator/handlers/tensor/MatrixTurn.h"
#include "runtime/emulator/handlers/tensor/WarpWhole.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

using Row = MatrixRow;

constexpr u32 lanesWithAddress(u32 count) {
  return count == 4 ? kAllLanes : (1u << (8 * count)) - 1;
}

/// op.a: addresses of the rows, op.more: the registers.
template <u32 kCount, bool kTurned> void loadMatrix(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, "ldmatrix needs all 32 lanes of the warp, some are missing"))
    return;
  Lanes lanes;
  if (locate<Place::kShared>(warp, op, lanesWithAddress(kCount), op.a, 16, Use::kRead, lanes) ==
      Shape::kNone)
    return;
  for (u32 m = 0; m < kCount; ++m) {
    Row rows[8];
    for (u32 i = 0; i < 8; ++i)
      rows[i] = *reinterpret_cast<const Row *>(lanes.at[8 * m + i]);
    if (kTurned)
      turnMatrix(rows);
    Row *d = lanesOf<Row>(warp, op.more[m]);
    for (u32 i = 0; i < 8; ++i)
      d[i] = rows[i];
  }
}

template <u32 kCount, bool kTurned> void storeMatrix(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, "stmatrix needs all 32 lanes of the warp, some are missing"))
    return;
  Lanes lanes;
  if (locate<Place::kShared>(warp, op, lanesWithAddress(kCount), op.a, 16, Use::kWrite, lanes) ==
      Shape::kNone)
    return;
  for (u32 m = 0; m < kCount; ++m) {
    const Row *from = lanesOf<Row>(warp, op.more[m]);
    Row rows[8];
    for (u32 i = 0; i < 8; ++i)
      rows[i] = from[i];
    if (kTurned)
      turnMatrix(rows);
    for (u32 i = 0; i < 8; ++i)
      *reinterpret_cast<Row *>(lanes.at[8 * m + i]) = rows[i];
  }
}

void moveMatrix(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, "movmatrix needs all 32 lanes of the warp, some are missing"))
    return;
  const Row *from = lanesOf<Row>(warp, op.a);
  Row rows[8];
  for (u32 i = 0; i < 8; ++i)
    rows[i] = from[i];
  turnMatrix(rows);
  Row *d = lanesOf<Row>(warp, op.d);
  for (u32 i = 0; i < 8; ++i)
    d[i] = rows[i];
}

constexpr OpClass kS = OpClass::kShared;

#define MATRICES(name, count)                                                                      \
  {"ldmatrix." name, loadMatrix<count, false>, nullptr, kS},                                       \
      {"ldmatrix." name ".trans", loadMatrix<count, true>, nullptr, kS},                           \
      {"stmatrix." name, storeMatrix<count, false>, nullptr, kS}, {                                \
    "stmatrix." name ".trans", storeMatrix<count, true>, nullptr, kS                               \
  }

const Instruction kRows[] = {
    MATRICES("x1", 1),
    MATRICES("x2", 2),
    MATRICES("x4", 4),
    {"movmatrix.sync.aligned.m8n8.trans.b16", moveMatrix, "w:w", OpClass::kShuffle},
};

} // namespace

void addMatrixAccessHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
