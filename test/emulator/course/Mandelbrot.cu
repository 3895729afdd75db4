// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Escape times of points: every lane leaves its loop at another time. Fixed point, so that every
// machine agrees.
extern "C" __global__ void escape(unsigned char *out, int w, int h, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= w || j >= h)
    return;
  constexpr int kOne = 1 << 24;
  int cx = -2 * kOne + i * (3 * (kOne / w)), cy = -kOne + j * (2 * (kOne / h));
  long long x = 0, y = 0;
  int n = 0;
  while (n < limit) {
    long long xx = x * x >> 24, yy = y * y >> 24;
    if (xx + yy > 4ll * kOne)
      break;
    y = (x * y >> 23) + cy;
    x = xx - yy + cx;
    ++n;
  }
  out[j * w + i] = n;
}
