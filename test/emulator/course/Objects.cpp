// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same functions on the host.
#include "test/emulator/course/Program.h"
#include <algorithm>
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  std::vector<float> f(64), results(64), areas(64);
  std::vector<int> which(64);
  for (int i = 0; i < 64; ++i) {
    f[i] = float(i) / 8;
    which[i] = i * 7 % 4;
    const float all[] = {f[i] + 2, f[i] - 2, f[i] * 2, std::max(f[i], 2.0f)};
    results[i] = all[which[i]];
    areas[i] = float(i % 2 ? 3 * i * i : i * (i + 1));
  }
  Array<float> floats(f), floatsOut(64);
  Array<int> choices(which);
  program.launch("pointers", 1, 64, 0, floats.address, choices.address, floatsOut.address);
  program.equal(floatsOut.read(), results, "pointers");
  program.launch("objects", 1, 64, 0, floatsOut.address);
  program.equal(floatsOut.read(), areas, "objects");
  return program.result();
}
