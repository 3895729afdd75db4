// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of tcgen05.ld, st, cp and shift. All of them are asynchronous: in lazy mode registers
// that are loaded hold NaN until tcgen05.wait::ld, and what is stored or copied arrives late.
#include "runtime/emulator/check/AsyncNotes.h"
#include "runtime/emulator/exec/Cluster.h"
#include "runtime/emulator/exec/Handlers.h"
#include "runtime/emulator/tmem/Descriptors.h"
#include "runtime/emulator/tmem/Fragments.h"
#include "runtime/emulator/tmem/Tmem.h"
#include "runtime/emulator/tmem/TmemIssue.h"
#include <cstring>
#include <memory>

namespace heddle::emulator {

namespace {

constexpr uint32_t kMaxRegisters = 128;

uint32_t *lanesOf(Warp &warp, uint32_t slot) {
  return reinterpret_cast<uint32_t *>(warp.registers + slot);
}

struct MoveOperands {
  TmemMove move;
  const uint32_t *slots;
};
MoveOperands operandsOf(const Op &op) {
  MoveOperands operands;
  std::memcpy(&operands.move, op.more, sizeof operands.move);
  operands.slots = op.more + sizeof operands.move / sizeof(uint32_t);
  return operands;
}

/// A warp reaches the 32 lanes that its index in the warpgroup names (PTX ISA 9.0, 9.7.16.8.1).
bool findPlace(Warp &warp, const Op &op, const TmemMove &move, uint32_t &address) {
  if (!readSame(warp, op, op.a, "address", address))
    return false;
  address += static_cast<uint32_t>(op.imm);
  TmemAddress at(address);
  uint32_t quarter = warp.index % 4 * 32;
  bool isHalf = move.shape != TmemShape::k32x32;
  if (at.lane != quarter && !(isHalf && at.lane == quarter + 16)) {
    reportFault(warp, op, Fault::kInvalid, kLaneCount,
                "warp " + std::to_string(warp.index) + " reaches the lanes " +
                    std::to_string(quarter) + " to " + std::to_string(quarter + 31) +
                    " of tensor memory, the address is " + tmemText(address) +
                    "; its lane must be " + std::to_string(quarter) +
                    (isHalf ? " or " + std::to_string(quarter + 16) : std::string()));
    return false;
  }
  std::string why = tmemOf(*warp.block).whyNot(at.column, tmemColumns(move));
  if (why.empty())
    return true;
  reportFault(warp, op, Fault::kInvalid, kLaneCount,
              "the address is " + tmemText(address) + ", the instruction reaches " +
                  std::to_string(tmemColumns(move)) + " columns: " + why);
  return false;
}

/// Writes the registers of a load.
void finishLoad(Warp &warp, const MoveOperands &operands, uint32_t address) {
  const TmemMove &move = operands.move;
  uint32_t *registers[kMaxRegisters];
  for (uint32_t r = 0; r < move.count; ++r)
    registers[r] = lanesOf(warp, operands.slots[r]);
  TmemAddress at(address);
  loadFragment(tmemOf(*warp.block), move, at.lane, at.column, registers);
  if (move.reduction)
    reduceFragment(move, registers, lanesOf(warp, move.reduced));
}

void load(Warp &warp, const Op &op) {
  MoveOperands operands = operandsOf(op);
  uint32_t address;
  if (!isWholeWarp(warp, op) || !findPlace(warp, op, operands.move, address))
    return;
  Block &block = *warp.block;
  if (block.check)
    noteAsyncIssue(warp, op, AsyncKind::kTmemLoad, kAllLanes);
  if (!asyncIsLazy())
    return finishLoad(warp, operands, address);
  for (uint32_t r = 0; r < operands.move.count; ++r)
    std::memset(lanesOf(warp, operands.slots[r]), 0xff, kLaneCount * sizeof(uint32_t));
  block.cluster->async.defer(warp, AsyncKind::kTmemLoad, kAllLanes, [&warp, operands, address] {
    finishLoad(warp, operands, address);
    return true;
  });
}

void store(Warp &warp, const Op &op) {
  MoveOperands operands = operandsOf(op);
  uint32_t address;
  if (!isWholeWarp(warp, op) || !findPlace(warp, op, operands.move, address))
    return;
  Block &block = *warp.block;
  const TmemMove &move = operands.move;
  TmemAddress at(address);
  if (block.check)
    noteAsyncIssue(warp, op, AsyncKind::kTmemStore, kAllLanes);
  const uint32_t *registers[kMaxRegisters];
  for (uint32_t r = 0; r < move.count; ++r)
    registers[r] = lanesOf(warp, operands.slots[r]);
  if (!asyncIsLazy())
    return storeFragment(tmemOf(block), move, at.lane, at.column, registers);
  auto values = std::make_shared<std::vector<uint32_t>>(size_t(move.count) * kLaneCount);
  for (uint32_t r = 0; r < move.count; ++r)
    std::memcpy(values->data() + size_t(r) * kLaneCount, registers[r],
                kLaneCount * sizeof(uint32_t));
  block.cluster->async.defer(warp, AsyncKind::kTmemStore, kAllLanes, [&block, move, at, values] {
    const uint32_t *late[kMaxRegisters];
    for (uint32_t r = 0; r < move.count; ++r)
      late[r] = values->data() + size_t(r) * kLaneCount;
    storeFragment(tmemOf(block), move, at.lane, at.column, late);
    return true;
  });
}

/// Work of the tensor cores that a lane issues on its own, in one block or in both of a pair.
template <typename Work> void submit(Warp &warp, uint32_t lane, const Work &work) {
  if (asyncIsLazy())
    warp.block->cluster->async.defer(warp, AsyncKind::kTensor, 1u << lane, work);
  else
    work();
}

/// Calls `f(lane, address, blocks, count)` for each lane that issues; op.c: .cta_group.
template <typename F> void eachIssue(Warp &warp, const Op &op, F &&f) {
  uint32_t mask = warp.active & (warp.predicates[op.guard] ^ op.guardFlip);
  Block *blocks[2] = {warp.block, peerOf(*warp.block)};
  if (mask && op.c == 2 && !blocks[1])
    return reportFault(warp, op, Fault::kInvalid, kLaneCount,
                       ".cta_group::2 needs a cluster with a second block; launch with clusters "
                       "of an even number of blocks");
  for (; mask; mask &= mask - 1) {
    uint32_t lane = static_cast<uint32_t>(__builtin_ctz(mask));
    uint32_t address = lanesOf(warp, op.a)[lane] + static_cast<uint32_t>(op.imm);
    if (!f(lane, address, blocks, op.c))
      return;
  }
}

bool checkColumns(Warp &warp, const Op &op, uint32_t lane, Block &block, uint32_t address,
                  uint32_t columns) {
  std::string why = tmemOf(block).whyNot(TmemAddress(address).column, columns);
  if (why.empty())
    return true;
  reportFault(warp, op, Fault::kInvalid, lane,
              "the address is " + tmemText(address) + ", the instruction reaches " +
                  std::to_string(columns) + " columns: " + why);
  return false;
}

struct CopyWork {
  Block *block;
  SharedMatrix matrix;
  TmemCopyShape shape;
  uint32_t elementBits; ///< 0: copied as they are
  uint32_t address;

  bool operator()() const {
    Tmem &tmem = tmemOf(*block);
    TmemCopyRows rows = copyRows(shape);
    TmemAddress to(address);
    for (uint32_t row = 0; row < rows.rows; ++row)
      for (uint32_t piece = 0; piece < rows.pieces; ++piece) {
        const uint8_t *from = block->shared - kSharedBase + matrix.address(row, piece);
        uint8_t bytes[16];
        if (elementBits)
          unpackElements(from, elementBits, bytes);
        else
          std::memcpy(bytes, from, sizeof bytes);
        for (uint32_t copy = 0; copy < rows.copies; ++copy) {
          uint32_t lane = to.lane + copyLane(shape, row, copy);
          std::memcpy(tmem.row(lane) + to.column + 4 * piece, bytes, sizeof bytes);
        }
      }
    return true;
  }
};

/// The source lies in shared memory, the destination in lanes and allocated columns.
bool checkCopy(Warp &warp, const Op &op, uint32_t lane, const CopyWork &work) {
  Block &block = *work.block;
  TmemCopyRows rows = copyRows(work.shape);
  uint32_t last = copyLane(work.shape, rows.rows - 1, rows.copies - 1);
  if (TmemAddress(work.address).lane + last >= Tmem::kLanes) {
    reportFault(warp, op, Fault::kInvalid, lane,
                "the address is " + tmemText(work.address) + ", the shape reaches " +
                    std::to_string(last + 1) + " lanes from there, tensor memory has 128");
    return false;
  }
  if (!checkColumns(warp, op, lane, block, work.address, 4 * rows.pieces))
    return false;
  AsyncRecord record =
      block.check ? noteAsyncIssue(warp, op, AsyncKind::kTensor, 1u << lane) : AsyncRecord(0);
  uint32_t end = kSharedBase + block.sharedBytes;
  for (uint32_t row = 0; row < rows.rows; ++row)
    for (uint32_t piece = 0; piece < rows.pieces; ++piece) {
      uint32_t at = work.matrix.address(row, piece);
      if (at < kSharedBase || at + 16 > end) {
        reportFault(warp, op, Fault::kAddress, lane,
                    "the source has 16 bytes at shared offset " + std::to_string(at) +
                        ", outside of the block's shared memory (" + std::to_string(kSharedBase) +
                        " to " + std::to_string(end) +
                        "); look at its descriptor's start address and offsets");
        return false;
      }
      if (block.check &&
          !noteAsyncShared(warp, op, record, Use::kRead, lane, block, at - kSharedBase, 16))
        return false;
    }
  return true;
}

/// op.b: the descriptor; op.c: .cta_group; op.d: TmemCopyShape; op.target: bits of an element.
void copy(Warp &warp, const Op &op) {
  eachIssue(warp, op, [&](uint32_t lane, uint32_t address, Block **blocks, uint32_t count) {
    uint64_t descriptor;
    std::memcpy(&descriptor, warp.registers + op.b + lane * 8, 8);
    CopyWork work{nullptr, {}, static_cast<TmemCopyShape>(op.d), op.target, address};
    std::string why = work.matrix.decode(descriptor, false, 8);
    if (!why.empty()) {
      reportFault(warp, op, Fault::kInvalid, lane, "descriptor of the source: " + why);
      return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
      work.block = blocks[i];
      if (!checkCopy(warp, op, lane, work))
        return false;
      submit(warp, lane, work);
    }
    return true;
  });
}

/// Rows of 32 bytes move one lane down; the last of the 32 lanes stays.
constexpr uint32_t kShiftColumns = 8, kShiftRows = 32;

void shift(Warp &warp, const Op &op) {
  eachIssue(warp, op, [&](uint32_t lane, uint32_t address, Block **blocks, uint32_t count) {
    TmemAddress at(address);
    if (at.lane % kShiftRows != 0 || at.lane >= Tmem::kLanes) {
      reportFault(warp, op, Fault::kInvalid, lane,
                  "the address is " + tmemText(address) + "; its lane must be a multiple of 32");
      return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
      Block *block = blocks[i];
      if (!checkColumns(warp, op, lane, *block, address, kShiftColumns))
        return false;
      if (block->check)
        noteAsyncIssue(warp, op, AsyncKind::kTensor, 1u << lane);
      submit(warp, lane, [block, at] {
        Tmem &tmem = tmemOf(*block);
        for (uint32_t row = at.lane; row + 1 < at.lane + kShiftRows; ++row)
          std::memcpy(tmem.row(row) + at.column, tmem.row(row + 1) + at.column,
                      kShiftColumns * sizeof(uint32_t));
        return true;
      });
    }
    return true;
  });
}

constexpr OpClass kM = OpClass::kMove;

const Instruction kRows[] = {
    {"tcgen05.ld", load, nullptr, kM},
    {"tcgen05.st", store, nullptr, kM},
    {"tcgen05.cp", copy, nullptr, kM},
    {"tcgen05.shift", shift, nullptr, kM},
};

} // namespace

void addTmemMoveHandlers(HandlerTable &table) { table.add(kRows, sizeof kRows / sizeof kRows[0]); }

} // namespace heddle::emulator
