// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph dialect's C++ side: generated classes only. Shape rules are in
// dialects/graph/ops/ShapeRules.h.
#ifndef HEDDLE_DIALECTS_GRAPH_GRAPH_H
#define HEDDLE_DIALECTS_GRAPH_GRAPH_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/graph/GraphDialect.h.inc"
#include "dialects/graph/GraphInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/graph/Graph.h.inc"

#endif
