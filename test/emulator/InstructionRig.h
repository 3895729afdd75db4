// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one PTX instruction on many operands through the driver API and compares every result with a
// scalar model. The models are plain C++ that shares nothing with the emulator. Nothing here knows
// that the device is emulated, so the tables can be replayed on hardware.
#ifndef HEDDLE_TEST_EMULATOR_INSTRUCTIONRIG_H
#define HEDDLE_TEST_EMULATOR_INSTRUCTIONRIG_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::test {

/// What an operand is; decides the register's width, the edge values and how results are compared.
/// Words of 8 bits live in 32-bit registers and have zeros or signs above them.
enum class Type : uint8_t {
  kPred,
  kB16,
  kB32,
  kB64,
  kF16,
  kBF16,
  kF16x2,
  kBF16x2,
  kF32,
  kF64,
  kF32x2
};

using Model = std::function<uint64_t(uint64_t a, uint64_t b, uint64_t c)>;

struct Case {
  /// With %d, %a, %b, %c (predicates: %dp, %ap, ...), or only the opcode: "add.s32" stands for
  /// "add.s32 %d, %a, %b;".
  std::string text;
  Type result;
  std::vector<Type> operands;
  Model model;
  /// Allowed difference relative to the model's value, for approximate results; 0: bit for bit,
  /// where all NaN are equal.
  double relative = 0;
  double absolute = 0;
};

/// Runs the cases on all pairs of edge values and on random ones; failures name text, operands,
/// result and expectation.
void checkCases(const std::vector<Case> &cases);

/// Registers in memory order, a row of 32-bit words for each thread, after a kernel body given as
/// text ran with `threads` threads in one block. The body finds %in and %out (64-bit addresses of
/// the thread's own row of `words` words) and %lane, and may declare what it needs in a block.
std::vector<uint32_t> runBody(const std::string &body, const std::vector<uint32_t> &rows,
                              uint32_t words, uint32_t threads, std::string *error = nullptr);

float asFloat(uint64_t bits);
double asDouble(uint64_t bits);
uint64_t bitsOf(float value);
uint64_t bitsOf(double value);
/// 16-bit floats by definition of their fields, and the nearest one (ties to even).
double halfValue(uint64_t bits);
double brainValue(uint64_t bits);
uint64_t nearestHalf(double value);
uint64_t nearestBrain(double value);

} // namespace heddle::test

#endif // HEDDLE_TEST_EMULATOR_INSTRUCTIONRIG_H
