// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In double on the host.
#include "test/emulator/course/Program.h"
#include <algorithm>
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int w = 90, h = 20, radius = 5;
  Random random;
  std::vector<float> x = random.reals(w * h, -1, 1),
                     weights = random.reals(2 * radius + 1, 0, 0.2f);
  std::vector<double> once(w * h), twice(w * h);
  for (int j = 0; j < h; ++j)
    for (int i = 0; i < w; ++i)
      for (int k = -radius; k <= radius; ++k)
        once[j * w + i] += double(weights[k + radius]) * x[j * w + std::clamp(i + k, 0, w - 1)];
  for (int j = 0; j < h; ++j)
    for (int i = 0; i < w; ++i)
      for (int k = -radius; k <= radius; ++k)
        twice[j * w + i] += weights[k + radius] * once[std::clamp(j + k, 0, h - 1) * w + i];
  require(cuMemcpyHtoD(program.global("weights"), weights.data(), weights.size() * 4), "weights");
  Array<float> in(x), middle(w * h), out(w * h);
  program.launch("rows", h, 64, (w + 2 * radius) * 4, in.address, middle.address, w, radius);
  program.near(middle.read(), once, 0, 12 * 2.2 * 0x1p-24, "rows");
  program.launch("columns", {3, 4}, 32, 0, middle.address, out.address, w, h, radius);
  program.near(out.read(), twice, 0, 40 * 5 * 0x1p-24, "columns");
  int calls = 0;
  require(cuMemcpyDtoH(&calls, program.global("calls"), 4), "calls");
  program.expect(calls == h, "calls");

  std::vector<int> numbers(64), products(64);
  for (int i = 0; i < 64; ++i) {
    int v = numbers[i] = 1000 + 37 * i;
    products[i] = 1;
    for (int prime : {2, 3, 5, 7, 11, 13, 17, 19})
      for (; v % prime == 0; v /= prime)
        products[i] = products[i] * 31 + prime;
    products[i] *= v;
  }
  Array<int> dNumbers(numbers), dProducts(64);
  program.launch("factors", 1, 64, 0, dNumbers.address, dProducts.address);
  program.equal(dProducts.read(), products, "factors");
  return program.result();
}
