// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions share a fold where its elements are neighbours in memory; softmax and norms become rows.
// RUN: heddle-opt --graph-form-kernels --split-input-file %s | FileCheck %s

// A long reduction over the innermost axis is shared by threads.
// CHECK-LABEL: func.func @inner
// CHECK: kernel.reduce -> tensor<4xf32>
// CHECK: kernel.fold add
func.func @inner(%x: tensor<4x100xf32>) -> tensor<4xf32> {
  %axes = graph.constant dense<1> : tensor<1xi64> : tensor<1xi64>
  %0 = graph.reduce_sum %x, %axes {keepdims = 0 : i64} : (tensor<4x100xf32>, tensor<1xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Over an outer axis each thread has its own fold: neighbours read neighbours.
// CHECK-LABEL: func.func @outer
// CHECK: kernel.map -> tensor<100xf32>
// CHECK: kernel.fold add
func.func @outer(%x: tensor<4x100xf32>) -> tensor<100xf32> {
  %axes = graph.constant dense<0> : tensor<1xi64> : tensor<1xi64>
  %0 = graph.reduce_sum %x, %axes {keepdims = 0 : i64} : (tensor<4x100xf32>, tensor<1xi64>) -> tensor<100xf32>
  return %0 : tensor<100xf32>
}

// -----

// CHECK-LABEL: func.func @softmax
// CHECK: kernel.rows axes = [1] -> tensor<4x100xf16>
// CHECK: %[[MAX:.+]] = kernel.fold max
// CHECK: %[[SUM:.+]] = kernel.fold add
// CHECK: math.exp %{{.+}} : f32
// CHECK: kernel.elements
// CHECK: arith.divf %{{.+}}, %[[SUM]] : f32
// CHECK: arith.truncf %{{.+}} : f32 to f16
func.func @softmax(%x: tensor<4x100xf16>) -> tensor<4x100xf16> {
  %0 = graph.softmax %x {axis = -1 : i64} : (tensor<4x100xf16>) -> tensor<4x100xf16>
  return %0 : tensor<4x100xf16>
}
