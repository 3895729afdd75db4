// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row a format; sources: IEEE 754, OCP 8-bit Floating Point Specification, OCP Microscaling
// Formats Specification, and the ONNX documentation for the `fnuz` forms.
#include "runtime/cli/FloatFormat.h"
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::runtime::cli {

namespace {

enum class Specials : uint8_t {
  kIeee,    ///< largest exponent: infinity and NaN
  kAllOnes, ///< all exponent and mantissa bits set: NaN; no infinity
  kFnuz,    ///< negative zero: NaN; no infinity
  kNone
};

struct Format {
  DType dtype;
  int exponentBits, mantissaBits, bias;
  Specials specials;
};

constexpr Format kFormats[] = {
    {DType::kF16, 5, 10, 15, Specials::kIeee},
    {DType::kBF16, 8, 7, 127, Specials::kIeee},
    {DType::kF8E4M3FN, 4, 3, 7, Specials::kAllOnes},
    {DType::kF8E4M3FNUZ, 4, 3, 8, Specials::kFnuz},
    {DType::kF8E5M2, 5, 2, 15, Specials::kIeee},
    {DType::kF8E5M2FNUZ, 5, 2, 16, Specials::kFnuz},
    {DType::kF4E2M1, 2, 1, 1, Specials::kNone},
};

const Format &formatOf(DType dtype) {
  for (const Format &format : kFormats)
    if (format.dtype == dtype)
      return format;
  assert(false && "no floating point format");
  return kFormats[0];
}

/// The code of NaN without sign, or -1.
int64_t nanCode(const Format &f) {
  int64_t magnitudes = int64_t{1} << (f.exponentBits + f.mantissaBits);
  switch (f.specials) {
  case Specials::kIeee:
    return magnitudes - (int64_t{1} << (f.mantissaBits - 1)); // quiet
  case Specials::kAllOnes:
    return magnitudes - 1;
  case Specials::kFnuz:
    return magnitudes; // the sign bit alone
  case Specials::kNone:
    return -1;
  }
  return -1;
}

constexpr int kE8M0Bias = 127;
constexpr uint64_t kE8M0Nan = 255;

} // namespace

double decodeFloat(DType dtype, uint64_t bits) {
  if (dtype == DType::kF64) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (dtype == DType::kF32) {
    float value;
    uint32_t low = static_cast<uint32_t>(bits);
    std::memcpy(&value, &low, sizeof value);
    return static_cast<double>(value);
  }
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (dtype == DType::kF8E8M0)
    return (bits & 255) == kE8M0Nan ? kNan
                                    : std::ldexp(1.0, static_cast<int>(bits & 255) - kE8M0Bias);

  const Format &f = formatOf(dtype);
  uint64_t signBit = uint64_t{1} << (f.exponentBits + f.mantissaBits);
  uint64_t magnitude = bits & (signBit - 1);
  bool negative = (bits & signBit) != 0;
  int exponent = static_cast<int>(magnitude >> f.mantissaBits);
  uint64_t mantissa = magnitude & ((uint64_t{1} << f.mantissaBits) - 1);
  int largestExponent = (1 << f.exponentBits) - 1;
  if (f.specials == Specials::kIeee && exponent == largestExponent) {
    if (mantissa)
      return kNan;
    return negative ? -std::numeric_limits<double>::infinity()
                    : std::numeric_limits<double>::infinity();
  }
  if (f.specials == Specials::kAllOnes && magnitude == signBit - 1)
    return kNan;
  if (f.specials == Specials::kFnuz && negative && magnitude == 0)
    return kNan;
  double significand = static_cast<double>(mantissa);
  if (exponent > 0)
    significand += std::ldexp(1.0, f.mantissaBits);
  double value = std::ldexp(significand, std::max(exponent, 1) - f.bias - f.mantissaBits);
  return negative ? -value : value;
}

uint64_t encodeFloat(DType dtype, double value) {
  if (dtype == DType::kF64) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  if (dtype == DType::kF32) {
    float narrow = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &narrow, sizeof bits);
    return bits;
  }
  if (dtype == DType::kF8E8M0) {
    if (!(value > 0) || std::isinf(value))
      return kE8M0Nan;
    double exponent = std::nearbyint(std::log2(value)) + kE8M0Bias;
    return static_cast<uint64_t>(std::min(std::max(exponent, 0.0), 254.0));
  }

  const Format &f = formatOf(dtype);
  uint64_t signBit = uint64_t{1} << (f.exponentBits + f.mantissaBits);
  if (std::isnan(value))
    return nanCode(f) < 0 ? 0 : static_cast<uint64_t>(nanCode(f));
  // What follows the largest finite code: infinity in IEEE formats, NaN in the others.
  uint64_t limit = signBit;
  if (f.specials == Specials::kIeee)
    limit = signBit - (uint64_t{1} << f.mantissaBits);
  else if (f.specials == Specials::kAllOnes)
    limit = signBit - 1;
  uint64_t overflow = f.specials == Specials::kIeee ? limit : limit - 1;

  double magnitude = std::fabs(value);
  uint64_t code = 0;
  if (std::isinf(value)) {
    code = overflow;
  } else if (magnitude > 0) {
    int exponent = std::max(std::ilogb(magnitude), 1 - f.bias);
    // A carry out of the mantissa runs into the exponent, where it belongs.
    double scaled = std::nearbyint(std::ldexp(magnitude, f.mantissaBits - exponent));
    double exact = scaled + std::ldexp(exponent + f.bias - 1, f.mantissaBits);
    code = exact >= static_cast<double>(limit) ? overflow : static_cast<uint64_t>(exact);
  }
  if (std::signbit(value) && !(f.specials == Specials::kFnuz && code == 0))
    code |= signBit;
  return code;
}

} // namespace heddle::runtime::cli
