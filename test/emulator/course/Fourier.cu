// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms of 256 complex numbers, radix 2 after Stockham in shared memory, a transform a
// block.
extern "C" __global__ void transform(const float2 *x, float2 *y, float sign) {
  __shared__ float2 buffer[2][256];
  int t = threadIdx.x, from = 0; // 128 threads
  buffer[0][t] = x[blockIdx.x * 256 + t];
  buffer[0][t + 128] = x[blockIdx.x * 256 + t + 128];
  for (int size = 1; size < 256; size *= 2, from ^= 1) {
    __syncthreads();
    int k = t & (size - 1);
    float2 a = buffer[from][t], b = buffer[from][t + 128], w;
    sincospif(sign * k / size, &w.y, &w.x);
    b = make_float2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
    int to = 2 * t - k;
    buffer[from ^ 1][to] = make_float2(a.x + b.x, a.y + b.y);
    buffer[from ^ 1][to + size] = make_float2(a.x - b.x, a.y - b.y);
  }
  __syncthreads();
  y[blockIdx.x * 256 + t] = buffer[from][t];
  y[blockIdx.x * 256 + t + 128] = buffer[from][t + 128];
}
