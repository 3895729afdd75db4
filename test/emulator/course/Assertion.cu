// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An assertion in a kernel, which holds for one argument and fails for another.
#include <cassert>

extern "C" __global__ void check(const int *x, int limit) {
  assert(x[threadIdx.x] < limit && "values are small");
}
