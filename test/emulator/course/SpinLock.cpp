// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No increment is lost, and every thread gets its turn.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  Array<int> lock(1), counter(1), order(32), values(20);
  program.launch("count", 4, 64, 0, lock.address, counter.address);
  program.equal(counter.read(), {256}, "count");
  program.launch("inTurn", 1, 32, 0, order.address);
  std::vector<int> expected(32), squares(20);
  for (int i = 0; i < 32; ++i)
    expected[i] = 31 - i;
  program.equal(order.read(), expected, "inTurn");
  for (int i = 0; i < 20; ++i)
    squares[i] = i * i;
  program.launch("handOver", 1, 32, 0, values.address, 20);
  program.equal(values.read(), squares, "handOver");
  return program.result();
}
