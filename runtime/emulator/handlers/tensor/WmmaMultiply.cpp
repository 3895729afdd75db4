// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wmma.mma: the product of mma.sync, for every block of rows and columns.
#include "runtime/emulator/handlers/tensor/MmaSync.h"
#include "runtime/emulator/numerics/WmmaLayout.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

/// A block: fast, or as hardware rounds.
template <typename Steps, typename A, typename B, u32 kSteps> struct FastBlock {
  static void multiply(Warp &, const Op &, const u32 *const *a, const u32 *const *b, u32 *const *d,
                       const u32 *const *c) {
    RegisterRows<A, kSteps> rows{a};
    multiplyTile<Steps, B, kSteps>(rows, b, d, c);
  }
};
template <typename A, typename B, u32 kSteps> struct HardwareBlock {
  static void multiply(Warp &warp, const Op &op, const u32 *const *a, const u32 *const *b,
                       u32 *const *d, const u32 *const *c) {
    MmaNumbers numbers;
    readRowNumbers<A, kSteps>(numbers, a);
    readColumnNumbers<B, kSteps>(numbers, b);
    multiplyAsHardware(numbers, bitCast<TensorPrecision>(op.target),
                       numericsSeed(warp, op) + c[0][0] + b[0][0], d, c);
  }
};

template <typename Product, u32 kSteps, Sums kSumsD, Sums kSumsC>
void multiplyFragments(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, kMissingLanes))
    return;
  const WmmaMultiply &o = *reinterpret_cast<const WmmaMultiply *>(op.more);
  const u32 *d = op.more + sizeof o / sizeof(u32), *a = d + o.d, *b = a + o.a, *c = b + o.b;
  u32 halves = o.shape.rowHalves(), columns = o.shape.columnBlocks();
  u32 ofD = kSumsD == Sums::kHalves ? halves : 2 * halves;
  u32 ofC = kSumsC == Sums::kHalves ? halves : 2 * halves;
  // Results may stand in the registers of operands.
  alignas(64) u32 sums[8][4][kLaneCount];
  alignas(64) u32 unused[kLaneCount];
  u32 blocks = o.shape.rowBlocks() * columns;
  for (u32 block = 0; block < blocks; ++block) {
    const u32 *rows[2 * kSteps], *along[kSteps], *old[4] = {};
    u32 *sum[4];
    for (u32 i = 0; i < 2 * kSteps; ++i) {
      u32 first = block / columns * halves * kSteps;
      rows[i] = halves == 2    ? lanesOf<u32>(warp, a[first + i])
                : (i & 1) == 0 ? lanesOf<u32>(warp, a[first + i / 2])
                               : kZeroRegister;
    }
    for (u32 i = 0; i < kSteps; ++i)
      along[i] = lanesOf<u32>(warp, b[block % columns * kSteps + i]);
    for (u32 i = 0; i < 4; ++i) {
      sum[i] = sums[block][i];
      old[i] = i < ofC ? lanesOf<u32>(warp, c[block * ofC + i]) : kZeroRegister;
    }
    if (kSumsC == Sums::kHalves) {
      widenSums(sum, old);
      Product::multiply(warp, op, rows, along, sum, sum);
    } else if (op.c) {
      Product::multiply(warp, op, rows, along, sum, nullptr);
      for (u32 i = 0; i < ofC; ++i)
        addSaturating(sum[i], sum[i], old[i]);
    } else {
      Product::multiply(warp, op, rows, along, sum, old);
    }
  }
  for (u32 block = 0; block < blocks; ++block) {
    u32 *to[4];
    const u32 *sum[4] = {sums[block][0], sums[block][1], sums[block][2], sums[block][3]};
    for (u32 i = 0; i < 4; ++i)
      to[i] = i < ofD ? lanesOf<u32>(warp, d[block * ofD + i]) : unused;
    if (kSumsD == Sums::kHalves)
      narrowSums(to, sum);
    else
      for (u32 i = 0; i < ofD; ++i)
        __builtin_memcpy(to[i], sum[i], sizeof sums[0][0]);
  }
}

constexpr OpClass kT = OpClass::kTensor;
template <typename T> using Steps = FloatSteps<T::kExactProducts>;

#define FLOATS(name, T, steps, d, c)                                                               \
  {"wmma.mma." name, multiplyFragments<FastBlock<Steps<T>, T, T, steps>, steps, d, c>, nullptr,    \
   kT},                                                                                            \
  {                                                                                                \
    "hardware.wmma.mma." name, multiplyFragments<HardwareBlock<T, T, steps>, steps, d, c>,         \
        nullptr, kT                                                                                \
  }
#define INTEGERS(name, S, T)                                                                       \
  {"wmma.mma." name, multiplyFragments<FastBlock<S, T, T, 1>, 1, Sums::kWords, Sums::kWords>,      \
   nullptr, kT}

const Instruction kMultiplyRows[] = {
    FLOATS("f32.f32", MmaF16, 2, Sums::kWords, Sums::kWords),
    FLOATS("f32.f16", MmaF16, 2, Sums::kWords, Sums::kHalves),
    FLOATS("f16.f32", MmaF16, 2, Sums::kHalves, Sums::kWords),
    FLOATS("f16.f16", MmaF16, 2, Sums::kHalves, Sums::kHalves),
    FLOATS("f32.bf16.bf16.f32", MmaBf16, 2, Sums::kWords, Sums::kWords),
    FLOATS("f32.tf32.tf32.f32", MmaTf32, 2, Sums::kWords, Sums::kWords),
    INTEGERS("s32.s8.s8.s32", PairSteps, MmaByte<s8>),
    INTEGERS("s32.u8.u8.s32", PairSteps, MmaByte<u8>),
    INTEGERS("s32.s4.s4.s32", PairSteps, MmaNibble<true>),
    INTEGERS("s32.u4.u4.s32", PairSteps, MmaNibble<false>),
    INTEGERS("and.popc.s32.b1.b1.s32", BitSteps<false>, MmaBits),
    INTEGERS("xor.popc.s32.b1.b1.s32", BitSteps<true>, MmaBits),
};

} // namespace

void addWmmaMultiplyHandlers(HandlerTable &table) { addRows(table, kMultiplyRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
