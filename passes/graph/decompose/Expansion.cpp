// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The builder that decompositions are written with; see the header.
#include "passes/graph/decompose/Expansion.h"

using namespace mlir;

namespace heddle::graph {

RankedTensorType Expansion::type(Value value) {
  return value ? llvm::cast<RankedTensorType>(value.getType()) : RankedTensorType();
}

Dims Expansion::dims(Value value) { return value ? shape::getDims(type(value)) : Dims(); }

double Expansion::real(StringRef name, double otherwise) const {
  auto attr = shape.op->getAttrOfType<FloatAttr>(name);
  return attr ? attr.getValueAsDouble() : otherwise;
}

Value Expansion::emit(StringRef mnemonic, ValueRange operands, Attrs attrs) {
  if (!llvm::all_of(operands, [](Value value) { return bool(value); }))
    return {};
  OperationState state(shape.op->getLoc(), ("graph." + mnemonic).str());
  state.addOperands(operands);
  state.addAttributes(attrs);
  state.addTypes(builder.getNoneType());
  Operation *op = builder.create(state);
  OpShape inference(op, shape.symbols, shape.host);
  auto rule = rules.find(mnemonic);
  assert(rule != rules.end() && "every op that an expansion makes has a shape rule");
  if (failed(rule->second(inference)))
    return {};
  op->getResult(0).setType(inference.results[0]);
  return op->getResult(0);
}

NamedAttribute Expansion::attr(StringRef name, int64_t value) {
  return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
}

NamedAttribute Expansion::attr(StringRef name, ArrayRef<int64_t> values) {
  return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
}

static Value createHostTensor(OpBuilder &builder, OpShape &shape, RankedTensorType type,
                              ArrayRef<AffineExpr> values) {
  SmallVector<int64_t> numbers;
  for (AffineExpr expr : values)
    if (auto number = shape::getConstant(shape::simplify(expr)))
      numbers.push_back(*number);
  if (numbers.size() == values.size())
    return ConstantOp::create(builder, shape.op->getLoc(),
                              ElementsAttr(DenseElementsAttr::get(type, ArrayRef(numbers))));
  Value result =
      SymbolicConstantOp::create(builder, shape.op->getLoc(), type,
                                 AffineMapAttr::get(shape::getMap(values, shape.context())));
  shape.host[result] = Dims(values);
  return result;
}

Value Expansion::vector(ArrayRef<AffineExpr> values) {
  auto type = RankedTensorType::get(int64_t(values.size()), builder.getI64Type());
  return createHostTensor(builder, shape, type, values);
}

Value Expansion::vector(ArrayRef<int64_t> values) {
  return vector(
      Dims(llvm::map_to_vector<6>(values, [&](int64_t value) { return constant(value); })));
}

Value Expansion::number(AffineExpr value) {
  return createHostTensor(builder, shape, RankedTensorType::get({}, builder.getI64Type()), value);
}

Value Expansion::scalar(double value, Type element) {
  auto type = RankedTensorType::get({}, element);
  DenseElementsAttr data;
  if (isa<FloatType>(element))
    data = DenseElementsAttr::get(type, Attribute(builder.getFloatAttr(element, value)));
  else
    data = DenseElementsAttr::get(type,
                                  APInt(element.getIntOrFloatBitWidth(), uint64_t(int64_t(value)),
                                        /*isSigned=*/false, /*implicitTrunc=*/true));
  return ConstantOp::create(builder, shape.op->getLoc(), ElementsAttr(data));
}

Value Expansion::reshape(Value value, ArrayRef<AffineExpr> dims) {
  if (!value)
    return {};
  // The sizes are known, so the rule's search for -1 and for a zero that copies is not asked.
  RankedTensorType result = shape::getTensorType(dims, type(value).getElementType());
  if (result == value.getType())
    return value;
  OperationState state(shape.op->getLoc(), "graph.reshape");
  state.addOperands({value, vector(dims)});
  state.addAttribute("allowzero", builder.getI64IntegerAttr(1));
  state.addTypes(result);
  return builder.create(state)->getResult(0);
}

Value Expansion::transpose(Value value, ArrayRef<int64_t> perm) {
  if (llvm::equal(perm, llvm::seq<int64_t>(0, perm.size())))
    return value;
  return emit("transpose", {value}, {attr("perm", perm)});
}

Value Expansion::unsqueeze(Value value, int64_t axis) {
  Dims sizes = dims(value);
  if (value)
    sizes.insert(sizes.begin() + axis, constant(1));
  return reshape(value, sizes);
}

Value Expansion::slice(Value value, int64_t axis, AffineExpr begin, AffineExpr end, int64_t step) {
  return emit(
      "slice",
      {value, vector(ArrayRef(begin)), vector(ArrayRef(end)), vector(ArrayRef(axis)),
       vector(ArrayRef(step))},
      {builder.getNamedAttr("operandSegmentSizes", builder.getDenseI32ArrayAttr({1, 1, 1, 1, 1}))});
}

Value Expansion::concat(ValueRange values, int64_t axis) {
  return values.size() == 1 ? values[0] : emit("concat", values, {attr("axis", axis)});
}

Value Expansion::cast(Value value, Type element) {
  if (!value || type(value).getElementType() == element)
    return value;
  constexpr int64_t kLastCode = 26;
  int64_t code = 1;
  while (code < kLastCode && getElementType(code, shape.context()) != element)
    ++code;
  return emit("cast", {value}, {attr("to", code)});
}

Value Expansion::reduceSum(Value value, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return value;
  return emit("reduce_sum", {value, vector(axes)}, {attr("keepdims", 0)});
}

LogicalResult Expansion::replace(ArrayRef<Value> values) {
  for (auto [result, given] : llvm::zip_equal(shape.op->getResults(), values)) {
    Value value = given;
    if (!value && result.use_empty())
      continue;
    if (!value)
      return failure();
    // Equal sizes may have been found in different forms.
    if (result.getType() != value.getType())
      value = reshape(value, dims(result));
    if (result.getType() != value.getType())
      return shape.fail("the expansion's type differs from the operator's (internal error)");
    result.replaceAllUsesWith(value);
  }
  shape.op->erase();
  return success();
}

} // namespace heddle::graph
