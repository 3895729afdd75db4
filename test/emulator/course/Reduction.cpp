// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer sums are exact in any order; sums of floating point numbers are bounded by their count.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int n = 10007, blocks = (n + 255) / 256;
  Random random;
  std::vector<int> x(n);
  std::vector<float> f(n);
  std::vector<double> d(n);
  int sum = 0, largest = -1 << 30;
  double exact = 0, magnitude = 0;
  for (int i = 0; i < n; ++i) {
    x[i] = int(random.bits() % 20001) - 10000;
    f[i] = random.real(-1, 1);
    d[i] = f[i];
    sum += x[i];
    largest = std::max(largest, x[i]);
    exact += d[i];
    magnitude += std::fabs(d[i]);
  }
  Array<int> in(x), perBlock(blocks);
  program.launch("sumTree", blocks, 256, 0, in.address, perBlock.address, n);
  int total = 0;
  for (int value : perBlock.read())
    total += value;
  program.expect(total == sum, "sumTree");
  for (const char *name : {"sumShuffleInt", "sumAtomic", "sumGroups"}) {
    Array<int> out(1);
    program.launch(name, blocks, 256, 0, in.address, out.address, n);
    program.equal(out.read(), {sum}, name);
  }
  Array<int> most(std::vector<int>{-1 << 30});
  program.launch("largest", 1, 128, 0, in.address, most.address, n);
  program.equal(most.read(), {largest}, "largest");

  Array<float> floats(f), floatSum(1);
  program.launch("sumShuffleFloat", 7, 256, 0, floats.address, floatSum.address, n);
  // No number takes part in more than 6 + 5 + 3 + 7 additions, each rounding a part of `magnitude`.
  program.near(floatSum.read(), {exact}, 0, magnitude * 21 * 0x1p-24, "sumShuffleFloat");
  Array<double> doubles(d), doubleSum(1);
  program.launch("sumShuffleDouble", 7, 256, 0, doubles.address, doubleSum.address, n);
  program.near(doubleSum.read(), {exact}, 0, magnitude * 1e-12, "sumShuffleDouble");
  return program.result();
}
