// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: heddle-opt --graph-form-kernels --graph-lower-precision=precision=tf32 %s | FileCheck %s
// RUN: heddle-opt --graph-form-kernels --graph-lower-precision %s | FileCheck %s --check-prefix=SAME
// RUN: not heddle-opt --graph-lower-precision=precision=int8 %s 2>&1 | FileCheck %s --check-prefix=BAD

// f32 products become tf32; f16 ones stay what they are.
// CHECK-LABEL: func.func @products
// CHECK: kernel.contract{{.*}}math = 1
// CHECK: kernel.contract
// CHECK-NOT: math = 1
// SAME-NOT: math = 1
// BAD: precision must be f32, tf32, f16 or bf16, got "int8"
func.func @products(%a: tensor<16x8xf32>, %b: tensor<8x16xf32>, %c: tensor<16x8xf16>, %d: tensor<8x16xf16>)
    -> (tensor<16x16xf32>, tensor<16x16xf16>) {
  %0 = graph.matmul %a, %b : (tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  %1 = graph.matmul %c, %d : (tensor<16x8xf16>, tensor<8x16xf16>) -> tensor<16x16xf16>
  return %0, %1 : tensor<16x16xf32>, tensor<16x16xf16>
}
