// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns every graph op into kernels, one op at a time: a table from mnemonics to lowerings, filled
// by the operator families in form/. All ops without a lowering are reported before the pass fails.
#include "passes/graph/Fusion.h"
#include "passes/graph/Passes.h"
#include "passes/graph/form/Node.h"

#include "mlir/IR/PatternMatch.h"

namespace heddle::graph {

#define GEN_PASS_DEF_FORMKERNELS
#include "passes/graph/Passes.h.inc"

using namespace mlir;

static form::Registry makeRegistry() {
  form::Registry registry;
  form::addElementwise(registry);
  form::addArithmetic(registry);
  form::addCasts(registry);
  form::addMovement(registry);
  form::addIndexing(registry);
  form::addGenerators(registry);
  form::addReductions(registry);
  form::addRows(registry);
  form::addPools(registry);
  form::addMatmuls(registry);
  form::addConvolutions(registry);
  form::addResize(registry);
  form::addQuantization(registry);
  form::addSorting(registry);
  return registry;
}

/// Ops of the graph dialect, producers first.
static SmallVector<Operation *> collect(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getName().getDialectNamespace() == "graph" && op->getNumResults() > 0)
      ops.push_back(op);
  });
  return ops;
}

static bool hasRankedTypes(Operation *op) {
  auto isRanked = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return isa<NoneType>(type) || (tensor && (tensor.hasStaticShape() || tensor.getEncoding()));
  };
  return llvm::all_of(op->getOperandTypes(), isRanked) &&
         llvm::all_of(op->getResultTypes(), isRanked);
}

static LogicalResult lower(const form::Registry &registry, Operation *op) {
  form::Node node(op);
  auto lowering = registry.find(op->getName().stripDialect());
  if (lowering == registry.end())
    return node.unsupported("no kernel computes this operator");
  if (!hasRankedTypes(op))
    return node.unsupported("the shape of an operand or result is not known");
  return lowering->second(node);
}

LogicalResult formKernels(Operation *root) {
  static const form::Registry registry = makeRegistry();
  bool ok = true;
  for (Operation *op : collect(root)) {
    if (op->use_empty() && isMemoryEffectFree(op)) {
      op->erase();
      continue;
    }
    ok &= succeeded(lower(registry, op));
  }
  if (ok)
    fusion::cleanUp(root);
  return success(ok);
}

namespace {
struct FormKernels : impl::FormKernelsBase<FormKernels> {
  void runOnOperation() override {
    if (failed(formKernels(getOperation())))
      signalPassFailure();
  }
};
} // namespace

} // namespace heddle::graph
