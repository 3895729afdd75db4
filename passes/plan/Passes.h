// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the plan stage: declarations and registration are generated from Passes.td.
#ifndef HEDDLE_PASSES_PLAN_PASSES_H
#define HEDDLE_PASSES_PLAN_PASSES_H

#include "dialects/plan/Plan.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle::plan {

/// The pass plan-build as a function.
mlir::LogicalResult buildPlan(mlir::ModuleOp module);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/plan/Passes.h.inc"

} // namespace heddle::plan

#endif
