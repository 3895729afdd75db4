// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schoolbook arithmetic in 64 bits; powers of a small matrix of integers are exact in double.
#include "test/emulator/course/Program.h"
using namespace course;

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int n = 64;
  Random random;
  std::vector<uint32_t> a(n * 8), b(n * 8), sums(n * 9), products(n * 16);
  for (int i = 0; i < n * 8; ++i) {
    a[i] = i / 8 % 4 == 0 ? ~0u : random.bits(); // every fourth number is all ones
    b[i] = i / 8 % 8 == 0 ? uint32_t(i % 8 == 0) : random.bits();
  }
  for (int t = 0; t < n; ++t) {
    uint64_t carry = 0;
    for (int i = 0; i < 8; ++i, carry >>= 32)
      sums[t * 9 + i] = uint32_t(carry += uint64_t(a[t * 8 + i]) + b[t * 8 + i]);
    sums[t * 9 + 8] = uint32_t(carry);
    for (int i = 0; i < 8; ++i) {
      carry = 0;
      for (int j = 0; j < 8; ++j, carry >>= 32) {
        carry += uint64_t(a[t * 8 + i]) * b[t * 8 + j] + products[t * 16 + i + j];
        products[t * 16 + i + j] = uint32_t(carry);
      }
      products[t * 16 + i + 8] = uint32_t(carry);
    }
  }
  Array<uint32_t> da(a), db(b), sum(n * 9), product(n * 16);
  program.launch("add", 1, n, 0, da.address, db.address, sum.address);
  program.equal(sum.read(), sums, "add");
  program.launch("multiply", 1, n, 0, da.address, db.address, product.address);
  program.equal(product.read(), products, "multiply");

  std::vector<double> matrix(64), power(64);
  for (int i = 0; i < 64; ++i) {
    matrix[i] = i * 5 % 7 - 3;
    power[i] = i % 9 == 0;
  }
  for (int e = 0; e < 11; ++e) {
    std::vector<double> next(64);
    for (int i = 0; i < 64; ++i)
      for (int k = 0; k < 8; ++k)
        next[i] += power[i / 8 * 8 + k] * matrix[k * 8 + i % 8];
    power = next;
  }
  Array<double> dMatrix(matrix), dPower(64);
  program.launch("power", 1, {8, 8}, 0, dMatrix.address, dPower.address, 11);
  program.equal(dPower.read(), power, "power");
  return program.result();
}
