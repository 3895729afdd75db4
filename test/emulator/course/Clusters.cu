// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters of blocks that read and write each other's shared memory: a histogram spread over four
// blocks, and a ring shift.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

/// 64 bins, 16 in each of the four blocks; the launch gives the size of the cluster.
extern "C" __global__ void histogram(const int *x, int *out, int n) {
  __shared__ int bins[16];
  cg::cluster_group cluster = cg::this_cluster();
  int threads = cluster.num_blocks() * blockDim.x;
  if (threadIdx.x < 16)
    bins[threadIdx.x] = 0;
  cluster.sync();
  for (int i = cluster.block_rank() * blockDim.x + threadIdx.x; i < n; i += threads) {
    int *remote = cluster.map_shared_rank(bins, x[i] / 16);
    atomicAdd(remote + x[i] % 16, 1);
  }
  cluster.sync();
  if (threadIdx.x < 16)
    atomicAdd(&out[cluster.block_rank() * 16 + threadIdx.x], bins[threadIdx.x]);
}

extern "C" __global__ void __cluster_dims__(2, 2, 1) shift(const int *x, int *out) {
  __shared__ int own[32], from;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
  int i = (blockIdx.y * gridDim.x + blockIdx.x) * 32 + threadIdx.x;
  own[threadIdx.x] = x[i];
  cluster.barrier_arrive();
  int local = x[i] * 2;
  cluster.barrier_wait();
  int value = cluster.map_shared_rank(own, next)[threadIdx.x];
  if (threadIdx.x == 0)
    *cluster.map_shared_rank(&from, next) = rank;
  cluster.sync();
  out[i] = value + local + 10000 * from +
           100000 * cluster.query_shared_rank(cluster.map_shared_rank(own, next));
}
