// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync of floats. Each form stands twice: fast, and as hardware rounds.
#include "runtime/emulator/handlers/tensor/MmaSync.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

/// m16n8k(4 * kSteps) in f64 with one element a register. With kRowHalves 1 it is m8n8k4.
template <u32 kRowHalves, u32 kSteps>
void mmaDouble(f64 *const *d, const f64 *const *a, const f64 *const *b, const f64 *const *c) {
  alignas(64) f64 sum[2 * kRowHalves][kLaneCount];
  for (u32 r = 0; r < 2 * kRowHalves; ++r)
    for (u32 l = 0; l < kLaneCount; ++l) {
      f64 s = c[r][l];
      u32 column = 2 * (l & 3) + (r & 1);
      for (u32 step = 0; step < kSteps; ++step)
        for (u32 t = 0; t < 4; ++t)
          s = __builtin_fma(a[kRowHalves * step + (r >> 1)][(l & ~3u) | t], b[step][4 * column + t],
                            s);
      sum[r][l] = s;
    }
  for (u32 r = 0; r < 2 * kRowHalves; ++r)
    __builtin_memcpy(d[r], sum[r], sizeof sum[r]);
}

/// Directions of rounding in MXCSR, by Op::c: nearest, towards zero, down, up.
constexpr u32 kDirections[] = {0x0000, 0x6000, 0x2000, 0x4000};

template <u32 kRowHalves, u32 kSteps> void mmaToDouble(Warp &warp, const Op &op) {
  if (!isWhole(warp, op, kMissingLanes))
    return;
  const u32 *slots = op.more;
  f64 *d[2 * kRowHalves];
  const f64 *a[kRowHalves * kSteps], *b[kSteps], *c[2 * kRowHalves];
  registersAt(warp, slots, d);
  registersAt(warp, slots + 2 * kRowHalves, a);
  registersAt(warp, slots + 2 * kRowHalves + kRowHalves * kSteps, b);
  registersAt(warp, slots + 2 * kRowHalves + (kRowHalves + 1) * kSteps, c);
  if (op.c == 0)
    return mmaDouble<kRowHalves, kSteps>(d, a, b, c);
  u32 before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr((before & ~0x6000u) | kDirections[op.c & 3]);
  asm volatile("" ::: "memory");
  mmaDouble<kRowHalves, kSteps>(d, a, b, c);
  asm volatile("" ::: "memory");
  __builtin_ia32_ldmxcsr(before);
}

constexpr OpClass kT = OpClass::kTensor;
template <typename T> using Steps = FloatSteps<T::kExactProducts>;

// Registers of d, a, b and c.
#define K1 "wwww ww w wwww"
#define K2 "wwww wwww ww wwww"
#define H1 "ww ww w ww"
#define H2 "ww wwww ww ww"

#define FORM(name, A, B, steps, sums, letters)                                                     \
  {"mma." name, mma<Steps<A>, A, B, steps, 2, Sums::sums>, letters, kT}, {                         \
    "hardware.mma." name, mmaAsHardware<A, B, steps, Sums::sums>, letters, kT                      \
  }
#define BYTES(a, A, b, B)                                                                          \
  FORM("m16n8k16.f32." a "." b ".f32", A, B, 1, kWords, K1),                                       \
      FORM("m16n8k32.f32." a "." b ".f32", A, B, 2, kWords, K2),                                   \
      FORM("m16n8k16.f16." a "." b ".f16", A, B, 1, kHalves, H1),                                  \
      FORM("m16n8k32.f16." a "." b ".f16", A, B, 2, kHalves, H2)

const Instruction kFloatRows[] = {
    FORM("m16n8k8.f32.f16.f16.f32", MmaF16, MmaF16, 1, kWords, K1),
    FORM("m16n8k16.f32.f16.f16.f32", MmaF16, MmaF16, 2, kWords, K2),
    FORM("m16n8k8.f16.f16.f16.f16", MmaF16, MmaF16, 1, kHalves, H1),
    FORM("m16n8k16.f16.f16.f16.f16", MmaF16, MmaF16, 2, kHalves, H2),
    FORM("m16n8k8.f32.bf16.bf16.f32", MmaBf16, MmaBf16, 1, kWords, K1),
    FORM("m16n8k16.f32.bf16.bf16.f32", MmaBf16, MmaBf16, 2, kWords, K2),
    FORM("m16n8k4.f32.tf32.tf32.f32", MmaTf32, MmaTf32, 1, kWords, K1),
    FORM("m16n8k8.f32.tf32.tf32.f32", MmaTf32, MmaTf32, 2, kWords, K2),
    BYTES("e4m3", MmaE4M3, "e4m3", MmaE4M3),
    BYTES("e4m3", MmaE4M3, "e5m2", MmaE5M2),
    BYTES("e5m2", MmaE5M2, "e4m3", MmaE4M3),
    BYTES("e5m2", MmaE5M2, "e5m2", MmaE5M2),
    {"mma.m8n8k4.f64.f64.f64.f64", mmaToDouble<1, 1>, "dd d d dd", kT},
    {"mma.m16n8k4.f64.f64.f64.f64", mmaToDouble<2, 1>, "dddd dd d dddd", kT},
    {"mma.m16n8k8.f64.f64.f64.f64", mmaToDouble<2, 2>, "dddd dddd dd dddd", kT},
    {"mma.m16n8k16.f64.f64.f64.f64", mmaToDouble<2, 4>, "dddd dddddddd dddd dddd", kT},
};

} // namespace

void addMatrixAccessHandlers(HandlerTable &table);
void addMmaIntegerHandlers(HandlerTable &table);
void addMmaSparseHandlers(HandlerTable &table);
void addWgmmaHandlers(HandlerTable &table);
void addWmmaMoveHandlers(HandlerTable &table);
void addWmmaMultiplyHandlers(HandlerTable &table);
void addTmemMmaHandlers(HandlerTable &table);

void addTensorHandlers(HandlerTable &table) {
  addRows(table, kFloatRows);
  addMmaIntegerHandlers(table);
  addMatrixAccessHandlers(table);
  addMmaSparseHandlers(table);
  addWgmmaHandlers(table);
  addWmmaMoveHandlers(table);
  addWmmaMultiplyHandlers(table);
  addTmemMmaHandlers(table);
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA
