// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A 64 x 64 tile of an f16 product by inline assembly: cp.async into swizzled shared memory, two
// stages, ldmatrix, mma.sync. 128 threads; A is row major, B column major, k a multiple of 32.
#include <cuda_fp16.h>

__device__ unsigned sharedAddress(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }

/// Chunks of 8 elements; rows of four chunks, permuted so that the eight rows of an ldmatrix meet
/// all banks.
__device__ int chunkAt(int row, int chunk) { return row * 4 + (chunk ^ (row / 2 & 3)); }

extern "C" __global__ void __launch_bounds__(128)
    gemm(const half *a, const half *b, float *c, int n, int k) {
  __shared__ uint4 as[2][64 * 4], bs[2][64 * 4];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  a += blockIdx.y * 64 * k;
  b += blockIdx.x * 64 * k;
  auto load = [&](int stage, int k0) {
    for (int i = t; i < 256; i += 128) {
      int row = i / 4, chunk = i % 4;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                       sharedAddress(&as[stage][chunkAt(row, chunk)])),
                   "l"(a + row * k + k0 + chunk * 8)
                   : "memory");
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                       sharedAddress(&bs[stage][chunkAt(row, chunk)])),
                   "l"(b + row * k + k0 + chunk * 8)
                   : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float d[8][4] = {};
  load(0, 0);
  for (int k0 = 0, stage = 0; k0 < k; k0 += 32, stage ^= 1) {
    if (k0 + 32 < k) {
      load(stage ^ 1, k0 + 32);
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    for (int step = 0; step < 2; ++step) {
      unsigned x[4], y[2];
      int row = warp * 16 + lane % 16;
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                   : "r"(sharedAddress(&as[stage][chunkAt(row, step * 2 + lane / 16)]))
                   : "memory");
      for (int j = 0; j < 8; ++j) {
        asm volatile(
            "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
            : "=r"(y[0]), "=r"(y[1])
            : "r"(sharedAddress(&bs[stage][chunkAt(j * 8 + lane % 8, step * 2 + lane / 8 % 2)]))
            : "memory");
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
            "{%8, %9}, {%0, %1, %2, %3};"
            : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
            : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; ++j)
    for (int h = 0; h < 2; ++h) {
      int row = blockIdx.y * 64 + warp * 16 + lane / 4 + h * 8,
          col = blockIdx.x * 64 + j * 8 + lane % 4 * 2;
      *reinterpret_cast<float2 *>(&c[row * n + col]) = make_float2(d[j][h * 2], d[j][h * 2 + 1]);
    }
}
