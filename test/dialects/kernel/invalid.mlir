// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// Two threads of a reduction would write one byte.
func.func @main(%a: tensor<9x4xf32>) -> tensor<9xui4> {
  // expected-error@+1 {{cannot make 'tensor<9xui4>': elements narrower than a byte need a kernel.map}}
  %r = kernel.reduce -> tensor<9xui4> {
  ^bb0(%i: index):
    %x = arith.constant 3 : i4
    kernel.yield %x : i4
  }
  return %r : tensor<9xui4>
}

// -----

// A thread that makes a byte of the one cannot make whole elements of the other.
func.func @main() -> (tensor<9xui4>, tensor<9xf32>) {
  // expected-error@+1 {{results narrower than a byte must have one width, got 'tensor<9xui4>' and 'tensor<9xf32>'}}
  %r:2 = kernel.map -> tensor<9xui4>, tensor<9xf32> {
  ^bb0(%i: index):
    %x = arith.constant 3 : i4
    %y = arith.constant 1.0 : f32
    kernel.yield %x, %y : i4, f32
  }
  return %r#0, %r#1 : tensor<9xui4>, tensor<9xf32>
}
