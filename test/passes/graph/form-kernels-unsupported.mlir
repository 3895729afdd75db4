// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operator without a lowering is reported before the pass fails, each with its node and the reason.
// RUN: heddle-opt --graph-form-kernels --verify-diagnostics %s

func.func @two(%x: tensor<4xf32>, %k: tensor<1xi64>) -> (tensor<2x?xi64, affine_map<()[s0] -> (1, s0)>>, tensor<2xf32>) {
  // expected-error @below {{is unsupported: no kernel computes this operator}}
  %0 = graph.non_zero %x : (tensor<4xf32>) -> tensor<2x?xi64, affine_map<()[s0] -> (1, s0)>>
  // expected-error @below {{is unsupported: its starts are not known before the model runs}}
  %1 = "graph.slice"(%x, %k, %k) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  return %0, %1 : tensor<2x?xi64, affine_map<()[s0] -> (1, s0)>>, tensor<2xf32>
}
