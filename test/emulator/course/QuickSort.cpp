// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::sort.
#include "test/emulator/course/Program.h"
#include <algorithm>
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  require(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 8192), "cuCtxSetLimit");
  Random random;
  const int n = 13;
  std::vector<int> x(64 * n);
  for (int &value : x)
    value = int(random.bits() % 1000);
  Array<int> numbers(x);
  program.launch("sortOwn", 1, 64, 0, numbers.address, n);
  for (int i = 0; i < 64; ++i)
    std::sort(&x[i * n], &x[i * n] + n);
  program.equal(numbers.read(), x, "sortOwn");
  return program.result();
}
