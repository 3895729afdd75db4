// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: heddle-opt --graph-form-kernels --graph-fuse-maps --graph-fuse-epilogue --split-input-file %s | FileCheck %s

// Convolution, bias, residual and relu are one kernel; the residual is read as [B, M, N].
// CHECK-LABEL: func.func @conv_residual_relu
// CHECK-NOT: kernel.map
// CHECK: %[[R:.+]] = kernel.reshape %arg3 : tensor<1x8x6x6xf32> -> tensor<1x8x36xf32>
// CHECK: kernel.contract
// CHECK: epilogue
// CHECK-NEXT: ^bb0(%[[B:.+]]: index, %[[M:.+]]: index, %[[N:.+]]: index, %{{.+}}: f32):
// CHECK: kernel.load %arg2[%[[M]]]
// CHECK: kernel.load %[[R]][%[[B]], %[[M]], %[[N]]]
// CHECK: arith.maximumf
// CHECK-NOT: kernel.map
func.func @conv_residual_relu(%x: tensor<1x3x8x8xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<8xf32>,
                              %r: tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> {
  %0 = graph.conv %x, %w, %b : (tensor<1x3x8x8xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<1x8x6x6xf32>
  %1 = graph.add %0, %r : (tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  %2 = graph.relu %1 : (tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  return %2 : tensor<1x8x6x6xf32>
}

// -----

// The hard swish of older exporters (x * clip(x + 3, 0, 6) / 6) reads the convolution twice and still ends in one kernel.
// CHECK-LABEL: func.func @hard_swish
// CHECK-NOT: kernel.map
// CHECK: kernel.contract
// CHECK-NOT: kernel.map
func.func @hard_swish(%x: tensor<1x3x8x8xf32>, %w: tensor<8x3x1x1xf32>) -> tensor<1x8x8x8xf32> {
  %three = graph.constant dense<3.0> : tensor<f32> : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32> : tensor<f32>
  %six = graph.constant dense<6.0> : tensor<f32> : tensor<f32>
  %0 = graph.conv %x, %w : (tensor<1x3x8x8xf32>, tensor<8x3x1x1xf32>) -> tensor<1x8x8x8xf32>
  %1 = graph.add %0, %three : (tensor<1x8x8x8xf32>, tensor<f32>) -> tensor<1x8x8x8xf32>
  %2 = "graph.clip"(%1, %zero, %six) <{operandSegmentSizes = array<i32: 1, 1, 1>}>
      : (tensor<1x8x8x8xf32>, tensor<f32>, tensor<f32>) -> tensor<1x8x8x8xf32>
  %3 = graph.mul %0, %2 : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %4 = graph.div %3, %six : (tensor<1x8x8x8xf32>, tensor<f32>) -> tensor<1x8x8x8xf32>
  return %4 : tensor<1x8x8x8xf32>
}

// -----

// A pool takes its activation, a reduction what follows behind a reshape.
// CHECK-LABEL: func.func @pool_and_reduction
// CHECK: kernel.map -> tensor<1x4x7x7xf32>
// CHECK: kernel.fold max
// CHECK: math.tanh
// CHECK: kernel.reduce -> tensor<1x4xf32>
// CHECK: kernel.fold add
// CHECK: math.exp
// CHECK-NOT: kernel.map
func.func @pool_and_reduction(%x: tensor<1x4x8x8xf32>) -> tensor<1x4xf32> {
  %0 = graph.max_pool %x {kernel_shape = array<i64: 2, 2>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  %1 = graph.tanh %0 : (tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  %2 = graph.global_average_pool %1 : (tensor<1x4x7x7xf32>) -> tensor<1x4x1x1xf32>
  %3 = graph.flatten %2 : (tensor<1x4x1x1xf32>) -> tensor<1x4xf32>
  %4 = graph.exp %3 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %4 : tensor<1x4xf32>
}

// -----

// Rows end in the map that reads them.
// CHECK-LABEL: func.func @rows
// CHECK: kernel.rows
// CHECK: kernel.elements
// CHECK: kernel.load %arg1
// CHECK-NOT: kernel.map
func.func @rows(%x: tensor<4x100xf32>, %y: tensor<4x100xf32>) -> tensor<4x100xf32> {
  %0 = graph.softmax %x {axis = -1 : i64} : (tensor<4x100xf32>) -> tensor<4x100xf32>
  %1 = graph.mul %0, %y : (tensor<4x100xf32>, tensor<4x100xf32>) -> tensor<4x100xf32>
  return %1 : tensor<4x100xf32>
}

// -----

// A contraction whose result the model gives back keeps it.
// CHECK-LABEL: func.func @kept
// CHECK: kernel.contract
// CHECK: kernel.map
func.func @kept(%x: tensor<16x32xf32>, %w: tensor<32x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %0 = graph.matmul %x, %w : (tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<16x16xf32>
  %1 = graph.relu %0 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0, %1 : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// A transposed reader is no epilogue: the element it needs is another thread's.
// CHECK-LABEL: func.func @transposed
// CHECK: kernel.contract
// CHECK: kernel.map
func.func @transposed(%x: tensor<16x32xf32>, %w: tensor<32x16xf32>) -> tensor<16x16xf32> {
  %0 = graph.matmul %x, %w : (tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<16x16xf32>
  %1 = graph.transpose %0 {perm = array<i64: 1, 0>} : (tensor<16x16xf32>) -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

// -----

// Elements narrower than a byte stay a map: a thread of it makes whole bytes, one of a contraction could not.
// CHECK-LABEL: func.func @narrow
// CHECK: kernel.contract {{.*}} -> tensor<9x21xf32>
// CHECK: kernel.map -> tensor<9x21xui4>
func.func @narrow(%x: tensor<9x17xf32>, %w: tensor<17x21xf32>) -> tensor<9x21xui4> {
  %0 = graph.matmul %x, %w : (tensor<9x17xf32>, tensor<17x21xf32>) -> tensor<9x21xf32>
  %1 = graph.cast %0 {to = 21 : i64} : (tensor<9x21xf32>) -> tensor<9x21xui4>
  return %1 : tensor<9x21xui4>
}
