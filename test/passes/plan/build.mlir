// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: heddle-opt --plan-build --split-input-file --mlir-print-local-scope %s | FileCheck %s

// A launch writes the output in place, also through a reshape; what is between two launches is a temporary.
// CHECK: plan.program
// CHECK-DAG: %[[X:.+]] = plan.input "x" : tensor<8xf32>
// CHECK-DAG: %[[Y:.+]] = plan.output "y" : tensor<2x4xf32>
// CHECK-DAG: %[[T:.+]] = plan.temporary affine_map<() -> (32)>
// CHECK: plan.launch @relu grid = affine_map<() -> (1, 1, 1)> block = [128] shared = 0
// CHECK-SAME: reads(%[[X]]) writes(%[[T]])
// CHECK: plan.launch @relu
// CHECK-SAME: reads(%[[T]]) writes(%[[Y]])
// CHECK-NOT: plan.{{launch|copy}}
func.func @main(%x: tensor<8xf32> {graph.name = "x"}) -> (tensor<2x4xf32> {graph.name = "y"}) {
  %0 = kernel.launch @relu grid = affine_map<() -> (1, 1, 1)> block = [128] shared = 0 scalars = affine_map<() -> (8)> (%x)
    : (tensor<8xf32>) -> tensor<8xf32>
  %1 = kernel.launch @relu grid = affine_map<() -> (1, 1, 1)> block = [128] shared = 0 scalars = affine_map<() -> (8)> (%0)
    : (tensor<8xf32>) -> tensor<8xf32>
  %2 = kernel.reshape %1 : tensor<8xf32> -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----

// An output that is an input, a constant or another output is copied; equal constants are one buffer.
// CHECK: plan.program
// CHECK-DAG: %[[X:.+]] = plan.input "input0"
// CHECK-DAG: %[[O0:.+]] = plan.output "output0"
// CHECK-DAG: %[[O1:.+]] = plan.output "output1"
// CHECK-DAG: %[[O2:.+]] = plan.output "output2"
// CHECK-DAG: %[[O3:.+]] = plan.output "output3"
// CHECK: %[[W:.+]] = plan.weight
// CHECK-NOT: plan.weight
// CHECK: plan.store affine_map<() -> (7, 9)> as i64 to %[[O2]]
// CHECK: plan.copy %[[X]] to %[[O0]] bytes = affine_map<() -> (8)>
// CHECK: plan.copy %[[W]] to %[[O1]] bytes = affine_map<() -> (2)>
// CHECK: plan.copy %[[O2]] to %[[O3]] bytes = affine_map<() -> (16)>
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) {
  %w = kernel.weight dense<[true, false]> : tensor<2xi1> -> tensor<2xi1>
  %v = kernel.weight dense<[true, false]> : tensor<2xi1> -> tensor<2xi1>
  %h = kernel.host_values affine_map<() -> (7, 9)> -> tensor<2xi64>
  return %x, %v, %h, %h : tensor<2xf32>, tensor<2xi1>, tensor<2xi64>, tensor<2xi64>
}

// -----

// Symbolic sizes are checked: what a kernel can index, negative sizes, and a reshape that may not fit.
// CHECK-DAG: plan.check less affine_map<()[s0] -> (s0 * 4, 2147483648)>
// CHECK-DAG: plan.check less affine_map<()[s0] -> (-1, s0 - 3)>
// CHECK-DAG: plan.check equal affine_map<()[s0] -> (s0 - 3, 5)>
module attributes {graph.symbols = [{index = 0 : i64, input = 0 : i64, kind = "input_dim", name = "n"}]} {
  func.func @main(%x: tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>) -> tensor<5xf32> {
    %0 = kernel.launch @crop grid = affine_map<()[s0] -> (s0, 1, 1)> block = [32] shared = 0 scalars = affine_map<() -> ()> (%x)
      : (tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>) -> tensor<?xf32, affine_map<()[s0] -> (s0 - 3)>>
    %1 = kernel.reshape %0 : tensor<?xf32, affine_map<()[s0] -> (s0 - 3)>> -> tensor<5xf32>
    return %1 : tensor<5xf32>
  }
}
