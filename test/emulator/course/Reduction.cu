// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of an array in five manners, from a tree in shared memory to cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void sumTree(const int *x, int *out, int n) {
  __shared__ int part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = part[0];
}

template <typename T> __device__ T warpSum(T value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

template <typename T, int kThreads> struct BlockReduce {
  T warps[kThreads / 32];
  __device__ T sum(T value) {
    value = warpSum(value);
    if (threadIdx.x % 32 == 0)
      warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x < kThreads / 32 ? warps[threadIdx.x] : T(0);
    return threadIdx.x < 32 ? warpSum(value) : T(0);
  }
};

template <typename T> __device__ void sumBlocks(const T *x, T *out, int n) {
  __shared__ BlockReduce<T, 256> reduce;
  T value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    value += x[i];
  value = reduce.sum(value);
  if (threadIdx.x == 0)
    atomicAdd(out, value);
}
extern "C" __global__ void sumShuffleInt(const int *x, int *out, int n) { sumBlocks(x, out, n); }
extern "C" __global__ void sumShuffleFloat(const float *x, float *out, int n) {
  sumBlocks(x, out, n);
}
extern "C" __global__ void sumShuffleDouble(const double *x, double *out, int n) {
  sumBlocks(x, out, n);
}

extern "C" __global__ void sumAtomic(const int *x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(out, x[i]);
}

extern "C" __global__ void sumGroups(const int *x, int *out, int n) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  __shared__ int warps[8];
  int i = block.group_index().x * block.size() + block.thread_rank();
  int value = cg::reduce(tile, i < n ? x[i] : 0, cg::plus<int>());
  if (tile.thread_rank() == 0)
    warps[tile.meta_group_rank()] = value;
  block.sync();
  if (tile.meta_group_rank() == 0) {
    value = tile.thread_rank() < tile.meta_group_size() ? warps[tile.thread_rank()] : 0;
    value = cg::reduce(tile, value, cg::plus<int>());
    if (tile.thread_rank() == 0)
      atomicAdd(out, value);
  }
}

extern "C" __global__ void largest(const int *x, int *out, int n) {
  int best = 0x80000000;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    best = max(best, x[i]);
  best = __reduce_max_sync(0xffffffffu, best);
  if (threadIdx.x % 32 == 0)
    atomicMax(out, best);
}
