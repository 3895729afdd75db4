// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generator's published test vectors, and the same count as the host's.
#include "test/emulator/course/Program.h"
#include <array>
using namespace course;

using Four = std::array<uint32_t, 4>;
struct alignas(16) Vector4 {
  uint32_t x[4];
};
struct alignas(8) Vector2 {
  uint32_t x[2];
};

static Four philox(Four c, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
    c = {uint32_t(b >> 32) ^ c[1] ^ k0, uint32_t(b), uint32_t(a >> 32) ^ c[3] ^ k1, uint32_t(a)};
  }
  return c;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  // Random123's known answers for philox4x32-10.
  Array<uint32_t> out(4);
  program.launch("numbers", 1, 1, 0, out.address, Vector4{}, Vector2{});
  program.equal(out.read(), {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}, "zeros");
  const uint32_t f = ~0u;
  program.launch("numbers", 1, 1, 0, out.address, Vector4{{f, f, f, f}}, Vector2{{f, f}});
  program.equal(out.read(), {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}, "ones");

  const int threads = 512, rounds = 20;
  uint64_t expected = 0;
  for (uint32_t t = 0; t < threads; ++t)
    for (uint32_t i = 0; i < rounds; ++i) {
      Four r = philox({t, i, 0, 0}, 2026, 12);
      for (int half = 0; half < 4; half += 2) {
        uint64_t x = r[half] >> 8, y = r[half + 1] >> 8;
        expected += (x * x + y * y) >> 48 == 0;
      }
    }
  Array<uint64_t> inside(1);
  program.launch("pi", threads / 128, 128, 0, inside.address, rounds);
  program.equal(inside.read(), {expected}, "pi");
  double estimate = 4.0 * double(expected) / (2.0 * threads * rounds);
  program.expect(std::fabs(estimate - 3.14159265) < 0.05, "estimate");
  return program.result();
}
