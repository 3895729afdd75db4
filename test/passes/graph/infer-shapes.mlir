// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every value gets a ranked type with its sizes as expressions, and shape arithmetic is done on the host.
// RUN: heddle-opt --graph-infer-shapes --split-input-file %s | FileCheck %s

// A convolution's size is an expression of the input's.
// floor((h + 2 - 3) / 2) + 1 and the same for a kernel of 3 with dilation 2.
// CHECK-DAG: #[[Y:.+]] = affine_map<()[s0, s1, s2] -> (s0, 8, (s1 - 1) floordiv 2 + 1, s2 - 4)>
// CHECK-LABEL: func.func @conv
// CHECK-SAME: -> tensor<?x8x?x?xf32, #[[Y]]>
#x = affine_map<()[s0, s1, s2] -> (s0, 4, s1, s2)>
module attributes {graph.symbols = [
    {kind = "input_dim", name = "n", input = 0 : i64, index = 0 : i64},
    {kind = "input_dim", name = "h", input = 0 : i64, index = 2 : i64},
    {kind = "input_dim", name = "w", input = 0 : i64, index = 3 : i64}]} {
  func.func @conv(%x: tensor<?x4x?x?xf32, #x>, %w: tensor<8x4x3x3xf32>) -> none {
    %0 = graph.conv %x, %w {pads = array<i64: 1, 0, 1, 0>, strides = array<i64: 2, 1>, dilations = array<i64: 1, 2>}
        : (tensor<?x4x?x?xf32, #x>, tensor<8x4x3x3xf32>) -> none
    return %0 : none
  }
}

// -----

// Shape, Gather and Concat before a Reshape are one host value; -1 takes what is left.
// CHECK-DAG: #[[SHAPE:.+]] = affine_map<()[s0] -> (s0, -1)>
// CHECK-DAG: #[[Y:.+]] = affine_map<()[s0] -> (s0, 12)>
// CHECK-LABEL: func.func @shape_arithmetic
// CHECK-NOT: graph.shape
// CHECK: %[[S:.+]] = graph.symbolic_constant #[[SHAPE]] : tensor<2xi64>
// CHECK: graph.reshape %arg0, %[[S]] : {{.*}} -> tensor<?x12xf32, #[[Y]]>
#x = affine_map<()[s0] -> (s0, 3, 4)>
module attributes {graph.symbols = [{kind = "input_dim", name = "n", input = 0 : i64, index = 0 : i64}]} {
  func.func @shape_arithmetic(%x: tensor<?x3x4xf32, #x>) -> none {
    %zero = graph.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %rest = graph.constant dense<-1> : tensor<1xi64> : tensor<1xi64>
    %shape = graph.shape %x : (tensor<?x3x4xf32, #x>) -> none
    %n = graph.gather %shape, %zero {axis = 0 : i64} : (none, tensor<1xi64>) -> none
    %target = graph.concat %n, %rest {axis = 0 : i64} : (none, tensor<1xi64>) -> none
    %y = graph.reshape %x, %target : (tensor<?x3x4xf32, #x>, none) -> none
    return %y : none
  }
}

// -----

// An integer input that decides a shape is read on the host: its elements are symbols.
// CHECK: #[[Y:.+]] = affine_map<()[s0] -> (3, s0)>
// CHECK: graph.symbols = [{index = 0 : i64, input = 1 : i64, kind = "input_element", name = "k"}]
// CHECK-LABEL: func.func @top_k
// CHECK-SAME: -> (tensor<3x?xf32, #[[Y]]>, tensor<3x?xi64, #[[Y]]>)
module {
  func.func @top_k(%x: tensor<3x7xf32>, %k: tensor<1xi64> {graph.name = "k"}) -> (none, none) {
    %0:2 = graph.top_k %x, %k : (tensor<3x7xf32>, tensor<1xi64>) -> (none, none)
    return %0#0, %0#1 : none, none
  }
}

// -----

// An integer input that is only data stays data.
// CHECK-LABEL: func.func @indices
// CHECK: graph.gather %arg0, %arg1 : (tensor<3x7xf32>, tensor<2xi64>) -> tensor<2x7xf32>
module {
  func.func @indices(%x: tensor<3x7xf32>, %i: tensor<2xi64>) -> none {
    %0 = graph.gather %x, %i : (tensor<3x7xf32>, tensor<2xi64>) -> none
    return %0 : none
  }
}

// -----

// Two sizes that may differ broadcast at run time; equal ones and ones do not need to.
// CHECK: graph.symbols = [{{.*}}, {kind = "derived", op = "broadcast", operands = #[[OPERANDS:.+]]}]
// CHECK-LABEL: func.func @broadcast
// CHECK: graph.add %arg0, %arg1 : {{.*}} -> tensor<?x5xf32, #{{.+}}>
// CHECK: graph.add %arg0, %arg0 : {{.*}} -> tensor<?x1xf32, #{{.+}}>
#x = affine_map<()[s0] -> (s0, 1)>
#y = affine_map<()[s0, s1] -> (s1, 5)>
module attributes {graph.symbols = [
    {kind = "input_dim", name = "a", input = 0 : i64, index = 0 : i64},
    {kind = "input_dim", name = "b", input = 1 : i64, index = 0 : i64}]} {
  func.func @broadcast(%x: tensor<?x1xf32, #x>, %y: tensor<?x5xf32, #y>) -> (none, none) {
    %0 = graph.add %x, %y : (tensor<?x1xf32, #x>, tensor<?x5xf32, #y>) -> none
    %1 = graph.add %x, %x : (tensor<?x1xf32, #x>, tensor<?x1xf32, #x>) -> none
    return %0, %1 : none, none
  }
}

// -----

// An end beyond the axis is clamped, a negative start counts from the end, a negative step walks back.
// CHECK-LABEL: func.func @slice
// CHECK: graph.slice {{.*}} -> tensor<2xf32>
// CHECK: graph.slice {{.*}} -> tensor<4xf32>
module {
  func.func @slice(%x: tensor<10xf32>) -> (none, none) {
    %start = graph.constant dense<-2> : tensor<1xi64> : tensor<1xi64>
    %end = graph.constant dense<9223372036854775807> : tensor<1xi64> : tensor<1xi64>
    %first = graph.constant dense<-9223372036854775808> : tensor<1xi64> : tensor<1xi64>
    %last = graph.constant dense<9> : tensor<1xi64> : tensor<1xi64>
    %axis = graph.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %back = graph.constant dense<-3> : tensor<1xi64> : tensor<1xi64>
    %0 = graph.slice %x, %start, %end {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}
        : (tensor<10xf32>, tensor<1xi64>, tensor<1xi64>) -> none
    %1 = graph.slice %x, %last, %first, %axis, %back {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}
        : (tensor<10xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> none
    return %0, %1 : none, none
  }
}
