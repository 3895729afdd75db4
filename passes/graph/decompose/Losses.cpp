// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The losses NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss: gather the target's logarithm,
// weigh it, fold.
#include "passes/graph/decompose/Expansion.h"

using namespace mlir;

namespace heddle::graph {

/// Sum or mean of everything, or the losses as they are.
static Value reduceLosses(Expansion &e, Value losses, Value weights) {
  StringRef reduction = e.shape.text("reduction", "mean");
  if (!losses || reduction == "none")
    return losses;
  auto sum = [&](Value value) {
    auto axes = llvm::to_vector(llvm::seq<int64_t>(0, Expansion::type(value).getRank()));
    return e.reduceSum(value, axes);
  };
  if (reduction == "mean" && !weights)
    return e.emit("reduce_mean", {losses}, {e.attr("keepdims", 0)});
  Value total = sum(losses);
  return reduction == "mean" ? e.emit("div", {total, sum(weights)}) : total;
}

/// The loss from logarithms of probabilities, [N, C, D...], and targets, [N, D...].
static Value negativeLikelihood(Expansion &e, Value logs, Value target, Value classWeights) {
  if (!logs)
    return {};
  Type element = Expansion::type(logs).getElementType();
  Value isIgnored;
  if (e.shape.op->hasAttr("ignore_index")) {
    Type index = Expansion::type(target).getElementType();
    Value ignored = e.scalar(double(e.shape.integer("ignore_index", 0)), index);
    isIgnored = e.emit("equal", {target, ignored});
    // An ignored target may be no class at all.
    target = e.emit("where", {isIgnored, e.scalar(0, index), target});
  }
  Value picked = e.emit("gather_elements", {logs, e.unsqueeze(target, 1)}, {e.attr("axis", 1)});
  Value losses = e.emit("neg", {e.reshape(picked, Expansion::dims(target))});
  Value weights;
  if (classWeights)
    weights = e.emit("gather", {classWeights, target}, {e.attr("axis", 0)});
  if (weights)
    losses = e.mul(losses, weights);
  if (isIgnored) {
    Value zero = e.scalar(0, element);
    losses = e.emit("where", {isIgnored, zero, losses});
    weights = e.emit("where", {isIgnored, zero, weights ? weights : e.scalar(1, element)});
  }
  return reduceLosses(e, losses, weights);
}

LogicalResult expandNegativeLogLikelihoodLoss(Expansion &e) {
  return e.replace({negativeLikelihood(e, e.in(0), e.in(1), e.in(2))});
}

LogicalResult expandSoftmaxCrossEntropyLoss(Expansion &e) {
  Value logs = e.emit("log_softmax", {e.in(0)}, {e.attr("axis", 1)});
  SmallVector<Value> results{negativeLikelihood(e, logs, e.in(1), e.in(2)), logs};
  results.resize(e.shape.op->getNumResults());
  return e.replace(results);
}

} // namespace heddle::graph
