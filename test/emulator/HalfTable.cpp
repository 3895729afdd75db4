// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 16-bit floats, alone and in pairs, against f64 arithmetic that is rounded once. PTX ISA, "Half
// Precision Floating Point Instructions".
#include "test/emulator/InstructionRig.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace heddle::test;

namespace {

using u64 = uint64_t;

struct Format {
  const char *name;
  Type single, pair;
  double (*value)(u64);
  u64 (*nearest)(double);
};
const Format kFormats[] = {{"f16", Type::kF16, Type::kF16x2, halfValue, nearestHalf},
                           {"bf16", Type::kBF16, Type::kBF16x2, brainValue, nearestBrain}};

double lesser(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

/// a * b + c rounded once: f64 holds the product, and the sum's rounding error says in which
/// direction a tie of the narrow format was really missed.
double sumForRounding(double a, double b, double c) {
  double product = a * b, sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  double back = sum - product, error = (product - (sum - back)) + (c - back);
  // Rounding to odd: an inexact sum gets its last place set, so that it is no tie.
  if (error != 0 && (bitsOf(sum) & 1) == 0)
    sum = std::nextafter(sum, error > 0 ? INFINITY : -INFINITY);
  return sum;
}

/// A case for the single form and one for the pair.
void addBoth(std::vector<Case> &cases, const Format &format, const std::string &opcode,
             size_t operands, std::function<double(double, double, double)> f) {
  Model one = [=](u64 a, u64 b, u64 c) {
    return format.nearest(f(format.value(a), format.value(b), format.value(c)));
  };
  std::string suffix = std::string(".") + format.name;
  cases.push_back(
      {opcode + suffix, format.single, std::vector<Type>(operands, format.single), one});
  cases.push_back({opcode + suffix + "x2", format.pair, std::vector<Type>(operands, format.pair),
                   [=](u64 a, u64 b, u64 c) {
                     return one(a & 0xffff, b & 0xffff, c & 0xffff) | one(a >> 16, b >> 16, c >> 16)
                                                                          << 16;
                   }});
}

} // namespace

TEST(HalfTable, Arithmetic) {
  std::vector<Case> cases;
  for (const Format &format : kFormats) {
    addBoth(cases, format, "add", 2, [](double a, double b, double) { return a + b; });
    addBoth(cases, format, "sub", 2, [](double a, double b, double) { return a - b; });
    addBoth(cases, format, "mul", 2, [](double a, double b, double) { return a * b; });
    addBoth(cases, format, "fma.rn", 3,
            [](double a, double b, double c) { return sumForRounding(a, b, c); });
    addBoth(cases, format, "min", 2, [](double a, double b, double) { return lesser(a, b); });
    addBoth(cases, format, "max", 2, [](double a, double b, double) { return -lesser(-a, -b); });
    auto strict = [](double a, double b) { return std::isnan(a) || std::isnan(b); };
    addBoth(cases, format, "min.NaN", 2,
            [=](double a, double b, double) { return strict(a, b) ? NAN : lesser(a, b); });
    addBoth(cases, format, "max.NaN", 2,
            [=](double a, double b, double) { return strict(a, b) ? NAN : -lesser(-a, -b); });
    addBoth(cases, format, "neg", 1, [](double a, double, double) { return -a; });
    addBoth(cases, format, "abs", 1, [](double a, double, double) { return std::fabs(a); });
    addBoth(cases, format, "fma.rn.relu", 3, [](double a, double b, double c) {
      double sum = sumForRounding(a, b, c);
      return sum < 0 ? 0.0 : sum;
    });
  }
  checkCases(cases);
}

TEST(HalfTable, Comparisons) {
  std::vector<Case> cases;
  for (const Format &format : kFormats)
    for (auto [name, f] : {std::pair<const char *, bool (*)(double, double)>{
                               "lt", [](double a, double b) { return a < b; }},
                           {"ge", [](double a, double b) { return a >= b; }},
                           {"neu", [](double a, double b) { return !(a == b); }},
                           {"gtu", [](double a, double b) { return !(a <= b); }}}) {
      auto holds = [format, f = f](u64 a, u64 b) { return f(format.value(a), format.value(b)); };
      std::string suffix = std::string(name) + "." + format.name;
      cases.push_back(
          {"setp." + suffix, Type::kPred, {format.single, format.single}, [=](u64 a, u64 b, u64) {
             return u64(holds(a, b));
           }});
      cases.push_back({"{ .reg .pred p, q; setp." + suffix +
                           "x2 p|q, %a, %b; selp.b32 %d, 1, 0, p; @q or.b32 %d, %d, 2; }",
                       Type::kB32,
                       {format.pair, format.pair},
                       [=](u64 a, u64 b, u64) {
                         return u64(holds(a & 0xffff, b & 0xffff)) | u64(holds(a >> 16, b >> 16))
                                                                         << 1;
                       }});
    }
  checkCases(cases);
}
