// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: heddle-opt --plan-build --split-input-file --verify-diagnostics %s

// A tensor that kernels cannot index is refused when it is compiled.
func.func @main(%x: tensor<65536x32768xf32>) -> tensor<1xf32> {
  // expected-error @below {{has 2^31 elements or more, which kernels cannot index}}
  %0 = kernel.launch @f grid = affine_map<() -> (1, 1, 1)> block = [32] shared = 0 scalars = affine_map<() -> ()> (%x)
    : (tensor<65536x32768xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// A kernel that is no code yet has no place in a plan.
func.func @main() -> tensor<1xf32> {
  // expected-error @below {{is no launch; run kernel-lower before plan-build}}
  %0 = kernel.map -> tensor<1xf32> {
  ^bb0(%i: index):
    %c = arith.constant 1.0 : f32
    kernel.yield %c : f32
  }
  return %0 : tensor<1xf32>
}

// -----

// A reshape to another number of elements is refused.
func.func @main(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error @below {{have different numbers of elements}}
  %0 = kernel.reshape %x : tensor<4xf32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
