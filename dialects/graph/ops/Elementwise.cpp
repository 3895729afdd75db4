// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape rules of operators that compute each element from the elements at the same place.
#include "dialects/graph/ops/ShapeRules.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace heddle::graph {

/// Broadcasts all operands from `first` on, which must have one element type.
static FailureOr<Dims> broadcastAll(OpShape &op, unsigned first = 0, bool sameType = true) {
  Dims dims;
  Type element;
  for (Value value : op.op->getOperands().drop_front(first)) {
    auto type = cast<RankedTensorType>(value.getType());
    if (element && sameType && element != type.getElementType()) {
      std::string text;
      llvm::raw_string_ostream(text) << "operands must have one element type, got " << element
                                     << " and " << type.getElementType();
      return op.fail(text);
    }
    element = type.getElementType();
    auto both = op.broadcast(dims, shape::getDims(type));
    if (failed(both))
      return failure();
    dims = *both;
  }
  return dims;
}

static LogicalResult sameAsFirst(OpShape &op) { return op.give(op.dims(0), op.element(0)); }

static LogicalResult arithmetic(OpShape &op) {
  auto dims = broadcastAll(op);
  return failed(dims) ? failure() : op.give(*dims, op.element(0));
}

/// Pow, BitShift and PRelu let the operands' types differ; the first one's is the result's.
static LogicalResult mixed(OpShape &op) {
  auto dims = broadcastAll(op, 0, /*sameType=*/false);
  return failed(dims) ? failure() : op.give(*dims, op.element(0));
}

static LogicalResult comparison(OpShape &op) {
  auto dims = broadcastAll(op);
  return failed(dims) ? failure() : op.give(*dims, Builder(op.context()).getI1Type());
}

static LogicalResult predicate(OpShape &op) {
  return op.give(op.dims(0), Builder(op.context()).getI1Type());
}

static LogicalResult where(OpShape &op) {
  if (!op.element(0).isInteger(1))
    return op.fail("condition must be a bool tensor");
  if (op.element(1) != op.element(2))
    return op.fail("x and y must have one element type");
  auto dims = broadcastAll(op, 0, /*sameType=*/false);
  return failed(dims) ? failure() : op.give(*dims, op.element(1));
}

static LogicalResult cast(OpShape &op) {
  Type element = getElementType(op.integer("to", 0), op.context());
  if (!element)
    return op.unsupported("no tensor of element type " + Twine(op.integer("to", 0)) +
                          " (onnx TensorProto.DataType)");
  return op.give(op.dims(0), element);
}

static LogicalResult castLike(OpShape &op) { return op.give(op.dims(0), op.element(1)); }

static LogicalResult bitCast(OpShape &op) {
  Type element = getElementType(op.integer("to", 0), op.context());
  if (!element || element.getIntOrFloatBitWidth() != op.element(0).getIntOrFloatBitWidth())
    return op.unsupported("a bit cast between element types of different widths");
  return op.give(op.dims(0), element);
}

static LogicalResult dropout(OpShape &op) {
  auto training =
      op.in(2) ? op.numbers(2) : std::optional<SmallVector<double>>(SmallVector<double>{0});
  bool isTraining = !training || (!training->empty() && training->front() != 0);
  if (isTraining) {
    auto ratio = op.numbers(1);
    if (op.in(1) ? (!ratio || ratio->empty() || ratio->front() != 0) : true)
      return op.unsupported(
          "dropout in training mode needs random numbers; export the model for inference");
  }
  if (failed(op.give(op.dims(0), op.element(0))))
    return failure();
  return op.op->getNumResults() > 1 ? predicate(op) : success();
}

void addElementwiseRules(ShapeRules &rules) {
  for (StringRef name : {"relu",     "sigmoid",      "tanh",       "erf",
                         "gelu",     "sqrt",         "exp",        "reciprocal",
                         "neg",      "clip",         "hard_swish", "log",
                         "abs",      "elu",          "selu",       "celu",
                         "softplus", "softsign",     "mish",       "swish",
                         "shrink",   "floor",        "ceil",       "round",
                         "sign",     "hard_sigmoid", "leaky_relu", "thresholded_relu",
                         "not",      "bitwise_not",  "cos",        "sin",
                         "tan",      "acos",         "asin",       "atan",
                         "cosh",     "sinh",         "acosh",      "asinh",
                         "atanh",    "identity"})
    rules[name] = sameAsFirst;
  for (StringRef name : {"add", "sub", "mul", "div", "mod", "sum", "mean", "max", "min", "and",
                         "or", "xor", "bitwise_and", "bitwise_or", "bitwise_xor"})
    rules[name] = arithmetic;
  for (StringRef name : {"pow", "bit_shift", "prelu"})
    rules[name] = mixed;
  for (StringRef name : {"equal", "less", "less_or_equal", "greater", "greater_or_equal"})
    rules[name] = comparison;
  for (StringRef name : {"is_nan", "is_inf"})
    rules[name] = predicate;
  rules["where"] = where;
  rules["cast"] = cast;
  rules["cast_like"] = castLike;
  rules["bit_cast"] = bitCast;
  rules["dropout"] = dropout;
}

} // namespace heddle::graph
