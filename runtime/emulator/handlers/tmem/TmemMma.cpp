// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of tcgen05.mma: a row of D is a lane of tensor memory, so vectors run along N.
// Sums run over K in ascending order, each step rounded once; with block scaling a block's products
// are summed first, scaled in f64 and rounded to f32 when all blocks are added.
#include "runtime/emulator/handlers/tmem/TmemNumerics.h"
#include "runtime/emulator/handlers/tmem/TmemPanels.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

constexpr u32 kTileRows = kVectorRows == 16 ? 8 : 4; ///< that are kept in registers
constexpr u32 kRowsAtOnce = 16;
constexpr u32 kColumns = MmaJob::kTmemColumns;

using WordsAnywhere [[gnu::vector_size(4 * kVectorRows), gnu::may_alias, gnu::aligned(4)]] = u32;

struct Factors {
  const u32 *a; ///< rows of A, `strideA` apart
  u32 strideA;
  const u32 *b; ///< numbers along K, kMaxWidth apart
  u32 depth;
};

/// sums[row * stride + column] += ... for kTileRows rows and kSets vectors of columns.
template <typename Steps, u32 kSets>
void multiplyTile(const Factors &f, u32 *sums, u32 stride, bool accumulates) {
  using Number = typename Steps::Number;
  Words sum[kTileRows][kSets];
#pragma GCC unroll 8
  for (u32 r = 0; r < kTileRows; ++r)
#pragma GCC unroll 2
    for (u32 v = 0; v < kSets; ++v)
      sum[r][v] = accumulates
                      ? (Words) * (const WordsAnywhere *)(sums + r * stride + v * kVectorRows)
                      : Words{};
  for (u32 k = 0; k < f.depth; ++k) {
    Words column[kSets];
#pragma GCC unroll 2
    for (u32 v = 0; v < kSets; ++v)
      column[v] = (Words) * (const WordsAnywhere *)(f.b + k * kMaxWidth + v * kVectorRows);
#pragma GCC unroll 8
    for (u32 r = 0; r < kTileRows; ++r) {
      Words number = splat(bitCast<Number>(f.a[r * f.strideA + k]));
#pragma GCC unroll 2
      for (u32 v = 0; v < kSets; ++v)
        sum[r][v] = Steps::step(column[v], number, sum[r][v]);
    }
  }
#pragma GCC unroll 8
  for (u32 r = 0; r < kTileRows; ++r)
#pragma GCC unroll 2
    for (u32 v = 0; v < kSets; ++v)
      *(WordsAnywhere *)(sums + r * stride + v * kVectorRows) = (WordsAnywhere)sum[r][v];
}

/// Any number of columns; rows are a multiple of kTileRows.
template <typename Steps>
void multiplyRows(Factors f, u32 *sums, u32 stride, u32 rows, u32 columns, bool accumulates) {
  for (u32 row = 0; row < rows; row += kTileRows) {
    Factors own = f;
    own.a += row * f.strideA;
    u32 *to = sums + row * stride;
    u32 column = 0;
    for (; column + 2 * kVectorRows <= columns; column += 2 * kVectorRows) {
      own.b = f.b + column;
      multiplyTile<Steps, 2>(own, to + column, stride, accumulates);
    }
    for (; column < columns; column += kVectorRows) {
      own.b = f.b + column;
      u32 left = columns - column;
      if (left >= kVectorRows) {
        multiplyTile<Steps, 1>(own, to + column, stride, accumulates);
        continue;
      }
      alignas(64) u32 last[kTileRows * kVectorRows] = {};
      for (u32 r = 0; r < kTileRows; ++r)
        for (u32 i = 0; i < left; ++i)
          last[r * kVectorRows + i] = to[r * stride + column + i];
      multiplyTile<Steps, 1>(own, last, kVectorRows, accumulates);
      for (u32 r = 0; r < kTileRows; ++r)
        for (u32 i = 0; i < left; ++i)
          to[r * stride + column + i] = last[r * kVectorRows + i];
    }
  }
}

/// What is multiplied and where it goes, for one panel of one block.
struct Place {
  const MmaJob &job;
  const MmaJob::Part &part;
  const MmaPanel &panel;
  Factors factors;
  u32 *sums; ///< of the first row
};

/// Sums of f32 or s32, as wanted.
template <typename Steps>
void multiplySums(const Place &place, const Factors &f, u32 *sums, u32 stride, u32 rows) {
  const MmaJob &job = place.job;
  u32 columns = place.panel.columns;
  if (job.isAsHardware)
    multiplyPanelAsHardware(job, f.a, f.b, f.depth, sums, stride, rows, columns);
  else
    multiplyRows<Steps>(f, sums, stride, rows, columns, job.call->accumulates);
}

/// Sums stand in tensor memory as they are.
template <typename Steps> void multiplyDirect(const Place &place) {
  const MmaCall &call = *place.job.call;
  if (call.scaleD && call.accumulates) {
    f32 scale = 1.0f / f32(1u << call.scaleD);
    for (u32 row = 0; row < place.panel.rows; ++row)
      for (u32 n = 0; n < place.panel.columns; ++n) {
        u32 &sum = place.sums[row * kColumns + n];
        sum = floatBits(floatOf(sum) * scale);
      }
  }
  multiplySums<Steps>(place, place.factors, place.sums, kColumns, place.panel.rows);
}

/// Sums in f16 stand in the low halves of words; they are rounded once.
template <typename Steps> void multiplyToHalf(const Place &place) {
  const MmaCall &call = *place.job.call;
  f32 scale = 1.0f / f32(1u << call.scaleD);
  alignas(64) f32 wide[kRowsAtOnce * 256];
  u32 columns = place.panel.columns;
  for (u32 row = 0; row < place.panel.rows; row += kRowsAtOnce) {
    for (u32 r = 0; r < kRowsAtOnce; ++r)
      for (u32 n = 0; n < columns; ++n)
        wide[r * columns + n] = halfToFloat(u16(place.sums[(row + r) * kColumns + n])) * scale;
    Factors f = place.factors;
    f.a += row * f.strideA;
    multiplySums<Steps>(place, f, (u32 *)wide, columns, kRowsAtOnce);
    for (u32 r = 0; r < kRowsAtOnce; ++r)
      for (u32 n = 0; n < columns; ++n)
        place.sums[(row + r) * kColumns + n] = floatToHalf(wide[r * columns + n]);
  }
}

/// Sums stop at the ends of s32; the products alone cannot reach them.
void multiplySaturating(const Place &place) {
  const MmaCall &call = *place.job.call;
  alignas(64) s32 products[kRowsAtOnce * 256];
  u32 columns = place.panel.columns;
  for (u32 row = 0; row < place.panel.rows; row += kRowsAtOnce) {
    Factors f = place.factors;
    f.a += row * f.strideA;
    multiplyRows<PairSteps>(f, (u32 *)products, columns, kRowsAtOnce, columns, false);
    for (u32 r = 0; r < kRowsAtOnce; ++r)
      for (u32 n = 0; n < columns; ++n) {
        u32 &sum = place.sums[(row + r) * kColumns + n];
        s64 exact = s64(products[r * columns + n]) + (call.accumulates ? s32(sum) : 0);
        exact = exact > INT32_MAX ? INT32_MAX : exact;
        sum = u32(s32(exact < INT32_MIN ? INT32_MIN : exact));
      }
  }
}

template <typename Steps> void multiplyScaled(const Place &place) {
  const MmaCall &call = *place.job.call;
  u32 blocks = call.form.scaleVector, depth = place.factors.depth / blocks;
  u32 columns = place.panel.columns;
  alignas(64) f32 products[kRowsAtOnce * 256];
  alignas(64) f64 total[256];
  for (u32 row = 0; row < place.panel.rows; row += kRowsAtOnce) {
    alignas(64) f64 totals[kRowsAtOnce][256];
    for (u32 r = 0; r < kRowsAtOnce; ++r)
      for (u32 n = 0; n < columns; ++n)
        totals[r][n] = call.accumulates ? f64(floatOf(place.sums[(row + r) * kColumns + n])) : 0.0;
    for (u32 k = 0; k < blocks; ++k) {
      Factors f = place.factors;
      f.a += row * f.strideA + k * depth;
      f.b += k * depth * kMaxWidth;
      f.depth = depth;
      multiplyRows<Steps>(f, (u32 *)products, columns, kRowsAtOnce, columns, false);
      for (u32 n = 0; n < columns; ++n)
        total[n] = place.part.scaleB[place.panel.column + n][k];
      for (u32 r = 0; r < kRowsAtOnce; ++r) {
        f64 scale = place.part.scaleA[place.panel.row + row + r][k];
        for (u32 n = 0; n < columns; ++n)
          totals[r][n] += f64(products[r * columns + n]) * (scale * total[n]);
      }
    }
    for (u32 r = 0; r < kRowsAtOnce; ++r)
      for (u32 n = 0; n < columns; ++n)
        place.sums[(row + r) * kColumns + n] = floatBits(f32(totals[r][n]));
  }
}

bool isExact(MmaType type) { return type != MmaType::kBf16 && type != MmaType::kTf32; }

void multiplyPanel(const Place &place) {
  const MmaCall &call = *place.job.call;
  if (call.form.kind == MmaKind::kI8)
    return call.shape.saturates ? multiplySaturating(place) : multiplyDirect<PairSteps>(place);
  if (call.form.scaleVector)
    return multiplyScaled<FloatSteps<true>>(place);
  bool exact = isExact(call.shape.a) && isExact(call.shape.b);
  if (call.shape.d == MmaType::kF16)
    return exact ? multiplyToHalf<FloatSteps<true>>(place)
                 : multiplyToHalf<FloatSteps<false>>(place);
  return exact ? multiplyDirect<FloatSteps<true>>(place) : multiplyDirect<FloatSteps<false>>(place);
}

/// Lanes that are disabled keep what they hold.
[[gnu::noinline]] void multiplyKeeping(const Place &place) {
  u32 kept[MmaJob::kMaxRows][256];
  const MmaPanel &panel = place.panel;
  for (u32 row = 0; row < panel.rows; ++row)
    __builtin_memcpy(kept[row], place.sums + row * kColumns, panel.columns * 4);
  multiplyPanel(place);
  for (u32 row = 0; row < panel.rows; ++row) {
    u32 lane = panel.lane + row;
    if (place.part.disabled[lane / 32] >> (lane % 32) & 1)
      __builtin_memcpy(place.sums + row * kColumns, kept[row], panel.columns * 4);
  }
}

/// A's rows stand in the same lanes as those of D.
void readTmemA(const MmaJob &job, const MmaJob::Part &part, const MmaPanel &panel, TmemPanelA &to) {
  const MmaCall &call = *job.call;
  u32 depth = depthOf(call);
  WidenPiece widen = widenOf(call.shape.a, call.form, true);
  for (u32 row = 0; row < panel.rows; ++row) {
    u32 lane = panel.lane + row;
    if (call.isShifted && lane + 1 < MmaJob::kMaxRows)
      ++lane;
    const u8 *from = (const u8 *)(part.words + lane * kColumns + (call.tmemA & 0xffff));
    for (u32 j = 0; j < 2; ++j)
      widen(from + 16 * j, to.at + row * depth + j * depth / 2);
  }
}

void negate(TmemPanelA &panel, u32 count) {
  for (u32 i = 0; i < count; ++i)
    panel.at[i] ^= 0x80000000;
}

void multiplyBlock(const MmaJob &job, const MmaJob::Part &part, TmemPanelA &a,
                   const TmemPanelB &b) {
  const MmaCall &call = *job.call;
  u32 rows = call.shape.m / job.blockCount, depth = depthOf(call);
  if (!call.hasTmemA) {
    readA(job, part, rows, a);
    if (call.shape.isNegative)
      negate(a, rows * depth);
  }
  for (u32 i = 0; i < job.panelCount; ++i) {
    const MmaPanel &panel = job.panels[i];
    if (call.hasTmemA) {
      readTmemA(job, part, panel, a);
      if (call.shape.isNegative)
        negate(a, panel.rows * depth);
    }
    Factors factors{a.at + (call.hasTmemA ? 0 : panel.row * depth), depth,
                    b.at + call.columnMask.shift + panel.column, depth};
    u32 *sums = part.words + panel.lane * kColumns + (call.tmemD & 0xffff);
    Place place{job, part, panel, factors, sums};
    if (part.disabled[0] | part.disabled[1] | part.disabled[2] | part.disabled[3])
      multiplyKeeping(place);
    else
      multiplyPanel(place);
  }
}

void multiply(const MmaJob &job) {
  const MmaCall &call = *job.call;
  TmemPanelA a;
  TmemPanelB b;
  for (u32 i = 0; i < job.blockCount; ++i)
    readB(job, job.parts[i], i * job.columnsOfBlock, b);
  for (u32 column = 0; column < call.shape.n; ++column)
    if (call.columnMask.bits[column / 64] >> (column % 64) & 1)
      for (u32 k = 0; k < depthOf(call); ++k)
        b.at[k * kMaxWidth + call.columnMask.shift + column] = 0;
  for (u32 i = 0; i < job.blockCount; ++i)
    multiplyBlock(job, job.parts[i], a, b);
}

void mma(Warp &warp, const Op &op) { issueMma(warp, op, multiply); }

const Instruction kTmemRows[] = {{"tcgen05.mma", mma, nullptr, OpClass::kTensor}};

} // namespace

void addTmemMmaHandlers(HandlerTable &table) { addRows(table, kTmemRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
