// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --kernel-lower=target=sm_80 | FileCheck %s
// RUN: not heddle-opt %s --kernel-lower=target=sm_75 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not heddle-opt %s --kernel-lower=target=sm_12 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// f32 products are exact on the plain cores, and f16 ones are made by mma.sync. K = 0 and edges need no case of their own: the
// loaders give zeros outside the sizes.
// CHECK: #[[GRID:.+]] = affine_map<() -> (2, 1, 1)>
// CHECK: kernel.launch @[[EXACT:contract_0]] grid = #[[GRID]] block = [128, 1, 1]
// CHECK: kernel.launch @[[HALF:contract_1]] grid = #[[GRID]] block = [128, 1, 1]
// CHECK: llvm.func @[[EXACT]]
// CHECK: math.fma
// CHECK-NOT: llvm.nvvm.mma
// CHECK: llvm.func @[[HALF]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"

// OLD: error: unsupported: target sm_75 has no Tensor Core products in f16; use --precision=f32 or sm_80 and newer
// UNKNOWN: error: {{.*}}sm_12{{.*}}sm_80
#mn = affine_map<(d0, d1, d2) -> (d1, d2)>
func.func @main(%a: tensor<70x40xf32>, %b: tensor<40x100xf32>) -> (tensor<70x100xf32>, tensor<70x100xf32>) {
  %r = kernel.contract sizes = affine_map<() -> (1, 70, 100, 40)> coordinates = #mn -> tensor<70x100xf32> lhs {
  ^bb0(%z: index, %m: index, %k: index):
    %x = kernel.load %a[%m, %k] : tensor<70x40xf32> -> f32
    kernel.yield %x : f32
  } rhs {
  ^bb0(%z: index, %k: index, %n: index):
    %x = kernel.load %b[%k, %n] : tensor<40x100xf32> -> f32
    kernel.yield %x : f32
  } epilogue {
  ^bb0(%z: index, %m: index, %n: index, %acc: f32):
    kernel.yield %acc : f32
  }
  %s = kernel.contract sizes = affine_map<() -> (1, 70, 100, 40)> coordinates = #mn {math = 2 : i32} -> tensor<70x100xf32> lhs {
  ^bb0(%z: index, %m: index, %k: index):
    %x = kernel.load %a[%m, %k] : tensor<70x40xf32> -> f32
    kernel.yield %x : f32
  } rhs {
  ^bb0(%z: index, %k: index, %n: index):
    %x = kernel.load %b[%k, %n] : tensor<40x100xf32> -> f32
    kernel.yield %x : f32
  } epilogue {
  ^bb0(%z: index, %m: index, %n: index, %acc: f32):
    kernel.yield %acc : f32
  }
  return %r, %s : tensor<70x100xf32>, tensor<70x100xf32>
}
