// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, stmatrix and movmatrix: 8x8 matrices of 16-bit elements between shared memory and the
// fragments of mma.sync.
//
// A register that holds a matrix is, in lane order, the matrix row by row: lane 4g + t has elements
// 2t and 2t + 1 of row g. So a load without .trans copies rows, and .trans turns the matrix.
#include "runtime/emulator/handlers/Access.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

typedef u16 Row __attribute__((vector_size(16), may_alias));
typedef u32 RowWords __attribute__((vector_size(16), may_alias));
typedef u64 RowPairs __attribute__((vector_size(16), may_alias));

void turn(Row (&m)[8]) {
  Row a[8];
  for (u32 i = 0; i < 4; ++i) {
    a[2 * i] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 0, 8, 1, 9, 2, 10, 3, 11);
    a[2 * i + 1] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  // a[2i + h]: columns 4h to 4h + 3 of the rows 2i and 2i + 1.
  RowWords b[8];
  for (u32 half = 0; half < 2; ++half)
    for (u32 i = 0; i < 2; ++i) {
      RowWords low = (RowWords)a[4 * i + half], high = (RowWords)a[4 * i + 2 + half];
      b[4 * half + i] = __builtin_shufflevector(low, high, 0, 4, 1, 5);
      b[4 * half + 2 + i] = __builtin_shufflevector(low, high, 2, 6, 3, 7);
    }
  // b[4h + 2j + i]: columns 4h + 2j and the next, of the rows 4i to 4i + 3.
  for (u32 j = 0; j < 4; ++j) {
    RowPairs low = (RowPairs)b[2 * j], high = (RowPairs)b[2 * j + 1];
    m[2 * j] = (Row)__builtin_shufflevector(low, high, 0, 2);
    m[2 * j + 1] = (Row)__builtin_shufflevector(low, high, 1, 3);
  }
}

constexpr u32 lanesWithAddress(u32 count) {
  return count == 4 ? kAllLanes : (1u << (8 * count)) - 1;
}

/// All lanes or none; false: nothing to do, or a fault that was reported.
bool isWhole(Warp &warp, const Op &op, const char *what) {
  u32 mask = maskOf(warp, op);
  if (mask == kAllLanes || mask == 0)
    return mask != 0;
  reportFault(warp, op, Fault::kDivergence, kLaneCount, what);
  return false;
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
      turn(rows);
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
      turn(rows);
    for (u32 i = 0; i < 8; ++i)
      *reinterpret_cast<Row *>(lanes.at[8 * m + i]) = rows[i];
  }
}

void turnMatrix(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, "movmatrix needs all 32 lanes of the warp, some are missing"))
    return;
  const Row *from = lanesOf<Row>(warp, op.a);
  Row rows[8];
  for (u32 i = 0; i < 8; ++i)
    rows[i] = from[i];
  turn(rows);
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
    {"movmatrix.sync.aligned.m8n8.trans.b16", turnMatrix, "w:w", OpClass::kShuffle},
};

} // namespace

void addMatrixAccessHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
