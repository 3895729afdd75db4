// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the graph stage, from the model's operators to kernels.
#ifndef HEDDLE_PASSES_GRAPH_PASSES_TD
#define HEDDLE_PASSES_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormKernels : Pass<"graph-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn every operator into the kernels that compute it";
  let description = [{
    Does:     replaces each graph op by kernel.map, reduce, rows, contract or reshape with the operator's formula as scalar regions.
    Needs:    ranked types with symbolic sizes (graph-infer-shapes).
    Leaves:   no graph op; one kernel an operator, unfused.
    Numerics: 16-bit floats compute in f32 and round once at the operator's end; sums of 16-bit floats are f32.
    Errors:   all operators without a lowering are reported, each with its node's name and the reason.
    Example:  `%y = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>` becomes a kernel.map with `arith.maximumf` against 0.
  }];
  let dependentDialects = ["::heddle::kernel::KernelDialect"];
}

#endif
