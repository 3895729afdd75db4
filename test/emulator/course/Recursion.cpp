// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same function on the host.
#include "test/emulator/course/Program.h"
using namespace course;

static int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  require(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 8192), "cuCtxSetLimit");
  std::vector<int> expected(24);
  for (int i = 0; i < 24; ++i)
    expected[i] = ackermann(i % 3, i / 3);
  Array<int> out(24);
  program.launch("recursion", 1, 24, 0, out.address);
  program.equal(out.read(), expected, "recursion");
  return program.result();
}
