// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wmma.load and wmma.store: whole matrices between memory and the registers of a warp.
#include "runtime/emulator/handlers/Access.h"
#include "runtime/emulator/handlers/tensor/WarpWhole.h"
#include "runtime/emulator/numerics/WmmaLayout.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

constexpr u32 kMaxLineBytes = 128, kMaxPieceBytes = 16;

/// A matrix with its lines, rows or columns, one after the other.
struct Image {
  alignas(64) u8 lines[kLaneCount][kMaxLineBytes];
};

/// Copies the lines between memory and the image. False: a fault.
template <Place kPlace, bool kStores>
bool copyLines(Warp &warp, const Op &op, const WmmaMove &move, Image &image) {
  u32 lineBytes = move.lineElements() * move.bits / 8;
  u32 pieceBytes = lineBytes < kMaxPieceBytes ? lineBytes : kMaxPieceBytes;
  u32 count = move.lines(), mask = count == kLaneCount ? kAllLanes : (1u << count) - 1;
  Lanes base;
  if (kPlace == Place::kShared && op.target == 4) {
    const u32 *address = lanesOf<u32>(warp, op.a);
    LANES base.at[l] = u32(address[l] + u32(op.imm));
  } else {
    const u64 *address = lanesOf<u64>(warp, op.a);
    LANES base.at[l] = address[l] + u64(op.imm);
  }
  u64 first = base.at[0], differs = 0;
  u64 stride = move.lineElements();
  LANES differs |= base.at[l] ^ first;
  if (move.stride != WmmaMove::kNoStride) {
    const u32 *given = lanesOf<u32>(warp, move.stride);
    stride = given[0];
    LANES differs |= u64(given[l] ^ given[0]);
  }
  if (differs) {
    reportFault(warp, op, Fault::kInvalid, kLaneCount,
                "wmma's address and stride must be the same in all lanes");
    return false;
  }
  for (u32 piece = 0; piece < lineBytes; piece += pieceBytes) {
    Lanes lanes;
    LANES lanes.at[l] = first + l * (stride * move.bits / 8) + piece;
    Block &block = *warp.block;
    Shape shape = kPlace == Place::kGlobal ? locateGlobal(warp, op, mask, pieceBytes, lanes)
                  : kPlace == Place::kShared
                      ? locateWindow(warp, op, mask, pieceBytes, lanes, "shared", block.shared,
                                     kSharedBase, block.sharedBytes, 0)
                      : locateGeneric(warp, op, mask, pieceBytes, lanes);
    if (seen(warp, op, mask, pieceBytes, kStores ? Use::kWrite : Use::kRead, lanes, shape) ==
        Shape::kNone)
      return false;
    for (u32 line = 0; line < count; ++line) {
      u8 *memory = reinterpret_cast<u8 *>(lanes.at[line]), *own = image.lines[line] + piece;
      __builtin_memcpy(kStores ? memory : own, kStores ? own : memory, pieceBytes);
    }
  }
  return true;
}

/// Every element of the registers and its place in the image.
template <typename Visit> void forElements(const WmmaMove &move, Visit visit) {
  u32 parts = move.bits > 32 ? 1 : 32 / move.bits, row = 0, column = 0;
  for (u32 reg = 0; reg < move.registers; ++reg)
    for (u32 lane = 0; lane < kLaneCount; ++lane)
      for (u32 part = 0; part < parts; ++part)
        if (move.element(reg, lane, part, row, column))
          visit(reg, lane, part, move.isColumn ? column : row,
                (move.isColumn ? row : column) * move.bits);
}

template <Place kPlace> void loadFragment(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, "wmma.load needs all 32 lanes of the warp, some are missing"))
    return;
  const WmmaMove &move = *reinterpret_cast<const WmmaMove *>(op.more);
  const u32 *slots = op.more + sizeof move / sizeof(u32);
  Image image;
  if (!copyLines<kPlace, false>(warp, op, move, image))
    return;
  u32 bytes = move.bits > 32 ? 8 : 4;
  for (u32 reg = 0; reg < move.registers; ++reg)
    __builtin_memset(warp.registers + slots[reg], 0, kLaneCount * bytes);
  u64 mask = move.bits > 32 ? ~u64(0) : (u64(1) << move.bits) - 1;
  forElements(move, [&](u32 reg, u32 lane, u32 part, u32 line, u32 bit) {
    u64 value = 0;
    __builtin_memcpy(&value, image.lines[line] + bit / 8, move.bits < 8 ? 1 : move.bits / 8);
    value = (value >> (bit & 7)) & mask;
    if (bytes == 8)
      lanesOf<u64>(warp, slots[reg])[lane] = value;
    else
      lanesOf<u32>(warp, slots[reg])[lane] |= u32(value) << (part * move.bits);
  });
}

/// Sums only, so no element is narrower than 16 bits.
template <Place kPlace> void storeFragment(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, "wmma.store needs all 32 lanes of the warp, some are missing"))
    return;
  const WmmaMove &move = *reinterpret_cast<const WmmaMove *>(op.more);
  const u32 *slots = op.more + sizeof move / sizeof(u32);
  Image image;
  forElements(move, [&](u32 reg, u32 lane, u32 part, u32 line, u32 bit) {
    u64 value = move.bits > 32 ? lanesOf<u64>(warp, slots[reg])[lane]
                               : lanesOf<u32>(warp, slots[reg])[lane] >> (part * move.bits & 31);
    __builtin_memcpy(image.lines[line] + bit / 8, &value, move.bits / 8);
  });
  copyLines<kPlace, true>(warp, op, move, image);
}

const Instruction kMoveRows[] = {
    {"wmma.load.global", loadFragment<Place::kGlobal>, nullptr, OpClass::kMove},
    {"wmma.load.shared", loadFragment<Place::kShared>, nullptr, OpClass::kMove},
    {"wmma.load.generic", loadFragment<Place::kGeneric>, nullptr, OpClass::kMove},
    {"wmma.store.global", storeFragment<Place::kGlobal>, nullptr, OpClass::kMove},
    {"wmma.store.shared", storeFragment<Place::kShared>, nullptr, OpClass::kMove},
    {"wmma.store.generic", storeFragment<Place::kGeneric>, nullptr, OpClass::kMove},
};

} // namespace

void addWmmaMoveHandlers(HandlerTable &table) { addRows(table, kMoveRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
