// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every thread sorts numbers of its own in local memory, by a function that calls itself.
/// Sorts in local memory, by recursion on both sides of a pivot.
__device__ __noinline__ void quickSort(int *x, int begin, int end) {
  if (end - begin < 2)
    return;
  int pivot = x[(begin + end) / 2], i = begin, j = end - 1;
  while (i <= j) {
    while (x[i] < pivot)
      ++i;
    while (x[j] > pivot)
      --j;
    if (i <= j) {
      int v = x[i];
      x[i++] = x[j];
      x[j--] = v;
    }
  }
  quickSort(x, begin, j + 1);
  quickSort(x, i, end);
}

extern "C" __global__ void sortOwn(int *x, int n) {
  int own[16];
  for (int i = 0; i < n; ++i)
    own[i] = x[threadIdx.x * n + i];
  quickSort(own, 0, n);
  for (int i = 0; i < n; ++i)
    x[threadIdx.x * n + i] = own[i];
}
