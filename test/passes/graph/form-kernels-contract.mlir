// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products and convolutions become contractions whose operands are plain loads wherever they can be.
// RUN: heddle-opt --graph-form-kernels --split-input-file %s | FileCheck %s

// A right operand without a batch: the batch is folded into M.
// CHECK-DAG: #[[SIZES:.+]] = affine_map<()[s0] -> (1, s0 * 4, 32, 16)>
// CHECK-LABEL: func.func @folded_batch
// CHECK: %[[A:.+]] = kernel.reshape %arg0
// CHECK: kernel.contract sizes = #[[SIZES]]
// CHECK: ^bb0(%{{.+}}: index, %[[M:.+]]: index, %[[K:.+]]: index):
// CHECK-NEXT: kernel.load %[[A]][%[[M]], %[[K]]]
// CHECK: ^bb0(%{{.+}}: index, %[[K2:.+]]: index, %[[N:.+]]: index):
// CHECK-NEXT: kernel.load %arg1[%[[K2]], %[[N]]]
#x = affine_map<()[s0] -> (s0, 4, 16)>
#y = affine_map<()[s0] -> (s0, 4, 32)>
func.func @folded_batch(%x: tensor<?x4x16xf32, #x>, %w: tensor<16x32xf32>) -> tensor<?x4x32xf32, #y> {
  %0 = graph.matmul %x, %w : (tensor<?x4x16xf32, #x>, tensor<16x32xf32>) -> tensor<?x4x32xf32, #y>
  return %0 : tensor<?x4x32xf32, #y>
}

// -----

// A kernel of size 1 reads the input as a matrix.
// CHECK-DAG: #[[SIZES:.+]] = affine_map<() -> (2, 8, 35, 3)>
// CHECK-LABEL: func.func @pointwise
// CHECK: %[[X:.+]] = kernel.reshape %arg0 : tensor<2x3x5x7xf32> -> tensor<2x3x35xf32>
// CHECK: kernel.contract sizes = #[[SIZES]]
// CHECK: rhs
// CHECK-NEXT: ^bb0(%[[B:.+]]: index, %[[K:.+]]: index, %[[N:.+]]: index):
// CHECK-NEXT: kernel.load %[[X]][%[[B]], %[[K]], %[[N]]]
func.func @pointwise(%x: tensor<2x3x5x7xf32>, %w: tensor<8x3x1x1xf32>) -> tensor<2x8x5x7xf32> {
  %0 = graph.conv %x, %w : (tensor<2x3x5x7xf32>, tensor<8x3x1x1xf32>) -> tensor<2x8x5x7xf32>
  return %0 : tensor<2x8x5x7xf32>
}

// -----

// Padding is guarded, and the bias is in the epilogue.
// CHECK-LABEL: func.func @padded
// CHECK: kernel.contract
// CHECK: scf.if
// CHECK-NEXT: kernel.load %arg0
// CHECK: epilogue
// CHECK: kernel.load %arg2
// CHECK: arith.addf
func.func @padded(%x: tensor<1x3x8x8xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<8xf32>) -> tensor<1x8x8x8xf32> {
  %0 = graph.conv %x, %w, %b {pads = array<i64: 1, 1, 1, 1>}
      : (tensor<1x3x8x8xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<1x8x8x8xf32>
  return %0 : tensor<1x8x8x8xf32>
}

// -----

// Without padding nothing is guarded.
// CHECK-LABEL: func.func @unpadded
// CHECK: kernel.contract
// CHECK-NOT: scf.if
func.func @unpadded(%x: tensor<1x3x8x8xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<1x8x6x6xf32> {
  %0 = graph.conv %x, %w : (tensor<1x3x8x8xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x6x6xf32>
  return %0 : tensor<1x8x6x6xf32>
}

// -----

// A depthwise convolution is a loop a thread.
// CHECK-LABEL: func.func @depthwise
// CHECK-NOT: kernel.contract
// CHECK: kernel.map
// CHECK: kernel.fold add
func.func @depthwise(%x: tensor<1x4x8x8xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %0 = graph.conv %x, %w {group = 4 : i64} : (tensor<1x4x8x8xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}

// -----

// A product with one row is a fold an element, shared where the matrix is contiguous in K.
// CHECK-LABEL: func.func @vector
// CHECK-NOT: kernel.contract
// CHECK: kernel.reduce -> tensor<1x100xf32>
// CHECK: kernel.fold add
func.func @vector(%x: tensor<1x64xf32>, %w: tensor<100x64xf32>) -> tensor<1x100xf32> {
  %0 = graph.gemm %x, %w {transB = 1 : i64} : (tensor<1x64xf32>, tensor<100x64xf32>) -> tensor<1x100xf32>
  return %0 : tensor<1x100xf32>
}
