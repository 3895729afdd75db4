// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of sizes: every operation, rounding, overflow, and errors that only count where
// they are used.
#include "runtime/Expressions.h"
#include "test/unit/SampleProgram.h"
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::artifact;
using namespace heddle::runtime;
using namespace heddle::test;

static Result<int64_t> evaluate(ExprKind kind, int64_t a, int64_t b) {
  Variant v;
  v.exprs = {{.value = a}, {.value = b}, {.kind = kind, .a = 0, .b = 1}};
  return Evaluator(v).evaluate({}).at(2);
}

// Rounding is down, up, and into [0, b) as for MLIR's affine expressions.
TEST(Expressions, Operations) {
  struct Case {
    ExprKind kind;
    int64_t a, b, expected;
  };
  using enum ExprKind;
  for (const Case &c : {Case{kAdd, 3, 4, 7},
                        {kMul, -3, 4, -12},
                        {kFloorDiv, 7, 2, 3},
                        {kFloorDiv, -7, 2, -4},
                        {kFloorDiv, -8, 2, -4},
                        {kCeilDiv, 7, 2, 4},
                        {kCeilDiv, -7, 2, -3},
                        {kCeilDiv, 8, 2, 4},
                        {kMod, 7, 3, 1},
                        {kMod, -7, 3, 2},
                        {kMod, -6, 3, 0},
                        {kMin, 2, -5, -5},
                        {kMax, 2, -5, 2},
                        {kBroadcast, 5, 5, 5},
                        {kBroadcast, 1, 5, 5},
                        {kBroadcast, 5, 1, 5},
                        {kBroadcast, 0, 1, 0},
                        {kBroadcast, 1, 0, 0},
                        {kEqual, 2, 2, 1},
                        {kEqual, 2, 3, 0},
                        {kLess, 2, 3, 1},
                        {kLess, 3, 3, 0},
                        {kFloorDiv, INT64_MIN, 1, INT64_MIN}}) {
    Result<int64_t> got = evaluate(c.kind, c.a, c.b);
    ASSERT_TRUE(got.ok()) << got.status().text();
    EXPECT_EQ(*got, c.expected) << static_cast<int>(c.kind) << ": " << c.a << ", " << c.b;
  }
}

// What has no value is an error with the numbers in it.
TEST(Expressions, Failures) {
  auto text = [](ExprKind kind, int64_t a, int64_t b) {
    Result<int64_t> got = evaluate(kind, a, b);
    return got.ok() ? "" : got.status().text();
  };
  EXPECT_NE(text(ExprKind::kAdd, INT64_MAX, 1).find("does not fit 64 bits"), std::string::npos);
  EXPECT_NE(text(ExprKind::kMul, INT64_MAX, 2).find("does not fit 64 bits"), std::string::npos);
  EXPECT_NE(text(ExprKind::kFloorDiv, 1, 0).find("must be positive"), std::string::npos);
  EXPECT_NE(text(ExprKind::kMod, 1, -2).find("must be positive"), std::string::npos);
  EXPECT_NE(text(ExprKind::kBroadcast, 3, 4).find("3 and 4 do not broadcast"), std::string::npos);
}

// An arm of a Select that is not taken may have no value.
TEST(Expressions, SelectIsLazy) {
  Variant v;
  v.exprs = {{.value = 0},
             {.value = 5},
             {.kind = ExprKind::kFloorDiv, .a = 1, .b = 0},
             {.kind = ExprKind::kSelect, .a = 0, .b = 2, .c = 1},
             {.kind = ExprKind::kSelect, .a = 1, .b = 2, .c = 1}};
  Sizes sizes = Evaluator(v).evaluate({});
  ASSERT_TRUE(sizes.at(3).ok());
  EXPECT_EQ(*sizes.at(3), 5);
  EXPECT_FALSE(sizes.at(4).ok());
}

// Symbols come from dimensions, from elements, and from expressions of earlier symbols, whose
// place in the pool may be in front of those expressions.
TEST(Expressions, Symbols) {
  Variant v;
  v.inputs = {{"x", DType::kF32, {0, 1}, 0}, {"k", DType::kI32, {}, 0}};
  v.symbols = {{"n", SymbolKind::kInputDim, 0, 1, 0},
               {"k", SymbolKind::kInputElement, 1, 0, 0},
               {"nk", SymbolKind::kDerived, 0, 0, 3}};
  v.exprs = {{.kind = ExprKind::kSymbol, .a = 2}, // nk, in front of what it is made of
             {.kind = ExprKind::kSymbol, .a = 0},
             {.kind = ExprKind::kSymbol, .a = 1},
             {.kind = ExprKind::kMul, .a = 1, .b = 2},
             {.kind = ExprKind::kAdd, .a = 0, .b = 1}};
  Tensor x = tensorOf<float>(DType::kF32, {2, 3}, std::vector<float>(6));
  Tensor k = tensorOf<int32_t>(DType::kI32, {}, {-7});
  std::vector<TensorView> inputs = {x, k};
  Sizes sizes = Evaluator(v).evaluate(inputs);
  EXPECT_EQ(*sizes.at(0), -21);
  EXPECT_EQ(*sizes.at(4), -18);
  EXPECT_EQ(describe(v, 4), "(nk + n)");
}

// Elements of every width and signedness; what does not fit is an error.
TEST(Expressions, ReadInteger) {
  Tensor bytes = tensorOf<uint8_t>(DType::kU8, {2}, {200, 3});
  EXPECT_EQ(*readInteger(bytes, 0), 200);
  bytes.dtype = DType::kI8;
  EXPECT_EQ(*readInteger(bytes, 0), -56);
  bytes.dtype = DType::kBool;
  EXPECT_EQ(*readInteger(bytes, 0), 1);
  EXPECT_FALSE(readInteger(bytes, 2).ok());
  Tensor wide = tensorOf<uint64_t>(DType::kU64, {1}, {UINT64_MAX});
  EXPECT_FALSE(readInteger(wide, 0).ok());
  wide.dtype = DType::kI64;
  EXPECT_EQ(*readInteger(wide, 0), -1);
}
