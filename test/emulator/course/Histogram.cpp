// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts are exact; small values are frequent, so that atomics collide.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int n = 20000;
  Random random;
  std::vector<uint8_t> x(n);
  std::vector<uint32_t> expected(256);
  for (uint8_t &value : x) {
    value = uint8_t(random.bits() % 256 * (random.bits() % 256) / 256);
    ++expected[value];
  }
  Array<uint8_t> in(x);
  for (const char *name : {"histogram", "histogramOfWarps"}) {
    Array<uint32_t> counts(256);
    program.launch(name, name[9] ? (n + 255) / 256 : 9, 256, 0, in.address, counts.address, n);
    program.equal(counts.read(), expected, name);
  }
  Array<uint32_t> counts(256);
  program.launch("histogramPacked", 1, 256, 0, in.address, counts.address, n);
  program.equal(counts.read(), expected, "histogramPacked");
  return program.result();
}
