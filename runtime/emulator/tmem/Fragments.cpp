// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shapes in which data move between registers, shared memory and tensor memory.
#include "runtime/emulator/tmem/Fragments.h"
#include "runtime/emulator/exec/Op.h"
#include "runtime/emulator/tmem/Tmem.h"
#include <cmath>
#include <cstring>

namespace heddle::emulator {

TmemElement tmemElement(const TmemMove &move, uint32_t lane, uint32_t reg) {
  uint32_t quad = lane / 4, in = lane % 4, factor = move.isPacked ? 2 : 1;
  switch (move.shape) {
  case TmemShape::k32x32:
    return {lane, reg * factor};
  case TmemShape::k16x64: // Figure 184
    return {quad + 8 * (in & 1), (2 * reg + (in >> 1)) * factor};
  case TmemShape::k16x128: // Figure 185
    return {quad + 8 * (reg & 1), (4 * (reg >> 1) + in) * factor};
  case TmemShape::k16x256: // Figure 186
    return {quad + 8 * (reg >> 1 & 1), (8 * (reg >> 2) + 2 * in + (reg & 1)) * factor};
  default: // Figure 187
    return {lane % 16, reg * factor + (lane / 16) * move.split};
  }
}

uint32_t tmemColumns(const TmemMove &move) {
  uint32_t factor = move.isPacked ? 2 : 1;
  switch (move.shape) {
  case TmemShape::k32x32:
    return move.count * factor;
  case TmemShape::k16x32x2:
    return move.count * factor + move.split;
  default: // 16 lanes hold what 32 lanes of registers hold
    return 2 * move.count * factor;
  }
}

void loadFragment(const Tmem &tmem, const TmemMove &move, uint32_t lane, uint32_t column,
                  uint32_t *const *registers) {
  for (uint32_t l = 0; l < kLaneCount; ++l)
    for (uint32_t r = 0; r < move.count; ++r) {
      TmemElement at = tmemElement(move, l, r);
      const uint32_t *from = tmem.row(lane + at.lane) + column + at.column;
      registers[r][l] = move.isPacked ? (from[0] & 0xffff) | from[1] << 16 : from[0];
    }
}

void storeFragment(Tmem &tmem, const TmemMove &move, uint32_t lane, uint32_t column,
                   const uint32_t *const *registers) {
  for (uint32_t l = 0; l < kLaneCount; ++l)
    for (uint32_t r = 0; r < move.count; ++r) {
      TmemElement at = tmemElement(move, l, r);
      uint32_t *to = tmem.row(lane + at.lane) + column + at.column;
      uint32_t value = registers[r][l];
      to[0] = move.isPacked ? value & 0xffff : value;
      if (move.isPacked)
        to[1] = value >> 16;
    }
}

namespace {

uint32_t reduceFloats(uint32_t flags, uint32_t a, uint32_t b) {
  float x, y;
  std::memcpy(&x, &a, 4);
  std::memcpy(&y, &b, 4);
  bool xIsNan = std::isnan(x), yIsNan = std::isnan(y);
  if (xIsNan || yIsNan) {
    bool isNan = (flags & kReduceNan) || (xIsNan && yIsNan);
    return isNan ? 0x7fffffff : xIsNan ? b : a;
  }
  // -0 is below +0.
  bool isLess = x < y || (x == y && std::signbit(x) && !std::signbit(y));
  return isLess == !(flags & kReduceMax) ? a : b;
}

uint32_t reduceTwo(uint32_t flags, uint32_t a, uint32_t b) {
  if (flags & kReduceFloat)
    return reduceFloats(flags, a, b);
  bool isLess = flags & kReduceSigned ? static_cast<int32_t>(a) < static_cast<int32_t>(b) : a < b;
  return isLess == !(flags & kReduceMax) ? a : b;
}

} // namespace

void reduceFragment(const TmemMove &move, const uint32_t *const *registers, uint32_t *to) {
  uint32_t clear = move.reduction & kReduceAbs ? 0x80000000 : 0;
  for (uint32_t l = 0; l < kLaneCount; ++l) {
    uint32_t result = registers[0][l] & ~clear;
    for (uint32_t r = 1; r < move.count; ++r)
      result = reduceTwo(move.reduction, result, registers[r][l] & ~clear);
    to[l] = result;
  }
}

TmemCopyRows copyRows(TmemCopyShape shape) {
  switch (shape) {
  case TmemCopyShape::k128x256:
    return {128, 2, 1};
  case TmemCopyShape::k4x256:
    return {4, 2, 1};
  case TmemCopyShape::k128x128:
    return {128, 1, 1};
  case TmemCopyShape::k64x128w02:
  case TmemCopyShape::k64x128w01:
    return {64, 1, 2};
  default:
    return {32, 1, 4};
  }
}

uint32_t copyLane(TmemCopyShape shape, uint32_t row, uint32_t copy) {
  switch (shape) {
  case TmemCopyShape::k4x256: // one row of each quarter, to refresh what tcgen05.shift leaves
    return 32 * row;
  case TmemCopyShape::k64x128w02: // warps 0 and 2 receive the same rows, 1 and 3 the others
    return row + 64 * copy;
  case TmemCopyShape::k64x128w01: // warps 0 and 1, 2 and 3
    return row % 32 + row / 32 * 64 + 32 * copy;
  case TmemCopyShape::k32x128:
    return row + 32 * copy;
  default:
    return row;
  }
}

/// Six bits stand in bits 0 to 5 of their byte, four in bits 2 to 5 (PTX ISA 9.0, 9.7.16.10.4.3).
void unpackElements(const uint8_t *from, uint32_t bits, uint8_t *to) {
  for (uint32_t i = 0; i < 16; ++i) {
    uint32_t at = i * bits, pair = from[at / 8];
    if (at % 8 + bits > 8)
      pair |= uint32_t(from[at / 8 + 1]) << 8;
    uint32_t value = pair >> (at % 8) & ((1u << bits) - 1);
    to[i] = static_cast<uint8_t>(bits == 4 ? value << 2 : value);
  }
}

} // namespace heddle::emulator
