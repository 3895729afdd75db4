// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders differ from run to run on a GPU, so only what does not depend on them is compared.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int n = 512;
  Random random;
  std::vector<uint32_t> x(n), words(16);
  for (uint32_t &value : x)
    value = random.bits();
  std::vector<uint32_t> before = words;
  before[2] = before[4] = ~0u, before[9] = 1u << 30;
  before[8] = 50;
  words = before;
  std::vector<uint64_t> wide(6);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    uint32_t v = x[i];
    words[0] += v;
    words[1] -= v;
    words[2] = std::min(words[2], v);
    words[3] = std::max(words[3], v);
    words[4] &= v | 0xff;
    words[5] |= v & 0xff00;
    words[6] ^= v;
    words[7] = words[7] >= 99 ? 0 : words[7] + 1;
    words[8] = words[8] == 0 || words[8] > 99 ? 99 : words[8] - 1;
    words[9] = uint32_t(std::min(int(words[9]), int(v)));
    words[10] = uint32_t(std::max(int(words[10]), int(v)));
    ++words[11];
    ++words[12 + i / 128];
    wide[0] += v * 0x100000001ull;
    wide[1] = std::max(wide[1], uint64_t(v) << 20);
    wide[2 + i / 128] += v * 0x100000001ull;
    sum += 0.5 * v;
  }
  Array<uint32_t> in(x), out(before);
  program.launch("words", 4, 128, 0, out.address, in.address);
  program.equal(out.read(), words, "words");
  Array<uint64_t> wideOut(6);
  Array<double> sumOut(1);
  program.launch("wide", 4, 128, 0, wideOut.address, sumOut.address, in.address);
  program.equal(wideOut.read(), wide, "wide");
  program.equal(sumOut.read(), {sum}, "sum of doubles"); // below 2^53 halves: exact

  std::vector<float> f = random.reals(n, 1, 100), expected(4 + n);
  for (int i = 0; i < n; ++i) {
    expected[1] = std::max(expected[1], f[i]);
    expected[4 + i] = float(i);
  }
  expected[0] = expected[2] = n;
  Array<float> floats(f), floatsOut(4 + n);
  program.launch("floats", 4, 128, 0, floatsOut.address, floats.address);
  program.equal(floatsOut.read(), expected, "floats");
  return program.result();
}
