// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX texts of the kernels that the emulated device is timed with.
#ifndef HEDDLE_TEST_BENCH_KERNELTEXTS_H
#define HEDDLE_TEST_BENCH_KERNELTEXTS_H

#include <string>

namespace heddle::bench {

/// y[i] = relu(a * x[i] + y[i]) over n f32 in a loop over the grid, one element a thread and step,
/// several times: k(x, y, a, n, passes), blocks of 256. A step has kStepInstructions instructions.
std::string elementwiseText();
constexpr int kStepInstructions = 10;

/// C[M, N] f32 = A[M, K] B[K, N], f16, row-major, multiples of 128 x 128 x 32 with K >= 96:
/// gemm(A, B, C, N, K), blocks of 128 threads over (N / 128, M / 128), kSm80Shared bytes of dynamic
/// shared memory. cp.async in four stages, XOR swizzle, ldmatrix, mma.sync (sm_80).
std::string gemmSm80Text();
constexpr int kSm80Shared = 4 * (128 * 32 + 32 * 128) * 2;

/// C[M, N] f32 = A[M, K] B[N, K] transposed, f16, multiples of 64 x 256 x 64: gemm(map of A, map of
/// B, C, N, K), blocks of 128 threads over (N / 256, M / 64), kSm90Shared bytes. TMA in two stages,
/// 128-byte swizzle, wgmma (sm_90a).
std::string gemmSm90Text();
constexpr int kSm90Shared = 2 * (64 + 256) * 64 * 2 + 1024;

/// A kernel of about `instructions` instructions: arithmetic, loads, stores, branches.
std::string longText(int instructions);

} // namespace heddle::bench

#endif // HEDDLE_TEST_BENCH_KERNELTEXTS_H
