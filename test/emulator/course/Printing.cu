// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// printf from a kernel, with all kinds of arguments.
#include <cstdio>

extern "C" __global__ void greet(int n, float x, const char *unused) {
  if (threadIdx.x == 0)
    printf("hello from block %d\n", blockIdx.x);
  if (threadIdx.x == 3 && blockIdx.x == 1) {
    printf("%d %u %x %c%%\n", -n, n, n * 16, 'z');
    printf("%5.2f|%-8d|%08x|%e\n", x, n, 0xbeefu, 1.5e10);
    printf("%s %lld %llu\n", "text", -123456789012345ll, 18446744073709551615ull);
    printf("no arguments\n");
  }
}

extern "C" __global__ void table(int n) {
  for (int i = 0; i < n; ++i)
    if (threadIdx.x == i)
      printf("[%d] = %g\n", i, i * 0.5);
}
