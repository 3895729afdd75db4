// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Older forms of operators become the newest one.
#include "test/import/ModelText.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::import {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

static Imported importNode(const std::string &node, int64_t opset) {
  return importText(input("x", {"2", "3", "4", "5"}) + input("b", {"3"}) + output("y") +
                        "node { name: 'n' " + node + " output: 'y' }",
                    opset);
}

static std::string ints(const std::string &name, const std::vector<int> &values) {
  std::string text = "attribute { name: '" + name + "' type: INTS";
  for (int value : values)
    text += " ints: " + std::to_string(value);
  return text + " } ";
}

// Axes are an input from opset 13 or 18 on.
TEST(Adapter, AxesBecomeAnInput) {
  auto old = importNode("op_type: 'ReduceMean' input: 'x' " + ints("axes", {1, 2}), 11);
  EXPECT_THAT(old.errors, ElementsAre());
  EXPECT_THAT(old.text, HasSubstr("graph.constant dense<[1, 2]> : tensor<2xi64>"));
  EXPECT_THAT(old.text, HasSubstr("graph.reduce_mean %arg0, %0 :"));
  EXPECT_THAT(importNode("op_type: 'Squeeze' input: 'x' " + ints("axes", {0}), 11).text,
              HasSubstr("graph.squeeze %arg0, %0 :"));
}

// Before opset 13 axes from `axis` on are one row; with the last axis that is the same as today.
TEST(Adapter, SoftmaxOfRows) {
  auto rows = importNode("op_type: 'Softmax' input: 'x'", 11).text;
  EXPECT_THAT(rows, HasSubstr("graph.flatten %arg0 {axis = 1 : i64}"));
  EXPECT_THAT(rows, HasSubstr("graph.softmax %0 {axis = -1 : i64}"));
  EXPECT_THAT(rows, HasSubstr("graph.reshape"));
  auto last =
      importNode("op_type: 'Softmax' input: 'x' attribute { name: 'axis' type: INT i: -1 }", 11)
          .text;
  EXPECT_THAT(last, Not(HasSubstr("graph.flatten")));
  EXPECT_THAT(importNode("op_type: 'Softmax' input: 'x'", 13).text,
              Not(HasSubstr("graph.flatten")));
}

// Bounds get the element type of what they bound.
TEST(Adapter, ClipBounds) {
  auto clip =
      importNode("op_type: 'Clip' input: 'x' attribute { name: 'max' type: FLOAT f: 6 }", 6).text;
  EXPECT_THAT(clip, HasSubstr("graph.cast_like %0, %arg0"));
  EXPECT_THAT(clip, HasSubstr("operandSegmentSizes = array<i32: 1, 0, 1>"));
}

// Before opset 7 the second operand can be aligned with an axis.
TEST(Adapter, BroadcastByAxis) {
  auto add = importNode(
      "op_type: 'Add' input: 'x' input: 'b' attribute { name: 'broadcast' type: INT i: 1 } "
      "attribute { name: 'axis' type: INT i: 1 }",
      6);
  EXPECT_THAT(add.errors, ElementsAre());
  EXPECT_THAT(add.text, HasSubstr("graph.reshape %arg1"));
  EXPECT_THAT(add.text, HasSubstr("graph.add %arg0, %"));
  EXPECT_THAT(add.text, Not(HasSubstr("broadcast")));
}

TEST(Adapter, SliceAttributes) {
  auto slice =
      importNode("op_type: 'Slice' input: 'x' " + ints("starts", {1}) + ints("ends", {2}), 9).text;
  EXPECT_THAT(
      slice,
      HasSubstr("graph.slice %arg0, %0, %1 {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}"));
}

TEST(Adapter, SplitWithoutSizes) {
  EXPECT_THAT(importNode("op_type: 'Split' input: 'x'", 11).text,
              HasSubstr("graph.split %arg0 {num_outputs = 1 : i64}"));
}

TEST(Adapter, UpsampleIsResize) {
  auto resize = importNode("op_type: 'Upsample' input: 'x' attribute { name: 'scales' type: FLOATS "
                           "floats: 1 floats: 1 floats: 2 floats: 2 }",
                           7)
                    .text;
  EXPECT_THAT(resize, HasSubstr("graph.resize %arg0, %0"));
  EXPECT_THAT(resize, HasSubstr("coordinate_transformation_mode = \"asymmetric\""));
  EXPECT_THAT(resize, HasSubstr("nearest_mode = \"floor\""));
}

TEST(Adapter, CastByName) {
  EXPECT_THAT(
      importNode("op_type: 'Cast' input: 'x' attribute { name: 'to' type: STRING s: 'INT32' }", 1)
          .text,
      HasSubstr("graph.cast %arg0 {to = 6 : i64}"));
  EXPECT_THAT(
      importNode("op_type: 'Cast' input: 'x' attribute { name: 'to' type: STRING s: 'COLOR' }", 1)
          .errors,
      ElementsAre("n: operator Cast (opset 1): unsupported: a cast to 'COLOR'"));
}

// The batch normalisation of training is not supported in any opset.
TEST(Adapter, SpatialParameters) {
  EXPECT_THAT(
      importNode(
          "op_type: 'BatchNormalization' input: 'x' input: 'b' input: 'b' input: 'b' input: 'b' "
          "attribute { name: 'spatial' type: INT i: 0 }",
          7)
          .errors,
      ElementsAre(
          "n: operator BatchNormalization (opset 7): unsupported: parameters for each position "
          "(spatial = 0)"));
}

// The newest form passes unchanged.
TEST(Adapter, NewestForm) {
  auto model = importNode("op_type: 'Add' input: 'x' input: 'b'", 14).text;
  EXPECT_THAT(model,
              HasSubstr("graph.add %arg0, %arg1 : (tensor<2x3x4x5xf32>, tensor<3xf32>) -> none"));
  EXPECT_THAT(model, Not(HasSubstr("graph.reshape")));
}

} // namespace heddle::import
