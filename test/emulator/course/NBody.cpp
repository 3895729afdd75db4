// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In double on the host.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int n = 192;
  Random random;
  std::vector<float> bodies = random.reals(n * 4, 0.5f, 1.5f);
  std::vector<double> expected(n * 4);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double d[3], square = double(0.01f);
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = double(bodies[j * 4 + axis]) - bodies[i * 4 + axis];
        square += d[axis] * d[axis];
      }
      for (int axis = 0; axis < 3; ++axis)
        expected[i * 4 + axis] += d[axis] * bodies[j * 4 + 3] / (square * std::sqrt(square));
    }
  Array<float> in(bodies), out(n * 4);
  program.launch("accelerations", n / 64, 64, 0, in.address, out.address, n, 0.01f);
  // A sum of 192 terms below 1.5 / 0.01, most far below; each is off by about 8 roundings.
  program.near(out.read(), expected, 1e-5, 192 * 150 * 8 * 0x1p-24, "accelerations");
  return program.result();
}
