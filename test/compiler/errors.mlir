// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user gets wrong is one error that says what would be right.
// REQUIRES: heddle-compile
// RUN: not heddle-compile 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not heddle-compile %s 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not heddle-compile %s --emit=soup 2>&1 | FileCheck %s --check-prefix=EMIT
// RUN: not heddle-compile %s --stop-after=sass 2>&1 | FileCheck %s --check-prefix=STOP
// RUN: not heddle-compile %s --stop-after=graph --emit=ptx 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not heddle-compile %s -o %t --target=sm_90 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not heddle-compile %s -o %t --target=sm_80,sm_80 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not heddle-compile %s -o %t --precision=f8 2>&1 | FileCheck %s --check-prefix=PRECISION
// RUN: not heddle-compile %s -o %t --dim batch 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: not heddle-compile %s -o 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not heddle-compile %s -o %t.heddle 2>&1 | FileCheck %s --check-prefix=NODES
// RUN: heddle-compile --help | FileCheck %s --check-prefix=HELP
// RUN: heddle-compile --version | FileCheck %s --check-prefix=VERSION

// NOTHING: error: which model?
// NOWHERE: error: where to? give -o
// EMIT: error: there is nothing named 'soup' to emit; it can be artifact
// STOP: error: there is no stage 'sass' to stop after
// BOTH: error: a compile that stops after 'graph' emits that stage
// TARGET: error: {{.*}}sm_90a
// TWICE: error: target 'sm_80' is named twice
// PRECISION: error: there is no precision 'f8'; it can be f32, tf32, f16 or bf16
// DIM: error: --dim 'batch' is not of the form NAME=
// VALUE: error: flag '-o' needs a value
// NODES: error: {{.*}}node 'first': unsupported
// NODES: error: {{.*}}node 'second': unsupported
// HELP: usage: heddle-compile MODEL.onnx -o OUT.heddle
// HELP: sm_75, sm_80
// VERSION: heddle-compile 0.1.0
func.func @main(%x: tensor<4xf32>) -> (tensor<1x4xi64>, tensor<1x4xi64>) {
  %0 = graph.non_zero %x : (tensor<4xf32>) -> tensor<1x4xi64> loc("first")
  %1 = graph.non_zero %x : (tensor<4xf32>) -> tensor<1x4xi64> loc("second")
  return %0, %1 : tensor<1x4xi64>, tensor<1x4xi64>
}
