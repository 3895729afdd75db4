// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --kernel-lower | FileCheck %s

// A map is one thread an element, 256 to a block; the last block is guarded.
// CHECK: #[[GRID:.+]] = affine_map<() -> (4, 1, 1)>
// CHECK: kernel.launch @map_0 grid = #[[GRID]] block = [256, 1, 1]
// CHECK: llvm.func @map_0(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>}
// CHECK: arith.cmpi ult
// CHECK: scf.if
// CHECK: llvm.load
// CHECK: arith.negf
// CHECK: llvm.store
func.func @main(%a: tensor<1000xf32>) -> tensor<1000xf32> {
  %r = kernel.map -> tensor<1000xf32> {
  ^bb0(%i: index):
    %x = kernel.load %a[%i] : tensor<1000xf32> -> f32
    %y = arith.negf %x : f32
    kernel.yield %y : f32
  }
  return %r : tensor<1000xf32>
}

// -----

// A size known only at run time is a parameter; the grid follows it.
// CHECK-DAG: #[[SIZE:.+]] = affine_map<()[s0] -> (s0)>
// CHECK-DAG: #[[GRID:.+]] = affine_map<()[s0] -> (s0 ceildiv 256, 1, 1)>
// CHECK: kernel.launch @map_0 grid = #[[GRID]] {{.*}} scalars = #[[SIZE]]
// CHECK: llvm.func @map_0(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i32)
#n = affine_map<()[s0] -> (s0)>
module attributes {graph.symbols = [{kind = "input_dim", name = "n", input = 0 : i64, index = 0 : i64}]} {
func.func @main(%a: tensor<?xf32, #n>) -> tensor<?xf32, #n> {
  %r = kernel.map -> tensor<?xf32, #n> {
  ^bb0(%i: index):
    %x = kernel.load %a[%i] : tensor<?xf32, #n> -> f32
    kernel.yield %x : f32
  }
  return %r : tensor<?xf32, #n>
}
}

// -----

// Two kernels that come out alike are one function with two launches.
// CHECK: kernel.launch @map_0
// CHECK: kernel.launch @map_0
// CHECK: llvm.func @map_0
// CHECK-NOT: llvm.func
func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = kernel.map -> tensor<4xf32> {
  ^bb0(%i: index):
    %x = kernel.load %a[%i] : tensor<4xf32> -> f32
    kernel.yield %x : f32
  }
  %s = kernel.map -> tensor<4xf32> {
  ^bb0(%i: index):
    %x = kernel.load %r[%i] : tensor<4xf32> -> f32
    kernel.yield %x : f32
  }
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// A short fold of a reduction is shared by a warp: eight results a block, shuffles, no shared memory.
// CHECK: #[[GRID:.+]] = affine_map<() -> (2, 1, 1)>
// CHECK: kernel.launch @reduce_0 grid = #[[GRID]]
// CHECK-NOT: llvm.mlir.global
// CHECK-COUNT-5: nvvm.shfl.sync  bfly
// CHECK-NOT: nvvm.barrier0
func.func @main(%a: tensor<16x100xf32>) -> tensor<16xf32> {
  %r = kernel.reduce -> tensor<16xf32> {
  ^bb0(%i: index):
    %sum = kernel.fold add affine_map<() -> (100)> -> f32 {
    ^bb0(%k: index):
      %x = kernel.load %a[%i, %k] : tensor<16x100xf32> -> f32
      kernel.yield %x : f32
    }
    kernel.yield %sum : f32
  }
  return %r : tensor<16xf32>
}

// -----

// A long fold is shared by the block through shared memory.
// CHECK: #[[GRID:.+]] = affine_map<() -> (16, 1, 1)>
// CHECK: kernel.launch @reduce_0 grid = #[[GRID]]
// CHECK: llvm.mlir.global internal @reduce_0_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8 x f32>
// CHECK: nvvm.barrier0
func.func @main(%a: tensor<16x5000xf32>) -> tensor<16xf32> {
  %r = kernel.reduce -> tensor<16xf32> {
  ^bb0(%i: index):
    %sum = kernel.fold add affine_map<() -> (5000)> -> f32 {
    ^bb0(%k: index):
      %x = kernel.load %a[%i, %k] : tensor<16x5000xf32> -> f32
      kernel.yield %x : f32
    }
    kernel.yield %sum : f32
  }
  return %r : tensor<16xf32>
}
