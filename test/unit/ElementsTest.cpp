// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating point formats, random tensors and comparisons.
#include "runtime/cli/Elements.h"
#include "runtime/cli/FloatFormat.h"
#include "test/unit/SampleProgram.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::runtime::cli;
using namespace heddle::test;

// Landmarks of each format, from the specifications.
TEST(FloatFormat, Landmarks) {
  struct Case {
    DType dtype;
    uint64_t bits;
    double value;
  };
  for (const Case &c : {Case{DType::kF16, 0x3c00, 1.0},
                        {DType::kF16, 0x7bff, 65504.0},
                        {DType::kF16, 0x0001, std::ldexp(1.0, -24)},
                        {DType::kF16, 0xfc00, -HUGE_VAL},
                        {DType::kBF16, 0x3f80, 1.0},
                        {DType::kBF16, 0xc2f7, -123.5},
                        {DType::kF8E4M3FN, 0x7e, 448.0},
                        {DType::kF8E4M3FN, 0x01, std::ldexp(1.0, -9)},
                        {DType::kF8E4M3FNUZ, 0x7f, 240.0},
                        {DType::kF8E5M2, 0x7b, 57344.0},
                        {DType::kF8E5M2, 0x7c, HUGE_VAL},
                        {DType::kF8E5M2FNUZ, 0x7f, 57344.0},
                        {DType::kF4E2M1, 0x7, 6.0},
                        {DType::kF4E2M1, 0x9, -0.5},
                        {DType::kF8E8M0, 127, 1.0},
                        {DType::kF8E8M0, 0, std::ldexp(1.0, -127)},
                        {DType::kF32, 0x40490fdb, 3.1415927410125732},
                        {DType::kF64, 0x3ff8000000000000, 1.5}}) {
    EXPECT_EQ(decodeFloat(c.dtype, c.bits), c.value) << name(c.dtype) << " " << c.bits;
    EXPECT_EQ(encodeFloat(c.dtype, c.value), c.bits) << name(c.dtype) << " " << c.value;
  }
  EXPECT_TRUE(std::isnan(decodeFloat(DType::kF8E4M3FN, 0x7f)));
  EXPECT_TRUE(std::isnan(decodeFloat(DType::kF8E4M3FNUZ, 0x80)));
  EXPECT_TRUE(std::isnan(decodeFloat(DType::kF16, 0x7e00)));
}

// Every code of every narrow format survives decoding and encoding.
TEST(FloatFormat, AllCodes) {
  for (const DTypeFacts &row : kDTypes) {
    if (!isFloat(row.dtype) || row.bits > 16)
      continue;
    for (uint64_t code = 0; code < uint64_t{1} << row.bits; ++code) {
      double value = decodeFloat(row.dtype, code);
      uint64_t again = encodeFloat(row.dtype, value);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(decodeFloat(row.dtype, again)));
      else
        EXPECT_EQ(again, code) << row.name;
    }
  }
}

// Halfway values go to the even neighbour; too large ones to infinity or the largest.
TEST(FloatFormat, Rounding) {
  EXPECT_EQ(encodeFloat(DType::kF16, 1.0 + std::ldexp(1.0, -11)), 0x3c00u);
  EXPECT_EQ(encodeFloat(DType::kF16, 1.0 + 3 * std::ldexp(1.0, -11)), 0x3c02u);
  EXPECT_EQ(encodeFloat(DType::kF16, 65520.0), 0x7c00u);
  EXPECT_EQ(encodeFloat(DType::kF16, 65519.0), 0x7bffu);
  EXPECT_EQ(encodeFloat(DType::kF8E4M3FN, 1e9), 0x7eu);
  EXPECT_EQ(encodeFloat(DType::kF4E2M1, 100.0), 0x7u);
  EXPECT_EQ(encodeFloat(DType::kF16, 1e-30), 0u);
}

// Numbers are in range, differ between seeds and are the same again for the same seed.
TEST(RandomTensor, RangesAndReproduction) {
  for (const DTypeFacts &row : kDTypes) {
    Result<Tensor> tensor = randomTensor(row.dtype, {3, 101}, 5);
    ASSERT_TRUE(tensor.ok());
    EXPECT_EQ(static_cast<int64_t>(tensor->bytes.size()), *byteSize(row.dtype, 303));
    EXPECT_EQ(tensor->bytes, randomTensor(row.dtype, {3, 101}, 5)->bytes);
    EXPECT_NE(tensor->bytes, randomTensor(row.dtype, {3, 101}, 6)->bytes) << row.name;
    for (size_t i = 0; i < 303; ++i) {
      double value = elementValue(*tensor, i);
      EXPECT_GE(value, isFloat(row.dtype) ? -1.0 : 0.0) << row.name;
      EXPECT_LT(value, isFloat(row.dtype)          ? 1.0
                       : row.dtype == DType::kBool ? 2.0
                                                   : 10.0)
          << row.name;
    }
  }
  EXPECT_EQ(randomTensor(DType::kF32, {}, 1)->bytes.size(), 4u);
  EXPECT_EQ(randomTensor(DType::kF32, {0, 5}, 1)->bytes.size(), 0u);
  EXPECT_EQ(randomTensor(DType::kF32, {int64_t{1} << 50}, 1).status().code(),
            StatusCode::kOutOfMemory);
  EXPECT_FALSE(randomTensor(DType::kF32, {INT64_MAX, 2}, 1).ok());
}

static std::string compareText(const std::vector<float> &got, const std::vector<float> &expected) {
  int64_t n = static_cast<int64_t>(got.size());
  Result<std::string> verdict =
      compareTensors(tensorOf<float>(DType::kF32, {n}, got),
                     tensorOf<float>(DType::kF32, {n}, expected), {.relative = 0.1, .absolute = 0});
  return verdict.ok() ? *verdict : verdict.status().text();
}

// As numpy.allclose with equal_nan.
TEST(Compare, Floats) {
  EXPECT_EQ(compareText({1, 2}, {1, 2}), "max |difference| 0");
  EXPECT_EQ(compareText({1, 2.125f}, {1, 2}), "max |difference| 0.125");
  EXPECT_NE(compareText({1, 2.5f}, {1, 2}).find("differs in 1 of 2 elements, most at [1]: got 2.5"),
            std::string::npos);
  EXPECT_EQ(compareText({NAN, INFINITY, -0.0f}, {NAN, INFINITY, 0.0f}), "max |difference| 0");
  EXPECT_NE(compareText({NAN}, {1}).find("got nan, expected 1"), std::string::npos);
  EXPECT_NE(compareText({1}, {NAN}).find("differs"), std::string::npos);
  EXPECT_NE(compareText({1}, {INFINITY}).find("differs"), std::string::npos);
  EXPECT_NE(compareText({-INFINITY}, {INFINITY}).find("differs"), std::string::npos);
}

// Integers are exact, types and shapes count.
TEST(Compare, ExactParts) {
  Tensor a = tensorOf<int64_t>(DType::kI64, {2}, {1, 2});
  Tensor b = tensorOf<int64_t>(DType::kI64, {2}, {1, 3});
  EXPECT_NE(compareTensors(a, b, {1.0, 1.0}).status().text().find("differs in 1 of 2"),
            std::string::npos);
  Tensor c = tensorOf<int64_t>(DType::kI64, {2, 1}, {1, 2});
  EXPECT_EQ(compareTensors(a, c, {}).status().text(), "has shape [2], expected [2, 1]");
  Tensor d = tensorOf<int32_t>(DType::kI32, {2}, {1, 2});
  EXPECT_EQ(compareTensors(a, d, {}).status().text(), "is i64, expected i32");
}
