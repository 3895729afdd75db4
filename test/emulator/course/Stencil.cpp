// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of few terms, in double on the host.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int w = 37, h = 21, d = 9;
  Random random;
  std::vector<float> x = random.reals(w * h * d, -1, 1);
  Array<float> in(x), out(w * h * d), flat(w * h);
  auto at = [&](int i, int j, int k) {
    bool inside = i >= 0 && i < w && j >= 0 && j < h && k >= 0 && k < d;
    return inside ? double(x[(k * h + j) * w + i]) : 0.0;
  };
  std::vector<double> plane(w * h), volume(w * h * d);
  for (int k = 0; k < d; ++k)
    for (int j = 0; j < h; ++j)
      for (int i = 0; i < w; ++i) {
        double sides = at(i - 1, j, k) + at(i + 1, j, k) + at(i, j - 1, k) + at(i, j + 1, k);
        volume[(k * h + j) * w + i] = sides + at(i, j, k - 1) + at(i, j, k + 1) - 6 * at(i, j, k);
        if (k == 0)
          plane[j * w + i] = sides / 4;
      }
  program.launch("plane", {2, 2}, {32, 16}, 0, in.address, flat.address, w, h);
  program.near(flat.read(), plane, 0, 3 * 0x1p-24, "plane");
  program.launch("volume", {3, 4}, {16, 8}, 0, in.address, out.address, w, h, d);
  program.near(out.read(), volume, 0, 7 * 12 * 0x1p-24, "volume");
  return program.result();
}
