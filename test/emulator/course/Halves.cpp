// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values are small multiples of 1/4, so that nothing is rounded.
#include "test/emulator/course/Program.h"
#include <algorithm>
using namespace course;

static uint16_t halfBits(int quarters) {
  if (quarters == 0)
    return 0;
  int magnitude = std::abs(quarters), exponent = 31 - __builtin_clz(unsigned(magnitude));
  return uint16_t((quarters < 0) << 15 | (exponent + 13) << 10 |
                  (magnitude << 10 >> exponent & 1023));
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  std::vector<uint16_t> x(64), y(64), expected(64);
  std::vector<float> sums(4), f(64), squares(64);
  for (int i = 0; i < 64; ++i) {
    int a = i * 7 % 33 - 16, b = i * 5 % 21 - 10;
    x[i] = halfBits(a);
    y[i] = halfBits(b);
    expected[i] = halfBits(3 * a + b);
    sums[i % 2] += float(a) / 4;
    sums[3] = std::max(sums[3], float(a) / 4);
    if (i % 2 && a > 8 && (i - 1) * 7 % 33 - 16 > 8)
      ++sums[2];
    f[i] = float(i % 16 - 8);
    squares[i] = f[i] * f[i] + 1;
  }
  Array<uint16_t> dx(x), dy(y);
  program.launch("axpy", 1, 32, 0, dx.address, dy.address, 3.0f);
  program.equal(dy.read(), expected, "axpy");
  Array<float> dSums(4), in(f), out(64);
  program.launch("sums", 1, 32, 0, dx.address, dSums.address);
  program.equal(dSums.read(), sums, "sums");
  program.launch("brain", 1, 32, 0, in.address, out.address);
  program.equal(out.read(), squares, "brain");
  return program.result();
}
