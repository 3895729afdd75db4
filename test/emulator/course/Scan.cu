// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefix sums: Hillis and Steele's and Blelloch's within a block, and one pass over the whole array
// in which a block looks back at the sums that earlier blocks have published.
extern "C" __global__ void hillisSteele(const int *x, int *out) {
  __shared__ int buffer[2][256];
  int t = threadIdx.x, from = 0;
  buffer[0][t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  for (int offset = 1; offset < 256; offset *= 2) {
    buffer[1 - from][t] = buffer[from][t] + (t >= offset ? buffer[from][t - offset] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = buffer[from][t];
}

/// Exclusive; one index in 32 is skipped so that strides of powers of two meet no bank twice.
extern "C" __global__ void blelloch(const int *x, int *out) {
  extern __shared__ int tree[];
  auto at = [](int i) { return i + i / 32; };
  int t = threadIdx.x, n = 2 * blockDim.x, base = blockIdx.x * n;
  tree[at(2 * t)] = x[base + 2 * t];
  tree[at(2 * t + 1)] = x[base + 2 * t + 1];
  int stride = 1;
  for (int count = n / 2; count > 0; count /= 2, stride *= 2) {
    __syncthreads();
    if (t < count)
      tree[at(stride * (2 * t + 2) - 1)] += tree[at(stride * (2 * t + 1) - 1)];
  }
  if (t == 0)
    tree[at(n - 1)] = 0;
  for (int count = 1; count < n; count *= 2) {
    stride /= 2;
    __syncthreads();
    if (t < count) {
      int left = at(stride * (2 * t + 1) - 1), right = at(stride * (2 * t + 2) - 1);
      int value = tree[left];
      tree[left] = tree[right];
      tree[right] += value;
    }
  }
  __syncthreads();
  out[base + 2 * t] = tree[at(2 * t)];
  out[base + 2 * t + 1] = tree[at(2 * t + 1)];
}

__device__ int warpScan(int value) {
  for (int offset = 1; offset < 32; offset *= 2) {
    int other = __shfl_up_sync(0xffffffffu, value, offset);
    if (threadIdx.x % 32 >= offset)
      value += other;
  }
  return value;
}

/// state[b]: upper half 0 = nothing yet, 1 = the sum of block b, 2 = the sum of blocks 0 to b;
/// lower half the sum.
extern "C" __global__ void lookBack(const int *x, int *out, int n,
                                    volatile unsigned long long *state, unsigned *ticket) {
  __shared__ int warps[8], before;
  __shared__ unsigned tile;
  if (threadIdx.x == 0)
    tile = atomicAdd(ticket, 1);
  __syncthreads();
  int i = tile * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = warpScan(i < n ? x[i] : 0);
  if (lane == 31)
    warps[warp] = value;
  __syncthreads();
  for (int w = 0; w < warp; ++w)
    value += warps[w];
  if (threadIdx.x == 255) {
    unsigned own = value;
    if (tile == 0) {
      before = 0;
    } else {
      state[tile] = 1ull << 32 | own;
      __threadfence();
      unsigned sum = 0;
      for (int b = tile - 1; b >= 0; --b) {
        unsigned long long seen;
        do
          seen = state[b];
        while (seen >> 32 == 0);
        sum += unsigned(seen);
        if (seen >> 32 == 2)
          break;
      }
      before = sum;
    }
    __threadfence();
    state[tile] = 2ull << 32 | (own + unsigned(before));
  }
  __syncthreads();
  if (i < n)
    out[i] = value + before;
}
