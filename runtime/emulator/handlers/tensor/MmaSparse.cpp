// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sp: A has two numbers that are not zero among four; it is expanded, then multiplied like any
// other.
//
// PTX ISA 9.0, 9.7.14.6: the numbers stand in fragments as those of a dense A with half the depth.
// Where they belong, four bits for four places say, two bits for each. In units of 16 bits (f16,
// bf16, and half a tf32, which comes as one of two) a word has four times four bits of row g and of
// row g + 8; it is that of lane s of the four with 16 units along K, of the lanes 2s and 2s + 1
// with
// 32. In units of 8 bits a word has eight times four bits of one row: lane 2s row g and lane 2s + 1
// row g + 8 with 32 units, and with 64 the other two lanes the second half of them.
#include "runtime/emulator/handlers/tensor/MmaSync.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

/// The four bits of places [4 * chunk, 4 * chunk + 4) of a row.
template <u32 kUnitBits, u32 kSteps>
u32 placesOf(const u32 *metadata, u32 selector, u32 row, u32 chunk) {
  u32 quad = (row & 7) * 4, high = row >> 3;
  if (kUnitBits == 16) {
    u32 lane = kSteps == 2 ? selector & 3 : 2 * (selector & 1) + chunk / 4;
    return metadata[quad + lane] >> (16 * high + 4 * (chunk & 3)) & 15;
  }
  u32 lane = kSteps == 2 ? 2 * (selector & 1) + high : high + 2 * (chunk / 8);
  return metadata[quad + lane] >> (4 * (chunk & 7)) & 15;
}

/// kSteps registers to 2 * kSteps registers.
template <u32 kUnitBits, u32 kSteps>
void expand(const u32 *const *from, const u32 *metadata, u32 selector,
            u32 (&to)[2 * kSteps][kLaneCount]) {
  constexpr u32 p = 32 / kUnitBits, kMask = (u32(1) << kUnitBits) - 1;
  __builtin_memset(to, 0, sizeof to);
  for (u32 row = 0; row < 16; ++row)
    for (u32 k = 0; k < 2 * p * kSteps; ++k) { // of the numbers that are there
      u32 r = 2 * (k / (4 * p)) + (row >> 3), lane = (row & 7) * 4 + k / p % 4;
      u32 value = from[r][lane] >> (k % p * kUnitBits) & kMask;
      u32 places = placesOf<kUnitBits, kSteps>(metadata, selector, row, k / 2);
      u32 dense = k / 2 * 4 + (places >> (2 * (k & 1)) & 3);
      u32 &word = to[2 * (dense / (4 * p)) + (row >> 3)][(row & 7) * 4 + dense / p % 4];
      word |= value << (dense % p * kUnitBits);
    }
}

/// Op::c is the sparsity selector, Op::b saturates. kSteps of the expanded A, which B has too.
template <typename Steps, typename A, typename B, u32 kSteps, Sums kSums, u32 kUnitBits,
          bool kHardware>
void mmaSparse(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, kMissingLanes))
    return;
  constexpr u32 kSum = kSums == Sums::kHalves ? 2 : 4;
  const u32 *slots = op.more;
  u32 *d[kSum];
  const u32 *sparse[kSteps], *b[kSteps], *c[kSum], *metadata[1], *a[2 * kSteps];
  registersAt(warp, slots, d);
  registersAt(warp, slots + kSum, sparse);
  registersAt(warp, slots + kSum + kSteps, b);
  registersAt(warp, slots + kSum + 2 * kSteps, c);
  registersAt(warp, slots + 2 * kSum + 2 * kSteps, metadata);
  alignas(64) u32 dense[2 * kSteps][kLaneCount];
  expand<kUnitBits, kSteps>(sparse, metadata[0], op.c, dense);
  for (u32 i = 0; i < 2 * kSteps; ++i)
    a[i] = dense[i];
  alignas(64) u32 sums[4][kLaneCount];
  u32 *sum[4] = {sums[0], sums[1], sums[2], sums[3]};
  const u32 *const *old = c;
  if constexpr (kSums == Sums::kHalves) {
    widenSums(sum, c);
    old = sum;
  }
  if constexpr (kHardware) {
    MmaNumbers numbers;
    readRowNumbers<A, kSteps>(numbers, a);
    readColumnNumbers<B, kSteps>(numbers, b);
    multiplyAsHardware(numbers, bitCast<TensorPrecision>(op.target),
                       numericsSeed(warp, op) + c[0][0], sum, old);
  } else {
    RegisterRows<A, kSteps> rows{a};
    multiplyTile<Steps, B, kSteps>(rows, b, sum, kSums == Sums::kIntegers ? nullptr : old);
  }
  if constexpr (kSums == Sums::kHalves) {
    narrowSums(d, sum);
  } else {
    for (u32 i = 0; i < 4; ++i) {
      if (kSums == Sums::kWords)
        __builtin_memcpy(d[i], sum[i], sizeof sums[i]);
      else if (op.b)
        addSaturating(d[i], sum[i], c[i]);
      else
        LANES d[i][l] = sum[i][l] + c[i][l];
    }
  }
}

constexpr OpClass kT = OpClass::kTensor;
template <typename T> using Steps = FloatSteps<T::kExactProducts>;

#define FORM(name, A, B, steps, sums, unit, letters)                                               \
  {"mma.sp." name, mmaSparse<Steps<A>, A, B, steps, Sums::sums, unit, false>, letters, kT}, {      \
    "hardware.mma.sp." name, mmaSparse<Steps<A>, A, B, steps, Sums::sums, unit, true>, letters, kT \
  }
#define BYTES(a, A, b, B)                                                                          \
  FORM("m16n8k64.f32." a "." b ".f32", A, B, 4, kWords, 8, "wwww wwww wwww wwww w")
#define INTEGERS(a, A, b, B)                                                                       \
  {"mma.sp.m16n8k32.s32." a "." b ".s32",                                                          \
   mmaSparse<PairSteps, MmaByte<A>, MmaByte<B>, 2, Sums::kIntegers, 8, false>,                     \
   "wwww ww ww wwww w", kT},                                                                       \
  {                                                                                                \
    "mma.sp.m16n8k64.s32." a "." b ".s32",                                                         \
        mmaSparse<PairSteps, MmaByte<A>, MmaByte<B>, 4, Sums::kIntegers, 8, false>,                \
        "wwww wwww wwww wwww w", kT                                                                \
  }

const Instruction kSparseRows[] = {
    FORM("m16n8k16.f32.f16.f16.f32", MmaF16, MmaF16, 2, kWords, 16, "wwww ww ww wwww w"),
    FORM("m16n8k32.f32.f16.f16.f32", MmaF16, MmaF16, 4, kWords, 16, "wwww wwww wwww wwww w"),
    FORM("m16n8k16.f16.f16.f16.f16", MmaF16, MmaF16, 2, kHalves, 16, "ww ww ww ww w"),
    FORM("m16n8k32.f16.f16.f16.f16", MmaF16, MmaF16, 4, kHalves, 16, "ww wwww wwww ww w"),
    FORM("m16n8k16.f32.bf16.bf16.f32", MmaBf16, MmaBf16, 2, kWords, 16, "wwww ww ww wwww w"),
    FORM("m16n8k32.f32.bf16.bf16.f32", MmaBf16, MmaBf16, 4, kWords, 16, "wwww wwww wwww wwww w"),
    FORM("m16n8k8.f32.tf32.tf32.f32", MmaTf32, MmaTf32, 2, kWords, 16, "wwww ww ww wwww w"),
    FORM("m16n8k16.f32.tf32.tf32.f32", MmaTf32, MmaTf32, 4, kWords, 16, "wwww wwww wwww wwww w"),
    BYTES("e4m3", MmaE4M3, "e4m3", MmaE4M3),
    BYTES("e4m3", MmaE4M3, "e5m2", MmaE5M2),
    BYTES("e5m2", MmaE5M2, "e4m3", MmaE4M3),
    BYTES("e5m2", MmaE5M2, "e5m2", MmaE5M2),
    INTEGERS("s8", s8, "s8", s8),
    INTEGERS("s8", s8, "u8", u8),
    INTEGERS("u8", u8, "s8", s8),
    INTEGERS("u8", u8, "u8", u8),
};

} // namespace

void addMmaSparseHandlers(HandlerTable &table) { addRows(table, kSparseRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
