// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan dialect's C++ side: generated classes.
#ifndef HEDDLE_DIALECTS_PLAN_PLAN_H
#define HEDDLE_DIALECTS_PLAN_PLAN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "dialects/plan/PlanDialect.h.inc"
#include "dialects/plan/PlanEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/plan/PlanTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/plan/Plan.h.inc"

#endif
