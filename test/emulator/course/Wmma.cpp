// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements are small integers, so every product and sum is exact in every type and the order of
// sums does not matter.
#include "test/emulator/course/Program.h"
#include <cstring>
using namespace course;

/// Bits of small integers in binary16 and bfloat16; values up to 2048 and 256.
struct Half {
  uint16_t bits = 0;
  Half(int value = 0) {
    if (value == 0)
      return;
    int magnitude = std::abs(value), exponent = 31 - __builtin_clz(unsigned(magnitude));
    bits =
        uint16_t((value < 0) << 15 | (exponent + 15) << 10 | (magnitude << 10 >> exponent & 1023));
  }
  bool operator==(Half other) const { return bits == other.bits; }
  explicit operator double() const { return bits; }
};
struct Brain {
  uint16_t bits = 0;
  Brain(int value = 0) {
    float f = float(value);
    uint32_t word;
    std::memcpy(&word, &f, 4);
    bits = uint16_t(word >> 16);
  }
};

template <typename In, typename Sum>
static void run(Program &program, const char *name, int m, int n, bool isRow) {
  const int k = 32;
  Random random;
  std::vector<int> a(m * k), b(k * n);
  for (int &value : a)
    value = int(random.bits() % 9) - 4;
  for (int &value : b)
    value = int(random.bits() % 7) - 3;
  std::vector<Sum> expected(m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = 1;
      for (int l = 0; l < k; ++l)
        sum += a[i * k + l] * (isRow ? b[l * n + j] : b[j * k + l]);
      expected[i * n + j] = Sum(2 * sum);
    }
  Array<In> da(std::vector<In>(a.begin(), a.end())), db(std::vector<In>(b.begin(), b.end()));
  Array<Sum> dc(m * n);
  program.launch(name, 1, 32, 0, da.address, db.address, dc.address, k);
  program.equal(dc.read(), expected, name);
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  run<Half, float>(program, "half16", 16, 16, true);
  run<Half, Half>(program, "halfSums", 32, 8, false);
  run<Brain, float>(program, "brain", 8, 32, true);
  run<float, float>(program, "tf32", 16, 16, false);
  run<int8_t, int>(program, "bytes", 16, 16, false);
  run<double, double>(program, "doubles", 8, 8, true);
  return program.result();
}
