// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same arithmetic in integers.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int w = 70, h = 50, limit = 100, one = 1 << 24;
  std::vector<uint8_t> expected(w * h);
  for (int j = 0; j < h; ++j)
    for (int i = 0; i < w; ++i) {
      int64_t cx = -2 * one + i * (3 * (one / w)), cy = -one + j * (2 * (one / h)), x = 0, y = 0;
      int n = 0;
      for (; n < limit && (x * x >> 24) + (y * y >> 24) <= 4ll * one; ++n) {
        int64_t next = (x * x >> 24) - (y * y >> 24) + cx;
        y = (x * y >> 23) + cy;
        x = next;
      }
      expected[j * w + i] = uint8_t(n);
    }
  Array<uint8_t> out(w * h);
  program.launch("escape", {3, 7}, {32, 8}, 0, out.address, w, h, limit);
  program.equal(out.read(), expected, "escape");
  return program.result();
}
