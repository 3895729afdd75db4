// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Composite operators become the simpler ones of their definition.
// RUN: heddle-opt --graph-decompose --split-input-file %s | FileCheck %s

// A product over one label is a matrix product.
// CHECK-LABEL: func.func @einsum_matmul
// CHECK-NEXT: %[[Y:.+]] = graph.matmul %arg0, %arg1 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @einsum_matmul(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.einsum %a, %b {equation = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// A diagonal is every (size + 1)-th element of the matrix as a row.
// CHECK-LABEL: func.func @einsum_diagonal
// CHECK: graph.reshape %arg0, %{{.+}} {allowzero = 1 : i64} : (tensor<4x4xf32>, tensor<1xi64>) -> tensor<16xf32>
// CHECK: graph.slice {{.*}} -> tensor<4xf32>
func.func @einsum_diagonal(%a: tensor<4x4xf32>) -> tensor<4xf32> {
  %0 = graph.einsum %a {equation = "ii->i"} : (tensor<4x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Query heads that share a key head are an axis: keys and values broadcast over it and are not copied.
// CHECK-LABEL: func.func @grouped_query_attention
// CHECK: %[[Q:.+]] = graph.reshape %arg0, {{.*}} -> tensor<1x2x4x5x16xf32>
// CHECK: %[[K:.+]] = graph.reshape %{{.+}}, {{.*}} -> tensor<1x2x1x16x7xf32>
// CHECK: graph.matmul %{{.+}}, %[[K]] : {{.*}} -> tensor<1x2x4x5x7xf32>
// CHECK: graph.softmax %{{.+}} {axis = -1 : i64}
// CHECK: %[[V:.+]] = graph.reshape %arg2, {{.*}} -> tensor<1x2x1x7x16xf32>
// CHECK: graph.matmul %{{.+}}, %[[V]]
func.func @grouped_query_attention(%q: tensor<1x8x5x16xf32>, %k: tensor<1x2x7x16xf32>, %v: tensor<1x2x7x16xf32>)
    -> tensor<1x8x5x16xf32> {
  %0 = graph.attention %q, %k, %v {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>}
      : (tensor<1x8x5x16xf32>, tensor<1x2x7x16xf32>, tensor<1x2x7x16xf32>) -> tensor<1x8x5x16xf32>
  return %0 : tensor<1x8x5x16xf32>
}

// -----

// Without classes to ignore and without weights, the mean is over all targets.
// CHECK-LABEL: func.func @loss
// CHECK: %[[PICKED:.+]] = graph.gather_elements %arg0, %{{.+}} {axis = 1 : i64}
// CHECK: graph.reduce_mean
func.func @loss(%x: tensor<4x5xf32>, %t: tensor<4xi64>) -> tensor<f32> {
  %0 = graph.negative_log_likelihood_loss %x, %t : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// An operator with a kernel of its own stays.
// CHECK-LABEL: func.func @unchanged
// CHECK-NEXT: graph.layer_normalization
// CHECK-NEXT: return
func.func @unchanged(%x: tensor<4x5xf32>, %s: tensor<5xf32>) -> tensor<4x5xf32> {
  %0 = graph.layer_normalization %x, %s : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
