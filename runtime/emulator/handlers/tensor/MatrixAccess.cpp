// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, stmatrix and movmatrix: matrices between shared memory and the fragments of mma.sync.
//
// A register that holds 8x8 elements of 16 bits is, in lane order, the matrix row by row: lane
// 4g + t has elements 2t and 2t + 1 of row g. So a load without .trans copies rows, and .trans
// turns the matrix.
//
// Elements of a byte: 8 rows of 16 elements (m8n16) are copied in the same way. Of 16 rows with 16
// elements (m16n16, always turned) lane 4g + t gets elements g and g + 8 of the rows 4t to 4t + 3,
// a register each; stmatrix writes element g of the rows 2t and 2t + 1 from bytes 0 and 1 and
// element g + 8 from bytes 2 and 3 (m16n8). Elements of 6 and 4 bits stand in the first 12 or 8
// bytes of a row's 16 and get a byte each.
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

/// 16 elements of kBits in a row to 16 bytes.
template <u32 kBits> void expandRow(const u8 *from, u8 *to) {
  if (kBits == 8) {
    __builtin_memcpy(to, from, 16);
    return;
  }
  u64 words[2];
  __builtin_memcpy(words, from, 16);
  for (u32 i = 0; i < 16; ++i) {
    u32 bit = i * kBits, shift = bit & 63;
    u64 value = words[bit >> 6] >> shift;
    if (shift + kBits > 64)
      value |= words[1] << (64 - shift);
    to[i] = u8(value & ((1u << kBits) - 1));
  }
}

template <u32 kCount, bool kTurned, u32 kBits> void loadBytes(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, "ldmatrix needs all 32 lanes of the warp, some are missing"))
    return;
  constexpr u32 kMatrixRows = kTurned ? 16 : 8;
  Lanes lanes;
  if (locate<Place::kShared>(warp, op, lanesWithAddress(kCount * kMatrixRows / 8), op.a, 16,
                             Use::kRead, lanes) == Shape::kNone)
    return;
  for (u32 m = 0; m < kCount; ++m) {
    alignas(64) u8 rows[kMatrixRows][16];
    for (u32 i = 0; i < kMatrixRows; ++i)
      expandRow<kBits>(reinterpret_cast<const u8 *>(lanes.at[kMatrixRows * m + i]), rows[i]);
    if (!kTurned) {
      __builtin_memcpy(lanesOf<u8>(warp, op.more[m]), rows, sizeof rows);
      continue;
    }
    for (u32 r = 0; r < 2; ++r) {
      u8 *d = lanesOf<u8>(warp, op.more[2 * m + r]);
      for (u32 l = 0; l < kLaneCount; ++l)
        for (u32 j = 0; j < 4; ++j)
          d[4 * l + j] = rows[4 * (l & 3) + j][(l >> 2) + 8 * r];
    }
  }
}

template <u32 kCount> void storeBytes(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, "stmatrix needs all 32 lanes of the warp, some are missing"))
    return;
  Lanes lanes;
  if (locate<Place::kShared>(warp, op, lanesWithAddress(kCount), op.a, 16, Use::kWrite, lanes) ==
      Shape::kNone)
    return;
  for (u32 m = 0; m < kCount; ++m) {
    const u8 *from = lanesOf<u8>(warp, op.more[m]);
    for (u32 l = 0; l < kLaneCount; ++l)
      for (u32 j = 0; j < 4; ++j)
        reinterpret_cast<u8 *>(lanes.at[8 * m + 2 * (l & 3) + (j & 1)])[(l >> 2) + 8 * (j >> 1)] =
            from[4 * l + j];
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

#define BYTES(bits, count)                                                                         \
  {"ldmatrix.m16n16.x1.b" bits, loadBytes<1, true, count>, nullptr, kS},                           \
      {"ldmatrix.m16n16.x2.b" bits, loadBytes<2, true, count>, nullptr, kS},                       \
      {"ldmatrix.m8n16.x1.b" bits, loadBytes<1, false, count>, nullptr, kS},                       \
      {"ldmatrix.m8n16.x2.b" bits, loadBytes<2, false, count>, nullptr, kS}, {                     \
    "ldmatrix.m8n16.x4.b" bits, loadBytes<4, false, count>, nullptr, kS                            \
  }

const Instruction kRows[] = {
    MATRICES("x1", 1),
    MATRICES("x2", 2),
    MATRICES("x4", 4),
    BYTES("8", 8),
    BYTES("6", 6),
    BYTES("4", 4),
    {"stmatrix.m16n8.x1", storeBytes<1>, nullptr, kS},
    {"stmatrix.m16n8.x2", storeBytes<2>, nullptr, kS},
    {"stmatrix.m16n8.x4", storeBytes<4>, nullptr, kS},
    {"movmatrix.sync.aligned.m8n8.trans.b16", moveMatrix, "w:w", OpClass::kShuffle},
};

} // namespace

void addMatrixAccessHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
