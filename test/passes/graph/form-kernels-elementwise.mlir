// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operators become maps: broadcasting is in the coordinates, 16-bit floats compute in f32.
// RUN: heddle-opt --graph-form-kernels --split-input-file %s | FileCheck %s

// A size of 1 is read at 0, the other axes at the result's coordinates.
// CHECK-LABEL: func.func @broadcast
// CHECK: kernel.map -> tensor<2x3xf32>
// CHECK-NEXT: ^bb0(%[[I:.+]]: index, %[[J:.+]]: index):
// CHECK: %[[A:.+]] = kernel.load %arg0[%[[I]], %[[J]]]
// CHECK: %[[ZERO:.+]] = arith.constant 0 : index
// CHECK: %[[B:.+]] = kernel.load %arg1[%[[ZERO]]]
// CHECK: arith.addf %[[A]], %[[B]] : f32
func.func @broadcast(%a: tensor<2x3xf32>, %b: tensor<1xf32>) -> tensor<2x3xf32> {
  %0 = graph.add %a, %b : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// A symbolic size that may be 1 at run time chooses at run time.
// CHECK-LABEL: func.func @maybe_one
// CHECK: kernel.load %arg0
// CHECK: %[[SIZE:.+]] = kernel.size #{{.*}}
// CHECK: %[[ONE:.+]] = arith.cmpi eq, %[[SIZE]], %{{.+}} : index
// CHECK: %[[AT:.+]] = arith.select %[[ONE]], %{{.+}}, %{{.+}} : index
// CHECK: kernel.load %arg1[%[[AT]]]
#a = affine_map<()[s0] -> (s0)>
#b = affine_map<()[s0, s1] -> (s1)>
#c = affine_map<()[s0, s1, s2] -> (s2)>
func.func @maybe_one(%a: tensor<?xf32, #a>, %b: tensor<?xf32, #b>) -> tensor<?xf32, #c> {
  %0 = graph.mul %a, %b : (tensor<?xf32, #a>, tensor<?xf32, #b>) -> tensor<?xf32, #c>
  return %0 : tensor<?xf32, #c>
}

// -----

// f16 is widened, computed and rounded once.
// CHECK-LABEL: func.func @half
// CHECK: arith.extf %{{.+}} : f16 to f32
// CHECK: math.tanh %{{.+}} : f32
// CHECK: arith.truncf %{{.+}} : f32 to f16
func.func @half(%a: tensor<4xf16>) -> tensor<4xf16> {
  %0 = graph.tanh %a : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// The sign of an integer is in the operation: ui8 divides unsigned, i8 signed.
// CHECK-LABEL: func.func @signs
// CHECK: arith.divui %{{.+}}, %{{.+}} : i8
// CHECK: arith.divsi %{{.+}}, %{{.+}} : i8
func.func @signs(%a: tensor<4xui8>, %b: tensor<4xi8>) -> (tensor<4xui8>, tensor<4xi8>) {
  %0 = graph.div %a, %a : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %1 = graph.div %b, %b : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0, %1 : tensor<4xui8>, tensor<4xi8>
}

// -----

// A square is a product, not a call of pow.
// CHECK-LABEL: func.func @square
// CHECK-NOT: math.powf
// CHECK: %[[X:.+]] = kernel.load %arg0
// CHECK: arith.mulf %[[X]], %[[X]]
func.func @square(%a: tensor<4xf32>) -> tensor<4xf32> {
  %two = graph.constant dense<2.0> : tensor<f32> : tensor<f32>
  %0 = graph.pow %a, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
