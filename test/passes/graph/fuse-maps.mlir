// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: heddle-opt --graph-form-kernels --graph-fuse-maps --split-input-file %s | FileCheck %s

// A chain of elementwise operators is one map.
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-1: kernel.map
// CHECK-NOT: kernel.map
// CHECK: math.exp
// CHECK: arith.addf
func.func @chain(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = graph.add %0, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// A f16 value that is no longer stored is still rounded.
// CHECK-LABEL: func.func @rounding
// CHECK-COUNT-1: kernel.map
// CHECK: math.exp
// CHECK-NEXT: arith.truncf %{{.+}} : f32 to f16
// CHECK-NEXT: arith.extf %{{.+}} : f16 to f32
func.func @rounding(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = graph.exp %x : (tensor<8xf16>) -> tensor<8xf16>
  %1 = graph.sqrt %0 : (tensor<8xf16>) -> tensor<8xf16>
  return %1 : tensor<8xf16>
}

// -----

// A transpose goes into both of its readers, one of them the operand of a contraction.
// CHECK-LABEL: func.func @transpose
// CHECK-NOT: kernel.map -> tensor<16x8xf32>
// CHECK: kernel.contract
// CHECK: ^bb0(%{{.+}}: index, %[[M:.+]]: index, %[[K:.+]]: index):
// CHECK-NEXT: kernel.load %arg0[%[[K]], %[[M]]]
func.func @transpose(%x: tensor<8x16xf32>, %w: tensor<8x5xf32>) -> (tensor<16x5xf32>, tensor<16x8xf32>) {
  %0 = graph.transpose %x {perm = array<i64: 1, 0>} : (tensor<8x16xf32>) -> tensor<16x8xf32>
  %1 = graph.matmul %0, %w : (tensor<16x8xf32>, tensor<8x5xf32>) -> tensor<16x5xf32>
  %2 = graph.transpose %x {perm = array<i64: 1, 0>} : (tensor<8x16xf32>) -> tensor<16x8xf32>
  %3 = graph.tanh %2 : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %1, %3 : tensor<16x5xf32>, tensor<16x8xf32>
}

// -----

// An expensive map with two readers stays.
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-3: kernel.map
func.func @shared(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = graph.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = graph.sqrt %0 : (tensor<8xf32>) -> tensor<8xf32>
  %2 = graph.sin %0 : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A map that is a result of the model stays.
// CHECK-LABEL: func.func @result
// CHECK-COUNT-2: kernel.map
func.func @result(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = graph.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = graph.neg %0 : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Through a reshape the coordinates are taken apart: [24] seen as [4, 6].
// CHECK-LABEL: func.func @reshape
// CHECK-COUNT-1: kernel.map
// CHECK: ^bb0(%[[I:.+]]: index):
// CHECK-DAG: %[[DIV:.+]] = arith.divui %[[I]]
// CHECK-DAG: %[[MOD:.+]] = arith.remui %[[I]]
// CHECK: kernel.load %arg0[%[[DIV]], %[[MOD]]]
func.func @reshape(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %shape = graph.constant dense<24> : tensor<1xi64> : tensor<1xi64>
  %0 = graph.exp %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = graph.reshape %0, %shape : (tensor<4x6xf32>, tensor<1xi64>) -> tensor<24xf32>
  %2 = graph.neg %1 : (tensor<24xf32>) -> tensor<24xf32>
  return %2 : tensor<24xf32>
}
