// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jacobi steps on a plane with a halo in shared memory, and on a volume in which a column of
// threads walks up.
extern "C" __global__ void plane(const float *x, float *y, int w, int h) {
  __shared__ float tile[18][34];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
  auto load = [&](int i, int j) { return i >= 0 && i < w && j >= 0 && j < h ? x[j * w + i] : 0.f; };
  tile[ty][tx] = load(i, j);
  if (tx == 1)
    tile[ty][0] = load(i - 1, j);
  if (tx == 32)
    tile[ty][33] = load(i + 1, j);
  if (ty == 1)
    tile[0][tx] = load(i, j - 1);
  if (ty == 16)
    tile[17][tx] = load(i, j + 1);
  __syncthreads();
  if (i < w && j < h)
    y[j * w + i] =
        0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}

extern "C" __global__ void volume(const float *x, float *y, int w, int h, int d) {
  __shared__ float tile[8][16];
  int i = blockIdx.x * 14 + threadIdx.x - 1, j = blockIdx.y * 6 + threadIdx.y - 1;
  bool inside = i >= 0 && i < w && j >= 0 && j < h;
  bool isInner = threadIdx.x > 0 && threadIdx.x < 15 && threadIdx.y > 0 && threadIdx.y < 7;
  auto load = [&](int k) { return inside && k < d ? x[(k * h + j) * w + i] : 0.f; };
  float below = 0, here = load(0);
  for (int k = 0; k < d; ++k) {
    float above = load(k + 1);
    tile[threadIdx.y][threadIdx.x] = here;
    __syncthreads();
    if (inside && isInner)
      y[(k * h + j) * w + i] = below + above - 6 * here + tile[threadIdx.y][threadIdx.x - 1] +
                               tile[threadIdx.y][threadIdx.x + 1] +
                               tile[threadIdx.y - 1][threadIdx.x] +
                               tile[threadIdx.y + 1][threadIdx.x];
    __syncthreads();
    below = here;
    here = above;
  }
}
