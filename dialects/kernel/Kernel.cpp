// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and folds of the kernel dialect. Region arguments and yields are checked here, once, so
// that schedules may trust them.
#include "dialects/kernel/Kernel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"

#include "dialects/kernel/KernelDialect.cpp.inc"
#include "dialects/kernel/KernelEnums.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/kernel/Kernel.cpp.inc"

using namespace mlir;

namespace heddle::kernel {

namespace {
/// Constants stay inside of the kernel that uses them: a kernel reads nothing but tensors from
/// outside.
struct KernelFoldInterface : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const final {
    return isa<MapOp, ReduceOp, RowsOp, ContractOp>(region->getParentOp());
  }
};
} // namespace

void KernelDialect::initialize() {
  addInterfaces<KernelFoldInterface>();
  addOperations<
#define GET_OP_LIST
#include "dialects/kernel/Kernel.cpp.inc"
      >();
}

Type getScalarType(Type elementType) {
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return IntegerType::get(elementType.getContext(), integer.getWidth());
  return elementType;
}

bool isPacked(Type elementType) {
  return elementType.isIntOrFloat() && !elementType.isInteger(1) &&
         elementType.getIntOrFloatBitWidth() < 8;
}

Type getAccumulatorType(Type elementType) {
  Builder builder(elementType.getContext());
  if (elementType.isF64())
    return elementType;
  if (isa<FloatType>(elementType))
    return builder.getF32Type();
  return elementType.getIntOrFloatBitWidth() > 32 ? builder.getI64Type() : builder.getI32Type();
}

/// region-1: the region's arguments are `indices` indices, then `extra` types.
static LogicalResult verifyArguments(Operation *op, Region &region, int64_t indices,
                                     TypeRange extra = {}) {
  TypeRange types = region.front().getArgumentTypes();
  if (int64_t(types.size()) != indices + int64_t(extra.size()))
    return op->emitOpError("region needs ")
           << indices + int64_t(extra.size()) << " arguments, got " << types.size();
  for (int64_t i = 0; i < indices; ++i)
    if (!types[i].isIndex())
      return op->emitOpError("region argument ") << i << " must be index, got " << types[i];
  for (auto [got, want] : llvm::zip_equal(types.drop_front(indices), extra))
    if (got != want)
      return op->emitOpError("region argument must be ") << want << ", got " << got;
  return success();
}

/// region-2: the region yields the scalars of `types`.
static LogicalResult verifyYield(Operation *op, Region &region, TypeRange types) {
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (!yield)
    return op->emitOpError("region must end in kernel.yield");
  if (yield.getValues().getTypes() != types)
    return op->emitOpError("region must yield ")
           << types << ", got " << yield.getValues().getTypes();
  return success();
}

/// results-1: at least one result, and all results have the same shape.
/// results-2: elements that share bytes are made by a map, whose threads make whole bytes, and all
/// results of it are of that width.
static LogicalResult verifyResults(Operation *op, SmallVectorImpl<Type> &scalars) {
  if (op->getNumResults() == 0)
    return op->emitOpError("needs a result");
  auto first = cast<RankedTensorType>(op->getResult(0).getType());
  for (Type type : op->getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getShape() != first.getShape() || tensor.getEncoding() != first.getEncoding())
      return op->emitOpError("results must have one shape, got ") << first << " and " << tensor;
    Type element = tensor.getElementType();
    bool sharesBytes = isPacked(element) || isPacked(first.getElementType());
    if (sharesBytes && !isa<MapOp>(op))
      return op->emitOpError("cannot make ")
             << tensor << ": elements narrower than a byte need a kernel.map";
    if (sharesBytes && getScalarType(element).getIntOrFloatBitWidth() !=
                           getScalarType(first.getElementType()).getIntOrFloatBitWidth())
      return op->emitOpError("results narrower than a byte must have one width, got ")
             << first << " and " << tensor;
    scalars.push_back(getScalarType(tensor.getElementType()));
  }
  return success();
}

static LogicalResult verifyPointwise(Operation *op, Region &body) {
  SmallVector<Type> scalars;
  if (failed(verifyResults(op, scalars)))
    return failure();
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  if (failed(verifyArguments(op, body, rank)))
    return failure();
  return verifyYield(op, body, scalars);
}

LogicalResult MapOp::verifyRegions() { return verifyPointwise(*this, getBody()); }
LogicalResult ReduceOp::verifyRegions() { return verifyPointwise(*this, getBody()); }

LogicalResult RowsOp::verifyRegions() {
  SmallVector<Type> scalars;
  if (failed(verifyResults(*this, scalars)))
    return failure();
  int64_t rank = cast<RankedTensorType>(getResult(0).getType()).getRank();
  int64_t previous = -1;
  for (int64_t axis : getAxes()) {
    if (axis <= previous || axis >= rank)
      return emitOpError("axes must ascend in [0, ") << rank << "), got " << axis;
    previous = axis;
  }
  int64_t rowRank = getAxes().size();
  if (failed(verifyArguments(*this, getBody(), rank - rowRank)))
    return failure();
  auto elements = dyn_cast<ElementsOp>(getBody().front().getTerminator());
  if (!elements)
    return emitOpError("region must end in kernel.elements");
  if (failed(verifyArguments(*this, elements.getBody(), rowRank)))
    return failure();
  return verifyYield(*this, elements.getBody(), scalars);
}

LogicalResult ContractOp::verifyRegions() {
  SmallVector<Type> scalars;
  if (failed(verifyResults(*this, scalars)))
    return failure();
  auto first = cast<RankedTensorType>(getResult(0).getType());
  if (getSizes().getNumResults() != 4 || getSizes().getNumDims() != 0)
    return emitOpError("sizes must be four expressions over symbols (B, M, N, K), got ")
           << getSizesAttr();
  if (getCoordinates().getNumDims() != 3 ||
      int64_t(getCoordinates().getNumResults()) != first.getRank())
    return emitOpError("coordinates must map (b, m, n) to ")
           << first.getRank() << " coordinates, got " << getCoordinatesAttr();
  if (failed(verifyArguments(*this, getLhs(), 3)) || failed(verifyArguments(*this, getRhs(), 3)))
    return failure();
  auto lhs = dyn_cast<YieldOp>(getLhs().front().getTerminator());
  if (!lhs || lhs.getValues().size() != 1)
    return emitOpError("lhs must yield one scalar");
  Type element = lhs.getValues()[0].getType();
  if (!element.isIntOrFloat())
    return emitOpError("lhs must yield an integer or a float, got ") << element;
  if (failed(verifyYield(*this, getRhs(), element)))
    return failure();
  if (failed(verifyArguments(*this, getEpilogue(), 3, getAccumulatorType(element))))
    return failure();
  return verifyYield(*this, getEpilogue(), scalars);
}

LogicalResult FoldOp::verifyRegions() {
  bool isArg = getKind() >= FoldKind::ArgMin;
  if (getNumResults() != (isArg ? 2u : 1u))
    return emitOpError("needs ") << (isArg ? 2 : 1) << " results, got " << getNumResults();
  if (failed(verifyArguments(*this, getBody(), getSizes().getNumResults())))
    return failure();
  return verifyYield(*this, getBody(), getResultTypes());
}

LogicalResult LoadOp::verify() {
  auto type = cast<RankedTensorType>(getTensor().getType());
  if (int64_t(getCoordinates().size()) != type.getRank())
    return emitOpError("needs ") << type.getRank() << " coordinates, got "
                                 << getCoordinates().size();
  Type scalar = getScalarType(type.getElementType());
  if (getValue().getType() != scalar)
    return emitOpError("result must be ") << scalar << ", got " << getValue().getType();
  return success();
}

OpFoldResult SizeOp::fold(FoldAdaptor) {
  if (auto value = dyn_cast<AffineConstantExpr>(getExpression().getResult(0)))
    return IntegerAttr::get(IndexType::get(getContext()), value.getValue());
  return {};
}

OpFoldResult WeightOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : OpFoldResult();
}

Operation *KernelDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                              Location loc) {
  if (isa<TensorType>(type))
    return WeightOp::create(builder, loc, cast<ElementsAttr>(value));
  if (auto typed = dyn_cast<TypedAttr>(value))
    return arith::ConstantOp::create(builder, loc, typed);
  return nullptr;
}

} // namespace heddle::kernel
