// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers as operands of products; MmaElements.h says what a type must have.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAINTEGERS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAINTEGERS_H

#include "runtime/emulator/handlers/tensor/MmaVectors.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

/// Integers of a byte; a part is a pair of them with 16 bits each.
template <typename T> struct MmaByte {
  static constexpr u32 kParts = 2;
  static Words widen(Words words, u32 i) {
    using Signed [[gnu::vector_size(4 * kVectorRows)]] = s32;
    if (T(-1) > 0) {
      Words low = (words >> (16 * i)) & 0xff, high = (words >> (16 * i + 8)) & 0xff;
      return low | high << 16;
    }
    Words low = (Words)((Signed)(words << (24 - 16 * i)) >> 24) & 0xffff;
    Words high = (Words)((Signed)(words << (16 - 16 * i)) >> 24) << 16;
    return low | high;
  }
  static void widenRow(const u8 *from, s32 *to) {
    s16 *pairs = (s16 *)to;
    for (u32 i = 0; i < 16; ++i)
      pairs[i] = s16(T(from[i]));
  }
};

/// Integers of four bits; a part is a pair of them with 16 bits each.
template <bool kSigned> struct MmaNibble {
  static constexpr u32 kParts = 4;
  static Words widen(Words words, u32 i) {
    using Signed [[gnu::vector_size(4 * kVectorRows)]] = s32;
    Words low = words << (28 - 8 * i), high = words << (24 - 8 * i);
    if (!kSigned)
      return low >> 28 | (high >> 28) << 16;
    return ((Words)((Signed)low >> 28) & 0xffff) | (Words)((Signed)high >> 28) << 16;
  }
  static void widenRow(const u8 *from, s32 *to) {
    s16 *pairs = (s16 *)to;
    for (u32 i = 0; i < 32; ++i) {
      u32 nibble = from[i / 2] >> (4 * (i & 1)) & 15;
      pairs[i] = s16(kSigned ? s32(nibble << 28) >> 28 : s32(nibble));
    }
  }
};

/// 32 single bits.
struct MmaBits {
  static constexpr u32 kParts = 1;
  static Words widen(Words words, u32) { return words; }
  static void widenRow(const u8 *from, s32 *to) { __builtin_memcpy(to, from, 16); }
};

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAINTEGERS_H
