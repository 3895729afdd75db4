// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three ways to sort within a block: bitonic and odd-even merge networks, and
// least-significant-digit radix sort.
template <typename T> __device__ void order(T &a, T &b, bool isUp) {
  if ((a > b) == isUp) {
    T c = a;
    a = b;
    b = c;
  }
}

extern "C" __global__ void bitonic(unsigned *x) {
  __shared__ unsigned s[512];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * 512 + t];
  s[t + 256] = x[blockIdx.x * 512 + t + 256];
  for (unsigned size = 2; size <= 512; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      unsigned i = 2 * t - (t & (stride - 1));
      order(s[i], s[i + stride], (i & size) == 0);
    }
  __syncthreads();
  x[blockIdx.x * 512 + t] = s[t];
  x[blockIdx.x * 512 + t + 256] = s[t + 256];
}

extern "C" __global__ void oddEvenMerge(float *x) {
  __shared__ float s[256];
  int t = threadIdx.x; // 128 threads
  s[t] = x[t];
  s[t + 128] = x[t + 128];
  for (int size = 2; size <= 256; size *= 2) {
    int stride = size / 2, offset = t & (stride - 1);
    __syncthreads();
    order(s[2 * t - offset], s[2 * t - offset + stride], true);
    for (stride /= 2; stride > 0; stride /= 2) {
      __syncthreads();
      int i = 2 * t - (t & (stride - 1));
      if (offset >= stride)
        order(s[i - stride], s[i], true);
    }
  }
  __syncthreads();
  x[t] = s[t];
  x[t + 128] = s[t + 128];
}

/// 256 keys with their positions, 4 bits at a time; ranks come from ballots, one warp after the
/// other.
extern "C" __global__ void radix(unsigned *keys, unsigned short *values) {
  __shared__ unsigned k[256];
  __shared__ unsigned short v[256];
  __shared__ unsigned counts[16][8], starts[16][8];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  unsigned key = keys[t];
  unsigned short value = t;
  for (int shift = 0; shift < 32; shift += 4) {
    unsigned digit = key >> shift & 15, same = 0xffffffffu;
    for (int bit = 0; bit < 4; ++bit) {
      unsigned votes = __ballot_sync(0xffffffffu, digit >> bit & 1);
      same &= digit >> bit & 1 ? votes : ~votes;
    }
    int rank = __popc(same & ((1u << lane) - 1));
    if (t < 128)
      counts[t / 8][t % 8] = 0;
    __syncthreads();
    if (rank == 0)
      counts[digit][warp] = __popc(same);
    __syncthreads();
    if (t == 0) {
      unsigned sum = 0;
      for (int d = 0; d < 16; ++d)
        for (int w = 0; w < 8; ++w) {
          starts[d][w] = sum;
          sum += counts[d][w];
        }
    }
    __syncthreads();
    k[starts[digit][warp] + rank] = key;
    v[starts[digit][warp] + rank] = value;
    __syncthreads();
    key = k[t];
    value = v[t];
  }
  keys[t] = key;
  values[t] = value;
}
