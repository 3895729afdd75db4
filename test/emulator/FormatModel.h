// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of few bits by the definition of their fields, and rounding to them by search. Slow and
// plain: it is what the tables compare conversions with.
#ifndef HEDDLE_TEST_EMULATOR_FORMATMODEL_H
#define HEDDLE_TEST_EMULATOR_FORMATMODEL_H

#include <cstdint>

namespace heddle::test {

enum class Direction : uint8_t { kNearest, kZero, kDown, kUp, kTiesAway };

/// Without an infinity the top exponent has numbers like the others; with a NaN alone, only the
/// code of all ones is it.
struct Format {
  int exponentBits, fractionBits;
  bool hasInfinity = true, hasNaN = true;

  uint64_t signBit() const { return 1ull << (exponentBits + fractionBits); }
  /// The largest finite number.
  uint64_t largest() const;
  uint64_t notANumber() const { return signBit() - 1; }
};

constexpr Format kHalfFormat{5, 10}, kBrainFormat{8, 7}, kE4M3{4, 3, false, true}, kE5M2{5, 2},
    kE2M3{2, 3, false, false}, kE3M2{3, 2, false, false}, kE2M1{2, 1, false, false};

/// 64 bits of significand hold every number of the formats, of f64 and of 64-bit integers.
long double valueOf(const Format &format, uint64_t code);

/// What does not fit becomes infinity where there is one, or the largest number with `isFinite` or
/// where the direction says so. A NaN becomes the code of all ones, or the largest number where
/// there is no NaN.
uint64_t roundTo(const Format &format, long double value, Direction direction,
                 bool isFinite = false);

} // namespace heddle::test

#endif // HEDDLE_TEST_EMULATOR_FORMATMODEL_H
