// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors as wide as the host's, for matrix products: kVectorRows rows of a matrix in one vector.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAVECTORS_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAVECTORS_H

#include "runtime/emulator/handlers/HalfLanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

// HEDDLE_EMU_IN_LANES: elements of two vectors, the same choice in each 128 bits; the second
// vector's elements are numbered from kVectorRows.
#if defined(__AVX512F__)
static constexpr u32 kVectorRows = 16;
#define HEDDLE_EMU_IN_LANES(x, y, a, b, c, d)                                                      \
  __builtin_shufflevector(x, y, a, b, c, d, a + 4, b + 4, c + 4, d + 4, a + 8, b + 8, c + 8,       \
                          d + 8, a + 12, b + 12, c + 12, d + 12)
#elif defined(__AVX__)
static constexpr u32 kVectorRows = 8;
#define HEDDLE_EMU_IN_LANES(x, y, a, b, c, d)                                                      \
  __builtin_shufflevector(x, y, a, b, c, d, a + 4, b + 4, c + 4, d + 4)
#else
static constexpr u32 kVectorRows = 4;
#define HEDDLE_EMU_IN_LANES(x, y, a, b, c, d) __builtin_shufflevector(x, y, a, b, c, d)
#endif

using Words [[gnu::vector_size(4 * kVectorRows), gnu::may_alias]] = u32;
using Floats [[gnu::vector_size(4 * kVectorRows), gnu::may_alias]] = f32;
using FloatsAnywhere [[gnu::vector_size(4 * kVectorRows), gnu::may_alias, gnu::aligned(4)]] = f32;

static inline f32 floatLike(u32) { return 0; }
static inline Floats floatLike(Words) { return Floats{}; }
template <typename To, typename From> static inline To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy((void *)&to, &from, sizeof to);
  return to;
}

/// Each 128 bits of the four are a 4x4 matrix whose rows become its columns.
static inline void turnInLanes(Words (&x)[4]) {
  constexpr int w = kVectorRows;
  Words a = HEDDLE_EMU_IN_LANES(x[0], x[1], 0, w, 1, w + 1);
  Words b = HEDDLE_EMU_IN_LANES(x[0], x[1], 2, w + 2, 3, w + 3);
  Words c = HEDDLE_EMU_IN_LANES(x[2], x[3], 0, w, 1, w + 1);
  Words d = HEDDLE_EMU_IN_LANES(x[2], x[3], 2, w + 2, 3, w + 3);
  x[0] = HEDDLE_EMU_IN_LANES(a, c, 0, 1, w, w + 1);
  x[1] = HEDDLE_EMU_IN_LANES(a, c, 2, 3, w + 2, w + 3);
  x[2] = HEDDLE_EMU_IN_LANES(b, d, 0, 1, w, w + 1);
  x[3] = HEDDLE_EMU_IN_LANES(b, d, 2, 3, w + 2, w + 3);
}
#undef HEDDLE_EMU_IN_LANES

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMAVECTORS_H
