// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each stage can be looked at; a module in text form goes the way of a model.
// REQUIRES: heddle-compile
// RUN: heddle-compile %s --emit=import | FileCheck %s --check-prefix=IMPORT
// RUN: heddle-compile %s --stop-after=graph | FileCheck %s --check-prefix=GRAPH
// RUN: heddle-compile %s --emit=kernel | FileCheck %s --check-prefix=KERNEL
// RUN: heddle-compile %s --emit=ptx --target=sm_90a | FileCheck %s --check-prefix=PTX
// RUN: heddle-compile %s --emit=plan -o %t.plan && FileCheck %s --check-prefix=PLAN --input-file=%t.plan

// IMPORT: graph.relu
// GRAPH: kernel.map
// GRAPH-NOT: graph.relu
// KERNEL: kernel.launch @[[NAME:[a-z0-9_A-Z]+]]
// KERNEL: llvm.func @[[NAME]]
// PTX: .target sm_90a
// PTX: .entry
// PLAN: plan.input "x"
// PLAN: plan.output "y"
// PLAN: plan.launch
func.func @main(%x: tensor<8xf32> {graph.name = "x"}) -> (tensor<8xf32> {graph.name = "y"}) {
  %0 = graph.relu %x : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
