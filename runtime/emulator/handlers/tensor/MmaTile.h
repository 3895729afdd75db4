// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of 16 rows with 8 columns, the inner loop of mma.sync, wgmma and wmma.
//
// PTX ISA, "Matrix Fragments for mma.m16n8k*", in one rule: let lane = 4g + t and let a 32-bit
// register hold p elements. Register r of A holds row g + 8(r & 1), k = tp + i + 4p(r >> 1) in its
// part i; register r of B holds column g, k = tp + i + 4pr; register r of C and D holds row
// g + 8(r >> 1), column 2t + (r & 1).
//
// With AVX-512 a register of C is two vectors of 4 rows with 4 columns each, and the element of A
// that it needs for a k stands in the same group of 4 lanes: a shuffle inside of groups for A and a
// permutation for B feed every step, and C is never moved. Narrower vectors have too few registers
// for that: there 4x4 matrices inside of 128 bits of A and C are turned, which gives vectors of one
// column each, and a step multiplies one with one number of B.
//
// Sums run over k in ascending order, each step rounded once, at every vector width.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMATILE_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMATILE_H

#if defined(__AVX512F__)
#include "runtime/emulator/handlers/tensor/MmaTileWide.h"
#else
#include "runtime/emulator/handlers/tensor/MmaTileTurned.h"
#endif

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_TENSOR_MMATILE_H
