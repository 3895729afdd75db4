// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both in double on the host.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int rows = 5, cols = 1000;
  Random random;
  std::vector<float> x = random.reals(rows * cols, -8, 8), scale = random.reals(cols, 0.5f, 2),
                     bias = random.reals(cols, -1, 1);
  std::vector<double> soft(rows * cols), norm(rows * cols);
  for (int r = 0; r < rows; ++r) {
    const float *row = &x[r * cols];
    double sum = 0, mean = 0, squares = 0;
    for (int i = 0; i < cols; ++i)
      sum += std::exp(double(row[i])), mean += row[i];
    mean /= cols;
    for (int i = 0; i < cols; ++i)
      squares += (row[i] - mean) * (row[i] - mean);
    for (int i = 0; i < cols; ++i) {
      soft[r * cols + i] = std::exp(double(row[i])) / sum;
      norm[r * cols + i] = (row[i] - mean) / std::sqrt(squares / cols + 1e-5) * scale[i] + bias[i];
    }
  }
  Array<float> in(x), out(rows * cols), scales(scale), biases(bias);
  program.launch("softmax", rows, 128, 0, in.address, out.address, cols);
  // __expf of up to 16 is off by 16 * 2^-22 or so, and a thread's sum has been rescaled 8 + 5 + 2
  // times.
  program.near(out.read(), soft, 1e-4, 0, "softmax");
  program.launch("layerNorm", rows, 128, 0, in.address, scales.address, biases.address, out.address,
                 cols);
  program.near(out.read(), norm, 1e-5, 1e-5, "layerNorm");
  return program.result();
}
