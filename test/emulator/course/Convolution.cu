// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A separable filter whose weights the host writes into constant memory, and a table that is
// compiled in.
__constant__ float weights[17];
__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__device__ int calls;

extern "C" __global__ void rows(const float *x, float *y, int w, int radius) {
  extern __shared__ float line[];
  for (int i = threadIdx.x; i < w + 2 * radius; i += blockDim.x)
    line[i] = x[blockIdx.x * w + min(max(i - radius, 0), w - 1)];
  __syncthreads();
  for (int i = threadIdx.x; i < w; i += blockDim.x) {
    float sum = 0;
    for (int k = 0; k <= 2 * radius; ++k)
      sum += weights[k] * line[i + k];
    y[blockIdx.x * w + i] = sum;
  }
  if (threadIdx.x == 0)
    atomicAdd(&calls, 1);
}

extern "C" __global__ void columns(const float *x, float *y, int w, int h, int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < w)
    for (int j = blockIdx.y; j < h; j += gridDim.y) {
      float sum = 0;
      for (int k = -radius; k <= radius; ++k)
        sum += weights[k + radius] * x[min(max(j + k, 0), h - 1) * w + i];
      y[j * w + i] = sum;
    }
}

extern "C" __global__ void factors(const int *x, int *out) {
  int v = x[threadIdx.x], product = 1;
  for (int i = 0; i < 8; ++i)
    for (; v % primes[i] == 0; v /= primes[i])
      product = product * 31 + primes[i];
  out[threadIdx.x] = product * v;
}
