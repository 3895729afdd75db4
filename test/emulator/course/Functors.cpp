// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A functor is passed by value, so the host writes the same bytes; the kernel's name is the mangled
// one.
#include "test/emulator/course/Program.h"
#include <algorithm>
using namespace course;

struct ChainOfSquareAndClamp {
  char square;
  float low, high;
};
struct Settings {
  char tag;
  double scale;
  short offsets[3];
  int extent[3];
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  Random random;
  const int n = 256;
  std::vector<float> x = random.reals(n + 4, -2, 2), clamped(n);
  std::vector<double> windows(n), values(6);
  for (int i = 0; i < n; ++i) {
    clamped[i] = std::min(std::max(x[i] * x[i], 0.25f), 1.5f);
    windows[i] = -1;
    if (x[i / 64 * 64 + 63 - i % 64] > 0) {
      windows[i] = 0;
      for (int tap = 0; tap < 5; ++tap)
        windows[i] += (1 + 0.5 * tap) * x[i + tap];
    }
  }
  Array<float> in(x), out(n);
  program.launch("_Z9transformIf5ChainI6Square5ClampEEvPKT_PS4_iT0_", 3, 64, 0, in.address,
                 out.address, n, ChainOfSquareAndClamp{0, 0.25f, 1.5f});
  program.equal(out.read(), clamped, "transform");
  program.launch("windows", 4, 64, 68 * 4 + 64, in.address, out.address, 0.5f);
  program.near(out.read(), windows, 0, 5 * 20 * 0x1p-24, "windows");

  Settings settings = {7, 0.5, {-3, 4, 1000}, {1, 2, 3}};
  for (int i = 0; i < 6; ++i)
    values[i] = 0.5 * settings.offsets[i % 3] + 7 + 321;
  Array<double> doubles(6);
  program.launch("settings", 1, 6, 0, settings, doubles.address);
  program.equal(doubles.read(), values, "settings");
  return program.result();
}
