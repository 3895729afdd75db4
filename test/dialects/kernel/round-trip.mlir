// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// A map with a fold, and rows with elements, read back as they were written.
// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<2x?xf32, affine_map<()[s0] -> (2, s0)>>) -> (tensor<2xf32>, tensor<4x100xf32>) {
  // CHECK: kernel.map -> tensor<2xf32>
  %r = kernel.map -> tensor<2xf32> {
  ^bb0(%i: index):
    // CHECK: kernel.fold add
    %sum = kernel.fold add affine_map<()[s0] -> (s0)> -> f32 {
    ^bb0(%k: index):
      %x = kernel.load %a[%i, %k] : tensor<2x?xf32, affine_map<()[s0] -> (2, s0)>> -> f32
      kernel.yield %x : f32
    }
    kernel.yield %sum : f32
  }
  // CHECK: kernel.weight
  %w = kernel.weight dense<1.0> : tensor<4x100xf32> -> tensor<4x100xf32>
  // CHECK: kernel.rows axes = [1]
  %s = kernel.rows axes = [1] -> tensor<4x100xf32> {
  ^bb0(%i: index):
    // CHECK: kernel.elements
    kernel.elements {
    ^bb0(%k: index):
      %x = kernel.load %w[%i, %k] : tensor<4x100xf32> -> f32
      kernel.yield %x : f32
    }
  }
  return %r, %s : tensor<2xf32>, tensor<4x100xf32>
}
