// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape rules of reductions, scans, softmax and normalisations.
#include "dialects/graph/ops/ShapeRules.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace heddle::graph {

static LogicalResult reduceAxes(OpShape &op, ArrayRef<int64_t> axes, bool keep, Type element) {
  Dims dims;
  for (auto [i, dim] : llvm::enumerate(op.dims(0))) {
    if (!llvm::is_contained(axes, int64_t(i)))
      dims.push_back(dim);
    else if (keep)
      dims.push_back(op.constant(1));
  }
  return op.give(dims, element);
}

static LogicalResult reduce(OpShape &op) {
  int64_t rank = op.rank(0);
  SmallVector<int64_t> axes;
  if (op.in(1)) {
    auto given = op.constants(1, "the axes of a reduction");
    if (failed(given))
      return failure();
    auto normal = op.axes(*given, rank);
    if (failed(normal))
      return failure();
    axes = *normal;
  }
  if (axes.empty() && !op.integer("noop_with_empty_axes", 0))
    axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  return reduceAxes(op, axes, op.integer("keepdims", 1), op.element(0));
}

static LogicalResult argument(OpShape &op) {
  auto axis = op.axis(op.integer("axis", 0), op.rank(0));
  if (failed(axis))
    return failure();
  return reduceAxes(op, {*axis}, op.integer("keepdims", 1), Builder(op.context()).getI64Type());
}

static LogicalResult scan(OpShape &op) {
  auto axis = op.constants(1, "the axis of a scan");
  if (failed(axis))
    return failure();
  if (axis->size() != 1 || failed(op.axis(axis->front(), op.rank(0))))
    return op.fail("axis must be one number in [-rank, rank)");
  return op.give(op.dims(0), op.element(0));
}

static LogicalResult topK(OpShape &op) {
  auto axis = op.axis(op.integer("axis", -1), op.rank(0));
  auto k = op.values(1);
  if (failed(axis))
    return failure();
  if (!k || k->size() != 1)
    return op.unsupported("k must be known on the host before the model runs");
  Dims dims = op.dims(0);
  dims[*axis] = k->front();
  return failure(failed(op.give(dims, op.element(0))) ||
                 failed(op.give(dims, Builder(op.context()).getI64Type())));
}

static LogicalResult alongAxis(OpShape &op) {
  if (failed(op.axis(op.integer("axis", -1), std::max<int64_t>(op.rank(0), 1))))
    return failure();
  return op.give(op.dims(0), op.element(0));
}

static LogicalResult sameAsFirst(OpShape &op) { return op.give(op.dims(0), op.element(0)); }

/// batch_normalization-1: the parameters are vectors of one element a channel.
static LogicalResult batchNormalization(OpShape &op) {
  if (op.integer("training_mode", 0) || op.op->getNumResults() > 1)
    return op.unsupported("batch normalization in training mode; export the model for inference");
  if (op.rank(0) < 1)
    return op.fail("x must have a channel axis");
  AffineExpr channels = op.rank(0) == 1 ? op.constant(1) : op.dims(0)[1];
  for (unsigned group = 1; group < 5; ++group) {
    if (op.rank(group) != 1)
      return op.fail("scale, bias, mean and variance must be vectors of one element a channel");
    if (failed(op.broadcast(op.dims(group)[0], channels)))
      return failure();
  }
  return op.give(op.dims(0), op.element(0));
}

static LogicalResult layerNormalization(OpShape &op) {
  auto axis = op.axis(op.integer("axis", -1), op.rank(0));
  if (failed(axis))
    return failure();
  Dims dims = op.dims(0);
  if (failed(op.give(dims, op.element(0))))
    return failure();
  std::fill(dims.begin() + *axis, dims.end(), op.constant(1));
  Type stash = getElementType(op.integer("stash_type", 1), op.context());
  for (unsigned result = 1; result < op.op->getNumResults(); ++result)
    if (failed(op.give(dims, stash ? stash : op.element(0))))
      return failure();
  return success();
}

static LogicalResult channelwise(OpShape &op) {
  return op.rank(0) < 2 ? op.fail("x must have at least two axes (batch, channel)")
                        : sameAsFirst(op);
}

void addReductionRules(ShapeRules &rules) {
  for (StringRef name :
       {"reduce_mean", "reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_l1",
        "reduce_l2", "reduce_log_sum", "reduce_log_sum_exp", "reduce_sum_square"})
    rules[name] = reduce;
  rules["arg_max"] = rules["arg_min"] = argument;
  rules["cum_sum"] = rules["cum_prod"] = scan;
  rules["top_k"] = topK;
  for (StringRef name : {"softmax", "log_softmax", "hardmax", "lp_normalization"})
    rules[name] = alongAxis;
  rules["mean_variance_normalization"] = sameAsFirst;
  rules["batch_normalization"] = batchNormalization;
  rules["layer_normalization"] = layerNormalization;
  rules["rms_normalization"] = layerNormalization;
  for (StringRef name : {"instance_normalization", "group_normalization", "lrn"})
    rules[name] = channelwise;
}

} // namespace heddle::graph
