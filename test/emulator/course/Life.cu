// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conway's game of life on a torus: bytes through shared memory, and 32 cells to a word with bit
// arithmetic.
extern "C" __global__ void bytes(const unsigned char *x, unsigned char *y, int w, int h) {
  __shared__ unsigned char tile[10][34];
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 10 * 34; i += 256) {
    int row = (blockIdx.y * 8 + i / 34 + h - 1) % h, col = (blockIdx.x * 32 + i % 34 + w - 1) % w;
    tile[i / 34][i % 34] = x[row * w + col];
  }
  __syncthreads();
  int sum = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx)
      sum += tile[threadIdx.y + dy][threadIdx.x + dx];
  int self = tile[threadIdx.y + 1][threadIdx.x + 1];
  sum -= self;
  y[(blockIdx.y * 8 + threadIdx.y) * w + blockIdx.x * 32 + threadIdx.x] =
      sum == 3 || (sum == 2 && self);
}

/// A lane has a column of the torus' 32 words; rows above and below come from the neighbouring
/// lanes.
extern "C" __global__ void words(unsigned *cells, int steps) {
  unsigned here = cells[threadIdx.x];
  for (int s = 0; s < steps; ++s) {
    unsigned above = __shfl_sync(~0u, here, threadIdx.x + 31),
             below = __shfl_sync(~0u, here, threadIdx.x + 1);
    unsigned ones = 0, twos = 0, fours = 0;
    auto add = [&](unsigned v) {
      unsigned carry = ones & v;
      ones ^= v;
      fours |= twos & carry;
      twos ^= carry;
    };
    auto sides = [&](unsigned v) {
      add(__funnelshift_l(v, v, 1));
      add(__funnelshift_r(v, v, 1));
    };
    sides(above), sides(here), sides(below);
    add(above), add(below);
    here = twos & ~fours & (ones | here);
  }
  cells[threadIdx.x] = here;
}
