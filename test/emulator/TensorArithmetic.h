// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a sum of products should be, by the numerics that HEDDLE_EMU_NUMERICS asks this process for.
// Hardware's rule in f64 with whole numbers of last places, where every step is exact: written from
// MMA-Sim (arXiv 2511.10909), section "fused summation". Shares nothing with the emulator.
#ifndef HEDDLE_TEST_EMULATOR_TENSORARITHMETIC_H
#define HEDDLE_TEST_EMULATOR_TENSORARITHMETIC_H

#include "test/emulator/TensorFormats.h"
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace heddle::emulator::test {

struct SumRule {
  std::string type = "f16", typeB = "f16";
  bool isHalf = false; ///< f16 sums
  bool isWarpgroup = false;
};

/// 80 for "a100", ...: the tests run on these.
inline int testCapability() {
  const char *text = std::getenv("HEDDLE_EMU_GPU");
  std::string name = text ? text : "a100";
  return name == "t4" ? 75 : name == "l4" ? 89 : name == "h100" ? 90 : name == "b200" ? 100 : 80;
}
inline std::string testNumerics() {
  const char *text = std::getenv("HEDDLE_EMU_NUMERICS");
  return text ? text : "fast";
}

inline int leastExponent(const std::string &type) {
  return type == "f16" || type == "e5m2" ? -14 : type == "e4m3" ? -6 : -126;
}

/// value = significand * 2^exponent, the exponent not below the format's least normal one.
inline void splitNumber(double value, int least, double &significand, int &exponent) {
  significand = std::frexp(value, &exponent) * 2;
  exponent -= 1;
  if (exponent < least) {
    significand = std::ldexp(significand, exponent - least);
    exponent = least;
  }
  if (value == 0)
    exponent = -9999;
}

inline float fusedSum(const double *a, const double *b, int count, float c, int places,
                      const SumRule &rule, int kept) {
  double special = c;
  for (int k = 0; k < count; ++k)
    special += a[k] * b[k];
  if (!std::isfinite(special))
    return float(special);
  std::vector<double> significands(size_t(count) + 1);
  std::vector<int> exponents(size_t(count) + 1);
  splitNumber(c, rule.isHalf ? -14 : -126, significands[0], exponents[0]);
  for (int k = 0; k < count; ++k) {
    double sa, sb;
    int ea, eb;
    splitNumber(a[k], leastExponent(rule.type), sa, ea);
    splitNumber(b[k], leastExponent(rule.typeB), sb, eb);
    significands[size_t(k) + 1] = sa * sb;
    exponents[size_t(k) + 1] = ea + eb;
  }
  int largest = *std::max_element(exponents.begin(), exponents.end());
  double sum = 0;
  for (size_t i = 0; i < exponents.size(); ++i)
    if (exponents[i] > -5000)
      sum += std::trunc(std::ldexp(significands[i], places + exponents[i] - largest));
  double value = std::ldexp(sum, largest - places);
  if (rule.isHalf)
    return float(half(nearestHalf(value)));
  double significand;
  int exponent;
  splitNumber(value, -126, significand, exponent);
  if (value == 0)
    return 0;
  return float(std::ldexp(std::trunc(std::ldexp(significand, kept)), exponent - kept));
}

/// How many finite sums were not as in fast numerics.
inline int sumsThatDiffer = 0;

/// Compares a sum that the device made with the model.
inline void checkSum(const SumRule &rule, const std::vector<double> &a,
                     const std::vector<double> &b, double c, double got) {
  std::string numerics = testNumerics();
  int depth = int(a.size());
  float expected = float(c);
  if (numerics == "exact") {
    int capability = testCapability();
    bool isByte = rule.type == "e4m3" || rule.type == "e5m2";
    bool isAmpere = capability >= 80 && capability < 90;
    int places = capability < 90 ? 24 : 25, kept = 23;
    if (isByte && (capability == 89 || rule.isWarpgroup)) {
      places = 13;
      kept = 13;
    }
    int group = !isAmpere ? depth : isByte ? 16 : rule.type == "tf32" ? 4 : 8;
    for (int k = 0; k < depth; k += group)
      expected = fusedSum(&a[size_t(k)], &b[size_t(k)], std::min(group, depth - k), expected,
                          places, rule, kept);
  } else {
    for (int k = 0; k < depth; ++k)
      expected = std::fma(float(a[size_t(k)]), float(b[size_t(k)]), expected);
  }
  if (rule.isHalf && std::isfinite(expected))
    expected = float(half(nearestHalf(expected)));
  if (numerics == "paranoid" && !std::isfinite(expected)) {
    // Whether a sum overflows depends on the order, unless an operand is special.
    double exact = c;
    for (int k = 0; k < depth; ++k)
      exact += a[size_t(k)] * b[size_t(k)];
    ASSERT_TRUE(std::isfinite(exact) || !std::isfinite(got)) << got;
  } else if (std::isnan(expected)) {
    ASSERT_TRUE(std::isnan(got)) << got;
  } else if (numerics == "paranoid") {
    // Each of the depth + 1 roundings is off by a place of the largest partial sum at most.
    double size = std::fabs(c), exact = c;
    for (int k = 0; k < depth; ++k) {
      size += std::fabs(a[size_t(k)] * b[size_t(k)]);
      exact += a[size_t(k)] * b[size_t(k)];
    }
    double bound = size * (depth + 1) * 0x1p-23 + 1e-44;
    if (rule.isHalf)
      bound += std::fabs(exact) * 0x1p-10 + 0x1p-24;
    if (std::isfinite(got)) {
      ASSERT_NEAR(got, exact, bound);
      sumsThatDiffer += got != double(expected);
    }
  } else {
    ASSERT_EQ(got, double(expected));
  }
}

} // namespace heddle::emulator::test

#endif // HEDDLE_TEST_EMULATOR_TENSORARITHMETIC_H
