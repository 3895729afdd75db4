// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory access and the regions of kernel ops: cloned where a schedule wants their value, then what
// they hold (loads, sizes, folds) is turned into code in one sweep at the end.
#include "lib/device/KernelBuilder.h"

#include "dialects/shape/SymbolicShape.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using heddle::kernel::FoldKind;

namespace heddle::device {

/// The type as it lies in memory: a bool is a byte, a float of less than 16 bits its bits.
static Type getMemoryType(Type scalar) {
  Builder b(scalar.getContext());
  if (scalar.isInteger(1))
    return b.getIntegerType(8);
  if (isa<FloatType>(scalar) && scalar.getIntOrFloatBitWidth() < 16)
    return b.getIntegerType(scalar.getIntOrFloatBitWidth());
  return scalar;
}

Value KernelBuilder::pointer(Value base) {
  auto found = pointers.find(base);
  assert(found != pointers.end() && "a tensor that the kernel did not capture");
  return found->second;
}

Value KernelBuilder::element(Value pointer, Type type, Value position) {
  Value offset = position.getType().isIndex() ? toInteger(position, b.getI64Type()) : position;
  return LLVM::GEPOp::create(b, loc, pointer.getType(), type, pointer,
                             ArrayRef<LLVM::GEPArg>{offset});
}

static Value toScalar(KernelBuilder &k, Value raw, Type scalar) {
  if (scalar.isInteger(1))
    return arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::ne, raw, k.zero(raw.getType()));
  return raw.getType() == scalar ? raw
                                 : arith::BitcastOp::create(k.b, k.loc, scalar, raw).getResult();
}

static Value toRaw(KernelBuilder &k, Value value) {
  Type memory = getMemoryType(value.getType());
  if (memory == value.getType())
    return value;
  if (value.getType().isInteger(1))
    return arith::ExtUIOp::create(k.b, k.loc, memory, value);
  return arith::BitcastOp::create(k.b, k.loc, memory, value);
}

Value KernelBuilder::load(Value tensor, Value linear) {
  Type scalar = kernel::getScalarType(cast<RankedTensorType>(tensor.getType()).getElementType());
  Type memory = getMemoryType(scalar);
  Value base = pointer(getBase(tensor));
  unsigned bits = memory.getIntOrFloatBitWidth();
  if (bits >= 8) {
    Value raw = LLVM::LoadOp::create(b, loc, memory, element(base, memory, linear), bits / 8,
                                     /*isVolatile=*/false,
                                     /*isNonTemporal=*/false, /*isInvariant=*/true);
    return toScalar(*this, raw, scalar);
  }
  // Packed low bits first.
  Type byte = b.getIntegerType(8);
  Value perByte = index(8 / bits);
  Value packed = LLVM::LoadOp::create(
      b, loc, byte, element(base, byte, arith::DivUIOp::create(b, loc, linear, perByte)), 1);
  Value shift = toInteger(mul(arith::RemUIOp::create(b, loc, linear, perByte), index(bits)), byte);
  Value raw =
      arith::TruncIOp::create(b, loc, memory, arith::ShRUIOp::create(b, loc, packed, shift));
  return toScalar(*this, raw, scalar);
}

void KernelBuilder::store(unsigned output, Value linear, Value value) {
  Value raw = toRaw(*this, value);
  assert(raw.getType().getIntOrFloatBitWidth() >= 8 && "schedules store whole bytes");
  LLVM::StoreOp::create(b, loc, raw, element(outputs[output], raw.getType(), linear),
                        raw.getType().getIntOrFloatBitWidth() / 8);
}

Value KernelBuilder::shared(Type type, int64_t elems) {
  auto module = func->getParentOfType<ModuleOp>();
  auto array = LLVM::LLVMArrayType::get(type, elems);
  constexpr unsigned kSharedSpace = 3;
  std::string base = (func.getName() + "_shared").str(), name = base;
  for (int i = 1; module.lookupSymbol(name); ++i)
    name = base + std::to_string(i);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(func);
  auto global = LLVM::GlobalOp::create(b, loc, array, /*isConstant=*/false, LLVM::Linkage::Internal,
                                       name, Attribute(),
                                       /*alignment=*/16, kSharedSpace);
  b.setInsertionPointToStart(&func.getBody().front());
  return LLVM::AddressOfOp::create(b, loc, global);
}

Value KernelBuilder::loadShared(Value pointer, Type type, Value position, unsigned alignment) {
  Type unit = isa<VectorType>(type) ? cast<VectorType>(type).getElementType() : type;
  return LLVM::LoadOp::create(b, loc, type, element(pointer, unit, position), alignment);
}

void KernelBuilder::storeShared(Value pointer, Type type, Value position, Value value,
                                unsigned alignment) {
  Type unit = isa<VectorType>(type) ? cast<VectorType>(type).getElementType() : type;
  LLVM::StoreOp::create(b, loc, value, element(pointer, unit, position), alignment);
}

Values KernelBuilder::inlined(Region &region, ArrayRef<Value> arguments, MakeFold fold,
                              IRMapping *outer) {
  IRMapping own;
  IRMapping &mapping = outer ? *outer : own;
  for (auto [argument, value] : llvm::zip_equal(region.getArguments(), arguments))
    mapping.map(argument, value);
  for (Operation &inner : region.front().without_terminator()) {
    auto nested = dyn_cast<kernel::FoldOp>(inner);
    if (fold && nested) {
      for (auto [result, value] : llvm::zip_equal(nested.getResults(), fold(nested, mapping)))
        mapping.map(result, value);
      continue;
    }
    b.clone(inner, mapping);
  }
  return llvm::map_to_vector<6>(region.front().getTerminator()->getOperands(),
                                [&](Value value) { return mapping.lookupOrDefault(value); });
}

//===----------------------------------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------------------------------===//

/// The neutral element of a fold over values of `type`.
static TypedAttr neutralAttr(FoldKind kind, Type type) {
  Builder b(type.getContext());
  bool isMin = kind == FoldKind::Min || kind == FoldKind::ArgMin,
       isMinU = kind == FoldKind::MinU || kind == FoldKind::ArgMinU;
  bool isMax = kind == FoldKind::Max || kind == FoldKind::ArgMax;
  if (auto floating = dyn_cast<FloatType>(type)) {
    if (kind == FoldKind::Add)
      return b.getFloatAttr(type, 0.0);
    if (kind == FoldKind::Mul)
      return b.getFloatAttr(type, 1.0);
    return b.getFloatAttr(type, APFloat::getInf(floating.getFloatSemantics(), /*Negative=*/isMax));
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  APInt value(bits, 0);
  if (kind == FoldKind::Mul)
    value = APInt(bits, 1);
  else if (kind == FoldKind::And || isMinU)
    value = APInt::getAllOnes(bits);
  else if (isMin)
    value = APInt::getSignedMaxValue(bits);
  else if (isMax)
    value = APInt::getSignedMinValue(bits);
  return b.getIntegerAttr(type, value);
}

Values KernelBuilder::neutral(kernel::FoldOp fold) {
  Values result{
      arith::ConstantOp::create(b, loc, neutralAttr(fold.getKind(), fold.getResult(0).getType()))};
  if (fold.getNumResults() == 2) {
    Type type = fold.getResult(1).getType();
    APInt last = APInt::getSignedMaxValue(type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
    result.push_back(
        type.isIndex()
            ? index(INT32_MAX)
            : arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, last)).getResult());
  }
  return result;
}

static Value combineScalar(KernelBuilder &k, FoldKind kind, Value x, Value y) {
  OpBuilder &b = k.b;
  Location loc = k.loc;
  bool isFloat = isa<FloatType>(x.getType());
  switch (kind) {
  case FoldKind::Add:
    return isFloat ? arith::AddFOp::create(b, loc, x, y).getResult()
                   : arith::AddIOp::create(b, loc, x, y).getResult();
  case FoldKind::Mul:
    return isFloat ? arith::MulFOp::create(b, loc, x, y).getResult()
                   : arith::MulIOp::create(b, loc, x, y).getResult();
  case FoldKind::Min:
    return isFloat ? arith::MinimumFOp::create(b, loc, x, y).getResult()
                   : arith::MinSIOp::create(b, loc, x, y).getResult();
  case FoldKind::Max:
    return isFloat ? arith::MaximumFOp::create(b, loc, x, y).getResult()
                   : arith::MaxSIOp::create(b, loc, x, y).getResult();
  case FoldKind::MinU:
    return arith::MinUIOp::create(b, loc, x, y);
  case FoldKind::MaxU:
    return arith::MaxUIOp::create(b, loc, x, y);
  case FoldKind::And:
    return arith::AndIOp::create(b, loc, x, y);
  case FoldKind::Or:
    return arith::OrIOp::create(b, loc, x, y);
  default:
    return arith::XOrIOp::create(b, loc, x, y);
  }
}

Values KernelBuilder::combine(kernel::FoldOp fold, ArrayRef<Value> x, ArrayRef<Value> y) {
  FoldKind kind = fold.getKind();
  if (x.size() == 1)
    return {combineScalar(*this, kind, x[0], y[0])};
  // The better value wins, a NaN beats all, and among equals the smaller index.
  Value better, equal;
  if (isa<FloatType>(x[0].getType())) {
    auto predicate =
        kind == FoldKind::ArgMin ? arith::CmpFPredicate::OLT : arith::CmpFPredicate::OGT;
    Value xNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x[0], x[0]);
    Value yNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, y[0], y[0]);
    Value notX = arith::XOrIOp::create(b, loc, xNan, arith::ConstantIntOp::create(b, loc, 1, 1));
    better = arith::OrIOp::create(b, loc, arith::CmpFOp::create(b, loc, predicate, y[0], x[0]),
                                  both(yNan, notX));
    better = both(better, notX);
    equal = arith::OrIOp::create(
        b, loc, arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x[0], y[0]),
        both(xNan, yNan));
  } else {
    using P = arith::CmpIPredicate;
    P predicate = kind == FoldKind::ArgMin    ? P::slt
                  : kind == FoldKind::ArgMax  ? P::sgt
                  : kind == FoldKind::ArgMinU ? P::ult
                                              : P::ugt;
    better = arith::CmpIOp::create(b, loc, predicate, y[0], x[0]);
    equal = arith::CmpIOp::create(b, loc, P::eq, x[0], y[0]);
  }
  Value earlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, y[1], x[1]);
  Value take = arith::OrIOp::create(b, loc, better, both(equal, earlier));
  return {arith::SelectOp::create(b, loc, take, y[0], x[0]),
          arith::SelectOp::create(b, loc, take, y[1], x[1])};
}

void KernelBuilder::lowerFold(kernel::FoldOp fold) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(fold);
  // One loop an axis; the state goes through all of them.
  Values at;
  std::function<Values(unsigned, ArrayRef<Value>)> nest = [&](unsigned axis,
                                                              ArrayRef<Value> state) -> Values {
    if (axis == fold.getSizes().getNumResults()) {
      Values values = inlined(fold.getBody(), at);
      return combine(fold, state, values);
    }
    return loop(index(0), size(fold.getSizes().getResult(axis)), index(1), state,
                [&](Value i, ArrayRef<Value> inner) {
                  at.push_back(i);
                  Values next = nest(axis + 1, inner);
                  at.pop_back();
                  return next;
                });
  };
  Values result = nest(0, neutral(fold));
  fold->replaceAllUsesWith(result);
  fold->erase();
}

void KernelBuilder::finish() {
  LLVM::ReturnOp::create(b, loc, ValueRange());
  // Outer folds first: lowering one clones the folds inside it.
  while (true) {
    kernel::FoldOp next;
    func->walk<WalkOrder::PreOrder>([&](kernel::FoldOp fold) {
      next = fold;
      return WalkResult::interrupt();
    });
    if (!next)
      break;
    lowerFold(next);
  }
  func->walk([&](Operation *inner) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(inner);
    if (auto load = dyn_cast<kernel::LoadOp>(inner)) {
      Value tensor = load.getTensor();
      auto dims = shape::getDims(cast<RankedTensorType>(tensor.getType()));
      Values at(load.getCoordinates());
      load.replaceAllUsesWith(this->load(tensor, linearize(at, dims)));
      load.erase();
    } else if (auto expression = dyn_cast<kernel::SizeOp>(inner)) {
      expression.replaceAllUsesWith(size(expression.getExpression().getResult(0)));
      expression.erase();
    }
  });
  SmallVector<Type> types(func.getBody().front().getArgumentTypes());
  func.setFunctionType(LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types));
}

} // namespace heddle::device
