// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the graph stage: declarations and registration are generated from Passes.td.
#ifndef HEDDLE_PASSES_GRAPH_PASSES_H
#define HEDDLE_PASSES_GRAPH_PASSES_H

#include "dialects/graph/Graph.h"
#include "dialects/kernel/Kernel.h"
#include "mlir/Pass/Pass.h"

namespace heddle::graph {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/graph/Passes.h.inc"

} // namespace heddle::graph

#endif
