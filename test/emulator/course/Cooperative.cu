// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups: tiles, threads that happen to be together, labelled partitions, and a barrier
// over the whole grid.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <typename Tile> __device__ int tileSum(Tile tile, int v) {
  for (int offset = int(tile.size()) / 2; offset; offset /= 2)
    v += tile.shfl_xor(v, offset);
  return v;
}

extern "C" __global__ void tiles(const int *x, int *out) {
  cg::thread_block block = cg::this_thread_block();
  int i = block.thread_rank();
  int *row = out + i * 6;
  row[0] = tileSum(cg::tiled_partition<4>(block), x[i]);
  row[1] = tileSum(cg::tiled_partition<16>(block), x[i]);
  auto eight = cg::tiled_partition<8>(cg::tiled_partition<32>(block));
  row[2] = eight.ballot(x[i] & 1);
  row[3] = eight.meta_group_rank() * 100 + eight.thread_rank();
  row[4] = eight.any(x[i] == 3) + 2 * eight.all(x[i] < 90);
  row[5] = cg::tiled_partition<2>(block).shfl(x[i], 1);
}

/// Threads that found something take their places with one atomic a warp.
extern "C" __global__ void filter(const int *x, int *out, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || x[i] % 3 != 0)
    return;
  cg::coalesced_group active = cg::coalesced_threads();
  int start = 0;
  if (active.thread_rank() == 0)
    start = atomicAdd(count, active.size());
  start = active.shfl(start, 0);
  out[start + active.thread_rank()] = x[i];
}

extern "C" __global__ void labels(const int *x, int *out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto same = cg::labeled_partition(warp, x[threadIdx.x] % 4);
  out[threadIdx.x] = same.size() * 100 + same.thread_rank();
}

/// Each step needs what the neighbours in other blocks have written in the step before.
extern "C" __global__ void wholeGrid(int *a, int *b, int steps) {
  cg::grid_group grid = cg::this_grid();
  int n = int(grid.size()), i = int(grid.thread_rank());
  for (int s = 0; s < steps; ++s) {
    b[i] = a[(i + 1) % n] + a[(i + n - 1) % n];
    grid.sync();
    int *c = a;
    a = b;
    b = c;
  }
}
