// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves rows of a tensor's box between global and shared memory: fill, swizzling, conversions.
#include "runtime/emulator/async/TensorCopy.h"
#include <cstring>

namespace heddle::emulator {

namespace {

constexpr uint32_t kUnit = 16;
constexpr uint32_t kMaxRowBytes = 256 * 32;
/// What NAN_REQUEST_ZERO_FMA fills with, in every 16 bits; hardware's value as others measured it.
constexpr uint16_t kOutsideNaN = 0x7ff7;

struct RowBuffer {
  alignas(64) uint8_t bytes[kMaxRowBytes];
};

/// Calls move(at in the row, pointer into the box) for each 16-byte unit of `bytes` in shared
/// memory; with the 8-byte flip for each half of one.
template <typename Box, typename F>
void forEachUnit(const TensorMap &map, uint32_t shared, uint32_t bytes, Box *box, uint32_t address,
                 F move) {
  uint32_t unit = map.atom == SwizzleAtom::k32BytesFlip8 ? kUnit / 2 : kUnit;
  for (uint32_t at = 0; at < bytes; at += unit)
    move(at, unit, box + (swizzled(map, address + shared + at) - address));
}

/// Most rows: whole 16-byte units that move as they are.
template <typename Box, typename F>
void forEachWholeUnit(const TensorMap &map, uint32_t shared, uint32_t bytes, Box *box,
                      uint32_t address, F move) {
  uint32_t begin = address + shared;
  uint32_t line = begin & ~127u;
  if (((begin + bytes - 1) & ~127u) == line && map.atom == SwizzleAtom::k16Bytes) {
    // One line: all units change by the same bits.
    uint32_t flip = (begin >> 7 & (map.swizzleBytes / kUnit - 1u)) * kUnit;
    Box *base = box + (static_cast<int64_t>(line) - static_cast<int64_t>(address));
    for (uint32_t at = 0; at < bytes; at += kUnit)
      move(at, kUnit, base + ((begin - line + at) ^ flip));
    return;
  }
  forEachUnit(map, shared, bytes, box, address, move);
}

void scatter(const TensorMap &map, const TensorRow &row, const uint8_t *from, uint32_t bytes,
             uint8_t *box, uint32_t address) {
  if (map.swizzleBytes == 0) {
    std::memcpy(box + row.shared, from, bytes);
    return;
  }
  forEachWholeUnit(map, row.shared, bytes, box, address,
                   [&](uint32_t at, uint32_t size, uint8_t *to) {
                     if (size == kUnit)
                       std::memcpy(to, from + at, kUnit);
                     else
                       std::memcpy(to, from + at, size);
                   });
}

void gather(const TensorMap &map, const TensorRow &row, uint8_t *to, uint32_t bytes,
            const uint8_t *box, uint32_t address) {
  if (map.swizzleBytes == 0) {
    std::memcpy(to, box + row.shared, bytes);
    return;
  }
  forEachWholeUnit(map, row.shared, bytes, box, address,
                   [&](uint32_t at, uint32_t size, const uint8_t *from) {
                     if (size == kUnit)
                       std::memcpy(to + at, from, kUnit);
                     else
                       std::memcpy(to + at, from, size);
                   });
}

void fill(const TensorMap &map, uint8_t *to, uint32_t bytes) {
  if (!map.fillsNaN) {
    std::memset(to, 0, bytes);
    return;
  }
  for (uint32_t i = 0; i + 1 < bytes; i += 2)
    std::memcpy(to + i, &kOutsideNaN, 2);
}

/// A load through a tf32 map rounds to 10 bits of fraction, ties to even (PTX ISA 9.0, 5.5.1).
void roundToTF32(uint8_t *bytes, uint32_t count) {
  for (uint32_t i = 0; i < count; i += 4) {
    uint32_t bits;
    std::memcpy(&bits, bytes + i, 4);
    bool isFinite = (bits & 0x7f800000) != 0x7f800000;
    if (isFinite)
      bits = (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
    else if (bits & 0x7fffff)
      bits = 0x7fffffff;
    std::memcpy(bytes + i, &bits, 4);
  }
}

bool isTF32(TensorType type) { return type == TensorType::kTF32 || type == TensorType::kTF32Ftz; }

/// Bytes of data in 16 bytes of shared memory; 16: the type has no gaps.
uint32_t dataInUnit(TensorType type) {
  return type == TensorType::kB4x16P64 ? 8 : type == TensorType::kB6x16P32 ? 12 : kUnit;
}

/// 8 or 12 bytes of data, then a gap: shared memory of the widened types.
uint32_t widen(TensorType type, const uint8_t *from, uint32_t bytes, uint8_t *to) {
  uint32_t data = dataInUnit(type), units = bytes / data;
  std::memset(to, 0, units * kUnit);
  for (uint32_t i = 0; i < units; ++i)
    std::memcpy(to + i * kUnit, from + i * data, data);
  return units * kUnit;
}

/// b6p2x16: the low 6 bits of 16 bytes become 12 bytes.
void packSixBits(const uint8_t *from, uint32_t bytes, uint8_t *to) {
  for (uint32_t i = 0; i < bytes; i += 4, to += 3) {
    uint32_t four = 0;
    for (uint32_t k = 0; k < 4; ++k)
      four |= uint32_t(from[i + k] & 0x3f) << (6 * k);
    to[0] = static_cast<uint8_t>(four);
    to[1] = static_cast<uint8_t>(four >> 8);
    to[2] = static_cast<uint8_t>(four >> 16);
  }
}

uint32_t sharedRowBytes(TensorType type, uint32_t rowBytes) {
  return rowBytes / dataInUnit(type) * kUnit;
}

/// The row as it is in global memory.
const uint8_t *fetchRow(const TensorMap &map, const TensorRow &row, uint32_t rowBytes,
                        const uint8_t *box, uint32_t address, RowBuffer &buffer) {
  if (map.type == TensorType::kB6x16P32) {
    RowBuffer wide;
    uint32_t bytes = sharedRowBytes(map.type, rowBytes);
    gather(map, row, wide.bytes, bytes, box, address);
    packSixBits(wide.bytes, bytes, buffer.bytes);
    return buffer.bytes;
  }
  if (map.swizzleBytes == 0)
    return box + row.shared;
  gather(map, row, buffer.bytes, rowBytes, box, address);
  return buffer.bytes;
}

uint8_t *globalPointer(const TensorRow &row) { return reinterpret_cast<uint8_t *>(row.global); }

} // namespace

uint32_t swizzled(const TensorMap &map, uint32_t address) {
  if (map.swizzleBytes == 0)
    return address;
  uint32_t line = address >> 7;
  switch (map.atom) {
  case SwizzleAtom::k16Bytes:
    return address ^ (line & (map.swizzleBytes / kUnit - 1u)) << 4;
  case SwizzleAtom::k32Bytes:
    return address ^ (line & 3) << 5;
  case SwizzleAtom::k32BytesFlip8:
    return address ^ (line & 3) << 5 ^ (line & 1) << 3;
  case SwizzleAtom::k64Bytes:
    return address ^ (line & 1) << 6;
  }
  return address;
}

void loadRow(const TensorMap &map, const TensorRow &row, uint32_t rowBytes, uint8_t *box,
             uint32_t address) {
  bool isWhole = row.begin == 0 && row.end == rowBytes, isPlain = !isTF32(map.type);
  bool isWidened = dataInUnit(map.type) != kUnit;
  if (isWhole && isPlain && !isWidened)
    return scatter(map, row, globalPointer(row), rowBytes, box, address);
  RowBuffer buffer;
  fill(map, buffer.bytes, row.begin);
  if (row.end > row.begin)
    std::memcpy(buffer.bytes + row.begin, globalPointer(row), row.end - row.begin);
  fill(map, buffer.bytes + row.end, rowBytes - row.end);
  if (!isPlain)
    roundToTF32(buffer.bytes + row.begin, row.end - row.begin);
  if (!isWidened)
    return scatter(map, row, buffer.bytes, rowBytes, box, address);
  RowBuffer wide;
  uint32_t bytes = widen(map.type, buffer.bytes, rowBytes, wide.bytes);
  scatter(map, row, wide.bytes, bytes, box, address);
}

void storeRow(const TensorMap &map, const TensorRow &row, uint32_t rowBytes, const uint8_t *box,
              uint32_t address) {
  if (row.begin >= row.end)
    return;
  RowBuffer buffer;
  const uint8_t *bytes = fetchRow(map, row, rowBytes, box, address, buffer);
  std::memcpy(globalPointer(row), bytes + row.begin, row.end - row.begin);
}

void reduceRow(const TensorMap &map, const Reduction &reduction, const TensorRow &row,
               uint32_t rowBytes, const uint8_t *box, uint32_t address) {
  if (row.begin >= row.end)
    return;
  RowBuffer buffer;
  const uint8_t *bytes = fetchRow(map, row, rowBytes, box, address, buffer);
  reduceInto(reduction, globalPointer(row), bytes + row.begin, row.end - row.begin);
}

void poisonRow(const TensorMap &map, const TensorRow &row, uint32_t rowBytes, uint8_t *box,
               uint32_t address) {
  uint32_t bytes = sharedRowBytes(map.type, rowBytes);
  if (map.swizzleBytes == 0) {
    std::memset(box + row.shared, 0xff, bytes);
    return;
  }
  forEachUnit(map, row.shared, bytes, box, address,
              [](uint32_t, uint32_t size, uint8_t *to) { std::memset(to, 0xff, size); });
}

bool tensorReduction(const TensorMap &map, ReduceOp op, Reduction &reduction) {
  reduction.op = op;
  switch (map.type) {
  case TensorType::kU32:
    reduction.type = ReduceType::kU32;
    break;
  case TensorType::kS32:
    reduction.type = ReduceType::kS32;
    break;
  case TensorType::kU64:
    reduction.type = ReduceType::kU64;
    break;
  case TensorType::kS64:
    reduction.type = ReduceType::kS64;
    break;
  case TensorType::kF16:
    reduction.type = ReduceType::kF16;
    break;
  case TensorType::kBF16:
    reduction.type = ReduceType::kBF16;
    break;
  case TensorType::kF32:
  case TensorType::kF32Ftz:
    reduction.type = ReduceType::kF32;
    break;
  default:
    return false;
  }
  reduction.flushes = map.type == TensorType::kF32Ftz;
  return isReduction(ReduceTarget::kTensor, op, reduction.type);
}

} // namespace heddle::emulator
