// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as people write them, compiled by nvcc for NvccTest.cpp: what another compiler than ours
// makes of CUDA C++ must run as well.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

/// A block a row: maximum and sum by shuffles and shared memory.
extern "C" __global__ void softmax(const float *x, float *y, int columns) {
  __shared__ float parts[32];
  x += blockIdx.x * columns;
  y += blockIdx.x * columns;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    largest = fmaxf(largest, x[i]);
  for (int offset = 16; offset; offset >>= 1)
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, offset));
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = largest;
  __syncthreads();
  for (int i = 0; i < blockDim.x / 32; ++i)
    largest = fmaxf(largest, parts[i]);
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += expf(x[i] - largest);
  for (int offset = 16; offset; offset >>= 1)
    sum += __shfl_xor_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < blockDim.x / 32; ++i)
    sum += parts[i];
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[i] = expf(x[i] - largest) / sum;
}

/// C = A B, all n x n, n a multiple of 64: tiles of 64 x 64 x 16, 4 x 4 sums a thread. The blocks
/// of a row follow each other.
extern "C" __global__ void matrixProduct(const float *a, const float *b, float *c, int n) {
  __shared__ __align__(16) float as[16][64], bs[16][64];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  int row = blockIdx.x / (n / 64) * 64, column = blockIdx.x % (n / 64) * 64;
  float sums[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int i = threadIdx.x; i < 1024; i += 256) {
      as[i % 16][i / 16] = a[(row + i / 16) * n + k0 + i % 16];
      bs[i / 64][i % 64] = b[(k0 + i / 64) * n + column + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float4 av = *(float4 *)&as[k][ty * 4], bv = *(float4 *)&bs[k][tx * 4];
      float al[4] = {av.x, av.y, av.z, av.w}, bl[4] = {bv.x, bv.y, bv.z, bv.w};
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          sums[i][j] = fmaf(al[i], bl[j], sums[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      c[(row + ty * 4 + i) * n + column + tx * 4 + j] = sums[i][j];
}

extern "C" __global__ void histogram(const int *x, int *counts, int n) {
  __shared__ int own[64];
  if (threadIdx.x < 64)
    own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[x[i] & 63], 1);
  __syncthreads();
  if (threadIdx.x < 64)
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

__device__ __noinline__ int mixed(int *stack, int v) {
  int depth = 0;
  while (v) {
    stack[depth++ & 15] = v % 10;
    v /= 10;
  }
  int result = 0;
  for (int i = 0; i < depth; ++i)
    result = result * 3 + stack[i & 15];
  return result;
}

/// Loops that lanes leave at different times, a call, an array in local memory, a switch.
extern "C" __global__ void divergence(const int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int stack[16];
  int s = mixed(stack, x[i]);
  for (int v = x[i]; v != 1; v = v & 1 ? 3 * v + 1 : v >> 1) {
    if (s > 100000)
      break;
    s += 3;
  }
  switch (x[i] % 7) {
  case 0: s += 10; break;
  case 1: s *= 2; break;
  case 2: s -= 3; // and on
  case 3: s ^= 5; break;
  case 4: s = s * s; break;
  case 5: s = -s; break;
  default: break;
  }
  y[i] = s;
}

extern "C" __global__ void halves(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  __half2 pair = __floats2half2_rn(x[i], 2.0f);
  __half2 r = __hfma2(pair, pair, __float2half2_rn(1.0f));
  __nv_bfloat16 b = __float2bfloat16(x[i]);
  y[i] = __low2float(r) + __high2float(r) + __bfloat162float(__hmul(b, b));
}

#define EACH(name, expression)                                                                     \
  extern "C" __global__ void name(const float *a, float *c, int n) {                              \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                 \
    if (i < n) {                                                                                   \
      float x = a[i];                                                                              \
      c[i] = expression;                                                                           \
    }                                                                                              \
  }
EACH(sine, sinf(x))
EACH(cosine, cosf(x))
EACH(tangent, tanf(x))
EACH(exponential, expf(x))
EACH(logarithm, logf(fabsf(x)))
EACH(tanhyp, tanhf(x))
EACH(errorFunction, erff(x))
EACH(power, powf(fabsf(x), 1.7f))
EACH(reciprocalRoot, rsqrtf(fabsf(x)))
EACH(cubeRoot, cbrtf(x))
EACH(remainderOf, fmodf(x, 1.7f))
EACH(wideSine, (float)sin((double)x))
EACH(wideExponential, (float)exp((double)x / 100))
EACH(longDivision, (float)((long long)x / 7 % 5))
EACH(quotient, x / 3.7f)
EACH(nearestInteger, rintf(x))

/// A warp a tile of 16 x 16, scaled in the fragment: c = 2 (a b), b by columns, from shared memory.
extern "C" __global__ void fragments(const __half *a, const __half *b, float *c, int n) {
  using namespace nvcuda::wmma;
  __shared__ __align__(32) __half tile[256];
  int row = blockIdx.x / (n / 16) * 16, column = blockIdx.x % (n / 16) * 16;
  fragment<matrix_a, 16, 16, 16, __half, row_major> fragmentA;
  fragment<matrix_b, 16, 16, 16, __half, col_major> fragmentB;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    for (int i = threadIdx.x; i < 256; i += 32)
      tile[i] = b[(column + i / 16) * n + k + i % 16];
    __syncwarp();
    load_matrix_sync(fragmentA, a + row * n + k, n);
    load_matrix_sync(fragmentB, tile, 16);
    mma_sync(sum, fragmentA, fragmentB, sum);
    __syncwarp();
  }
  for (int i = 0; i < sum.num_elements; ++i)
    sum.x[i] *= 2;
  store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}
