// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma.mma_async: each of the four warps of a warpgroup multiplies its 16 rows of A with all of B.
// The warps do so on their own, so they need not be at the instruction together.
#include "runtime/emulator/async/Wgmma.h"
#include "runtime/emulator/check/AsyncNotes.h"
#include "runtime/emulator/handlers/tensor/MmaNumerics.h"
#include "runtime/emulator/handlers/tensor/MmaTile.h"
#include "runtime/emulator/handlers/tensor/WgmmaTile.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

constexpr u32 kMaxColumns = 256, kBlock = 8; // columns in a block

const WgmmaOperands &operandsOf(const Op &op) {
  return *reinterpret_cast<const WgmmaOperands *>(op.more);
}

/// Bits that change the sign of every element in a word.
template <typename A> constexpr u32 signsOf() {
  return A::kParts == 1 ? 0x80000000 : A::kParts == 2 ? 0x80008000 : 0x80808080;
}

/// The four registers of the fragment that the warp's rows of A make; `signs` is turned in each.
void readRows(const WgmmaCall &call, u32 signs, u32 (&fragment)[2][2][kLaneCount],
              const u32 *(&a)[4]) {
  const WgmmaOperands &o = operandsOf(*call.op);
  u32 block = 2 * (call.warp->index & 3);
  if (!o.hasRegisters)
    WgmmaTile(call.descriptorA, o.isTurnedA != 0)
        .read(call.warp->block->shared - kSharedBase, block, block + 2, fragment);
  for (u32 r = 0; r < 4; ++r) {
    u32 *own = fragment[r & 1][r >> 1];
    a[r] = o.hasRegisters ? lanesOf<u32>(*call.warp, o.a[r]) : own;
    if (signs) {
      LANES own[l] = a[r][l] ^ signs;
      a[r] = own;
    }
  }
}

/// How the products of 8 columns with the warp's rows are made: fast, or as hardware rounds.
template <typename Steps, typename A, typename B> struct FastTile {
  RowPanel<A, 2> rows;
  FastTile(const WgmmaCall &, const u32 *const *a) : rows(a) {}
  void multiply(u32, const u32 *const *b, u32 *const *d, const u32 *const *c) const {
    multiplyTile<Steps, B, 2>(rows, b, d, c);
  }
};
template <typename A, typename B> struct HardwareTile {
  TensorPrecision precision;
  u64 seed;
  MmaNumbers numbers;
  HardwareTile(const WgmmaCall &call, const u32 *const *a)
      : precision(bitCast<TensorPrecision>(call.op->target)),
        seed(numericsSeed(*call.warp, *call.op) + a[0][0]) {
    readRowNumbers<A, 2>(numbers, a);
  }
  void multiply(u32 block, const u32 *const *b, u32 *const *d, const u32 *const *c) {
    readColumnNumbers<B, 2>(numbers, b);
    multiplyAsHardware(numbers, precision, seed + 8 * block, d, c);
  }
};

template <typename Tile, typename A, bool kHalfSums>
bool multiply(const WgmmaCall &call, u32 *const *d) {
  const WgmmaOperands &o = operandsOf(*call.op);
  alignas(64) u32 rowFragment[2][2][kLaneCount];
  alignas(64) u32 fragments[kMaxColumns / kBlock][2][kLaneCount];
  const u32 *a[4];
  readRows(call, o.isNegative ? signsOf<A>() : 0, rowFragment, a);
  WgmmaTile(call.descriptorB, o.isTurnedB != 0)
      .read(call.warp->block->shared - kSharedBase, 0, o.columns / kBlock, fragments);
  Tile tile(call, a);
  for (u32 block = 0; block < o.columns / kBlock; ++block) {
    const u32 *b[2] = {fragments[block][0], fragments[block][1]};
    if (kHalfSums) {
      alignas(64) u32 sums[4][kLaneCount];
      u32 *sum[4] = {sums[0], sums[1], sums[2], sums[3]};
      u32 *const *narrow = d + 2 * block;
      if (call.accumulates)
        widenSums(sum, narrow);
      tile.multiply(block, b, sum, call.accumulates ? sum : nullptr);
      narrowSums(narrow, sum);
    } else {
      u32 *const *sum = d + 4 * block;
      tile.multiply(block, b, sum, call.accumulates ? sum : nullptr);
    }
  }
  return true;
}

/// Sums that may stop at the ends of s32; the products alone cannot reach them.
template <typename A, typename B> bool multiplySaturating(const WgmmaCall &call, u32 *const *d) {
  const WgmmaOperands &o = operandsOf(*call.op);
  WgmmaCall alone = call;
  alone.accumulates = false;
  alignas(64) u32 products[128][kLaneCount];
  u32 *to[128];
  for (u32 i = 0; i < o.sums; ++i)
    to[i] = products[i];
  multiply<FastTile<PairSteps, A, B>, A, false>(alone, to);
  for (u32 i = 0; i < o.sums; ++i)
    addSaturating(d[i], products[i], call.accumulates ? d[i] : nullptr);
  return true;
}

template <typename T> bool isSameInAllLanes(const T *values) {
  u64 differs = 0;
  LANES differs |= u64(values[l] ^ values[0]);
  return differs == 0;
}

/// The footprint of a matrix lies in shared memory, and the checks hear of it.
bool mayRead(Warp &warp, const Op &op, const WgmmaTile &tile, u32 first, u32 last,
             AsyncRecord record) {
  Block &block = *warp.block;
  u32 outside = tile.firstOutside(first, last, kSharedBase, kSharedBase + block.sharedBytes);
  if (outside) {
    reportAccess(warp, op, kLaneCount, "shared", outside & ~1u, 16, true);
    return false;
  }
  if (!block.check)
    return true;
  for (u32 i = first; i < last; ++i)
    for (u32 piece = 0; piece < 16; ++piece)
      if (!noteAsyncShared(warp, op, record, Use::kRead, 0, block,
                           tile.address(i, piece >> 3, piece & 7) - kSharedBase, 16))
        return false;
  return true;
}

template <WgmmaWork kWork> void issue(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (mask == 0)
    return;
  if (mask != kAllLanes)
    return reportFault(warp, op, Fault::kDivergence, kLaneCount,
                       "wgmma needs all 32 lanes of the warp, some are missing");
  Block &block = *warp.block;
  u32 index = warp.index & 3;
  if (warp.index - index + 4 > block.warpCount)
    return reportFault(
        warp, op, Fault::kDivergence, kLaneCount,
        "wgmma needs a warpgroup: four warps, the first one's index a multiple of 4");
  const WgmmaOperands &o = operandsOf(op);
  const u64 *a = lanesOf<u64>(warp, op.a), *b = lanesOf<u64>(warp, op.b);
  u32 scale = warp.predicates[o.scale] ^ o.scaleFlip;
  if (!isSameInAllLanes(b) || (!o.hasRegisters && !isSameInAllLanes(a)) ||
      (scale != 0 && scale != kAllLanes))
    return reportFault(warp, op, Fault::kInvalid, kLaneCount,
                       "wgmma's descriptors and scale-d must be the same in all lanes");
  AsyncRecord record =
      block.check ? noteAsyncIssue(warp, op, AsyncKind::kWgmma, kAllLanes) : AsyncRecord(0);
  if (!o.hasRegisters &&
      !mayRead(warp, op, WgmmaTile(a[0], o.isTurnedA != 0), 2 * index, 2 * index + 2, record))
    return;
  if (!mayRead(warp, op, WgmmaTile(b[0], o.isTurnedB != 0), 0, o.columns / kBlock, record))
    return;
  WgmmaCall call{&warp, &op, o.hasRegisters ? 0 : a[0], b[0], scale != 0};
  issueWgmma(call, kWork);
}

constexpr OpClass kT = OpClass::kTensor;
template <typename T> using Steps = FloatSteps<T::kExactProducts>;

#define FLOATS(sum, a, A, b, B, half)                                                              \
  {"wgmma." sum "." a "." b, issue<multiply<FastTile<Steps<A>, A, B>, A, half>>, nullptr, kT}, {   \
    "hardware.wgmma." sum "." a "." b, issue<multiply<HardwareTile<A, B>, A, half>>, nullptr, kT   \
  }
#define BYTE_FLOATS(a, A, b, B) FLOATS("f32", a, A, b, B, false), FLOATS("f16", a, A, b, B, true)
#define INTEGERS(a, A, b, B)                                                                       \
  {"wgmma.s32." a "." b,                                                                           \
   issue<multiply<FastTile<PairSteps, MmaByte<A>, MmaByte<B>>, MmaByte<A>, false>>, nullptr, kT},  \
  {                                                                                                \
    "wgmma.satfinite.s32." a "." b, issue<multiplySaturating<MmaByte<A>, MmaByte<B>>>, nullptr, kT \
  }

const Instruction kWgmmaRows[] = {
    FLOATS("f32", "f16", MmaF16, "f16", MmaF16, false),
    FLOATS("f16", "f16", MmaF16, "f16", MmaF16, true),
    FLOATS("f32", "bf16", MmaBf16, "bf16", MmaBf16, false),
    FLOATS("f32", "tf32", MmaTf32, "tf32", MmaTf32, false),
    BYTE_FLOATS("e4m3", MmaE4M3, "e4m3", MmaE4M3),
    BYTE_FLOATS("e4m3", MmaE4M3, "e5m2", MmaE5M2),
    BYTE_FLOATS("e5m2", MmaE5M2, "e4m3", MmaE4M3),
    BYTE_FLOATS("e5m2", MmaE5M2, "e5m2", MmaE5M2),
    INTEGERS("s8", s8, "s8", s8),
    INTEGERS("s8", s8, "u8", u8),
    INTEGERS("u8", u8, "s8", s8),
    INTEGERS("u8", u8, "u8", u8),
    {"wgmma.s32.b1.b1.and.popc",
     issue<multiply<FastTile<BitSteps<false>, MmaBits, MmaBits>, MmaBits, false>>, nullptr, kT},
};

} // namespace

void addWgmmaHandlers(HandlerTable &table) { addRows(table, kWgmmaRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
