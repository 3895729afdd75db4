// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host shape engine: computes the contents of small integer and boolean tensors symbolically,
// so that a Reshape whose shape comes from Shape, Gather and Concat is as good as one with a
// constant.
#include "dialects/graph/ops/ShapeRules.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringSet.h"
#include <functional>

using namespace mlir;
using heddle::shape::DerivedOp;

namespace heddle::graph {

/// A host tensor: static sizes and row-major elements.
struct HostTensor {
  SmallVector<int64_t> shape;
  Dims values;
};

static std::optional<HostTensor> getHostTensor(OpShape &op, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto values = op.valuesOf(value);
  if (!type || !type.hasStaticShape() || !values ||
      int64_t(values->size()) != type.getNumElements())
    return std::nullopt;
  return HostTensor{SmallVector<int64_t>(type.getShape()), *values};
}

static SmallVector<int64_t> strides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    result[i] = result[i + 1] * shape[i + 1];
  return result;
}

/// Calls `visit` with the coordinates of every element of `shape` in row-major order.
static void forEach(ArrayRef<int64_t> shape, function_ref<void(ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> at(shape.size(), 0);
  while (true) {
    visit(at);
    int64_t axis = int64_t(shape.size()) - 1;
    while (axis >= 0 && ++at[axis] == shape[axis])
      at[axis--] = 0;
    if (axis < 0)
      return;
  }
}

static AffineExpr readBroadcast(const HostTensor &tensor, ArrayRef<int64_t> at) {
  int64_t offset = 0;
  auto steps = strides(tensor.shape);
  size_t lead = at.size() - tensor.shape.size();
  for (auto [i, step] : llvm::enumerate(steps))
    offset += tensor.shape[i] == 1 ? 0 : at[lead + i] * step;
  return tensor.values[offset];
}

using Combine = std::function<AffineExpr(OpShape &, ArrayRef<AffineExpr>)>;

static AffineExpr notOf(OpShape &op, AffineExpr x) {
  return op.symbols.derived(DerivedOp::kEqual, {x, op.constant(0)});
}

static AffineExpr divide(OpShape &op, AffineExpr a, AffineExpr b) {
  auto x = shape::getConstant(a), y = shape::getConstant(b);
  if (x && y)
    return *y == 0 ? AffineExpr() : op.constant(*x / *y);
  // Integer division of ONNX truncates; sizes are not negative, so it is the floor where the
  // divisor is positive.
  if ((y && *y <= 0) || op.mayBeNegative(a) || op.mayBeNegative(b))
    return {};
  return shape::quotient(a, b, op.context());
}

/// Ops whose result is one expression of the elements at the same place.
static const llvm::StringMap<Combine> &elementwiseFolds() {
  using Exprs = ArrayRef<AffineExpr>;
  static const llvm::StringMap<Combine> table = {
      {"add", [](OpShape &, Exprs x) { return x[0] + x[1]; }},
      {"sub", [](OpShape &, Exprs x) { return x[0] - x[1]; }},
      {"mul", [](OpShape &, Exprs x) { return x[0] * x[1]; }},
      {"div", [](OpShape &op, Exprs x) { return divide(op, x[0], x[1]); }},
      {"mod",
       [](OpShape &op, Exprs x) {
         auto divisor = shape::getConstant(x[1]);
         return divisor && *divisor > 0 && !op.integer("fmod", 0) ? x[0] % x[1] : AffineExpr();
       }},
      {"neg", [](OpShape &, Exprs x) { return -x[0]; }},
      {"identity", [](OpShape &, Exprs x) { return x[0]; }},
      {"abs",
       [](OpShape &op, Exprs x) { return op.symbols.derived(DerivedOp::kMax, {x[0], -x[0]}); }},
      {"min",
       [](OpShape &op, Exprs x) {
         return x.size() == 1 ? x[0] : op.symbols.derived(DerivedOp::kMin, x);
       }},
      {"max",
       [](OpShape &op, Exprs x) {
         return x.size() == 1 ? x[0] : op.symbols.derived(DerivedOp::kMax, x);
       }},
      {"equal", [](OpShape &op, Exprs x) { return op.symbols.derived(DerivedOp::kEqual, x); }},
      {"less", [](OpShape &op, Exprs x) { return op.symbols.derived(DerivedOp::kLess, x); }},
      {"greater",
       [](OpShape &op, Exprs x) { return op.symbols.derived(DerivedOp::kLess, {x[1], x[0]}); }},
      {"less_or_equal",
       [](OpShape &op, Exprs x) {
         return notOf(op, op.symbols.derived(DerivedOp::kLess, {x[1], x[0]}));
       }},
      {"greater_or_equal",
       [](OpShape &op, Exprs x) { return notOf(op, op.symbols.derived(DerivedOp::kLess, x)); }},
      {"not", [](OpShape &op, Exprs x) { return notOf(op, x[0]); }},
      {"and", [](OpShape &, Exprs x) { return x[0] * x[1]; }},
      {"or", [](OpShape &op, Exprs x) { return op.symbols.derived(DerivedOp::kMax, x); }},
      {"where", [](OpShape &op, Exprs x) { return op.symbols.derived(DerivedOp::kSelect, x); }},
  };
  return table;
}

static std::optional<Dims> foldElementwise(OpShape &op, const Combine &combine,
                                           ArrayRef<int64_t> shape) {
  SmallVector<HostTensor> operands;
  for (Value value : op.op->getOperands()) {
    auto tensor = getHostTensor(op, value);
    if (!tensor)
      return std::nullopt;
    operands.push_back(*tensor);
  }
  if (operands.empty() || operands.size() > 3)
    return std::nullopt;
  Dims result;
  bool isKnown = true;
  forEach(shape, [&](ArrayRef<int64_t> at) {
    auto x = llvm::map_to_vector(
        operands, [&](const HostTensor &tensor) { return readBroadcast(tensor, at); });
    AffineExpr value = isKnown ? combine(op, x) : AffineExpr();
    isKnown = isKnown && value;
    result.push_back(value ? shape::simplify(value) : value);
  });
  return isKnown ? std::optional(result) : std::nullopt;
}

/// Ops that only place elements: run them on element numbers, as numpy would.
static std::optional<Dims> foldMovement(OpShape &op, ArrayRef<int64_t> shape) {
  StringRef name = op.op->getName().stripDialect();
  auto data = getHostTensor(op, op.op->getOperand(0));
  if (!data)
    return std::nullopt;
  if (name == "reshape" || name == "squeeze" || name == "unsqueeze" || name == "flatten")
    return data->values;
  Dims result;
  if (name == "expand") {
    forEach(shape, [&](ArrayRef<int64_t> at) { result.push_back(readBroadcast(*data, at)); });
    return result;
  }
  if (name == "transpose") {
    int64_t rank = shape.size();
    auto perm = op.integers("perm");
    auto steps = strides(data->shape);
    forEach(shape, [&](ArrayRef<int64_t> at) {
      int64_t offset = 0;
      for (int64_t i = 0; i < rank; ++i)
        offset += at[i] * steps[perm ? (*perm)[i] : rank - 1 - i];
      result.push_back(data->values[offset]);
    });
    return result;
  }
  return std::nullopt;
}

static std::optional<Dims> foldConcat(OpShape &op, ArrayRef<int64_t> shape) {
  int64_t axis = op.integer("axis", 0), rank = shape.size();
  axis = axis < 0 ? axis + rank : axis;
  SmallVector<HostTensor> parts;
  for (Value value : op.op->getOperands()) {
    auto tensor = getHostTensor(op, value);
    if (!tensor)
      return std::nullopt;
    parts.push_back(*tensor);
  }
  Dims result;
  forEach(shape, [&](ArrayRef<int64_t> at) {
    SmallVector<int64_t> inner(at);
    for (const HostTensor &part : parts) {
      if (inner[axis] < part.shape[axis]) {
        result.push_back(readBroadcast(part, inner));
        return;
      }
      inner[axis] -= part.shape[axis];
    }
  });
  return result;
}

static std::optional<Dims> foldGather(OpShape &op) {
  auto data = getHostTensor(op, op.op->getOperand(0));
  auto indices = getHostTensor(op, op.op->getOperand(1));
  if (!data || !indices || data->shape.size() != 1)
    return std::nullopt;
  Dims result;
  for (AffineExpr index : indices->values) {
    auto at = shape::getConstant(index);
    if (!at)
      return std::nullopt;
    int64_t position = *at < 0 ? *at + data->shape[0] : *at;
    if (position < 0 || position >= data->shape[0])
      return std::nullopt;
    result.push_back(data->values[position]);
  }
  return result;
}

static std::optional<Dims> foldSlice(OpShape &op, ArrayRef<int64_t> shape) {
  auto data = getHostTensor(op, op.op->getOperand(0));
  auto starts = op.values(1), steps = op.values(4);
  if (!data || data->shape.size() != 1 || !starts || starts->size() != 1)
    return std::nullopt;
  auto start = shape::getConstant(starts->front());
  auto step = steps ? shape::getConstant(steps->front()) : 1;
  if (!start || !step)
    return std::nullopt;
  int64_t size = data->shape[0];
  int64_t first =
      std::clamp<int64_t>(*start < 0 ? *start + size : *start, 0, *step > 0 ? size : size - 1);
  Dims result;
  for (int64_t i = 0; i < shape[0]; ++i)
    result.push_back(data->values[first + i * *step]);
  return result;
}

static std::optional<Dims> foldReduce(OpShape &op, bool isSum) {
  auto data = getHostTensor(op, op.op->getOperand(0));
  if (!data || data->shape.size() > 1)
    return std::nullopt;
  AffineExpr result = op.constant(isSum ? 0 : 1);
  for (AffineExpr value : data->values)
    result = isSum ? result + value : result * value;
  return Dims{shape::simplify(result)};
}

static std::optional<Dims> foldRange(OpShape &op, ArrayRef<int64_t> shape) {
  auto start = op.values(0), delta = op.values(2);
  if (!start || !delta)
    return std::nullopt;
  Dims result;
  for (int64_t i = 0; i < shape[0]; ++i)
    result.push_back(start->front() + delta->front() * i);
  return result;
}

static std::optional<Dims> foldConstantOfShape(OpShape &op, int64_t count) {
  auto value = op.op->getAttrOfType<DenseElementsAttr>("value");
  if (!value || !isa<IntegerType>(value.getElementType()) || value.getNumElements() != 1)
    return std::nullopt;
  auto number = *value.getValues<APInt>().begin();
  return Dims(count, op.constant(value.getElementType().isInteger(1) ? number.getZExtValue()
                                                                     : number.getSExtValue()));
}

bool isHostFoldable(StringRef name) {
  static const llvm::StringSet<> others = {
      "reshape",     "squeeze", "unsqueeze", "flatten", "expand",
      "transpose",   "concat",  "gather",    "slice",   "reduce_sum",
      "reduce_prod", "range",   "split",     "cast",    "constant_of_shape",
      "cast_like"};
  return elementwiseFolds().contains(name) || others.contains(name);
}

std::optional<Dims> foldHostValues(OpShape &op) {
  StringRef name = op.op->getName().stripDialect();
  if (op.results.size() != 1 || !op.results[0].hasStaticShape() ||
      op.results[0].getNumElements() > kMaxHostElems ||
      !isa<IntegerType>(op.results[0].getElementType()) || !isHostFoldable(name))
    return std::nullopt;
  ArrayRef<int64_t> shape = op.results[0].getShape();
  auto combine = elementwiseFolds().find(name);
  if (combine != elementwiseFolds().end())
    return foldElementwise(op, combine->second, shape);
  if (name == "concat")
    return foldConcat(op, shape);
  if (name == "gather")
    return foldGather(op);
  if (name == "slice")
    return foldSlice(op, shape);
  if (name == "reduce_sum" || name == "reduce_prod")
    return foldReduce(op, name == "reduce_sum");
  if (name == "range")
    return foldRange(op, shape);
  if (name == "constant_of_shape")
    return foldConstantOfShape(op, op.results[0].getNumElements());
  if (name == "cast" || name == "cast_like") {
    // Between integers that hold every size; a bool result is (x != 0).
    auto data = getHostTensor(op, op.op->getOperand(0));
    Type element = op.results[0].getElementType();
    if (!data || (!element.isInteger(1) && element.getIntOrFloatBitWidth() < 32))
      return std::nullopt;
    Dims values = data->values;
    if (element.isInteger(1) && !op.element(0).isInteger(1))
      for (AffineExpr &value : values)
        value = notOf(op, notOf(op, value));
    return values;
  }
  return foldMovement(op, shape);
}

SmallVector<unsigned> getShapeOperands(StringRef name) {
  static const llvm::StringMap<SmallVector<unsigned>> table = {{"reshape", {1}},
                                                               {"slice", {1, 2, 3, 4}},
                                                               {"expand", {1}},
                                                               {"pad", {1, 3}},
                                                               {"tile", {1}},
                                                               {"resize", {3}},
                                                               {"top_k", {1}},
                                                               {"split", {1}},
                                                               {"squeeze", {1}},
                                                               {"unsqueeze", {1}},
                                                               {"range", {0, 1, 2}},
                                                               {"constant_of_shape", {0}},
                                                               {"one_hot", {1}},
                                                               {"hann_window", {0}},
                                                               {"hamming_window", {0}},
                                                               {"blackman_window", {0}},
                                                               {"center_crop_pad", {1}},
                                                               {"cum_sum", {1}},
                                                               {"cum_prod", {1}}};
  auto found = table.find(name);
  if (found != table.end())
    return found->second;
  if (name.starts_with("reduce_"))
    return {1};
  return {};
}

} // namespace heddle::graph
