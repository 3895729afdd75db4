// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same groups, with loops.
#include "test/emulator/course/Program.h"
#include <algorithm>
using namespace course;

static void wholeGrid(Program &program) {
  const int n = 4 * 64, steps = 5;
  std::vector<int> a(n), b(n);
  for (int i = 0; i < n; ++i)
    a[i] = i * i % 17;
  Array<int> x(a), y(n);
  int count = steps;
  void *params[] = {&x.address, &y.address, &count};
  require(cuLaunchCooperativeKernel(program.function("wholeGrid"), 4, 1, 1, 64, 1, 1, 0, nullptr,
                                    params),
          "cuLaunchCooperativeKernel");
  require(cuCtxSynchronize(), "wholeGrid");
  for (int s = 0; s < steps; ++s, a.swap(b))
    for (int i = 0; i < n; ++i)
      b[i] = a[(i + 1) % n] + a[(i + n - 1) % n];
  program.equal(y.read(), a, "wholeGrid");
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  Random random;
  std::vector<int> x(1000), tiles(64 * 6), labels(64), found;
  for (int &value : x)
    value = int(random.bits() % 100);
  for (int i = 0; i < 64; ++i) {
    int *row = &tiles[i * 6];
    for (int j = 0; j < 64; ++j) {
      row[0] += i / 4 == j / 4 ? x[j] : 0;
      row[1] += i / 16 == j / 16 ? x[j] : 0;
      row[2] |= i / 8 == j / 8 ? (x[j] & 1) << j % 8 : 0;
      if (i / 32 == j / 32 && x[i] % 4 == x[j] % 4)
        labels[i] += 100 + (j < i);
    }
    auto first = &x[i / 8 * 8];
    row[3] = i % 32 / 8 * 100 + i % 8;
    row[4] = std::any_of(first, first + 8, [](int v) { return v == 3; }) +
             2 * std::all_of(first, first + 8, [](int v) { return v < 90; });
    row[5] = x[i | 1];
  }
  Array<int> in(x), out(1000), tilesOut(64 * 6), labelsOut(64), count(1);
  program.launch("tiles", 1, 64, 0, in.address, tilesOut.address);
  program.equal(tilesOut.read(), tiles, "tiles");
  program.launch("labels", 1, 64, 0, in.address, labelsOut.address);
  program.equal(labelsOut.read(), labels, "labels");

  int n = 1000;
  program.launch("filter", 8, 128, 0, in.address, out.address, count.address, n);
  std::copy_if(x.begin(), x.end(), std::back_inserter(found), [](int v) { return v % 3 == 0; });
  std::vector<int> got = out.read();
  program.equal(count.read(), {int(found.size())}, "filter count");
  std::sort(found.begin(), found.end());
  std::sort(got.begin(), got.begin() + int(found.size()));
  program.equal(got, found, "filter");
  wholeGrid(program);
  return program.result();
}
