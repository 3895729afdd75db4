// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same model, options and version give the same bytes, and one file holds several targets.
// REQUIRES: heddle-compile
// RUN: heddle-compile %s -o %t.one.heddle --target=sm_80,sm_90a --timing 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: heddle-compile %s -o %t.two.heddle --target=sm_80,sm_90a
// RUN: cmp %t.one.heddle %t.two.heddle
// RUN: heddle-run %t.one.heddle | FileCheck %s

// TIMING: graph
// TIMING: ptxas
// TIMING: total
// CHECK: targets
// CHECK-SAME: sm_80, sm_90a
// CHECK: x f32 [n, 4]
// CHECK: y f32 [n, 4]
module attributes {graph.symbols = [{index = 0 : i64, input = 0 : i64, kind = "input_dim", name = "n"}]} {
  func.func @main(%x: tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>> {graph.name = "x"})
      -> (tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>> {graph.name = "y"}) {
    %0 = graph.exp %x : (tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>) -> tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>
    return %0 : tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>
  }
}
