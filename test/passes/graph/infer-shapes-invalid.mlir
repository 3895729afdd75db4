// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op whose operands do not fit it is an error at its place; what depends on it is not reported again.
// RUN: heddle-opt --graph-infer-shapes --split-input-file --verify-diagnostics %s

// Sizes that do not broadcast; the relu behind it is silent.
func.func @broadcast(%a: tensor<2xf32>, %b: tensor<3xf32>) -> none {
  // expected-error @below {{sizes 2 and 3 do not broadcast}}
  %0 = graph.add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> none
  %1 = graph.relu %0 : (none) -> none
  return %1 : none
}

// -----

func.func @element_types(%a: tensor<2xf32>, %b: tensor<2xf16>) -> none {
  // expected-error @below {{operands must have one element type, got f32 and f16}}
  %0 = graph.add %a, %b : (tensor<2xf32>, tensor<2xf16>) -> none
  return %0 : none
}

// -----

// All problems of a model are reported, not only the first.
func.func @two_errors(%a: tensor<2x3xf32>) -> (none, none) {
  // expected-error @below {{inner sizes must agree, got 3 and 2}}
  %0 = graph.matmul %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> none
  // expected-error @below {{axis must be in [-2, 2), got 2}}
  %1 = graph.softmax %a {axis = 2 : i64} : (tensor<2x3xf32>) -> none
  return %0, %1 : none, none
}

// -----

func.func @channels(%x: tensor<1x6x5x5xf32>, %w: tensor<4x2x3x3xf32>) -> none {
  // expected-error @below {{x has 6 channels, w takes 2 in each of 1 groups}}
  %0 = graph.conv %x, %w : (tensor<1x6x5x5xf32>, tensor<4x2x3x3xf32>) -> none
  return %0 : none
}

// -----

func.func @reshape(%x: tensor<6xf32>) -> none {
  %shape = graph.constant dense<[4, 2]> : tensor<2xi64> : tensor<2xi64>
  // expected-error @below {{the input has 6 elements and the shape asks for 8}}
  %0 = graph.reshape %x, %shape : (tensor<6xf32>, tensor<2xi64>) -> none
  return %0 : none
}

// -----

// The axes of a reduction decide the result's rank or its loops.
func.func @axes(%x: tensor<2x3xf32>, %axes: tensor<1xi64> {graph.name = "axes"}) -> none {
  // expected-error @below {{unsupported: the axes of a reduction must be known when the model is compiled, they depend on an input}}
  %0 = graph.reduce_sum %x, %axes : (tensor<2x3xf32>, tensor<1xi64>) -> none
  return %0 : none
}

// -----

func.func @data_dependent(%x: tensor<4xf32>) -> none {
  // expected-error @below {{unsupported: the result's size depends on the data}}
  %0 = graph.non_zero %x : (tensor<4xf32>) -> none
  return %0 : none
}

// -----

func.func @einsum_rank(%x: tensor<4x4xf32>) -> none {
  // expected-error @below {{equation's term 'ijk' does not fit an input of rank 2}}
  %0 = graph.einsum %x {equation = "ijk->i"} : (tensor<4x4xf32>) -> none
  return %0 : none
}

// -----

func.func @einsum_output(%x: tensor<4x4xf32>) -> none {
  // expected-error @below {{equation's output has a label that no input has, or has it twice}}
  %0 = graph.einsum %x {equation = "ij->k"} : (tensor<4x4xf32>) -> none
  return %0 : none
}

// -----

func.func @attention_heads(%q: tensor<1x3x2x8xf32>, %k: tensor<1x2x2x8xf32>) -> none {
  // expected-error @below {{q has 3 heads, not a multiple of k's 2}}
  %0 = graph.attention %q, %k, %k {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>}
      : (tensor<1x3x2x8xf32>, tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>) -> none
  return %0 : none
}
