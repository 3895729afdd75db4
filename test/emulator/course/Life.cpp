// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of neighbours, with loops.
#include "test/emulator/course/Program.h"
using namespace course;

static std::vector<uint8_t> step(const std::vector<uint8_t> &x, int w, int h) {
  std::vector<uint8_t> y(x.size());
  for (int j = 0; j < h; ++j)
    for (int i = 0; i < w; ++i) {
      int sum = 0;
      for (int dj = h - 1; dj <= h + 1; ++dj)
        for (int di = w - 1; di <= w + 1; ++di)
          sum += (di != w || dj != h) && x[(j + dj) % h * w + (i + di) % w];
      y[j * w + i] = sum == 3 || (sum == 2 && x[j * w + i]);
    }
  return y;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int w = 64, h = 24, steps = 7;
  Random random;
  std::vector<uint8_t> x(w * h), torus(32 * 32);
  for (uint8_t &cell : x)
    cell = random.bits() % 3 == 0;
  Array<uint8_t> in(x), out(x.size());
  program.launch("bytes", {w / 32, h / 8}, {32, 8}, 0, in.address, out.address, w, h);
  program.equal(out.read(), step(x, w, h), "bytes");

  std::vector<uint32_t> words(32), expected(32);
  for (int i = 0; i < 32 * 32; ++i)
    words[i / 32] |= uint32_t(torus[i] = random.bits() % 3 == 0) << i % 32;
  Array<uint32_t> cells(words);
  program.launch("words", 1, 32, 0, cells.address, steps);
  for (int s = 0; s < steps; ++s)
    torus = step(torus, 32, 32);
  for (int i = 0; i < 32 * 32; ++i)
    expected[i / 32] |= uint32_t(torus[i]) << i % 32;
  program.equal(cells.read(), expected, "words");
  return program.result();
}
