// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding by search in the numbers of a format.
#include "test/emulator/FormatModel.h"
#include <cmath>

namespace heddle::test {

uint64_t Format::largest() const {
  uint64_t ones = signBit() - 1;
  return hasInfinity ? ones - (1ull << fractionBits) : hasNaN ? ones - 1 : ones;
}

/// Of a code without sign, as if every exponent were a number's.
static long double magnitudeOf(const Format &format, uint64_t code) {
  int exponent = int(code >> format.fractionBits);
  long double fraction = code & ((1ull << format.fractionBits) - 1);
  int bias = (1 << (format.exponentBits - 1)) - 1;
  if (exponent == 0)
    return std::ldexp(fraction, 1 - bias - format.fractionBits);
  return std::ldexp(fraction + (1ull << format.fractionBits),
                    exponent - bias - format.fractionBits);
}

long double valueOf(const Format &format, uint64_t code) {
  uint64_t rest = code & (format.signBit() - 1);
  long double size = rest <= format.largest() ? magnitudeOf(format, rest)
                     : format.hasInfinity && rest == format.largest() + 1 ? HUGE_VALL
                                                                          : std::nanl("");
  return code & format.signBit() ? -size : size;
}

uint64_t roundTo(const Format &format, long double value, Direction direction, bool isFinite) {
  if (std::isnan(value))
    return format.hasNaN ? format.notANumber() : format.largest();
  bool isNegative = std::signbit(value);
  uint64_t sign = isNegative ? format.signBit() : 0;
  uint64_t beyond = format.hasInfinity && !isFinite ? format.largest() + 1 : format.largest();
  long double size = std::fabs(value);
  if (std::isinf(size))
    return sign | beyond;
  // The largest number that is not above, by bisection: codes are in the order of their values.
  uint64_t below = 0, above = format.largest() + 1;
  while (above - below > 1) {
    uint64_t middle = (below + above) / 2;
    (magnitudeOf(format, middle) <= size ? below : above) = middle;
  }
  long double low = magnitudeOf(format, below);
  if (low == size)
    return sign | below;
  long double high = magnitudeOf(format, below + 1); // or where the next one would be
  bool isUp = false;
  switch (direction) {
  case Direction::kZero:
    break;
  case Direction::kDown:
    isUp = isNegative;
    break;
  case Direction::kUp:
    isUp = !isNegative;
    break;
  default: {
    long double middle = (low + high) / 2;
    bool isTie = size == middle;
    isUp = size > middle || (isTie && (direction == Direction::kTiesAway || (below & 1)));
  }
  }
  if (!isUp)
    return sign | below;
  return sign | (below == format.largest() ? beyond : below + 1);
}

} // namespace heddle::test
