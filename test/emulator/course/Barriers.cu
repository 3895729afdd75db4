// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::barrier: split arrival and waiting, a completion by all warps, asynchronous copies that
// arrive, and threads that leave.
#include <cooperative_groups.h>
#include <cuda/barrier>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init

extern "C" __global__ void split(const int *x, int *out, int rounds) {
  __shared__ Barrier barrier;
  __shared__ int buffer[2][128];
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int r = 0; r < rounds; ++r) {
    buffer[r % 2][threadIdx.x] = x[r * 128 + threadIdx.x];
    auto token = barrier.arrive();
    int own = x[r * 128 + threadIdx.x] * 3; // work that needs nobody else
    barrier.wait(std::move(token));
    sum += own + buffer[r % 2][127 - threadIdx.x];
  }
  out[threadIdx.x] = sum;
}

extern "C" __global__ void copies(const int *x, int *out) {
  __shared__ Barrier barrier;
  __shared__ alignas(16) int buffer[256];
  auto block = cooperative_groups::this_thread_block();
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  block.sync();
  cuda::memcpy_async(block, buffer, x, cuda::aligned_size_t<16>(sizeof buffer), barrier);
  barrier.arrive_and_wait();
  out[threadIdx.x] = buffer[(threadIdx.x * 2 + 1) % 256] - buffer[threadIdx.x * 2];
}

/// In each round the upper half of the threads that are left leaves.
extern "C" __global__ void leaving(int *out) {
  __shared__ Barrier barrier;
  __shared__ int rounds;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    rounds = 0;
  }
  __syncthreads();
  for (int left = blockDim.x / 2; left >= 1; left /= 2) {
    if (threadIdx.x >= left) {
      barrier.arrive_and_drop();
      break;
    }
    barrier.arrive_and_wait();
    if (threadIdx.x == 0)
      rounds += left;
  }
  if (threadIdx.x == 0)
    *out = rounds;
}

/// Two barriers make a queue of one place between warps.
extern "C" __global__ void queue(const int *x, int *out, int n) {
  __shared__ Barrier full, empty;
  __shared__ int place[32];
  if (threadIdx.x == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  __syncthreads();
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int i = 0; i < n; ++i) {
      empty.arrive_and_wait();
      place[lane] = x[i * 32 + lane];
      (void)full.arrive();
    }
  } else {
    (void)empty.arrive();
    int sum = 0;
    for (int i = 0; i < n; ++i) {
      full.arrive_and_wait();
      sum = sum * 3 + place[31 - lane];
      if (i + 1 < n)
        (void)empty.arrive();
    }
    out[lane] = sum;
  }
}
