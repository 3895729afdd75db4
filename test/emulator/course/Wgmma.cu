// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One warpgroup multiplies 64 x k by k x 64 with wgmma in inline assembly, both operands in shared
// memory without swizzle: matrices of 8 rows by 16 bytes lie together; 128 bytes lead to the next 8
// rows, 1024 to the next 8 columns of k.
#include <cstdint>
#include <cuda_fp16.h>

__device__ uint64_t descriptor(const void *p) {
  uint64_t address = __cvta_generic_to_shared(p);
  return (address & 0x3ffff) >> 4 | uint64_t(1024 >> 4) << 16 | uint64_t(128 >> 4) << 32;
}

extern "C" __global__ void __launch_bounds__(128)
    gemm(const half *a, const half *b, float *c, int k) {
  __shared__ alignas(128) uint4 as[4][64], bs[4][64]; // [8 columns of k][row]
  int t = threadIdx.x;
  float d[32] = {};
  for (int k0 = 0; k0 < k; k0 += 32) {
    for (int i = t; i < 256; i += 128) {
      as[i / 64][i % 64] = *reinterpret_cast<const uint4 *>(a + i % 64 * k + k0 + i / 64 * 8);
      bs[i / 64][i % 64] = *reinterpret_cast<const uint4 *>(b + i % 64 * k + k0 + i / 64 * 8);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int step = 0; step < 2; ++step)
      asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, "
                   "%6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
                   "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                     "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                     "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                     "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                     "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                     "+f"(d[30]), "+f"(d[31])
                   : "l"(descriptor(as[step * 2])), "l"(descriptor(bs[step * 2]))
                   : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  int row = t / 32 * 16 + t % 32 / 4;
  for (int j = 0; j < 8; ++j)
    for (int h = 0; h < 2; ++h)
      *reinterpret_cast<float2 *>(&c[(row + h * 8) * 64 + j * 8 + t % 4 * 2]) =
          make_float2(d[j * 4 + h * 2], d[j * 4 + h * 2 + 1]);
}
