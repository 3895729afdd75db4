// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: names, symbols, constants, functions, branches; and that a bad model is an error with the
// name of its node, never a crash.
#include "test/import/ModelText.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::import {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

static const char *const kRelu = "node { op_type: 'Relu' name: 'r' input: 'x' output: 'y' }";

// Inputs and outputs keep their names, a named size is one symbol for all its axes.
TEST(Import, NamesAndSymbols) {
  auto model = importText(input("x", {"'n'", "3", "'n'"}) + output("y") + kRelu, 14);
  EXPECT_THAT(model.errors, ElementsAre());
  EXPECT_THAT(model.text, HasSubstr("affine_map<()[s0] -> (s0, 3, s0)>"));
  EXPECT_THAT(model.text, HasSubstr("{graph.name = \"x\"}"));
  EXPECT_THAT(model.text, HasSubstr("(none {graph.name = \"y\"})"));
  EXPECT_THAT(model.text, HasSubstr("graph.relu %arg0"));
}

// A size that the options give is no symbol.
TEST(Import, GivenSize) {
  ImportOptions options;
  options.dimSizes["n"] = 5;
  auto model = importText(input("x", {"'n'", "3"}) + output("y") + kRelu, 14, options);
  EXPECT_THAT(model.text, HasSubstr("tensor<5x3xf32>"));
  EXPECT_THAT(model.text, Not(HasSubstr("graph.symbols")));
}

// An initializer that is listed as an input too is a constant.
TEST(Import, InitializerAmongInputs) {
  auto model =
      importText(input("x", {"2"}) + input("w", {"2"}) + output("y") +
                     "initializer { name: 'w' data_type: 1 dims: 2 float_data: 1 float_data: 2 }"
                     "node { op_type: 'Add' input: 'x' input: 'w' output: 'y' }",
                 14);
  EXPECT_THAT(model.text, HasSubstr("graph.constant dense<[1.000000e+00, 2.000000e+00]>"));
  EXPECT_THAT(model.text, HasSubstr("graph.add %arg0, %0"));
  EXPECT_THAT(model.text, Not(HasSubstr("%arg1")));
}

// An input whose contents are given stays an input and is read as a constant.
TEST(Import, GivenContents) {
  ImportOptions options;
  options.inputValues["axes"] = "0, -1";
  auto graph = input("x", {"2", "3"}) + input("axes", {"2"}, 7) + output("y") +
               "node { op_type: 'ReduceSum' input: 'x' input: 'axes' output: 'y' }";
  auto model = importText(graph, 13, options);
  EXPECT_THAT(model.text, HasSubstr("graph.value = dense<[0, -1]> : tensor<2xi64>"));
  EXPECT_THAT(model.text, HasSubstr("graph.reduce_sum %arg0, %0"));
  options.inputValues["axes"] = "0";
  EXPECT_THAT(
      importText(graph, 13, options).errors,
      ElementsAre("axes: the value given for this input has 1 numbers, its shape does not"));
  options.inputValues["axes"] = "0, x";
  EXPECT_THAT(
      importText(graph, 13, options).errors,
      ElementsAre("axes: the value given for this input has 'x', which is no number of its type"));
  options.inputValues["other"] = "0";
  options.inputValues["axes"] = "0,1";
  EXPECT_THAT(importText(graph, 13, options).errors,
              ElementsAre("model: a value is given for input 'other', which the model has not"));
}

// All nodes that cannot be imported are reported at once; what depends on them is not.
TEST(Import, ReportsAllNodes) {
  auto model =
      importText(input("x", {"2"}) + output("z") +
                     "node { op_type: 'NoSuchOp' name: 'a' input: 'x' output: 'p' }"
                     "node { op_type: 'Relu' name: 'b' input: 'p' output: 'q' }"
                     "node { op_type: 'Gelu' domain: 'com.example' input: 'q' output: 'z' }",
                 14);
  EXPECT_THAT(model.errors, ElementsAre("a: operator NoSuchOp (opset 14): unsupported: no kernel "
                                        "or expansion computes this operator",
                                        "Gelu#2: operator Gelu of domain com.example (opset 14): "
                                        "unsupported: only operators of ai.onnx and "
                                        "functions of the model are supported"));
}

TEST(Import, UndefinedName) {
  auto model = importText(output("y") + kRelu, 14);
  EXPECT_THAT(model.errors,
              ElementsAre("r: operator Relu: input 'x' is made by no node before this one"));
}

// A cycle is a use before the definition.
TEST(Import, Cycle) {
  auto model = importText(output("a") + "node { op_type: 'Relu' name: 'p' input: 'b' output: 'a' }"
                                        "node { op_type: 'Relu' name: 'q' input: 'a' output: 'b' }",
                          14);
  EXPECT_THAT(model.errors,
              ElementsAre("p: operator Relu: input 'b' is made by no node before this one"));
}

TEST(Import, DefinedTwice) {
  auto model = importText(input("x", {"2"}) + output("y") + kRelu + kRelu, 14);
  EXPECT_THAT(model.errors, ElementsAre("r: value 'y' is defined twice"));
}

TEST(Import, MissingOutput) {
  auto model = importText(input("x", {"2"}) + output("z") + kRelu, 14);
  EXPECT_THAT(model.errors, ElementsAre("model: output 'z' is made by no node"));
}

TEST(Import, MissingInput) {
  auto model = importText(input("x", {"2"}) + output("y") +
                              "node { op_type: 'Add' name: 'a' input: '' input: 'x' output: 'y' }",
                          14);
  EXPECT_THAT(model.errors, ElementsAre("a: operator Add: input 0 is missing"));
}

TEST(Import, TooManyInputs) {
  auto model = importText(input("x", {"2"}) + output("y") +
                              "node { op_type: 'Clip' name: 'c' input: 'x' input: 'x' input: 'x' "
                              "input: 'x' output: 'y' }",
                          14);
  EXPECT_THAT(model.errors, ElementsAre("c: operator Clip: has 4 inputs, at most 3 are allowed"));
}

TEST(Import, TooManyOutputs) {
  auto model =
      importText(input("x", {"2"}) + output("y") +
                     "node { op_type: 'Relu' name: 'r' input: 'x' output: 'y' output: 'z' }",
                 14);
  EXPECT_THAT(model.errors,
              ElementsAre("r: operator Relu (opset 14): has 2 outputs, at most 1 are supported"));
}

TEST(Import, WrongAttributeType) {
  auto model = importText(input("x", {"2"}) + output("y") +
                              "node { op_type: 'Softmax' name: 's' input: 'x' output: 'y' "
                              "attribute { name: 'axis' type: STRING s: 'one' } }",
                          14);
  EXPECT_THAT(model.errors,
              ElementsAre("s: operator Softmax (opset 14): attribute 'axis' has a wrong type"));
}

TEST(Import, InputTypes) {
  EXPECT_THAT(importText(input("x", {"2"}, 8) + output("y") + kRelu, 14).errors,
              ElementsAre("x: input 'x' has element type string, which is unsupported"));
  EXPECT_THAT(importText(input("x", {"-2"}) + output("y") + kRelu, 14).errors,
              ElementsAre("x: input 'x' has size -2"));
  EXPECT_THAT(
      importText("input { name: 'x' type { tensor_type { elem_type: 1 } } }" + output("y") + kRelu,
                 14)
          .errors,
      ElementsAre(
          "x: input 'x' has no shape; its number of axes must be known, sizes may be symbolic"));
  EXPECT_THAT(
      importText("input { name: 'x' type { sequence_type { } } }" + output("y") + kRelu, 14).errors,
      ElementsAre("x: input 'x' is no dense tensor; sequences, optionals and sparse tensors are "
                  "unsupported"));
}

TEST(Import, OpsetTooNew) {
  EXPECT_THAT(
      importText(input("x", {"2"}) + output("y") + kRelu, 99).errors,
      ElementsAre(
          "model: model uses opset 99, newest supported is 28; re-export the model with opset 28"));
}

// Any bytes are an error or a model.
TEST(Import, DamagedFile) {
  EXPECT_EQ(importBytes("").errors.size(), 1u);
  EXPECT_EQ(importBytes("version https://git-lfs.github.com/spec/v1").errors.size(), 1u);
  std::string bytes = serialize(input("x", {"2"}) + output("y") + kRelu, 14);
  for (size_t i = 0; i < bytes.size(); ++i) {
    importBytes(bytes.substr(0, i));
    std::string flipped = bytes;
    flipped[i] ^= 0x15;
    importBytes(flipped);
  }
}

// A function of the model is inlined, with the call's attributes and without the inputs that it
// leaves out.
TEST(Import, LocalFunction) {
  const char *function =
      "functions { name: 'Scaled' domain: 'my' input: 'a' input: 'low' output: 'o' attribute: 'k' "
      "opset_import { version: 14 } "
      "node { op_type: 'Constant' output: 'c' attribute { name: 'value_float' type: FLOAT "
      "ref_attr_name: 'k' } } "
      "node { op_type: 'Mul' input: 'a' input: 'c' output: 'm' } "
      "node { op_type: 'Clip' input: 'm' input: 'low' output: 'o' } }";
  auto model =
      importText(input("x", {"2"}) + output("y") +
                     "node { op_type: 'Scaled' domain: 'my' name: 'call' input: 'x' output: 'y' "
                     "attribute { name: 'k' type: FLOAT f: 2 } }",
                 14, {}, function);
  EXPECT_THAT(model.errors, ElementsAre());
  EXPECT_THAT(model.text, HasSubstr("graph.constant dense<2.000000e+00> : tensor<f32>"));
  EXPECT_THAT(model.text, HasSubstr("operandSegmentSizes = array<i32: 1, 0, 0>"));
}

TEST(Import, RecursiveFunction) {
  const char *function = "functions { name: 'F' domain: 'my' input: 'a' output: 'o' "
                         "node { op_type: 'F' domain: 'my' name: 'n' input: 'a' output: 'o' } }";
  auto model = importText(input("x", {"2"}) + output("y") +
                              "node { op_type: 'F' domain: 'my' name: 'n' input: 'x' output: 'y' }",
                          14, {}, function);
  ASSERT_EQ(model.errors.size(), 1u);
  EXPECT_THAT(model.errors[0], HasSubstr("the model's functions call each other without an end"));
}

// The branch that a constant condition takes is inlined; the other one is not even checked.
TEST(Import, ConstantIf) {
  auto graph = [](const char *condition) {
    return input("x", {"2"}) + output("y") +
           "initializer { name: 'c' data_type: 9 int32_data: " + condition +
           " } node { op_type: 'If' name: 'i' input: 'c' output: 'y' "
           "attribute { name: 'then_branch' type: GRAPH g { output { name: 't' } "
           "node { op_type: 'Exp' input: 'x' output: 't' } } } "
           "attribute { name: 'else_branch' type: GRAPH g { output { name: 'e' } "
           "node { op_type: 'Abs' input: 'x' output: 'e' } } } }";
  };
  EXPECT_THAT(importText(graph("1"), 14).text, HasSubstr("graph.exp %arg0"));
  EXPECT_THAT(importText(graph("0"), 14).text, HasSubstr("graph.abs %arg0"));
}

} // namespace heddle::import
