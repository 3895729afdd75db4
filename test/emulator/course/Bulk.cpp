// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small integers, exact also as floats.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int batches = 8;
  std::vector<int> x(batches * 128), reversed(batches * 128), added(64);
  std::vector<float> f(x.size()), sums(128);
  for (int i = 0; i < batches * 128; ++i) {
    x[i] = i * i % 251;
    f[i] = float(x[i]);
    added[i % 64] += x[i];
  }
  for (int i = 0; i < batches * 128; ++i) {
    reversed[i] = x[i / 512 * 512 + 511 - i % 512];
    sums[i % 128] += float(i / 128 + 1) * f[i ^ 1];
  }
  Array<int> in(x), out(x.size()), sum(64);
  program.launch("reverse", batches / 4, 128, 0, in.address, out.address);
  program.equal(out.read(), reversed, "reverse");
  Array<float> floats(f), floatsOut(128);
  program.launch("ring", 1, 160, 0, floats.address, floatsOut.address, batches);
  program.equal(floatsOut.read(), sums, "ring");
  program.launch("addAll", batches * 2, 64, 0, in.address, sum.address);
  program.equal(sum.read(), added, "addAll");
  return program.result();
}
