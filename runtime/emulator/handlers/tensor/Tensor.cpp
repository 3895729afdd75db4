// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync. Operands are many registers, so all of them stand in Op::more in the order of the text,
// vectors spread out: d..., a..., b..., c....
#include "runtime/emulator/handlers/tensor/MmaExact.h"
#include "runtime/emulator/handlers/tensor/MmaProducts.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

/// The warp's 32 lanes work on one product; a lane that is missing has no meaning.
bool isWhole(Warp &warp, const Op &op, const char *what) {
  if (maskOf(warp, op) == kAllLanes)
    return true;
  if (maskOf(warp, op) == 0)
    return false;
  reportFault(warp, op, Fault::kDivergence, kLaneCount, what);
  return false;
}

template <typename T, u32 kCount>
const T *const *registersAt(Warp &warp, const u32 *slots, const T *(&to)[kCount]) {
  for (u32 i = 0; i < kCount; ++i)
    to[i] = lanesOf<T>(warp, slots[i]);
  return to;
}
template <typename T, u32 kCount>
T *const *resultsAt(Warp &warp, const u32 *slots, T *(&to)[kCount]) {
  for (u32 i = 0; i < kCount; ++i)
    to[i] = lanesOf<T>(warp, slots[i]);
  return to;
}

constexpr const char *kMissingLanes =
    "mma.sync needs all 32 lanes of the warp, some have branched away or exited";

/// m16n8k(4 * kParts * kSteps) with f32 sums.
template <typename A, typename B, u32 kSteps> void mmaToFloat(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, kMissingLanes))
    return;
  const u32 *slots = op.more;
  f32 *d[4];
  const u32 *a[2 * kSteps], *b[kSteps];
  const f32 *c[4];
  resultsAt(warp, slots, d);
  registersAt(warp, slots + 4, a);
  registersAt(warp, slots + 4 + 2 * kSteps, b);
  registersAt(warp, slots + 4 + 3 * kSteps, c);
  mmaFloat<A, B, kSteps>(d, a, b, c);
}

/// The same with f16 sums, two in a register; the sum is rounded once, after the last product.
template <typename A, typename B, u32 kSteps> void mmaToHalf(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, kMissingLanes))
    return;
  const u32 *slots = op.more;
  alignas(64) f32 wide[2][2 * kLaneCount], sum[4][kLaneCount];
  const u32 *a[2 * kSteps], *b[kSteps];
  registersAt(warp, slots + 2, a);
  registersAt(warp, slots + 2 + 2 * kSteps, b);
  for (u32 r = 0; r < 2; ++r) {
    loadHalves<2 * kLaneCount>(wide[r], lanesOf<u16>(warp, slots[2 + 3 * kSteps + r]));
    for (u32 l = 0; l < kLaneCount; ++l) {
      sum[2 * r][l] = wide[r][2 * l];
      sum[2 * r + 1][l] = wide[r][2 * l + 1];
    }
  }
  f32 *d[] = {sum[0], sum[1], sum[2], sum[3]};
  const f32 *c[] = {sum[0], sum[1], sum[2], sum[3]};
  mmaFloat<A, B, kSteps>(d, a, b, c);
  for (u32 r = 0; r < 2; ++r) {
    for (u32 l = 0; l < kLaneCount; ++l) {
      wide[r][2 * l] = sum[2 * r][l];
      wide[r][2 * l + 1] = sum[2 * r + 1][l];
    }
    storeHalves<2 * kLaneCount>(lanesOf<u16>(warp, slots[r]), wide[r]);
  }
}

template <typename A, typename B, u32 kSteps, bool kSaturates>
void mmaToInteger(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, kMissingLanes))
    return;
  const u32 *slots = op.more;
  s32 *d[4];
  const u32 *a[2 * kSteps], *b[kSteps];
  const s32 *c[4];
  resultsAt(warp, slots, d);
  registersAt(warp, slots + 4, a);
  registersAt(warp, slots + 4 + 2 * kSteps, b);
  registersAt(warp, slots + 4 + 3 * kSteps, c);
  mmaInteger<A, B, kSteps, kSaturates>(d, a, b, c);
}

template <u32 kRowHalves, u32 kSteps> void mmaToDouble(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, kMissingLanes))
    return;
  const u32 *slots = op.more;
  f64 *d[2 * kRowHalves];
  const f64 *a[kRowHalves * kSteps], *b[kSteps], *c[2 * kRowHalves];
  resultsAt(warp, slots, d);
  registersAt(warp, slots + 2 * kRowHalves, a);
  registersAt(warp, slots + 2 * kRowHalves + kRowHalves * kSteps, b);
  registersAt(warp, slots + 2 * kRowHalves + (kRowHalves + 1) * kSteps, c);
  mmaDouble<kRowHalves, kSteps>(d, a, b, c);
}

constexpr OpClass kT = OpClass::kTensor;

// Registers of d, a, b and c.
#define K1 "wwww ww w wwww"
#define K2 "wwww wwww ww wwww"

#define INTEGERS(shape, steps, letters, a, A, b, B)                                                \
  {"mma." shape ".s32." a "." b ".s32", mmaToInteger<A, B, steps, false>, letters, kT}, {          \
    "mma." shape ".satfinite.s32." a "." b ".s32", mmaToInteger<A, B, steps, true>, letters, kT    \
  }

#define BYTE_FLOATS(a, A, b, B)                                                                    \
  {"mma.m16n8k16.f32." a "." b ".f32", mmaToFloat<A, B, 1>, K1, kT},                               \
      {"mma.m16n8k32.f32." a "." b ".f32", mmaToFloat<A, B, 2>, K2, kT},                           \
      {"mma.m16n8k16.f16." a "." b ".f16", mmaToHalf<A, B, 1>, "ww ww w ww", kT}, {                \
    "mma.m16n8k32.f16." a "." b ".f16", mmaToHalf<A, B, 2>, "ww wwww ww ww", kT                    \
  }

const Instruction kRows[] = {
    {"mma.m16n8k8.f32.f16.f16.f32", mmaToFloat<MmaF16, MmaF16, 1>, K1, kT},
    {"mma.m16n8k16.f32.f16.f16.f32", mmaToFloat<MmaF16, MmaF16, 2>, K2, kT},
    {"mma.m16n8k8.f16.f16.f16.f16", mmaToHalf<MmaF16, MmaF16, 1>, "ww ww w ww", kT},
    {"mma.m16n8k16.f16.f16.f16.f16", mmaToHalf<MmaF16, MmaF16, 2>, "ww wwww ww ww", kT},
    {"mma.m16n8k8.f32.bf16.bf16.f32", mmaToFloat<MmaBf16, MmaBf16, 1>, K1, kT},
    {"mma.m16n8k16.f32.bf16.bf16.f32", mmaToFloat<MmaBf16, MmaBf16, 2>, K2, kT},
    {"mma.m16n8k4.f32.tf32.tf32.f32", mmaToFloat<MmaTf32, MmaTf32, 1>, K1, kT},
    {"mma.m16n8k8.f32.tf32.tf32.f32", mmaToFloat<MmaTf32, MmaTf32, 2>, K2, kT},
    BYTE_FLOATS("e4m3", MmaE4M3, "e4m3", MmaE4M3),
    BYTE_FLOATS("e4m3", MmaE4M3, "e5m2", MmaE5M2),
    BYTE_FLOATS("e5m2", MmaE5M2, "e4m3", MmaE4M3),
    BYTE_FLOATS("e5m2", MmaE5M2, "e5m2", MmaE5M2),
    INTEGERS("m16n8k16", 1, K1, "s8", s8, "s8", s8),
    INTEGERS("m16n8k16", 1, K1, "s8", s8, "u8", u8),
    INTEGERS("m16n8k16", 1, K1, "u8", u8, "s8", s8),
    INTEGERS("m16n8k16", 1, K1, "u8", u8, "u8", u8),
    INTEGERS("m16n8k32", 2, K2, "s8", s8, "s8", s8),
    INTEGERS("m16n8k32", 2, K2, "s8", s8, "u8", u8),
    INTEGERS("m16n8k32", 2, K2, "u8", u8, "s8", s8),
    INTEGERS("m16n8k32", 2, K2, "u8", u8, "u8", u8),
    {"mma.m8n8k4.f64.f64.f64.f64", mmaToDouble<1, 1>, "dd d d dd", kT},
    {"mma.m16n8k4.f64.f64.f64.f64", mmaToDouble<2, 1>, "dddd dd d dddd", kT},
    {"mma.m16n8k8.f64.f64.f64.f64", mmaToDouble<2, 2>, "dddd dddd dd dddd", kT},
    {"mma.m16n8k16.f64.f64.f64.f64", mmaToDouble<2, 4>, "dddd dddddddd dddd dddd", kT},
};

} // namespace

void addMatrixAccessHandlers(HandlerTable &table);
void addWgmmaHandlers(HandlerTable &table);

void addTensorHandlers(HandlerTable &table) {
  addRows(table, kRows);
  addMatrixAccessHandlers(table);
  addWgmmaHandlers(table);
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA
