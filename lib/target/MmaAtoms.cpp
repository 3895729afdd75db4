// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Tensor Core instructions, a row each. Source: PTX ISA 9.0, "mma", "wgmma.mma_async" and
// "tcgen05.mma". The test checks every row against the rule that registers * 4 bytes * threads is
// the size of the operand.
#include "heddle/Target.h"

namespace heddle {

using enum MmaKind;
using D = DType;

// clang-format off
static constexpr MmaAtom kAtoms[] = {
  //                           kind      m   n    k  step a             b             acc      tf32  thr  cc      later  A  B  C
  {"m16n8k16.f32.f16.f16",     kMmaSync, 16, 8,   16, 0,  D::kF16,      D::kF16,      D::kF32, false, 32, 8, 0,   true,  4, 2, 4},
  {"m16n8k8.f32.f16.f16",      kMmaSync, 16, 8,   8,  0,  D::kF16,      D::kF16,      D::kF32, false, 32, 7, 5,   true,  2, 1, 4},
  {"m16n8k16.f16.f16.f16",     kMmaSync, 16, 8,   16, 0,  D::kF16,      D::kF16,      D::kF16, false, 32, 8, 0,   true,  4, 2, 2},
  {"m16n8k8.f16.f16.f16",      kMmaSync, 16, 8,   8,  0,  D::kF16,      D::kF16,      D::kF16, false, 32, 7, 5,   true,  2, 1, 2},
  {"m16n8k16.f32.bf16.bf16",   kMmaSync, 16, 8,   16, 0,  D::kBF16,     D::kBF16,     D::kF32, false, 32, 8, 0,   true,  4, 2, 4},
  {"m16n8k8.f32.bf16.bf16",    kMmaSync, 16, 8,   8,  0,  D::kBF16,     D::kBF16,     D::kF32, false, 32, 8, 0,   true,  2, 1, 4},
  {"m16n8k8.f32.tf32.tf32",    kMmaSync, 16, 8,   8,  0,  D::kF32,      D::kF32,      D::kF32, true,  32, 8, 0,   true,  4, 2, 4},
  {"m16n8k4.f32.tf32.tf32",    kMmaSync, 16, 8,   4,  0,  D::kF32,      D::kF32,      D::kF32, true,  32, 8, 0,   true,  2, 1, 4},
  {"m16n8k32.s32.s8.s8",       kMmaSync, 16, 8,   32, 0,  D::kI8,       D::kI8,       D::kI32, false, 32, 8, 0,   true,  4, 2, 4},
  {"m16n8k16.s32.s8.s8",       kMmaSync, 16, 8,   16, 0,  D::kI8,       D::kI8,       D::kI32, false, 32, 8, 0,   true,  2, 1, 4},
  {"m8n8k16.s32.s8.s8",        kMmaSync, 8,  8,   16, 0,  D::kI8,       D::kI8,       D::kI32, false, 32, 7, 5,   true,  1, 1, 2},
  {"m16n8k32.s32.u8.s8",       kMmaSync, 16, 8,   32, 0,  D::kU8,       D::kI8,       D::kI32, false, 32, 8, 0,   true,  4, 2, 4},
  {"m16n8k32.s32.u8.u8",       kMmaSync, 16, 8,   32, 0,  D::kU8,       D::kU8,       D::kI32, false, 32, 8, 0,   true,  4, 2, 4},
  {"m16n8k32.f32.e4m3.e4m3",   kMmaSync, 16, 8,   32, 0,  D::kF8E4M3FN, D::kF8E4M3FN, D::kF32, false, 32, 8, 9,   true,  4, 2, 4},
  {"m16n8k32.f32.e5m2.e5m2",   kMmaSync, 16, 8,   32, 0,  D::kF8E5M2,   D::kF8E5M2,   D::kF32, false, 32, 8, 9,   true,  4, 2, 4},
  {"m8n8k4.f64.f64.f64",       kMmaSync, 8,  8,   4,  0,  D::kF64,      D::kF64,      D::kF64, false, 32, 8, 0,   true,  2, 2, 4},
  {"m64n256k16.f32.f16.f16",   kWgmma,   64, 256, 16, 8,  D::kF16,      D::kF16,      D::kF32, false, 128, 9, 0,  false, 0, 0, 128},
  {"m64n256k16.f32.bf16.bf16", kWgmma,   64, 256, 16, 8,  D::kBF16,     D::kBF16,     D::kF32, false, 128, 9, 0,  false, 0, 0, 128},
  {"m64n256k8.f32.tf32.tf32",  kWgmma,   64, 256, 8,  8,  D::kF32,      D::kF32,      D::kF32, true,  128, 9, 0,  false, 0, 0, 128},
  {"m64n256k32.f32.e4m3.e4m3", kWgmma,   64, 256, 32, 8,  D::kF8E4M3FN, D::kF8E4M3FN, D::kF32, false, 128, 9, 0,  false, 0, 0, 128},
  {"m64n256k32.f32.e5m2.e5m2", kWgmma,   64, 256, 32, 8,  D::kF8E5M2,   D::kF8E5M2,   D::kF32, false, 128, 9, 0,  false, 0, 0, 128},
  {"m64n256k32.s32.s8.s8",     kWgmma,   64, 256, 32, 16, D::kI8,       D::kI8,       D::kI32, false, 128, 9, 0,  false, 0, 0, 128},
  {"m128n256k16.kind::f16",    kTcgen05, 128, 256, 16, 16, D::kF16,     D::kF16,      D::kF32, false, 1, 10, 0,   false, 0, 0, 0},
  {"m128n256k16.kind::bf16",   kTcgen05, 128, 256, 16, 16, D::kBF16,    D::kBF16,     D::kF32, false, 1, 10, 0,   false, 0, 0, 0},
  {"m128n256k8.kind::tf32",    kTcgen05, 128, 256, 8,  16, D::kF32,     D::kF32,      D::kF32, true,  1, 10, 0,   false, 0, 0, 0},
  {"m128n256k32.kind::f8f6f4", kTcgen05, 128, 256, 32, 16, D::kF8E4M3FN, D::kF8E4M3FN, D::kF32, false, 1, 10, 0,  false, 0, 0, 0},
};
// clang-format on

std::span<const MmaAtom> mmaAtoms() { return kAtoms; }

bool hasAtom(const Target &target, const MmaAtom &atom) {
  switch (atom.kind) {
  case kWgmma:
    return target.hasWgmma;
  case kTcgen05:
    return target.hasTcgen05;
  case kMmaSync:
    return target.major > atom.minMajor ||
           (target.major == atom.minMajor && target.minor >= atom.minMinor);
  }
  return false;
}

const MmaAtom *findMmaSync(const Target &target, DType operand, DType accumulator, bool tf32) {
  const MmaAtom *best = nullptr;
  for (const MmaAtom &atom : kAtoms) {
    if (atom.kind != kMmaSync || !hasAtom(target, atom) || atom.a != operand || atom.b != operand ||
        atom.accumulator != accumulator || atom.tf32 != tf32)
      continue;
    if (!best || atom.k > best->k)
      best = &atom;
  }
  return best;
}

} // namespace heddle
