// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products against double arithmetic; the transpose is exact.
#include "test/emulator/course/Program.h"
using namespace course;

static void product(Program &program, const char *name, int n, Size grid, Size block) {
  Random random;
  std::vector<float> a = random.reals(n * n, -1, 1), b = random.reals(n * n, -1, 1);
  std::vector<double> c(n * n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        c[i * n + j] += double(a[i * n + k]) * b[k * n + j];
  Array<float> da(a), db(b), dc(n * n);
  program.launch(name, grid, block, 0, da.address, db.address, dc.address, n);
  // n sums below n / 2, each rounded once or, with its product, twice.
  program.near(dc.read(), c, 0, n * (n / 2) * 0x1p-24, name);
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  product(program, "naive", 50, {4, 7}, {16, 8});
  product(program, "tiled", 70, {5, 5}, {16, 16});
  product(program, "inRegisters", 128, {2, 2}, 256);

  const int rows = 75, cols = 41;
  Random random;
  std::vector<float> x = random.reals(rows * cols, 0, 1), y(rows * cols);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      y[j * rows + i] = x[i * cols + j];
  Array<float> in(x), out(rows * cols);
  program.launch("transpose", {2, 3}, {32, 8}, 0, in.address, out.address, rows, cols);
  program.equal(out.read(), y, "transpose");
  return program.result();
}
