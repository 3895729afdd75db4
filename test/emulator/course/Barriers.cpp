// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers, exact.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int rounds = 6;
  std::vector<int> x(rounds * 128), sums(128), differences(128), queue(32);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = int(i * i % 101);
  for (int i = 0; i < 128; ++i) {
    for (int r = 0; r < rounds; ++r)
      sums[i] += 3 * x[r * 128 + i] + x[r * 128 + 127 - i];
    differences[i] = x[(i * 2 + 1) % 256] - x[i * 2];
  }
  for (int i = 0; i < 10; ++i)
    for (int lane = 0; lane < 32; ++lane)
      queue[lane] = queue[lane] * 3 + x[i * 32 + 31 - lane];
  Array<int> in(x), out(128), one(1), few(32);
  program.launch("split", 1, 128, 0, in.address, out.address, rounds);
  program.equal(out.read(), sums, "split");
  program.launch("copies", 1, 128, 0, in.address, out.address);
  program.equal(out.read(), differences, "copies");
  program.launch("leaving", 1, 128, 0, one.address);
  program.equal(one.read(), {64 + 32 + 16 + 8 + 4 + 2 + 1}, "leaving");
  program.launch("queue", 1, 64, 0, in.address, few.address, 10);
  program.equal(few.read(), queue, "queue");
  return program.result();
}
