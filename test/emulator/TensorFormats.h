// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element formats of the tensor cores, decoded from the definition of their fields, and numbers of
// them for tests. Shares nothing with the emulator.
#ifndef HEDDLE_TEST_EMULATOR_TENSORFORMATS_H
#define HEDDLE_TEST_EMULATOR_TENSORFORMATS_H

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

namespace heddle::emulator::test {

/// A float of a few bits from its fields. kAllFinite: no infinity and no NaN; kOneNaN: only all
/// ones is NaN; kIeee: infinity and NaN.
enum class Special { kIeee, kOneNaN, kAllFinite };
inline double decode(uint32_t bits, int exponentBits, int mantissaBits, Special special) {
  int sign = bits >> (exponentBits + mantissaBits) & 1;
  int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
  int mantissa = bits & ((1 << mantissaBits) - 1);
  int bias = (1 << (exponentBits - 1)) - 1, last = (1 << exponentBits) - 1;
  double value = 0;
  if (exponent == last && special == Special::kIeee)
    value = mantissa ? NAN : INFINITY;
  else if (exponent == last && special == Special::kOneNaN && mantissa == (1 << mantissaBits) - 1)
    value = NAN;
  else if (exponent == 0)
    value = std::ldexp(mantissa, 1 - bias - mantissaBits);
  else
    value = std::ldexp((1 << mantissaBits) + mantissa, exponent - bias - mantissaBits);
  return sign ? -value : value;
}

inline double half(uint32_t bits) { return decode(bits, 5, 10, Special::kIeee); }
inline double brain(uint32_t bits) { return decode(bits, 8, 7, Special::kIeee); }
inline double tf32(uint32_t bits) { return decode(bits >> 13, 8, 10, Special::kIeee); }
inline double e4m3(uint32_t bits) { return decode(bits, 4, 3, Special::kOneNaN); }
inline double e5m2(uint32_t bits) { return decode(bits, 5, 2, Special::kIeee); }
inline double e3m2(uint32_t bits) { return decode(bits, 3, 2, Special::kAllFinite); }
inline double e2m3(uint32_t bits) { return decode(bits, 2, 3, Special::kAllFinite); }
inline double e2m1(uint32_t bits) { return decode(bits, 2, 1, Special::kAllFinite); }
inline double signedByte(uint32_t bits) { return int8_t(bits); }
inline double unsignedByte(uint32_t bits) { return bits; }
inline double signedNibble(uint32_t bits) { return int(bits & 7) - int(bits & 8); }

/// Random bits, or with `special` false numbers whose products and sums are ordinary.
inline uint32_t randomElement(std::mt19937 &random, int bits, bool special) {
  uint32_t raw = random();
  if (bits == 32) {
    float small = float(int(raw % 4001) - 2000) / 512.0f;
    return special ? raw : std::bit_cast<uint32_t>(small);
  }
  if (bits == 16 && !special)
    return (raw & 0x83ff) | (0x3000 + (raw >> 16) % 0x1000); // about 0.1 to 8, or near 2^-96
  return raw & ((1u << bits) - 1);
}

/// The nearest f16, ties to even: neighbours in the order of their bits are compared.
inline uint32_t nearestHalf(double value) {
  if (std::isnan(value))
    return 0x7fff;
  uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (magnitude >= 65520)
    return sign | 0x7c00;
  uint32_t low = 0, high = 0x7bff; // the largest that is not above
  while (low < high) {
    uint32_t middle = (low + high + 1) / 2;
    if (half(middle) <= magnitude)
      low = middle;
    else
      high = middle - 1;
  }
  if (low == 0x7bff)
    return sign | low;
  double below = magnitude - half(low), above = half(low + 1) - magnitude;
  return sign | (above < below || (above == below && (low & 1)) ? low + 1 : low);
}

} // namespace heddle::emulator::test

#endif // HEDDLE_TEST_EMULATOR_TENSORFORMATS_H
