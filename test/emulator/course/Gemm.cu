// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices, C = A * B, row major, n by n: a thread per element, tiles in shared memory,
// tiles in registers; and the transpose through a padded tile.
extern "C" __global__ void naive(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

extern "C" __global__ void tiled(const float *a, const float *b, float *c, int n) {
  constexpr int kTile = 16;
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * kTile + ty,
      col = blockIdx.x * kTile + tx;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += kTile) {
    as[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0;
    bs[ty][tx] = k0 + ty < n && col < n ? b[(k0 + ty) * n + col] : 0;
    __syncthreads();
    for (int k = 0; k < kTile; ++k)
      sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  if (row < n && col < n)
    c[row * n + col] = sum;
}

/// 64 x 64 a block of 256 threads, 4 x 4 a thread; n is a multiple of 64.
extern "C" __global__ void __launch_bounds__(256)
    inRegisters(const float *a, const float *b, float *c, int n) {
  __shared__ float as[16][64 + 4];
  __shared__ __align__(16) float bs[16][64];
  int t = threadIdx.x, ty = t / 16, tx = t % 16;
  a += blockIdx.y * 64 * n;
  b += blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    float4 va = *reinterpret_cast<const float4 *>(&a[(t / 4) * n + k0 + t % 4 * 4]);
    as[t % 4 * 4 + 0][t / 4] = va.x;
    as[t % 4 * 4 + 1][t / 4] = va.y;
    as[t % 4 * 4 + 2][t / 4] = va.z;
    as[t % 4 * 4 + 3][t / 4] = va.w;
    *reinterpret_cast<float4 *>(&bs[t / 16][t % 16 * 4]) =
        *reinterpret_cast<const float4 *>(&b[(k0 + t / 16) * n + t % 16 * 4]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float x[4], y[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        x[i] = as[k][ty * 4 + i], y[i] = bs[k][tx * 4 + i];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4 *>(&c[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4]) =
        make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

extern "C" __global__ void transpose(const float *x, float *y, int rows, int cols) {
  __shared__ float tile[32][33];
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32;
  for (int j = threadIdx.y; j < 32; j += blockDim.y)
    if (row + j < rows && col < cols)
      tile[j][threadIdx.x] = x[(row + j) * cols + col];
  __syncthreads();
  int outCol = blockIdx.y * 32 + threadIdx.x, outRow = blockIdx.x * 32;
  for (int j = threadIdx.y; j < 32; j += blockDim.y)
    if (outRow + j < cols && outCol < rows)
      y[(outRow + j) * rows + outCol] = tile[threadIdx.x][j];
}
