// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over axes: one fold an element, with something done to each element before and to the
// result after. 16-bit floats are summed in f32.
#include "passes/graph/form/Node.h"

using namespace mlir;

namespace heddle::graph::form {

namespace {

/// Which axes of an operand a node folds, and how coordinates of its result and of the fold make
/// coordinates of the operand.
struct Folded {
  Dims in, sizes;
  SmallVector<int64_t> axes;
  bool keeps = true; // reduced axes stay as 1 in the result

  bool contains(int64_t axis) const { return llvm::is_contained(axes, axis); }
  AffineExpr count(MLIRContext *context) const { return shape::product(sizes, context); }
  /// Neighbouring elements of the fold are neighbours in memory.
  bool isInner() const {
    for (int64_t axis = in.size() - 1; axis >= 0; --axis)
      if (shape::getConstant(in[axis]) != 1)
        return contains(axis);
    return true;
  }
  SmallVector<Scalar> where(Scalars out, Scalars inside) const {
    SmallVector<Scalar> at;
    size_t o = 0, i = 0;
    for (int64_t axis = 0; axis < int64_t(in.size()); ++axis) {
      bool isFolded = contains(axis);
      at.push_back(isFolded ? inside[i++] : out[o]);
      o += !isFolded || keeps;
    }
    return at;
  }
};

/// One kind of reduction: `before` each element, `kind`, `after` the fold with the number of
/// elements.
struct Reduction {
  kernel::FoldKind kind;
  std::function<Scalar(Body &, Scalar)> before;
  std::function<Scalar(Body &, Scalar, Scalar count)> after;
};

} // namespace

static Folded getFolded(Node &node, ArrayRef<int64_t> axes, bool keeps) {
  Folded folded;
  folded.in = node.inDims(0);
  folded.axes.assign(axes.begin(), axes.end());
  folded.keeps = keeps;
  for (int64_t axis : axes)
    folded.sizes.push_back(folded.in[axis]);
  return folded;
}

static kernel::FoldKind signedKind(kernel::FoldKind kind, Type type) {
  if (type.isInteger(1))
    return kind == kernel::FoldKind::Max ? kernel::FoldKind::Or : kernel::FoldKind::And;
  if (!type.isUnsignedInteger())
    return kind;
  if (kind == kernel::FoldKind::Max)
    return kernel::FoldKind::MaxU;
  return kind == kernel::FoldKind::Min ? kernel::FoldKind::MinU : kind;
}

static Value createReduction(Node &node, const Folded &folded, const Reduction &reduction) {
  AffineExpr count = folded.count(node.op->getContext());
  return node.reduce(node.outType(), folded.isInner(), count, [&](Body &body, Scalars at) {
    auto element = [&](Scalars k) {
      Scalar x = body.loadWide(node.in(0), folded.where(at, k));
      return reduction.before ? reduction.before(body, x) : x;
    };
    Type type = getComputeType(node.inType(0).getElementType());
    Scalar result = folded.axes.empty()
                        ? element({})
                        : body.fold(signedKind(reduction.kind, type), folded.sizes, type, element);
    if (reduction.after)
      result = reduction.after(body, result, body.convert(body.size(count), type));
    return body.convert(result, node.outElement());
  });
}

/// log of a sum of exponentials, shifted by the maximum so that nothing overflows.
static Value createLogSumExp(Node &node, const Folded &folded) {
  AffineExpr count = folded.count(node.op->getContext());
  Type type = getComputeType(node.inType(0).getElementType());
  return node.reduce(node.outType(), folded.isInner(), count, [&](Body &body, Scalars at) {
    auto load = [&](Scalars k) { return body.loadWide(node.in(0), folded.where(at, k)); };
    Scalar zero = body.constant(0, type);
    auto finite = [&](Scalar max) {
      Scalar magnitude = body.math<math::AbsFOp>(max);
      return body.select(equal(magnitude, body.highest(type)), zero, max);
    };
    if (folded.axes.empty())
      return body.convert(load({}), node.outElement());
    Scalar shift = finite(body.fold(kernel::FoldKind::Max, folded.sizes, type, load));
    Scalar sum = body.fold(kernel::FoldKind::Add, folded.sizes, type,
                           [&](Scalars k) { return body.math<math::ExpOp>(load(k) - shift); });
    return body.convert(body.math<math::LogOp>(sum) + shift, node.outElement());
  });
}

/// Axes of a Reduce operator; none given means all, unless `noop_with_empty_axes`.
static FailureOr<Folded> getReduceAxes(Node &node) {
  int64_t rank = node.inType(0).getRank();
  auto axes = node.axes(1, rank);
  if (failed(axes))
    return failure();
  SmallVector<int64_t> reduced;
  if (*axes)
    reduced = **axes;
  if (reduced.empty() && !node.integer("noop_with_empty_axes", 0))
    for (int64_t axis = 0; axis < rank; ++axis)
      reduced.push_back(axis);
  return getFolded(node, reduced, node.integer("keepdims", 1));
}

static Scalar absolute(Body &body, Scalar x) {
  if (x.isFloat())
    return body.math<math::AbsFOp>(x);
  return x.isUnsigned() ? x : body.maximum(x, -x);
}

static Scalar squareRoot(Body &body, Scalar x) {
  Scalar real = x.isFloat() ? x : body.convert(x, body.builder.getF64Type());
  return body.math<math::SqrtOp>(real);
}

static Scalar logarithm(Body &body, Scalar x) {
  Scalar real = x.isFloat() ? x : body.convert(x, body.builder.getF64Type());
  return body.math<math::LogOp>(real);
}

static const llvm::StringMap<Reduction> &getReductions() {
  using kernel::FoldKind;
  auto square = [](Body &, Scalar x) { return x * x; };
  auto mean = [](Body &, Scalar x, Scalar count) { return x / count; };
  auto root = [](Body &b, Scalar x, Scalar) { return squareRoot(b, x); };
  auto log = [](Body &b, Scalar x, Scalar) { return logarithm(b, x); };
  static const llvm::StringMap<Reduction> table = {
      {"reduce_sum", {FoldKind::Add, {}, {}}},
      {"reduce_mean", {FoldKind::Add, {}, mean}},
      {"reduce_max", {FoldKind::Max, {}, {}}},
      {"reduce_min", {FoldKind::Min, {}, {}}},
      {"reduce_prod", {FoldKind::Mul, {}, {}}},
      {"reduce_l1", {FoldKind::Add, absolute, {}}},
      {"reduce_l2", {FoldKind::Add, square, root}},
      {"reduce_sum_square", {FoldKind::Add, square, {}}},
      {"reduce_log_sum", {FoldKind::Add, {}, log}},
      {"global_average_pool", {FoldKind::Add, {}, mean}},
      {"global_max_pool", {FoldKind::Max, {}, {}}},
  };
  return table;
}

static LogicalResult lowerArg(Node &node, kernel::FoldKind kind) {
  int64_t rank = node.inType(0).getRank();
  int64_t axis = node.integer("axis", 0);
  axis += axis < 0 ? rank : 0;
  Folded folded = getFolded(node, {axis}, node.integer("keepdims", 1));
  bool last = node.integer("select_last_index", 0);
  Type type = getComputeType(node.inType(0).getElementType());
  if (type.isUnsignedInteger())
    kind = kind == kernel::FoldKind::ArgMax ? kernel::FoldKind::ArgMaxU : kernel::FoldKind::ArgMinU;
  AffineExpr size = folded.in[axis];
  return node.replace(
      node.reduce(node.outType(), folded.isInner(), size, [&](Body &body, Scalars at) {
        // Among equals the smallest index wins, so the last one is found by counting backwards.
        Scalar end = body.size(size) - 1;
        auto [value, index] = body.argFold(kind, {size}, type, [&](Scalars k) {
          Scalar x = body.loadWide(node.in(0), folded.where(at, k));
          return std::pair{x, last ? end - k[0] : k[0]};
        });
        return body.convert(last ? end - index : index, node.outElement());
      }));
}

static SmallVector<int64_t> spatialAxes(Node &node) {
  SmallVector<int64_t> axes;
  for (int64_t axis = 2; axis < node.inType(0).getRank(); ++axis)
    axes.push_back(axis);
  return axes;
}

static LogicalResult lowerGlobalLpPool(Node &node) {
  int64_t p = node.integer("p", 2);
  Reduction reduction{kernel::FoldKind::Add,
                      [p](Body &b, Scalar x) {
                        return b.math<math::PowFOp>(absolute(b, x), b.constant(p, x.type));
                      },
                      [p](Body &b, Scalar x, Scalar) {
                        return b.math<math::PowFOp>(x, b.constant(1.0 / p, x.type));
                      }};
  return node.replace(createReduction(node, getFolded(node, spatialAxes(node), true), reduction));
}

void addReductions(Registry &registry) {
  for (const auto &entry : getReductions()) {
    const Reduction *reduction = &entry.second;
    bool isGlobal = entry.first().starts_with("global");
    registry[entry.first()] = [reduction, isGlobal](Node &node) -> LogicalResult {
      if (isGlobal)
        return node.replace(
            createReduction(node, getFolded(node, spatialAxes(node), true), *reduction));
      auto folded = getReduceAxes(node);
      if (failed(folded))
        return failure();
      return node.replace(createReduction(node, *folded, *reduction));
    };
  }
  registry["reduce_log_sum_exp"] = [](Node &node) -> LogicalResult {
    auto folded = getReduceAxes(node);
    if (failed(folded))
      return failure();
    return node.replace(createLogSumExp(node, *folded));
  };
  registry["global_lp_pool"] = lowerGlobalLpPool;
  registry["arg_max"] = [](Node &node) { return lowerArg(node, kernel::FoldKind::ArgMax); };
  registry["arg_min"] = [](Node &node) { return lowerArg(node, kernel::FoldKind::ArgMin); };
}

} // namespace heddle::graph::form
