// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the operands of tcgen05.mma, finds its matrices and checks that they may be used.
#include "runtime/emulator/tmem/Multiply.h"
#include "runtime/emulator/check/AsyncNotes.h"
#include "runtime/emulator/exec/Cluster.h"
#include "runtime/emulator/tmem/Tmem.h"
#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::emulator {

namespace {

constexpr uint32_t kRowBytes = 32;   ///< of a row of A or B along K
constexpr uint32_t kColumnsOfA = 8;  ///< in tensor memory
constexpr uint32_t kScaleLanes = 32; ///< scale factors repeat in each quarter of the lanes
constexpr uint32_t kPieceBytes = 16;

template <typename T> T laneOf(const Warp &warp, uint32_t slot, uint32_t lane) {
  T value;
  std::memcpy(&value, warp.registers + slot + lane * sizeof(T), sizeof(T));
  return value;
}

uint32_t addressOf(const Warp &warp, const TmemOperand &operand, uint32_t lane) {
  return laneOf<uint32_t>(warp, operand.slot, lane) + static_cast<uint32_t>(operand.offset);
}

bool fault(const MmaCall &call, const std::string &what) {
  reportFault(*call.warp, *call.op, Fault::kInvalid, call.lane, what);
  return false;
}

/// Reads the operands of a lane.
bool readCall(Warp &warp, const Op &op, uint32_t lane, MmaCall &call) {
  const auto &o = *reinterpret_cast<const MmaOperands *>(op.more);
  call = MmaCall();
  call.warp = &warp;
  call.op = &op;
  call.lane = lane;
  call.form = o.form;
  std::string why = decodeShape(laneOf<uint32_t>(warp, o.shape, lane), o.form, call.shape);
  if (!why.empty())
    return fault(call, "instruction descriptor: " + why);
  call.accumulates = (warp.predicates[o.predicate] ^ o.flip) >> lane & 1;
  call.isShifted = o.isShifted;
  call.hasTmemA = o.a.slot != kNoTmemOperand;
  call.scaleD = o.scaleD;
  if (call.hasTmemA)
    call.tmemA = addressOf(warp, o.a, lane);
  else
    call.a = laneOf<uint64_t>(warp, op.a, lane);
  call.b = laneOf<uint64_t>(warp, o.b, lane);
  call.tmemD = addressOf(warp, o.d, lane);
  if (o.form.scaleVector) {
    call.scaleA = addressOf(warp, o.scaleA, lane);
    call.scaleB = addressOf(warp, o.scaleB, lane);
  }
  for (uint32_t i = 0; i < o.maskCount; ++i)
    call.disabled[i] = laneOf<uint32_t>(warp, o.masks[i], lane);
  if (o.columnMask != kNoTmemOperand) {
    why = decodeColumnMask(laneOf<uint64_t>(warp, o.columnMask, lane), call.shape.m, call.shape.n,
                           call.columnMask);
    if (!why.empty())
      return fault(call, "zero-column mask descriptor: " + why);
  }
  if (call.isShifted && call.shape.m != 128 && call.shape.m != 256)
    return fault(call, ".ashift takes M of 128 or 256");
  return true;
}

bool checkColumns(const MmaCall &call, const MmaJob::Part &part, const char *what, uint32_t address,
                  uint32_t columns) {
  std::string why = part.tmem->whyNot(TmemAddress(address).column, columns);
  if (why.empty())
    return true;
  return fault(call, std::string(what) + " at " + tmemText(address) + " with " +
                         std::to_string(columns) + " columns" +
                         (part.block == call.warp->block
                              ? std::string()
                              : " of block rank " + std::to_string(part.block->rank)) +
                         ": " + why);
}

/// Addresses of all pieces of a matrix, each of which must lie in the block's shared memory.
bool findPieces(const MmaCall &call, const MmaJob::Part &part, const SharedMatrix &matrix,
                const char *name, MmaPieces count, uint32_t *to) {
  uint32_t lowest = ~0u, highest = 0;
  uint32_t *at = to;
  for (uint32_t i = 0; i < count.outer; ++i)
    for (uint32_t j = 0; j < count.inner; ++j, ++at) {
      *at = matrix.address(i, j);
      lowest = *at < lowest ? *at : lowest;
      highest = *at > highest ? *at : highest;
    }
  uint32_t end = kSharedBase + part.block->sharedBytes;
  if (lowest >= kSharedBase && highest + kPieceBytes <= end)
    return true;
  uint32_t bad = lowest < kSharedBase ? lowest : highest;
  reportFault(*call.warp, *call.op, Fault::kAddress, call.lane,
              std::string("matrix ") + name + " has 16 bytes at shared offset " +
                  std::to_string(bad) + ", outside of the block's shared memory (" +
                  std::to_string(kSharedBase) + " to " + std::to_string(end) +
                  "); look at its descriptor's start address and offsets");
  return false;
}

double scaleFactor(uint32_t byte, bool isUe8m0) {
  if (isUe8m0)
    return byte == 0xff ? std::numeric_limits<double>::quiet_NaN()
                        : std::ldexp(1.0, static_cast<int>(byte) - 127);
  uint32_t exponent = byte >> 3 & 15, mantissa = byte & 7;
  if (exponent == 15 && mantissa == 7)
    return std::numeric_limits<double>::quiet_NaN();
  return exponent ? std::ldexp(8.0 + mantissa, static_cast<int>(exponent) - 10)
                  : std::ldexp(double(mantissa), -9);
}

/// The factors of `count` rows of A or columns of B; all quarters of the lanes must agree.
bool readScales(const MmaCall &call, const MmaJob::Part &part, const char *name, uint32_t address,
                uint32_t id, uint32_t count, double (*to)[4]) {
  address &= 0x3fffffff; // the upper bits may hold the ID, as libraries leave them there
  TmemAddress at(address);
  if (at.lane != 0)
    return fault(call, std::string(name) + " is at " + tmemText(address) +
                           "; the lane of scale factors must be 0");
  if (!checkColumns(call, part, name, address, (count + kScaleLanes - 1) / kScaleLanes))
    return false;
  uint32_t bytes = call.form.scaleVector, mask = bytes == 4 ? ~0u : (1u << 8 * bytes) - 1;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t lane = i % kScaleLanes, column = at.column + i / kScaleLanes;
    uint32_t word = part.tmem->row(lane)[column] >> 8 * id & mask;
    for (uint32_t quarter = 1; quarter < Tmem::kLanes / kScaleLanes; ++quarter) {
      uint32_t other = part.tmem->row(lane + kScaleLanes * quarter)[column] >> 8 * id & mask;
      if (other != word)
        return fault(call, std::string(name) + ": the factors at lanes " + std::to_string(lane) +
                               " and " + std::to_string(lane + kScaleLanes * quarter) +
                               " of column " + std::to_string(column) +
                               " differ; they must be the same in every 32 lanes");
    }
    for (uint32_t k = 0; k < bytes; ++k)
      to[i][k] = scaleFactor(word >> 8 * k & 0xff, call.shape.scaleIsUe8m0);
  }
  return true;
}

/// The blocks that take part, the one with the even rank first.
bool findBlocks(const MmaCall &call, MmaJob &job) {
  Block &own = *call.warp->block;
  job.blockCount = call.form.blockGroup;
  job.parts[0].block = &own;
  if (job.blockCount == 2) {
    Block *peer = peerOf(own);
    if (!peer)
      return fault(call, ".cta_group::2 needs a cluster with a second block; launch with "
                         "clusters of an even number of blocks");
    job.parts[own.rank & 1].block = &own;
    job.parts[~own.rank & 1].block = peer;
  }
  for (uint32_t i = 0; i < job.blockCount; ++i) {
    MmaJob::Part &part = job.parts[i];
    part.tmem = &tmemOf(*part.block);
    part.words = part.tmem->row(0);
    part.memory = part.block->shared - kSharedBase;
    std::copy(call.disabled + 4 * i, call.disabled + 4 * i + 4, part.disabled);
  }
  return true;
}

bool checkLanes(const MmaCall &call, bool mayBeHalf) {
  uint32_t lane = TmemAddress(call.tmemD).lane;
  if (lane != 0 && !(mayBeHalf && lane == 16))
    return fault(call, "D is at " + tmemText(call.tmemD) + "; the lane must be 0" +
                           (mayBeHalf ? " or 16" : " for this shape"));
  if (call.hasTmemA && TmemAddress(call.tmemA).lane != lane)
    return fault(call, "A is at " + tmemText(call.tmemA) + " and D at " + tmemText(call.tmemD) +
                           "; both must have the same lane");
  return true;
}

/// Finds everything and checks it. `isNow`: the work is done next, so scale factors are there.
bool prepare(const MmaCall &call, MmaJob &job, bool isNow) {
  const MmaShape &shape = call.shape;
  job.call = &call;
  if (!findBlocks(call, job))
    return false;
  bool isFloat = call.form.kind != MmaKind::kI8 && call.form.scaleVector == 0;
  job.isAsHardware = isFloat && numerics() != Numerics::kFast;
  const char *type = shape.a == MmaType::kTf32 ? "tf32" : bitsOf(shape.a) == 16 ? "f16" : "e4m3";
  job.precision = tensorPrecision(capability(), type, shape.d == MmaType::kF16, false);
  job.seed = numericsSeed(*call.warp, *call.op);
  bool isHalf = shape.m == 64 && !call.form.isWeights; // layout F
  if (!checkLanes(call, isHalf))
    return false;
  job.panelCount = layoutPanels(call.form, shape, TmemAddress(call.tmemD).lane, job.panels);
  SharedMatrix a, b;
  std::string why = call.hasTmemA ? "" : a.decode(call.a, shape.isTurnedA, bitsOf(shape.a));
  if (!why.empty())
    return fault(call, "descriptor of A: " + why);
  if (why = b.decode(call.b, shape.isTurnedB, bitsOf(shape.b)); !why.empty())
    return fault(call, "descriptor of B: " + why);
  uint32_t rows = shape.m / job.blockCount;
  job.columnsOfBlock = shape.n / job.blockCount + call.columnMask.shift;
  for (uint32_t i = 0; i < job.blockCount; ++i) {
    MmaJob::Part &part = job.parts[i];
    if (!checkColumns(call, part, "D", call.tmemD, job.panels[0].columns) ||
        (call.hasTmemA && !checkColumns(call, part, "A", call.tmemA, kColumnsOfA)))
      return false;
    if (!call.hasTmemA &&
        !findPieces(call, part, a, "A", piecesOf(rows, shape.isTurnedA, shape, shape.a), part.a))
      return false;
    if (!findPieces(call, part, b, "B",
                    piecesOf(job.columnsOfBlock, shape.isTurnedB, shape, shape.b), part.b))
      return false;
    if (call.form.scaleVector && isNow &&
        (!readScales(call, part, "the scale matrix of A", call.scaleA, shape.scaleIdA, rows,
                     part.scaleA) ||
         !readScales(call, part, "the scale matrix of B", call.scaleB, shape.scaleIdB, shape.n,
                     part.scaleB)))
      return false;
  }
  return true;
}

bool noteReads(const MmaCall &call, const MmaJob &job) {
  Warp &warp = *call.warp;
  AsyncRecord record = noteAsyncIssue(warp, *call.op, AsyncKind::kTensor, 1u << call.lane);
  const MmaShape &shape = call.shape;
  MmaPieces a = piecesOf(shape.m / job.blockCount, shape.isTurnedA, shape, shape.a);
  MmaPieces b = piecesOf(job.columnsOfBlock, shape.isTurnedB, shape, shape.b);
  for (uint32_t i = 0; i < job.blockCount; ++i) {
    const MmaJob::Part &part = job.parts[i];
    auto note = [&](uint32_t at) {
      return noteAsyncShared(warp, *call.op, record, Use::kRead, call.lane, *part.block,
                             at - kSharedBase, kPieceBytes);
    };
    for (uint32_t p = 0; !call.hasTmemA && p < a.outer * a.inner; ++p)
      if (!note(part.a[p]))
        return false;
    for (uint32_t p = 0; p < b.outer * b.inner; ++p)
      if (!note(part.b[p]))
        return false;
  }
  return true;
}

} // namespace

MmaPieces piecesOf(uint32_t count, bool isTurned, const MmaShape &shape, MmaType type) {
  if (!isTurned)
    return {count, kRowBytes / kPieceBytes};
  uint32_t perPiece = 8 * kPieceBytes / bitsOf(type);
  return {shape.k, (count + perPiece - 1) / perPiece};
}

uint32_t layoutPanels(const MmaForm &form, const MmaShape &shape, uint32_t lane,
                      MmaPanel (&panels)[4]) {
  uint32_t rows = shape.m / form.blockGroup, n = shape.n;
  if (rows == 128) { // layouts A and D
    panels[0] = {0, 128, 0, 0, n};
    return 1;
  }
  if (rows == 64 && !form.isWeights && form.blockGroup == 1) { // layout F
    for (uint32_t i = 0; i < 4; ++i)
      panels[i] = {16 * i, 16, 32 * i + lane, 0, n};
    return 4;
  }
  // Layouts B and E: the right half of the columns stands below the left one; G: quarters.
  uint32_t parts = 128 / rows;
  for (uint32_t i = 0; i < parts; ++i)
    panels[i] = {0, rows, rows * i, n / parts * i, n / parts};
  return parts;
}

void issueMma(Warp &warp, const Op &op, MmaWork work) {
  Block &block = *warp.block;
  uint32_t mask = warp.active & (warp.predicates[op.guard] ^ op.guardFlip);
  for (; mask; mask &= mask - 1) {
    MmaCall call;
    MmaJob job;
    if (!readCall(warp, op, static_cast<uint32_t>(__builtin_ctz(mask)), call) ||
        !prepare(call, job, !asyncIsLazy()))
      return;
    if (block.check && !noteReads(call, job))
      return;
    if (block.counts)
      block.counts->tensorFlop += 2ull * call.shape.m * call.shape.n * call.shape.k;
    if (!asyncIsLazy()) {
      work(job);
      continue;
    }
    block.cluster->async.defer(warp, AsyncKind::kTensor, 1u << call.lane, [call, work] {
      MmaJob late;
      if (!prepare(call, late, true))
        return false;
      work(late);
      return true;
    });
  }
}

} // namespace heddle::emulator
