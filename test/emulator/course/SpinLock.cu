// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks taken by threads of one warp, which needs each thread to get on by itself, and by threads
// of several blocks.
struct Lock {
  int *word;
  __device__ void acquire() const {
    while (atomicCAS(word, 0, 1) != 0)
      ;
    __threadfence();
  }
  __device__ void release() const {
    __threadfence();
    atomicExch(word, 0);
  }
};

extern "C" __global__ void count(int *lock, volatile int *counter) {
  Lock mutex{lock};
  mutex.acquire();
  *counter = *counter + 1;
  mutex.release();
}

/// Every thread waits for the one before it in its warp, in reverse order of the lanes.
extern "C" __global__ void inTurn(int *order) {
  __shared__ volatile int turn;
  __shared__ int place;
  if (threadIdx.x == 0)
    turn = 31, place = 0;
  __syncwarp();
  while (turn != int(threadIdx.x))
    ;
  __threadfence_block();
  order[place] = threadIdx.x;
  place = place + 1;
  __threadfence_block();
  turn = int(threadIdx.x) - 1;
}

/// A producer and a consumer in the same warp hand values over through a flag.
extern "C" __global__ void handOver(int *out, int n) {
  __shared__ volatile int flag, value;
  if (threadIdx.x == 0)
    flag = 0;
  __syncwarp();
  if (threadIdx.x == 0) {
    for (int i = 0; i < n; ++i) {
      while (flag != 0)
        ;
      value = i * i;
      __threadfence_block();
      flag = 1;
    }
  } else if (threadIdx.x == 1) {
    for (int i = 0; i < n; ++i) {
      while (flag != 1)
        ;
      out[i] = value;
      __threadfence_block();
      flag = 0;
    }
  }
}
