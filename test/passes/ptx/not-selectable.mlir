// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not heddle-compile %s --emit=ptx 2>&1 | FileCheck %s

// An instruction that the target lacks ends the compile with an error, and does not abort the process.
// CHECK: error: {{.*}}LLVM cannot make code for sm_80: no libcall available for flog2; please report this with the model
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
llvm.func @log(%p: !llvm.ptr) attributes {nvvm.kernel} {
  %x = llvm.load %p : !llvm.ptr -> f32
  %y = llvm.intr.log2(%x) : (f32) -> f32
  llvm.store %y, %p : f32, !llvm.ptr
  llvm.return
}
