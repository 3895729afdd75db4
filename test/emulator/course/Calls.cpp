// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same functions on the host.
#include "test/emulator/course/Program.h"
#include <algorithm>
using namespace course;

static int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  require(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 8192), "cuCtxSetLimit");
  std::vector<int> expected(24);
  for (int i = 0; i < 24; ++i)
    expected[i] = ackermann(i % 3, i / 3);
  Array<int> out(24);
  program.launch("recursion", 1, 24, 0, out.address);
  program.equal(out.read(), expected, "recursion");

  Random random;
  const int n = 13;
  std::vector<int> x(64 * n);
  for (int &value : x)
    value = int(random.bits() % 1000);
  Array<int> numbers(x);
  program.launch("sortOwn", 1, 64, 0, numbers.address, n);
  for (int i = 0; i < 64; ++i)
    std::sort(&x[i * n], &x[i * n] + n);
  program.equal(numbers.read(), x, "sortOwn");

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
