// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of byte values: atomics in shared memory, then in global memory; and a variant where the
// lanes of a warp that hold the same value send one atomic.
extern "C" __global__ void histogram(const unsigned char *x, unsigned *counts, int n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[x[i]], 1);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

extern "C" __global__ void histogramOfWarps(const unsigned char *x, unsigned *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned active = __activemask(), value = x[i];
    unsigned same = __match_any_sync(active, value);
    if (threadIdx.x % 32 == __ffs(same) - 1)
      atomicAdd(&counts[value], __popc(same));
  }
}

/// Two 16-bit counters to a word, each block row its own.
extern "C" __global__ void histogramPacked(const uchar4 *x, unsigned *counts, int n) {
  __shared__ unsigned short own[8][256];
  for (int i = threadIdx.x; i < 8 * 256; i += 256)
    own[0][i] = 0;
  __syncthreads();
  unsigned *words = reinterpret_cast<unsigned *>(own[threadIdx.x / 32]);
  auto count = [&](unsigned v) { atomicAdd(&words[v / 2], v % 2 ? 0x10000u : 1u); };
  for (int i = threadIdx.x; i < n / 4; i += 256) {
    uchar4 v = x[i];
    count(v.x), count(v.y), count(v.z), count(v.w);
  }
  __syncthreads();
  unsigned sum = 0;
  for (int w = 0; w < 8; ++w)
    sum += own[w][threadIdx.x];
  counts[threadIdx.x] = sum;
}
