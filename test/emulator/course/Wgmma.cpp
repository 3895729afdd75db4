// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quarters between -2 and 2: products and sums are exact.
#include "test/emulator/course/Program.h"
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
  const int m = 64, n = 64, k = 96;
  Random random;
  std::vector<int> a(m * k), b(n * k);
  std::vector<uint16_t> ha(m * k), hb(n * k);
  for (int i = 0; i < m * k; ++i)
    ha[i] = halfBits(a[i] = int(random.bits() % 17) - 8);
  for (int i = 0; i < n * k; ++i)
    hb[i] = halfBits(b[i] = int(random.bits() % 17) - 8);
  std::vector<float> c(m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int l = 0; l < k; ++l)
        sum += a[i * k + l] * b[j * k + l];
      c[i * n + j] = float(sum) / 16;
    }
  Array<uint16_t> da(ha), db(hb);
  Array<float> dc(m * n);
  program.launch("gemm", 1, 128, 0, da.address, db.address, dc.address, k);
  program.equal(dc.read(), c, "gemm");
  return program.result();
}
