// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products in double; depths are exact, whatever the order within a frontier.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int rows = 300;
  Random random;
  std::vector<int> starts(1), cols;
  for (int r = 0; r < rows; ++r) {
    int count = r % 50 == 0 ? 100 : int(random.bits() % 4);
    for (int i = 0; i < count; ++i)
      cols.push_back(int(random.bits() % rows));
    starts.push_back(int(cols.size()));
  }
  std::vector<float> values = random.reals(cols.size(), -1, 1), x = random.reals(rows, -1, 1);
  std::vector<double> y(rows);
  for (int r = 0; r < rows; ++r)
    for (int i = starts[r]; i < starts[r + 1]; ++i)
      y[r] += double(values[i]) * x[cols[i]];
  Array<int> dStarts(starts), dCols(cols);
  Array<float> dValues(values), dx(x), dy(rows);
  program.launch("multiply", (rows + 3) / 4, 128, 0, dStarts.address, dCols.address,
                 dValues.address, dx.address, dy.address, rows);
  program.near(dy.read(), y, 0, 100 * 10 * 0x1p-24, "multiply");

  std::vector<int> depths(rows, -1), queue = {0};
  depths[0] = 0;
  for (size_t at = 0; at < queue.size(); ++at)
    for (int e = starts[queue[at]]; e < starts[queue[at] + 1]; ++e)
      if (depths[cols[e]] < 0) {
        depths[cols[e]] = depths[queue[at]] + 1;
        queue.push_back(cols[e]);
      }
  std::vector<int> fresh(rows, -1);
  fresh[0] = 0;
  Array<int> dDepths(fresh), a(rows), b(rows);
  CUdeviceptr frontier = a.address, next = b.address;
  int count = 1;
  for (int depth = 1; count > 0; ++depth, std::swap(frontier, next)) {
    Array<int> nextCount(1);
    program.launch("breadthFirst", (count + 63) / 64, 64, 0, dStarts.address, dCols.address,
                   dDepths.address, frontier, count, next, nextCount.address, depth);
    count = nextCount.read()[0];
  }
  program.equal(dDepths.read(), depths, "breadthFirst");
  return program.result();
}
