// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces composite operators, for which no kernel is written, by the simpler ones that their
// definition is made of. A table from mnemonics to the expansions in decompose/.
#include "passes/graph/Passes.h"
#include "passes/graph/decompose/Expansion.h"

namespace heddle::graph {

#define GEN_PASS_DEF_DECOMPOSE
#include "passes/graph/Passes.h.inc"

using namespace mlir;

static const llvm::StringMap<Expand> &getExpansions() {
  static const llvm::StringMap<Expand> table = {
      {"attention", expandAttention},
      {"blackman_window", expandBlackmanWindow},
      {"center_crop_pad", expandCenterCropPad},
      {"einsum", expandEinsum},
      {"hamming_window", expandHammingWindow},
      {"hann_window", expandHannWindow},
      {"negative_log_likelihood_loss", expandNegativeLogLikelihoodLoss},
      {"softmax_cross_entropy_loss", expandSoftmaxCrossEntropyLoss},
      {"rotary_embedding", expandRotaryEmbedding},
  };
  return table;
}

LogicalResult decompose(ModuleOp module) {
  SmallVector<Operation *> ops;
  HostValues host;
  module.walk([&](Operation *op) {
    if (auto constant = dyn_cast<SymbolicConstantOp>(op))
      host[constant.getResult()] = Dims(constant.getValues().getResults());
    if (op->getName().getDialectNamespace() == "graph" &&
        getExpansions().contains(op->getName().stripDialect()))
      ops.push_back(op);
  });
  shape::Symbols symbols(module);
  bool ok = true;
  for (Operation *op : ops) {
    Expansion expansion(op, getShapeRules(), symbols, host);
    ok &= succeeded(getExpansions().lookup(op->getName().stripDialect())(expansion));
  }
  return success(ok);
}

namespace {
struct Decompose : impl::DecomposeBase<Decompose> {
  void runOnOperation() override {
    if (failed(decompose(getOperation())))
      signalPassFailure();
  }
};
} // namespace

} // namespace heddle::graph
