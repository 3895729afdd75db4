// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares with std::sort and, for the order of equal keys, std::stable_sort.
#include "test/emulator/course/Program.h"
#include <algorithm>
#include <numeric>
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  Random random;
  std::vector<uint32_t> x(1024);
  for (uint32_t &value : x)
    value = random.bits();
  Array<uint32_t> keys(x);
  program.launch("bitonic", 2, 256, 0, keys.address);
  std::sort(x.begin(), x.begin() + 512);
  std::sort(x.begin() + 512, x.end());
  program.equal(keys.read(), x, "bitonic");

  std::vector<float> f = random.reals(256, -100, 100);
  Array<float> floats(f);
  program.launch("oddEvenMerge", 1, 128, 0, floats.address);
  std::sort(f.begin(), f.end());
  program.equal(floats.read(), f, "oddEvenMerge");

  std::vector<uint32_t> k(256), sorted(256);
  for (uint32_t &value : k)
    value = random.bits() % 100 * 0x01010101u;
  std::vector<uint16_t> places(256);
  std::iota(places.begin(), places.end(), uint16_t(0));
  std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return k[a] < k[b]; });
  for (int i = 0; i < 256; ++i)
    sorted[i] = k[places[i]];
  Array<uint32_t> radixKeys(k);
  Array<uint16_t> values(256);
  program.launch("radix", 1, 256, 0, radixKeys.address, values.address);
  program.equal(radixKeys.read(), sorted, "radix keys");
  program.equal(values.read(), places, "radix values");
  return program.result();
}
