// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers, threads, control flow and positions of a kernel being written. Memory and regions are in
// Regions.cpp.
#include "lib/device/KernelBuilder.h"

#include "dialects/shape/SymbolicShape.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace heddle::device {

Value getBase(Value tensor) {
  while (auto reshape = tensor.getDefiningOp<kernel::ReshapeOp>())
    tensor = reshape.getInput();
  return tensor;
}

KernelBuilder::KernelBuilder(Operation *op, StringRef name, int64_t threads)
    : b(op->getContext()), loc(op->getLoc()), threads(threads), op(op) {
  // Captured tensors, in order of first use, decide the pointer parameters.
  op->walk([&](kernel::LoadOp load) {
    Value base = getBase(load.getTensor());
    if (!op->isAncestor(base.getParentRegion()->getParentOp()) ||
        base.getParentRegion() == op->getParentRegion())
      if (!llvm::is_contained(inputs, base))
        inputs.push_back(base);
  });
  auto module = op->getParentOfType<ModuleOp>();
  b.setInsertionPointToEnd(module.getBody());
  auto pointerType = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {});
  func = LLVM::LLVMFuncOp::create(b, loc, name, type);
  func->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  func->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                b.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
  Block *entry = func.addEntryBlock(b);
  for (Value input : inputs)
    pointers[input] = entry->addArgument(pointerType, loc);
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    outputs.push_back(entry->addArgument(pointerType, loc));
  b.setInsertionPointToStart(entry);
}

Value KernelBuilder::index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
Value KernelBuilder::i32(int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 32); }

Value KernelBuilder::size(AffineExpr expr) {
  expr = shape::simplify(expr);
  if (auto value = shape::getConstant(expr))
    return index(*value);
  Value &known = sizes[expr];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    Block &entry = func.getBody().front();
    Value argument = entry.addArgument(b.getI32Type(), loc);
    scalars.push_back(expr);
    b.setInsertionPointToStart(&entry);
    known = arith::IndexCastOp::create(b, loc, b.getIndexType(), argument);
  }
  return known;
}

static std::optional<int64_t> constantOf(Value value) { return getConstantIntValue(value); }

Value KernelBuilder::add(Value x, Value y) {
  if (constantOf(x) == 0)
    return y;
  return constantOf(y) == 0 ? x : arith::AddIOp::create(b, loc, x, y).getResult();
}
Value KernelBuilder::sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
Value KernelBuilder::mul(Value x, Value y) {
  if (constantOf(x) == 1)
    return y;
  return constantOf(y) == 1 ? x : arith::MulIOp::create(b, loc, x, y).getResult();
}
Value KernelBuilder::div(Value x, Value y) {
  return constantOf(y) == 1 ? x : arith::DivUIOp::create(b, loc, x, y).getResult();
}
Value KernelBuilder::rem(Value x, Value y) {
  return constantOf(y) == 1 ? index(0) : arith::RemUIOp::create(b, loc, x, y).getResult();
}
Value KernelBuilder::less(Value x, Value y) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, y);
}
Value KernelBuilder::both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
Value KernelBuilder::minimum(Value x, Value y) { return arith::MinUIOp::create(b, loc, x, y); }
Value KernelBuilder::toInteger(Value value, Type type) {
  return arith::IndexCastUIOp::create(b, loc, type, value);
}

Value KernelBuilder::zero(Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

Value KernelBuilder::threadId() {
  Value id = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), id);
}

Value KernelBuilder::blockId(unsigned axis) {
  Type type = b.getI32Type();
  Value id = axis == 0   ? NVVM::BlockIdXOp::create(b, loc, type).getResult()
             : axis == 1 ? NVVM::BlockIdYOp::create(b, loc, type).getResult()
                         : NVVM::BlockIdZOp::create(b, loc, type).getResult();
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), id);
}

void KernelBuilder::barrier() { NVVM::Barrier0Op::create(b, loc); }

Value KernelBuilder::shuffleXor(Value value, int64_t mask) {
  Type type = value.getType();
  auto exchange = [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, loc, b.getI32Type(), i32(-1), word, i32(mask), i32(31),
                                NVVM::ShflKind::bfly, UnitAttr());
  };
  unsigned bits = type.isIndex() ? 32 : type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits);
  Value raw = type.isIndex()    ? toInteger(value, integer)
              : type == integer ? value
                                : arith::BitcastOp::create(b, loc, integer, value).getResult();
  Value result;
  if (bits == 64) {
    Value low = arith::TruncIOp::create(b, loc, b.getI32Type(), raw);
    Value shift = arith::ConstantIntOp::create(b, loc, 32, 64);
    Value high =
        arith::TruncIOp::create(b, loc, b.getI32Type(), arith::ShRUIOp::create(b, loc, raw, shift));
    low = arith::ExtUIOp::create(b, loc, integer, exchange(low));
    high = arith::ExtUIOp::create(b, loc, integer, exchange(high));
    result = arith::OrIOp::create(b, loc, low, arith::ShLIOp::create(b, loc, high, shift));
  } else {
    Value word = bits < 32 ? arith::ExtUIOp::create(b, loc, b.getI32Type(), raw).getResult() : raw;
    result = exchange(word);
    if (bits < 32)
      result = arith::TruncIOp::create(b, loc, integer, result);
  }
  if (type.isIndex())
    return arith::IndexCastUIOp::create(b, loc, type, result);
  return type == integer ? result : arith::BitcastOp::create(b, loc, type, result).getResult();
}

void KernelBuilder::when(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

Value KernelBuilder::guarded(Value condition, Type type, function_ref<Value()> body,
                             Value otherwise) {
  auto branch = scf::IfOp::create(b, loc, TypeRange(type), condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, body());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, otherwise);
  return branch.getResult(0);
}

Values KernelBuilder::loop(Value from, Value to, Value step, ArrayRef<Value> state,
                           function_ref<Values(Value, ArrayRef<Value>)> body) {
  auto loop = scf::ForOp::create(b, loc, from, to, step, ValueRange(state));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values arguments(loop.getRegionIterArgs());
  Values next = body(loop.getInductionVar(), arguments);
  if (!state.empty())
    scf::YieldOp::create(b, loc, next);
  return Values(loop.getResults());
}

Values KernelBuilder::delinearize(Value linear, ArrayRef<AffineExpr> dims) {
  Values at(dims.size());
  Value rest = linear;
  // The first axis that is not of size 1 takes what is left, without a remainder.
  size_t first = 0;
  while (first < dims.size() && shape::getConstant(dims[first]) == 1)
    at[first++] = index(0);
  for (size_t i = dims.size(); i-- > first;) {
    if (i == first) {
      at[i] = rest;
    } else if (shape::getConstant(dims[i]) == 1) {
      at[i] = index(0);
    } else {
      Value extent = size(dims[i]);
      at[i] = rem(rest, extent);
      rest = div(rest, extent);
    }
  }
  return at;
}

Value KernelBuilder::linearize(ArrayRef<Value> at, ArrayRef<AffineExpr> dims) {
  Value result = index(0);
  for (auto [i, coordinate] : llvm::enumerate(at)) {
    if (shape::getConstant(dims[i]) == 1)
      continue;
    result = constantOf(result) == 0 ? coordinate : add(mul(result, size(dims[i])), coordinate);
  }
  return result;
}

} // namespace heddle::device
