// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small integers, so sums are exact.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  Random random;
  for (int batches : {1, 2, 9}) {
    std::vector<float> x(batches * 128), expected(128);
    for (float &value : x)
      value = float(random.bits() % 100);
    for (int b = 0; b < batches; ++b)
      for (int i = 0; i < 128; ++i)
        expected[i] += float(b + 1) * x[b * 128 + 127 - i];
    Array<float> in(x);
    for (const char *name : {"twoStages", "fourStages", "ofThread", "specialised"}) {
      Array<float> out(128);
      program.launch(name, 1, name[0] == 's' ? 160 : 128, 0, in.address, out.address, batches);
      program.equal(out.read(), expected, name);
    }
  }
  return program.result();
}
