// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums of the definition, in double.
#include "test/emulator/course/Program.h"
#include <complex>
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int n = 256, count = 3;
  Random random;
  std::vector<float> x = random.reals(count * n * 2, -1, 1);
  for (float sign : {-1.0f, 1.0f}) {
    std::vector<double> y(count * n * 2);
    for (int c = 0; c < count; ++c)
      for (int k = 0; k < n; ++k) {
        std::complex<double> sum = 0;
        for (int i = 0; i < n; ++i)
          sum += std::complex<double>(x[(c * n + i) * 2], x[(c * n + i) * 2 + 1]) *
                 std::polar(1.0, sign * 2 * M_PI * (i * k % n) / n);
        y[(c * n + k) * 2] = sum.real();
        y[(c * n + k) * 2 + 1] = sum.imag();
      }
    Array<float> in(x), out(x.size());
    program.launch("transform", count, n / 2, 0, in.address, out.address, sign);
    // Eight stages of a few roundings, on values up to about 3 * 16.
    program.near(out.read(), y, 0, 8 * 4 * 48 * 0x1p-24, "transform");
  }
  return program.result();
}
