// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every shape rule uses: operands, attributes, contents known on the host, broadcasting and
// errors.
#include "dialects/graph/ops/ShapeRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace heddle::graph {

std::pair<unsigned, unsigned> OpShape::segment(unsigned group) const {
  auto attr = op->getInherentAttr("operandSegmentSizes");
  auto sizes = attr ? dyn_cast_or_null<DenseI32ArrayAttr>(*attr) : DenseI32ArrayAttr();
  if (!sizes)
    return {group, group < op->getNumOperands() ? 1 : 0};
  unsigned start = 0;
  for (unsigned i = 0; i < group && i < sizes.size(); ++i)
    start += sizes[i];
  return {start, group < sizes.size() ? sizes[group] : 0};
}

Value OpShape::in(unsigned group) const {
  auto [start, count] = segment(group);
  return count ? op->getOperand(start) : Value();
}

RankedTensorType OpShape::type(unsigned group) const {
  return cast<RankedTensorType>(in(group).getType());
}

int64_t OpShape::integer(StringRef name, int64_t otherwise) const {
  auto attr = op->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : otherwise;
}

StringRef OpShape::text(StringRef name, StringRef otherwise) const {
  auto attr = op->getAttrOfType<StringAttr>(name);
  return attr ? attr.getValue() : otherwise;
}

std::optional<SmallVector<int64_t>> OpShape::integers(StringRef name) const {
  auto attr = op->getAttrOfType<DenseI64ArrayAttr>(name);
  if (!attr)
    return std::nullopt;
  return llvm::to_vector(attr.asArrayRef());
}

std::optional<Dims> OpShape::valuesOf(Value value) const {
  auto found = host.find(value);
  if (found != host.end())
    return found->second;
  DenseElementsAttr dense;
  if (!value || !matchPattern(value, m_Constant(&dense)) ||
      !isa<IntegerType>(dense.getElementType()) || dense.getNumElements() > kMaxHostElems)
    return std::nullopt;
  bool isSigned =
      !dense.getElementType().isUnsignedInteger() && !dense.getElementType().isInteger(1);
  return llvm::map_to_vector<6>(dense.getValues<APInt>(), [&](const APInt &element) {
    return constant(isSigned ? element.getSExtValue() : int64_t(element.getZExtValue()));
  });
}

std::optional<Dims> OpShape::values(unsigned group) const {
  return in(group) ? valuesOf(in(group)) : std::nullopt;
}

FailureOr<SmallVector<int64_t>> OpShape::constants(unsigned group, StringRef what) const {
  auto exprs = values(group);
  if (!exprs)
    return unsupported(what + " must be known when the model is compiled");
  SmallVector<int64_t> result;
  for (AffineExpr expr : *exprs) {
    auto value = shape::getConstant(expr);
    if (!value)
      return unsupported(what +
                         " must be known when the model is compiled, they depend on an input");
    result.push_back(*value);
  }
  return result;
}

std::optional<SmallVector<double>> OpShape::numbers(unsigned group) const {
  return in(group) ? numbersOf(in(group)) : std::nullopt;
}

std::optional<SmallVector<double>> OpShape::numbersOf(Value value) const {
  DenseElementsAttr dense;
  if (matchPattern(value, m_Constant(&dense)) && isa<FloatType>(dense.getElementType()) &&
      dense.getNumElements() <= kMaxHostElems)
    return llvm::map_to_vector(dense.getValues<APFloat>(), [](APFloat value) {
      bool lossy;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
      return value.convertToDouble();
    });
  auto exprs = valuesOf(value);
  if (!exprs)
    return std::nullopt;
  SmallVector<double> result;
  for (AffineExpr expr : *exprs) {
    auto number = shape::getConstant(expr);
    if (!number)
      return std::nullopt;
    result.push_back(double(*number));
  }
  return result;
}

FailureOr<int64_t> OpShape::axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank)
    return fail("axis must be in [" + Twine(-rank) + ", " + Twine(rank) + "), got " + Twine(axis));
  return axis < 0 ? axis + rank : axis;
}

FailureOr<SmallVector<int64_t>> OpShape::axes(ArrayRef<int64_t> list, int64_t rank) const {
  SmallVector<int64_t> result;
  for (int64_t item : list) {
    auto normal = axis(item, rank);
    if (failed(normal))
      return failure();
    if (llvm::is_contained(result, *normal))
      return fail("axis " + Twine(item) + " is given twice");
    result.push_back(*normal);
  }
  return result;
}

FailureOr<AffineExpr> OpShape::broadcast(AffineExpr a, AffineExpr b) const {
  auto x = shape::getConstant(a), y = shape::getConstant(b);
  if (x && y && *x != *y && *x != 1 && *y != 1)
    return fail("sizes " + Twine(*x) + " and " + Twine(*y) + " do not broadcast");
  return symbols.derived(shape::DerivedOp::kBroadcast, {a, b});
}

FailureOr<Dims> OpShape::broadcast(ArrayRef<AffineExpr> a, ArrayRef<AffineExpr> b) const {
  if (a.size() < b.size())
    std::swap(a, b);
  Dims result(a.begin(), a.end());
  size_t lead = a.size() - b.size();
  for (auto [i, dim] : llvm::enumerate(b)) {
    auto both = broadcast(a[lead + i], dim);
    if (failed(both))
      return failure();
    result[lead + i] = *both;
  }
  return result;
}

bool OpShape::mayBeNegative(AffineExpr expr) const {
  bool result = false;
  expr.walk([&](AffineExpr e) {
    auto symbol = dyn_cast<AffineSymbolExpr>(e);
    if (!symbol)
      return;
    auto entry = symbols.get(symbol.getPosition());
    if (entry.kind == shape::SymbolKind::kInputElement)
      result = true;
    else if (entry.kind == shape::SymbolKind::kDerived)
      for (AffineExpr operand : entry.operands.getResults())
        result |= mayBeNegative(operand);
  });
  return result;
}

LogicalResult OpShape::give(ArrayRef<AffineExpr> dims, Type element) {
  for (AffineExpr dim : dims)
    if (auto size = shape::getConstant(shape::simplify(dim)); size && *size < 0)
      return fail("a size of the result would be " + Twine(*size));
  results.push_back(shape::getTensorType(dims, element));
  return success();
}

LogicalResult OpShape::fail(const Twine &reason) const { return emitError(op->getLoc()) << reason; }

LogicalResult OpShape::unsupported(const Twine &reason) const {
  return emitError(op->getLoc()) << "unsupported: " << reason;
}

Type getElementType(int64_t code, MLIRContext *context) {
  Builder b(context);
  auto integer = [&](unsigned bits, bool isUnsigned) -> Type {
    return IntegerType::get(context, bits,
                            isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
  };
  // TensorProto.DataType of onnx.proto.
  switch (code) {
  case 1:
    return b.getF32Type();
  case 2:
    return integer(8, true);
  case 3:
    return integer(8, false);
  case 4:
    return integer(16, true);
  case 5:
    return integer(16, false);
  case 6:
    return integer(32, false);
  case 7:
    return integer(64, false);
  case 9:
    return b.getI1Type();
  case 10:
    return b.getF16Type();
  case 11:
    return b.getF64Type();
  case 12:
    return integer(32, true);
  case 13:
    return integer(64, true);
  case 16:
    return b.getBF16Type();
  case 17:
    return Float8E4M3FNType::get(context);
  case 18:
    return Float8E4M3FNUZType::get(context);
  case 19:
    return Float8E5M2Type::get(context);
  case 20:
    return Float8E5M2FNUZType::get(context);
  case 21:
    return integer(4, true);
  case 22:
    return integer(4, false);
  case 23:
    return Float4E2M1FNType::get(context);
  case 24:
    return Float8E8M0FNUType::get(context);
  case 25:
    return integer(2, true);
  case 26:
    return integer(2, false);
  default:
    return {};
  }
}

} // namespace heddle::graph
