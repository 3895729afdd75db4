// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns 8x8 matrices of 16-bit elements: rows become columns.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MATRIXTURN_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MATRIXTURN_H

#include "runtime/emulator/handlers/Lanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

typedef u16 MatrixRow __attribute__((vector_size(16), may_alias));

static inline void turnMatrix(MatrixRow (&m)[8]) {
  typedef u32 RowWords __attribute__((vector_size(16), may_alias));
  typedef u64 RowPairs __attribute__((vector_size(16), may_alias));
  MatrixRow a[8];
  for (u32 i = 0; i < 4; ++i) {
    a[2 * i] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 0, 8, 1, 9, 2, 10, 3, 11);
    a[2 * i + 1] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  // a[2i + h]: columns 4h to 4h + 3 of the rows 2i and 2i + 1.
  RowWords b[8];
  for (u32 half = 0; half < 2; ++half)
    for (u32 i = 0; i < 2; ++i) {
      RowWords low = (RowWords)a[4 * i + half], high = (RowWords)a[4 * i + 2 + half];
      b[4 * half + i] = __builtin_shufflevector(low, high, 0, 4, 1, 5);
      b[4 * half + 2 + i] = __builtin_shufflevector(low, high, 2, 6, 3, 7);
    }
  // b[4h + 2j + i]: columns 4h + 2j and the next, of the rows 4i to 4i + 3.
  for (u32 j = 0; j < 4; ++j) {
    RowPairs low = (RowPairs)b[2 * j], high = (RowPairs)b[2 * j + 1];
    m[2 * j] = (MatrixRow)__builtin_shufflevector(low, high, 0, 2);
    m[2 * j + 1] = (MatrixRow)__builtin_shufflevector(low, high, 1, 3);
  }
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MATRIXTURN_H
