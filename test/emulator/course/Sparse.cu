// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sparse matrix in CSR form times a vector, a warp per row; and breadth-first search over the
// same structure, a frontier per launch.
extern "C" __global__ void multiply(const int *starts, const int *cols, const float *values,
                                    const float *x, float *y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  float sum = 0;
  for (int i = starts[row] + lane; i < starts[row + 1]; i += 32)
    sum = fmaf(values[i], x[cols[i]], sum);
  for (int offset = 16; offset; offset /= 2)
    sum += __shfl_down_sync(~0u, sum, offset);
  if (lane == 0)
    y[row] = sum;
}

extern "C" __global__ void breadthFirst(const int *starts, const int *cols, int *depths,
                                        const int *frontier, int count, int *next, int *nextCount,
                                        int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  int node = frontier[i];
  for (int e = starts[node]; e < starts[node + 1]; ++e)
    if (atomicCAS(&depths[cols[e]], -1, depth) == -1)
      next[atomicAdd(nextCount, 1)] = cols[e];
}
