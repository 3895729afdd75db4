// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on pairs of f16 and bf16, and conversions between them and f32.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void axpy(const half2 *x, half2 *y, float a) {
  int i = threadIdx.x;
  y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}

/// Sums pairs in half2 over a warp and counts which of them are larger than a bound.
extern "C" __global__ void sums(const half2 *x, float *out) {
  half2 v = x[threadIdx.x];
  unsigned above = __ballot_sync(~0u, __hbgt2(v, __float2half2_rn(2.0f)));
  half2 most = v;
  for (int offset = 16; offset; offset /= 2) {
    v = __hadd2(v, __shfl_xor_sync(~0u, v, offset));
    most = __hmax2(most, __shfl_xor_sync(~0u, most, offset));
  }
  if (threadIdx.x == 0) {
    out[0] = __low2float(v);
    out[1] = __high2float(v);
    out[2] = __popc(above);
    out[3] = __half2float(__hmax(most.x, most.y));
  }
}

extern "C" __global__ void brain(const float2 *x, float2 *y) {
  __nv_bfloat162 v = __float22bfloat162_rn(x[threadIdx.x]);
  v = __hadd2(__hmul2(v, v), __float2bfloat162_rn(1.0f));
  y[threadIdx.x] = __bfloat1622float2(v);
}
