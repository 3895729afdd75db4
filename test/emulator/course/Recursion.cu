// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ackermann's function: a function that calls itself twice, deeply.
__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

extern "C" __global__ void recursion(int *out) {
  out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x / 3);
}
