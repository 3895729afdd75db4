// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrices of tcgen05.mma as numbers that are multiplied: A row after row, B with the columns
// side by side. A number is a float, or a pair of integers of 16 bits that follow each other along
// K.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TMEM_TMEMPANELS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TMEM_TMEMPANELS_H

#include "runtime/emulator/handlers/tmem/TmemElements.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

static constexpr u32 kTmemDepth = 64; ///< numbers along K
static constexpr u32 kMaxWidth = MmaJob::kMaxColumns + 32;

/// A: at[row * depth + k].
struct TmemPanelA {
  alignas(64) u32 at[MmaJob::kMaxRows * kTmemDepth];
};
/// B: at[k * kMaxWidth + column].
struct TmemPanelB {
  alignas(64) u32 at[kTmemDepth * kMaxWidth];
};

/// Numbers along K: two bytes make one.
static inline u32 depthOf(const MmaCall &call) {
  return call.form.kind == MmaKind::kI8 ? call.shape.k / 2 : call.shape.k;
}

/// Calls `put(row along M or N, number along K, value)` for an MN-major matrix.
template <typename Put>
static void readTurned(const MmaCall &call, MmaType type, const u8 *memory, const u32 *pieces,
                       MmaPieces count, Put put) {
  if (call.form.kind == MmaKind::kI8) {
    bool isSigned = type == MmaType::kS8;
    for (u32 k = 0; k < count.outer; k += 2)
      for (u32 j = 0; j < count.inner; ++j) {
        const u8 *low = memory + pieces[k * count.inner + j];
        const u8 *high = memory + pieces[(k + 1) * count.inner + j];
        for (u32 i = 0; i < 16; ++i) {
          u32 x = isSigned ? u32(s32(s8(low[i]))) & 0xffff : low[i];
          u32 y = isSigned ? u32(s32(s8(high[i]))) : high[i];
          put(16 * j + i, k / 2, x | y << 16);
        }
      }
    return;
  }
  WidenPiece widen = widenOf(type, call.form, false);
  u32 perPiece = 128 / (type == MmaType::kTf32 ? 32 : type <= MmaType::kBf16 ? 16 : 8);
  u32 numbers[16];
  for (u32 k = 0; k < count.outer; ++k)
    for (u32 j = 0; j < count.inner; ++j) {
      widen(memory + pieces[k * count.inner + j], numbers);
      for (u32 i = 0; i < perPiece; ++i)
        put(perPiece * j + i, k, numbers[i]);
    }
}

static inline void readA(const MmaJob &job, const MmaJob::Part &part, u32 rows, TmemPanelA &panel) {
  const MmaCall &call = *job.call;
  u32 depth = depthOf(call);
  MmaPieces count{rows, 2};
  if (call.shape.isTurnedA) {
    u32 bits = call.shape.a <= MmaType::kBf16 ? 16 : call.shape.a == MmaType::kTf32 ? 32 : 8;
    count = {call.shape.k, rows * bits / 128};
    readTurned(call, call.shape.a, part.memory, part.a, count,
               [&](u32 row, u32 k, u32 value) { panel.at[row * depth + k] = value; });
    return;
  }
  WidenPiece widen = widenOf(call.shape.a, call.form, false);
  for (u32 row = 0; row < rows; ++row)
    for (u32 j = 0; j < 2; ++j)
      widen(part.memory + part.a[2 * row + j], panel.at + row * depth + j * depth / 2);
}

/// Columns of a block's part of B from `first` on.
static inline void readB(const MmaJob &job, const MmaJob::Part &part, u32 first,
                         TmemPanelB &panel) {
  const MmaCall &call = *job.call;
  u32 depth = depthOf(call), columns = job.columnsOfBlock;
  u32 *to = panel.at + first;
  if (call.shape.isTurnedB) {
    u32 bits = call.shape.b <= MmaType::kBf16 ? 16 : call.shape.b == MmaType::kTf32 ? 32 : 8;
    MmaPieces count{call.shape.k, (columns * bits + 127) / 128};
    readTurned(call, call.shape.b, part.memory, part.b, count,
               [&](u32 column, u32 k, u32 value) { to[k * kMaxWidth + column] = value; });
    return;
  }
  WidenPiece widen = widenOf(call.shape.b, call.form, false);
  for (u32 n = 0; n < columns; n += 8) {
    alignas(64) u32 rows[8][kTmemDepth];
    u32 count = columns - n < 8 ? columns - n : 8;
    for (u32 i = 0; i < count; ++i)
      for (u32 j = 0; j < 2; ++j)
        widen(part.memory + part.b[2 * (n + i) + j], rows[i] + j * depth / 2);
    for (u32 k = 0; k < depth; ++k)
      for (u32 i = 0; i < 8; ++i)
        to[k * kMaxWidth + n + i] = rows[i][k];
  }
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TMEM_TMEMPANELS_H
