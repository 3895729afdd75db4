// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input types of tcgen05.mma, 16 bytes at a time: those of MmaElements.h, and floats of 4 and 6
// bits, which are packed with padding, packed without, or in a byte each (PTX
// ISA 9.0, 9.7.16.10.4).
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TMEM_TMEMELEMENTS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TMEM_TMEMELEMENTS_H

#include "runtime/emulator/handlers/tensor/MmaSteps.h"
#include "runtime/emulator/tmem/Multiply.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

/// Makes numbers of 16 bytes; their count depends on the type.
using WidenPiece = void (*)(const u8 *from, u32 *to);

template <typename T> static void widenPiece(const u8 *from, u32 *to) {
  T::widenRow(from, (f32 *)to);
}
template <typename T> static void widenBytes(const u8 *from, u32 *to) {
  T::widenRow(from, (s32 *)to);
}

/// Floats of 4 and 6 bits: e2m1, e2m3 and e3m2 have no infinities and no NaN.
template <u32 kExponent, u32 kMantissa> static f32 smallFloat(u32 bits) {
  constexpr u32 bias = (1 << (kExponent - 1)) - 1;
  u32 mantissa = bits & ((1 << kMantissa) - 1);
  u32 exponent = bits >> kMantissa & ((1 << kExponent) - 1);
  u32 sign = bits >> (kExponent + kMantissa) & 1;
  f32 unit = floatOf((127 + 1 - bias - kMantissa) << 23); // of the last place below 2^(2 - bias)
  f32 value = exponent == 0 ? f32(mantissa) * unit
                            : f32(mantissa + (1 << kMantissa)) * unit * f32(1 << (exponent - 1));
  return sign ? -value : value;
}

/// 16 elements that are packed from the first byte on (kBits * 2 bytes; the rest is padding).
template <u32 kExponent, u32 kMantissa> static void widenPacked(const u8 *from, u32 *to) {
  constexpr u32 bits = 1 + kExponent + kMantissa;
  for (u32 i = 0; i < 16; ++i) {
    u32 at = i * bits;
    u32 word = from[at / 8] | u32(from[at / 8 + (at % 8 + bits > 8)]) << 8;
    ((f32 *)to)[i] = smallFloat<kExponent, kMantissa>(word >> (at % 8));
  }
}
/// 16 elements in a byte each; e2m1 stands in bits 2 to 5 (PTX ISA 9.0, 9.7.16.10.4.3).
template <u32 kExponent, u32 kMantissa> static void widenContainers(const u8 *from, u32 *to) {
  constexpr u32 shift = kExponent + kMantissa == 3 ? 2 : 0;
  for (u32 i = 0; i < 16; ++i)
    ((f32 *)to)[i] = smallFloat<kExponent, kMantissa>(from[i] >> shift);
}
/// 32 elements of 4 bits without padding.
static void widenDense(const u8 *from, u32 *to) {
  for (u32 i = 0; i < 16; ++i) {
    ((f32 *)to)[2 * i] = smallFloat<2, 1>(from[i]);
    ((f32 *)to)[2 * i + 1] = smallFloat<2, 1>(from[i] >> 4);
  }
}

static WidenPiece widenOf(MmaType type, const MmaForm &form, bool isTmem) {
  switch (type) {
  case MmaType::kF16:
    return widenPiece<MmaF16>;
  case MmaType::kBf16:
    return widenPiece<MmaBf16>;
  case MmaType::kTf32:
    return widenPiece<MmaTf32>;
  case MmaType::kE4M3:
    return widenPiece<MmaE4M3>;
  case MmaType::kE5M2:
    return widenPiece<MmaE5M2>;
  case MmaType::kE2M3:
    return isTmem ? widenContainers<2, 3> : widenPacked<2, 3>;
  case MmaType::kE3M2:
    return isTmem ? widenContainers<3, 2> : widenPacked<3, 2>;
  case MmaType::kU8:
    return widenBytes<MmaByte<u8>>;
  case MmaType::kS8:
    return widenBytes<MmaByte<s8>>;
  default:
    if (form.kind == MmaKind::kMxF4 || form.kind == MmaKind::kMxF4NvF4)
      return widenDense;
    return isTmem ? widenContainers<2, 1> : widenPacked<2, 1>;
  }
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TMEM_TMEMELEMENTS_H
