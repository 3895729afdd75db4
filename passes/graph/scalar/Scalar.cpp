// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic, comparisons, loads and folds of the scalar language. Every builder folds constants at
// once, so that kernels of static shapes carry no dead index arithmetic.
#include "passes/graph/scalar/Scalar.h"

#include "mlir/IR/Matchers.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace heddle::graph::form {

static Type signless(Type type) { return kernel::getScalarType(type); }

bool isSmallFloat(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 16; }

Type getComputeType(Type element) {
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(element.getContext());
  return element;
}

std::optional<double> Scalar::number() const {
  Attribute attr;
  if (!value || !matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  if (auto real = dyn_cast<FloatAttr>(attr))
    return real.getValueAsDouble();
  if (auto integer = dyn_cast<IntegerAttr>(attr)) {
    const APInt &bits = integer.getValue();
    return isUnsigned() ? double(bits.getZExtValue()) : double(bits.getSExtValue());
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------------------------------===//
// Constants and sizes
//===----------------------------------------------------------------------------------------------===//

Scalar Body::constant(double value, Type type) {
  if (auto real = dyn_cast<FloatType>(type)) {
    APFloat number(value);
    bool lossy;
    number.convert(real.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lossy);
    return wrap(arith::ConstantOp::create(builder, loc, FloatAttr::get(type, number)), type);
  }
  return integer(int64_t(value), type);
}

Scalar Body::integer(int64_t value, Type type) {
  if (isa<FloatType>(type))
    return constant(double(value), type);
  Type plain = signless(type);
  TypedAttr attr;
  if (plain.isIndex())
    attr = builder.getIndexAttr(value);
  else
    attr = IntegerAttr::get(plain, APInt(plain.getIntOrFloatBitWidth(), uint64_t(value), false,
                                         /*implicitTrunc=*/true));
  return wrap(arith::ConstantOp::create(builder, loc, attr), type);
}

Scalar Body::size(AffineExpr expr) {
  AffineExpr simple = shape::simplify(expr);
  if (auto value = shape::getConstant(simple))
    return index(*value);
  return wrap(kernel::SizeOp::create(builder, loc, builder.getIndexType(),
                                     shape::getMap({simple}, builder.getContext())),
              builder.getIndexType());
}

Scalar Body::evaluate(AffineExpr expr, Scalars dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || expr.isSymbolicOrConstant())
    return size(expr);
  Scalar a = evaluate(binary.getLHS(), dims), b = evaluate(binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::Mod:
    return a % b;
  case AffineExprKind::CeilDiv:
    return (a + b - 1) / b;
  default:
    return a / b;
  }
}

SmallVector<Scalar> Body::wrapIndices(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value v) { return wrap(v, builder.getIndexType()); });
}

Scalar Body::highest(Type type) {
  if (isa<FloatType>(type))
    return constant(std::numeric_limits<double>::infinity(), type);
  if (type.isIndex())
    return index(std::numeric_limits<int32_t>::max());
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger() || width == 1;
  APInt value = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  return integer(value.getSExtValue(), type);
}

Scalar Body::lowest(Type type) {
  if (isa<FloatType>(type))
    return constant(-std::numeric_limits<double>::infinity(), type);
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isUnsignedInteger() || width == 1)
    return integer(0, type);
  return integer(APInt::getSignedMinValue(width).getSExtValue(), type);
}

//===----------------------------------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------------------------------===//

Scalar Body::load(Value tensor, Scalars coordinates) {
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  Type plain = signless(element);
  if (auto weight = tensor.getDefiningOp<kernel::WeightOp>()) {
    auto dense = dyn_cast<DenseElementsAttr>(weight.getValue());
    if (dense && dense.isSplat() && !isSmallFloat(element) && dense.getNumElements() > 0) {
      Attribute splat = dense.getSplatValue<Attribute>();
      if (auto integer = dyn_cast<IntegerAttr>(splat))
        splat = IntegerAttr::get(plain, integer.getValue());
      return wrap(arith::ConstantOp::create(builder, loc, cast<TypedAttr>(splat)), element);
    }
  }
  SmallVector<Value> values = llvm::map_to_vector(coordinates, [](Scalar s) { return s.value; });
  return wrap(kernel::LoadOp::create(builder, loc, plain, tensor, values), element);
}

Scalar Body::loadBroadcast(Value tensor, Scalars coordinates, ArrayRef<AffineExpr> dims) {
  SmallVector<AffineExpr> own = shape::getDims(cast<RankedTensorType>(tensor.getType()));
  assert(own.size() <= dims.size() && "broadcasting does not lower the rank");
  size_t skip = dims.size() - own.size();
  SmallVector<Scalar> mapped;
  for (auto [axis, dim] : llvm::enumerate(own)) {
    Scalar coordinate = coordinates[skip + axis];
    if (shape::getConstant(dim) == 1)
      mapped.push_back(index(0));
    else if (shape::getConstant(dim) || shape::provablyEqual(dim, dims[skip + axis]))
      mapped.push_back(coordinate);
    else
      // The size is only known at run time, and 1 broadcasts.
      mapped.push_back(select(equal(size(dim), index(1)), index(0), coordinate));
  }
  return load(tensor, mapped);
}

Scalar Body::loadWide(Value tensor, Scalars coordinates) {
  return widen(load(tensor, coordinates));
}

//===----------------------------------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------------------------------===//

Scalar Body::compare(Relation relation, Scalar a, Scalar b) {
  Type boolean = builder.getI1Type();
  if (a.isFloat()) {
    static constexpr arith::CmpFPredicate kFloat[] = {
        arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE, arith::CmpFPredicate::OLT,
        arith::CmpFPredicate::OLE, arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
    return wrap(builder.createOrFold<arith::CmpFOp>(loc, kFloat[int(relation)], a.value, b.value),
                boolean);
  }
  static constexpr arith::CmpIPredicate kSigned[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,  arith::CmpIPredicate::slt,
      arith::CmpIPredicate::sle, arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge};
  static constexpr arith::CmpIPredicate kUnsigned[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,  arith::CmpIPredicate::ult,
      arith::CmpIPredicate::ule, arith::CmpIPredicate::ugt, arith::CmpIPredicate::uge};
  auto predicate = (a.isUnsigned() ? kUnsigned : kSigned)[int(relation)];
  return wrap(builder.createOrFold<arith::CmpIOp>(loc, predicate, a.value, b.value), boolean);
}

Scalar Body::select(Scalar condition, Scalar a, Scalar b) {
  return wrap(builder.createOrFold<arith::SelectOp>(loc, condition.value, a.value, b.value),
              a.type);
}

Scalar Body::minimum(Scalar a, Scalar b) {
  if (a.isFloat())
    return wrap(builder.createOrFold<arith::MinimumFOp>(loc, a.value, b.value), a.type);
  if (a.isUnsigned())
    return wrap(builder.createOrFold<arith::MinUIOp>(loc, a.value, b.value), a.type);
  return wrap(builder.createOrFold<arith::MinSIOp>(loc, a.value, b.value), a.type);
}

Scalar Body::maximum(Scalar a, Scalar b) {
  if (a.isFloat())
    return wrap(builder.createOrFold<arith::MaximumFOp>(loc, a.value, b.value), a.type);
  if (a.isUnsigned())
    return wrap(builder.createOrFold<arith::MaxUIOp>(loc, a.value, b.value), a.type);
  return wrap(builder.createOrFold<arith::MaxSIOp>(loc, a.value, b.value), a.type);
}

Scalar Body::logicalNot(Scalar a) { return a ^ integer(-1, a.type); }

Scalar Body::isNaN(Scalar a) {
  return wrap(builder.createOrFold<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO, a.value, a.value),
              builder.getI1Type());
}

Scalar Body::shiftLeft(Scalar a, Scalar b) {
  return wrap(builder.createOrFold<arith::ShLIOp>(loc, a.value, b.value), a.type);
}

Scalar Body::shiftRight(Scalar a, Scalar b) {
  return wrap(builder.createOrFold<arith::ShRUIOp>(loc, a.value, b.value), a.type);
}

Scalar Body::bitcast(Scalar a, Type type) {
  if (signless(a.type) == signless(type))
    return wrap(a.value, type);
  return wrap(builder.createOrFold<arith::BitcastOp>(loc, signless(type), a.value), type);
}

Scalar Body::sigmoid(Scalar x) {
  Scalar one = constant(1, x.type);
  return one / (one + math<math::ExpOp>(-x));
}

Scalar Body::floorDivide(Scalar a, Scalar b) {
  Scalar quotient = wrap(builder.createOrFold<arith::DivSIOp>(loc, a.value, b.value), a.type);
  Scalar rest = a - quotient * b;
  Scalar zero = integer(0, a.type);
  Scalar below = compare(Relation::kNotEqual, rest, zero) & ((rest < zero) ^ (b < zero));
  return select(below, quotient - integer(1, a.type), quotient);
}

Scalar Body::inside(Scalar i, Scalar size) {
  return wrap(
      builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, i.value, size.value),
      builder.getI1Type());
}

Scalar Body::guard(Scalar condition, function_ref<Scalar()> then, Scalar otherwise) {
  return branch(condition, then, [&] { return otherwise; });
}

Scalar Body::branch(Scalar condition, function_ref<Scalar()> then,
                    function_ref<Scalar()> otherwise) {
  if (auto known = condition.number())
    return *known != 0 ? then() : otherwise();
  OpBuilder::InsertPoint here = builder.saveInsertionPoint();
  // The type is known only once a side is built, so the op is made around it afterwards.
  Block thenBlock;
  builder.setInsertionPointToStart(&thenBlock);
  Scalar first = then();
  scf::YieldOp::create(builder, loc, first.value);
  Block elseBlock;
  builder.setInsertionPointToStart(&elseBlock);
  Scalar second = otherwise();
  scf::YieldOp::create(builder, loc, second.value);
  assert(first.value.getType() == second.value.getType() && "both sides give one type");
  builder.restoreInsertionPoint(here);
  auto op = scf::IfOp::create(builder, loc, TypeRange{first.value.getType()}, condition.value,
                              /*addThenBlock=*/true, /*addElseBlock=*/true);
  op.thenBlock()->getOperations().splice(op.thenBlock()->end(), thenBlock.getOperations());
  op.elseBlock()->getOperations().splice(op.elseBlock()->end(), elseBlock.getOperations());
  return wrap(op.getResult(0), first.type);
}

//===----------------------------------------------------------------------------------------------===//
// Folds and positions
//===----------------------------------------------------------------------------------------------===//

static kernel::FoldOp createFold(Body &body, kernel::FoldKind kind, ArrayRef<AffineExpr> sizes,
                                 TypeRange types) {
  auto fold = kernel::FoldOp::create(body.builder, body.loc, types, kind,
                                     shape::getMap(sizes, body.builder.getContext()));
  Block &block = fold.getBody().emplaceBlock();
  for (size_t i = 0; i < sizes.size(); ++i)
    block.addArgument(body.builder.getIndexType(), body.loc);
  return fold;
}

Scalar Body::fold(kernel::FoldKind kind, ArrayRef<AffineExpr> sizes, Type type,
                  function_ref<Scalar(Scalars)> element) {
  auto op = createFold(*this, kind, sizes, signless(type));
  Block &block = op.getBody().front();
  OpBuilder::InsertionGuard saved(builder);
  builder.setInsertionPointToStart(&block);
  Scalar x = element(wrapIndices(block.getArguments()));
  kernel::YieldOp::create(builder, loc, x.value);
  return wrap(op.getResult(0), type);
}

std::pair<Scalar, Scalar> Body::argFold(kernel::FoldKind kind, ArrayRef<AffineExpr> sizes,
                                        Type type,
                                        function_ref<std::pair<Scalar, Scalar>(Scalars)> element) {
  Type indexType = builder.getIndexType();
  auto op = createFold(*this, kind, sizes, {signless(type), indexType});
  Block &block = op.getBody().front();
  OpBuilder::InsertionGuard saved(builder);
  builder.setInsertionPointToStart(&block);
  auto [x, i] = element(wrapIndices(block.getArguments()));
  kernel::YieldOp::create(builder, loc, ValueRange{x.value, i.value});
  return {wrap(op.getResult(0), type), wrap(op.getResult(1), indexType)};
}

Scalar Body::linearize(Scalars coordinates, ArrayRef<AffineExpr> dims) {
  if (coordinates.empty())
    return index(0);
  Scalar position = coordinates[0];
  for (size_t axis = 1; axis < dims.size(); ++axis)
    position = position * size(dims[axis]) + coordinates[axis];
  return position;
}

SmallVector<Scalar> Body::delinearize(Scalar position, ArrayRef<AffineExpr> dims) {
  SmallVector<Scalar> result(dims.size());
  // Axes of size 1 take no division, and the outermost other axis takes what is left.
  int64_t outermost = -1;
  for (int64_t axis = dims.size() - 1; axis >= 0; --axis)
    if (shape::getConstant(dims[axis]) != 1)
      outermost = axis;
  for (int64_t axis = dims.size() - 1; axis >= 0; --axis) {
    if (shape::getConstant(dims[axis]) == 1) {
      result[axis] = index(0);
    } else if (axis == outermost) {
      result[axis] = position;
    } else {
      Scalar extent = size(dims[axis]);
      result[axis] = position % extent;
      position = position / extent;
    }
  }
  return result;
}

//===----------------------------------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------------------------------===//

template <typename FloatOp, typename IntOp> static Scalar arithmetic(Scalar a, Scalar b) {
  assert(a.value.getType() == b.value.getType() && "operands have one type");
  Body &body = *a.body;
  if (a.isFloat())
    return body.wrap(body.builder.createOrFold<FloatOp>(body.loc, a.value, b.value), a.type);
  return body.wrap(body.builder.createOrFold<IntOp>(body.loc, a.value, b.value), a.type);
}

Scalar operator+(Scalar a, Scalar b) { return arithmetic<arith::AddFOp, arith::AddIOp>(a, b); }
Scalar operator-(Scalar a, Scalar b) { return arithmetic<arith::SubFOp, arith::SubIOp>(a, b); }
Scalar operator*(Scalar a, Scalar b) { return arithmetic<arith::MulFOp, arith::MulIOp>(a, b); }

Scalar operator/(Scalar a, Scalar b) {
  if (a.isUnsigned() || a.type.isIndex())
    return arithmetic<arith::DivFOp, arith::DivUIOp>(a, b);
  return arithmetic<arith::DivFOp, arith::DivSIOp>(a, b);
}

Scalar operator%(Scalar a, Scalar b) {
  if (a.isUnsigned() || a.type.isIndex())
    return arithmetic<arith::RemFOp, arith::RemUIOp>(a, b);
  return arithmetic<arith::RemFOp, arith::RemSIOp>(a, b);
}

template <typename Op> static Scalar bitwise(Scalar a, Scalar b) {
  Body &body = *a.body;
  return body.wrap(body.builder.createOrFold<Op>(body.loc, a.value, b.value), a.type);
}

Scalar operator&(Scalar a, Scalar b) { return bitwise<arith::AndIOp>(a, b); }
Scalar operator|(Scalar a, Scalar b) { return bitwise<arith::OrIOp>(a, b); }
Scalar operator^(Scalar a, Scalar b) { return bitwise<arith::XOrIOp>(a, b); }

Scalar operator-(Scalar a) {
  Body &body = *a.body;
  if (a.isFloat())
    return body.wrap(body.builder.createOrFold<arith::NegFOp>(body.loc, a.value), a.type);
  return body.integer(0, a.type) - a;
}

Scalar operator<(Scalar a, Scalar b) { return a.body->compare(Relation::kLess, a, b); }
Scalar operator<=(Scalar a, Scalar b) { return a.body->compare(Relation::kLessEqual, a, b); }
Scalar operator>(Scalar a, Scalar b) { return a.body->compare(Relation::kGreater, a, b); }
Scalar operator>=(Scalar a, Scalar b) { return a.body->compare(Relation::kGreaterEqual, a, b); }

} // namespace heddle::graph::form
