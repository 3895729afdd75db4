// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain loops over the lanes say what each should hold.
#include "test/emulator/course/Program.h"
using namespace course;

static void votes(Program &program) {
  std::vector<int> x(32);
  std::vector<uint32_t> expected(256);
  Random random;
  for (int &value : x)
    value = int(random.bits() % 12);
  uint32_t odd = 0, second = 0, sum = 0, least = ~0u, most = 0, mixed = 0;
  bool seven = false;
  for (int i = 0; i < 32; ++i) {
    uint32_t v = uint32_t(x[i]);
    odd |= (v & 1) << i;
    second |= uint32_t((v & 3) == 3) << i;
    sum += v;
    least = std::min(least, v);
    most = std::max(most, v);
    mixed ^= v * 0x9e3779b9u;
    seven |= v == 7;
  }
  for (int i = 0; i < 32; ++i) {
    uint32_t *row = &expected[i * 8];
    row[0] = odd;
    row[1] = uint32_t(seven) | 2;
    for (int j = 0; j < 32; ++j)
      row[2] |= uint32_t(x[i] == x[j]) << j;
    row[3] = ~0u ^ 1;
    row[4] = sum;
    row[5] = least << 16 | most;
    row[6] = mixed;
    row[7] = x[i] & 1 ? second : 0;
  }
  Array<int> in(x);
  Array<uint32_t> out(256);
  program.launch("votes", 1, 32, 0, in.address, out.address);
  program.equal(out.read(), expected, "votes");
}

static void shuffles(Program &program) {
  std::vector<double> x(32), expected(128);
  for (int i = 0; i < 32; ++i)
    x[i] = 1.0 / (i + 1);
  for (int i = 0; i < 32; ++i) {
    expected[i] = x[(i * 5 + 3) % 32];
    expected[32 + i] = x[i % 8 >= 3 ? i - 3 : i];
    expected[64 + i] = x[i % 16 + 2 < 16 ? i + 2 : i];
    expected[96 + i] = x[i ^ 21];
  }
  Array<double> in(x), out(128);
  program.launch("shuffles", 1, 32, 0, in.address, out.address);
  program.equal(out.read(), expected, "shuffles");
}

static void bits(Program &program) {
  std::vector<uint32_t> x(64), expected(64 * 8);
  Random random;
  for (uint32_t &value : x)
    value = random.bits();
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t v = x[i], u = x[i ^ 1], *row = &expected[i * 8];
    row[0] = uint32_t(__builtin_popcount(v) | __builtin_clz(v) << 8 | __builtin_ffs(int(v)) << 16);
    for (int b = 0; b < 32; ++b)
      row[1] |= (v >> b & 1) << (31 - b);
    uint64_t both = uint64_t(u) << 32 | v;
    const int selected[] = {5, 1, 7, 3};
    int dot = 100;
    for (int b = 0; b < 4; ++b) {
      row[2] |= uint32_t(both >> 8 * selected[b] & 255) << 8 * b;
      row[5] |= (((v >> 8 * b) + (u >> 8 * b)) & 255) << 8 * b;
      dot += int(int8_t(v >> 8 * b)) * int8_t(u >> 8 * b);
    }
    row[3] = uint32_t((both << i % 32) >> 32);
    row[4] = uint32_t(uint64_t(v) * u >> 32);
    row[6] = uint32_t(dot);
    row[7] = uint32_t(std::llabs((long long)(int(v)) - int(u)) + 5);
  }
  Array<uint32_t> in(x), out(expected.size());
  program.launch("bits", 1, 64, 0, in.address, out.address);
  program.equal(out.read(), expected, "bits");
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  votes(program);
  shuffles(program);
  bits(program);
  return program.result();
}
