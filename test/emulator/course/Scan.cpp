// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefix sums of integers are exact.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int n = 4096;
  Random random;
  std::vector<int> x(n), inclusive(n), exclusive(n), whole(n);
  for (int i = 0; i < n; ++i) {
    x[i] = int(random.bits() % 2001) - 1000;
    inclusive[i] = x[i] + (i % 256 ? inclusive[i - 1] : 0);
    exclusive[i] = i % 512 ? exclusive[i - 1] + x[i - 1] : 0;
    whole[i] = x[i] + (i ? whole[i - 1] : 0);
  }
  Array<int> in(x), out(n);
  program.launch("hillisSteele", n / 256, 256, 0, in.address, out.address);
  program.equal(out.read(), inclusive, "hillisSteele");
  program.launch("blelloch", n / 512, 256, (512 + 512 / 32) * 4, in.address, out.address);
  program.equal(out.read(), exclusive, "blelloch");

  const int odd = n - 37;
  whole.resize(odd);
  Array<uint64_t> state(n / 256);
  Array<uint32_t> ticket(1);
  program.launch("lookBack", n / 256, 256, 0, in.address, out.address, odd, state.address,
                 ticket.address);
  program.equal(out.read(), whole, "lookBack");
  return program.result();
}
