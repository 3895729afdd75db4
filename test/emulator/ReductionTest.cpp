// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the reductions of bulk copies do to an element, by the PTX ISA's text and a model in f64.
#include "runtime/emulator/async/Reduction.h"
#include <cmath>
#include <gtest/gtest.h>
#include <iostream>
#include <random>

using namespace heddle::emulator;

// PTX ISA 9.0, cp.reduce.async.bulk: sums are rounded to nearest even; inc and dec wrap at the
// source's value; of two numbers one of which is NaN, min and max take the other.
TEST(Reduction, Elements) {
  auto reduce = [](ReduceOp op, ReduceType type, auto a, auto b, bool flushes = false) {
    alignas(16) decltype(a) place = a;
    reduceInto({op, type, flushes}, reinterpret_cast<uint8_t *>(&place),
               reinterpret_cast<const uint8_t *>(&b), sizeof b);
    return place;
  };
  auto add = ReduceOp::kAdd, low = ReduceOp::kMin, high = ReduceOp::kMax;
  EXPECT_EQ(reduce(add, ReduceType::kS32, 0x7fffffffu, 1u), 0x80000000u);
  EXPECT_EQ(reduce(add, ReduceType::kU64, ~0ull, 2ull), 1ull);
  EXPECT_EQ(reduce(low, ReduceType::kS32, 0xffffffffu, 1u), 0xffffffffu);
  EXPECT_EQ(reduce(low, ReduceType::kU32, 0xffffffffu, 1u), 1u);
  EXPECT_EQ(reduce(high, ReduceType::kS64, ~0ull, 1ull), 1ull);
  EXPECT_EQ(reduce(ReduceOp::kInc, ReduceType::kU32, 4u, 5u), 5u);
  EXPECT_EQ(reduce(ReduceOp::kInc, ReduceType::kU32, 5u, 5u), 0u);
  EXPECT_EQ(reduce(ReduceOp::kDec, ReduceType::kU32, 0u, 5u), 5u);
  EXPECT_EQ(reduce(ReduceOp::kDec, ReduceType::kU32, 9u, 5u), 5u);
  EXPECT_EQ(reduce(ReduceOp::kDec, ReduceType::kU32, 3u, 5u), 2u);
  EXPECT_EQ(reduce(ReduceOp::kXor, ReduceType::kU64, 12ull, 10ull), 6ull);
  EXPECT_EQ(reduce(add, ReduceType::kF32, 1.5f, 2.25f), 3.75f);
  EXPECT_EQ(reduce(add, ReduceType::kF32, 0x1p-149f, 0x1p-149f), 0x1p-148f);
  EXPECT_EQ(reduce(add, ReduceType::kF32, 0x1p-149f, 0x1p-149f, true), 0.0f);
  EXPECT_EQ(reduce(add, ReduceType::kF64, 1e300, 1e300), 2e300);
  uint16_t one = 0x3c00, tiny = 0x0001, nan = 0x7e01, most = 0x7bff;
  EXPECT_EQ(reduce(add, ReduceType::kF16, one, one), 0x4000);
  EXPECT_EQ(reduce(add, ReduceType::kF16, tiny, tiny), 0x0002);
  EXPECT_EQ(reduce(add, ReduceType::kF16, most, most), 0x7c00);
  EXPECT_EQ(reduce(add, ReduceType::kF16, one, nan), 0x7fff);
  // 1 + 2^-11 lies between 1 and 1 + 2^-10: to even.
  EXPECT_EQ(reduce(add, ReduceType::kF16, one, uint16_t(0x1000)), one);
  EXPECT_EQ(reduce(add, ReduceType::kF16, uint16_t(0x3c01), uint16_t(0x1000)), 0x3c02);
  EXPECT_EQ(reduce(low, ReduceType::kF16, one, nan), one);
  EXPECT_EQ(reduce(high, ReduceType::kF16, uint16_t(0x8000), uint16_t(0)), 0);
  EXPECT_EQ(reduce(low, ReduceType::kF16, uint16_t(0), uint16_t(0x8000)), 0x8000);
  EXPECT_EQ(reduce(low, ReduceType::kBF16, uint16_t(0xbf80), uint16_t(0xc000)), 0xc000);
  EXPECT_EQ(reduce(add, ReduceType::kBF16, uint16_t(0x3f80), uint16_t(0x3b80)), 0x3f80);
  EXPECT_TRUE(isReduction(ReduceTarget::kGlobal, add, ReduceType::kF64));
  EXPECT_FALSE(isReduction(ReduceTarget::kTensor, add, ReduceType::kF64));
  EXPECT_FALSE(isReduction(ReduceTarget::kShared, add, ReduceType::kF32));
  EXPECT_FALSE(isReduction(ReduceTarget::kGlobal, low, ReduceType::kF32));
  EXPECT_FALSE(isReduction(ReduceTarget::kGlobal, add, ReduceType::kS64));
}

// Sums of all pairs of exponents in f16 against exact sums in f64, which are rounded once.
TEST(Reduction, HalfSumsAreRoundedOnce) {
  auto value = [](uint16_t h) {
    double m = h & 0x3ff;
    int e = h >> 10 & 0x1f;
    double v = e ? std::ldexp(1024 + m, e - 25) : std::ldexp(m, -24);
    return h & 0x8000 ? -v : v;
  };
  auto nearest = [&](double exact) {
    uint16_t best = 0x7c00; // by search: ties go to the even pattern
    double sign = std::signbit(exact) ? -1 : 1, magnitude = std::fabs(exact);
    if (magnitude < 65520) {
      uint16_t low = 0, high = 0x7bff;
      while (low < high) {
        uint16_t middle = uint16_t((low + high + 1) / 2);
        (value(middle) <= magnitude ? low : high) =
            value(middle) <= magnitude ? middle : uint16_t(middle - 1);
      }
      best = low;
      if (low < 0x7bff) {
        double below = magnitude - value(low), above = value(uint16_t(low + 1)) - magnitude;
        if (above < below || (above == below && low % 2))
          best = uint16_t(low + 1);
      }
    }
    return uint16_t(best | (sign < 0 ? 0x8000 : 0));
  };
  std::mt19937 random(4);
  std::cout << "seed 4\n";
  for (int i = 0; i < 20000; ++i) {
    uint16_t a = uint16_t(random()), b = uint16_t(random());
    if ((a & 0x7c00) == 0x7c00 || (b & 0x7c00) == 0x7c00 || value(a) + value(b) == 0)
      continue;
    alignas(16) uint16_t place = a;
    reduceInto({ReduceOp::kAdd, ReduceType::kF16, false}, reinterpret_cast<uint8_t *>(&place),
               reinterpret_cast<uint8_t *>(&b), 2);
    ASSERT_EQ(place, nearest(value(a) + value(b))) << a << " + " << b;
  }
}
