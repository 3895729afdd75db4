// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the plan stage, from launches of tensors to the host program.
#ifndef HEDDLE_PASSES_PLAN_PASSES_TD
#define HEDDLE_PASSES_PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

def BuildPlan : Pass<"plan-build", "::mlir::ModuleOp"> {
  let summary = "Turn launches of tensors into a program of buffers and steps";
  let description = [{
    Does:     gives every tensor of func.func @main a buffer, every launch a step, and erases @main. A launch writes an output of the
              model in place; an output that is an input, a constant or another output as well is copied. Equal constants share one
              buffer. Sizes that a kernel cannot index, negative sizes and reshapes that may not fit become checks.
    Needs:    @main made of kernel.launch, kernel.weight, kernel.host_values and kernel.reshape (kernel-lower).
    Leaves:   one plan.program beside the kernels' code.
    Numerics: unchanged.
    Errors:   every tensor that has 2^31 elements or more, and every op that is no launch.
    Example:  `%y = kernel.launch @relu ... (%x)` becomes plan.input, plan.output and plan.launch.
  }];
  let dependentDialects = ["::heddle::plan::PlanDialect"];
}

#endif
