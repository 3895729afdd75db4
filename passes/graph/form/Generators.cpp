// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that make elements from nothing but coordinates and a few scalars, and the running sums
// whose every element is a fold of its own.
#include "passes/graph/form/Node.h"

using namespace mlir;

namespace heddle::graph::form {

/// The only element of a tensor of rank 0 or 1.
static Scalar loadScalar(Body &body, Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return body.load(tensor, SmallVector<Scalar>(rank, body.index(0)));
}

static LogicalResult lowerConstant(Node &node) {
  auto value = dyn_cast_or_null<ElementsAttr>(node.attr("value"));
  if (!value || value.getType() != node.outType())
    return node.unsupported("its value has no tensor type that kernels can read");
  auto op = kernel::WeightOp::create(node.builder, node.loc, value);
  return node.replace(op.getOutput());
}

static LogicalResult lowerSymbolicConstant(Node &node) {
  auto values = dyn_cast_or_null<AffineMapAttr>(node.attr("values"));
  if (!values)
    values = dyn_cast_or_null<AffineMapAttr>(node.attr("value"));
  if (!values)
    return node.unsupported("it has no map of values");
  auto op = kernel::HostValuesOp::create(node.builder, node.loc, node.outType(), values);
  return node.replace(op.getOutput());
}

static LogicalResult lowerRange(Node &node) {
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar start = body.widen(loadScalar(body, node.in(0)));
    Scalar delta = body.widen(loadScalar(body, node.in(2)));
    return body.convert(start + delta * body.convert(at[0], start.type), node.outElement());
  }));
}

static LogicalResult lowerConstantOfShape(Node &node) {
  Type element = node.outElement();
  TypedAttr value;
  if (auto given = dyn_cast_or_null<DenseElementsAttr>(node.attr("value")))
    value = cast<TypedAttr>(given.getValues<Attribute>()[0]);
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars) {
    if (!value)
      return body.constant(0, element);
    TypedAttr plain = value;
    if (auto integer = dyn_cast<IntegerAttr>(value))
      plain = IntegerAttr::get(kernel::getScalarType(element), integer.getValue());
    return body.wrap(arith::ConstantOp::create(body.builder, body.loc, plain), element);
  }));
}

static LogicalResult lowerEyeLike(Node &node) {
  int64_t k = node.integer("k", 0);
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar isOne = equal(at[1], at[0] + body.index(k));
    return body.select(isOne, body.constant(1, node.outElement()),
                       body.constant(0, node.outElement()));
  }));
}

static LogicalResult lowerOneHot(Node &node) {
  int64_t rank = node.outType().getRank();
  int64_t axis = node.integer("axis", -1);
  axis += axis < 0 ? rank : 0;
  AffineExpr depth = node.outDims()[axis];
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    SmallVector<Scalar> where(at.begin(), at.end());
    where.erase(where.begin() + axis);
    Scalar index = body.toIndex(body.load(node.in(0), where));
    index = body.select(index < body.index(0), index + body.size(depth), index);
    Scalar off = body.load(node.in(2), {body.index(0)}),
           on = body.load(node.in(2), {body.index(1)});
    return body.select(equal(index, at[axis]), on, off);
  }));
}

/// CumSum and CumProd: a fold over the axis that skips what does not come before.
static LogicalResult lowerRunning(Node &node, kernel::FoldKind kind) {
  auto axes = node.values(1);
  auto axis = axes && axes->size() == 1 ? shape::getConstant((*axes)[0]) : std::nullopt;
  if (!axis)
    return node.unsupported("its axis is not known at compile time");
  if (*axis < 0)
    *axis += node.outType().getRank();
  bool exclusive = node.integer("exclusive", 0), reverse = node.integer("reverse", 0);
  Type type = getComputeType(node.outElement());
  double neutral = kind == kernel::FoldKind::Add ? 0 : 1;
  AffineExpr size = node.inDims(0)[*axis];
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar sum = body.fold(kind, {size}, type, [&](Scalars k) {
      Scalar here = at[*axis];
      Scalar counts = reverse ? (exclusive ? k[0] > here : k[0] >= here)
                              : (exclusive ? k[0] < here : k[0] <= here);
      SmallVector<Scalar> from(at.begin(), at.end());
      from[*axis] = k[0];
      return body.guard(
          counts, [&] { return body.loadWide(node.in(0), from); }, body.constant(neutral, type));
    });
    return body.convert(sum, node.outElement());
  }));
}

/// Shape and Size that inference left: their elements are known on the host.
static LogicalResult lowerShape(Node &node) {
  Dims dims = node.inDims(0);
  int64_t rank = dims.size();
  auto clamp = [&](int64_t value) {
    return std::clamp<int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  int64_t start = clamp(node.integer("start", 0)), end = clamp(node.integer("end", rank));
  Dims kept;
  for (int64_t axis = start; axis < end; ++axis)
    kept.push_back(dims[axis]);
  auto op = kernel::HostValuesOp::create(node.builder, node.loc, node.outType(),
                                         shape::getMap(kept, node.op->getContext()));
  return node.replace(op.getOutput());
}

static LogicalResult lowerSize(Node &node) {
  MLIRContext *context = node.op->getContext();
  AffineExpr count = shape::product(node.inDims(0), context);
  auto op = kernel::HostValuesOp::create(node.builder, node.loc, node.outType(),
                                         shape::getMap({count}, context));
  return node.replace(op.getOutput());
}

/// Dropout at inference keeps everything.
static LogicalResult lowerDropout(Node &node) {
  if (node.in(2)) {
    auto training = node.values(2);
    if (!training || shape::getConstant((*training)[0]) != 0)
      return node.unsupported("training mode, or one that is not known at compile time");
  }
  SmallVector<Value> results{node.in(0)};
  if (node.op->getNumResults() > 1)
    results.push_back(node.map(node.outType(1), [&](Body &body, Scalars) {
      return body.constant(1, node.outElement(1));
    }));
  return node.replace(results);
}

void addGenerators(Registry &registry) {
  registry["constant"] = lowerConstant;
  registry["symbolic_constant"] = lowerSymbolicConstant;
  registry["range"] = lowerRange;
  registry["constant_of_shape"] = lowerConstantOfShape;
  registry["eye_like"] = lowerEyeLike;
  registry["one_hot"] = lowerOneHot;
  registry["cum_sum"] = [](Node &node) { return lowerRunning(node, kernel::FoldKind::Add); };
  registry["cum_prod"] = [](Node &node) { return lowerRunning(node, kernel::FoldKind::Mul); };
  registry["shape"] = lowerShape;
  registry["size"] = lowerSize;
  registry["dropout"] = lowerDropout;
}

} // namespace heddle::graph::form
