// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives every value its type, one walk from inputs to outputs. What decides shapes is computed on
// the host on the way: an op whose contents follow from sizes and integer inputs becomes a constant
// or a graph.symbolic_constant, so that later passes see only that.
#include "dialects/graph/ops/ShapeRules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "passes/graph/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace heddle::graph {

#define GEN_PASS_DEF_INFERSHAPES
#include "passes/graph/Passes.h.inc"

using namespace mlir;

namespace {
class ShapeInference {
public:
  explicit ShapeInference(ModuleOp module) : symbols(module) {}

  LogicalResult run(func::FuncOp function);

private:
  LogicalResult visit(Operation *op);
  void bindInputElements(func::FuncOp function);
  Value createHostValue(OpBuilder &builder, Location loc, RankedTensorType type,
                        const Dims &values);
  void replaceByHostValue(Operation *op, const Dims &values);

  shape::Symbols symbols;
  HostValues host;
};
} // namespace

static bool hasTypes(ValueRange values) {
  return llvm::all_of(values.getTypes(), llvm::IsaPred<RankedTensorType>);
}

static LogicalResult fillRankedType(Operation *op, ArrayRef<RankedTensorType> types) {
  if (types.size() != op->getNumResults())
    return emitError(op->getLoc()) << "operator has " << op->getNumResults()
                                   << " results, its shape rule gives " << types.size();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(type);
  return success();
}

Value ShapeInference::createHostValue(OpBuilder &builder, Location loc, RankedTensorType type,
                                      const Dims &values) {
  SmallVector<APInt> numbers;
  unsigned bits = type.getElementTypeBitWidth();
  for (AffineExpr expr : values)
    if (auto number = shape::getConstant(expr))
      numbers.push_back(APInt(bits, uint64_t(*number), /*isSigned=*/false, /*implicitTrunc=*/true));
  Value value;
  if (numbers.size() == values.size())
    value = ConstantOp::create(builder, loc, ElementsAttr(DenseElementsAttr::get(type, numbers)));
  else
    value = SymbolicConstantOp::create(
        builder, loc, type, AffineMapAttr::get(shape::getMap(values, builder.getContext())));
  host[value] = values;
  return value;
}

void ShapeInference::replaceByHostValue(Operation *op, const Dims &values) {
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  op->getResult(0).replaceAllUsesWith(createHostValue(builder, op->getLoc(), type, values));
  // The key must not outlive the value: a new one may get its address.
  host.erase(op->getResult(0));
  op->erase();
}

/// Integer inputs that shapes follow from, directly or through ops that the host folds.
static SetVector<BlockArgument> findShapeInputs(func::FuncOp function, shape::Symbols &symbols,
                                                HostValues &host) {
  SetVector<Value> reached;
  for (Operation &op : function.getBody().front()) {
    OpShape shape(&op, symbols, host);
    for (unsigned group : getShapeOperands(op.getName().stripDialect()))
      if (Value value = shape.in(group))
        reached.insert(value);
  }
  SetVector<BlockArgument> inputs;
  for (size_t i = 0; i < reached.size(); ++i) {
    if (auto argument = dyn_cast<BlockArgument>(reached[i]))
      inputs.insert(argument);
    else if (Operation *op = reached[i].getDefiningOp();
             isHostFoldable(op->getName().stripDialect()))
      reached.insert(op->operand_begin(), op->operand_end());
  }
  return inputs;
}

/// Such inputs are read on the host when shapes are bound; the ops that read them read a host value
/// instead.
void ShapeInference::bindInputElements(func::FuncOp function) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  for (BlockArgument argument : findShapeInputs(function, symbols, host)) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !type.hasStaticShape() || !isa<IntegerType>(type.getElementType()) ||
        type.getNumElements() > kMaxHostElems)
      continue;
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "graph.name");
    Dims elements;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      elements.push_back(
          symbols.inputElement(name ? name.getValue() : "", argument.getArgNumber(), i));
    Value value = createHostValue(builder, argument.getLoc(), type, elements);
    argument.replaceUsesWithIf(value,
                               [](OpOperand &use) { return !isa<func::ReturnOp>(use.getOwner()); });
  }
}

LogicalResult ShapeInference::visit(Operation *op) {
  if (auto constant = dyn_cast<SymbolicConstantOp>(op)) {
    host[constant.getResult()] = Dims(constant.getValues().getResults());
    return success();
  }
  if (op->getName().getDialectNamespace() != "graph" || isa<ConstantOp>(op))
    return success();
  StringRef mnemonic = op->getName().stripDialect();
  // The operand's own op has failed and is reported.
  if (!hasTypes(op->getOperands()))
    return failure();
  auto rule = getShapeRules().find(mnemonic);
  OpShape shape(op, symbols, host);
  if (rule == getShapeRules().end())
    return shape.unsupported("no shape rule for this operator");
  if (failed(rule->second(shape)) || failed(fillRankedType(op, shape.results)))
    return failure();
  auto known = op->getNumResults() == 1 ? host.find(op->getResult(0)) : host.end();
  std::optional<Dims> values =
      known != host.end() ? std::optional(known->second) : foldHostValues(shape);
  if (values && int64_t(values->size()) == shape.results[0].getNumElements()) {
    replaceByHostValue(op, *values);
  } else if (DenseElementsAttr numbers = foldNumbers(shape)) {
    OpBuilder builder(op);
    auto constant = ConstantOp::create(builder, op->getLoc(), ElementsAttr(numbers));
    op->getResult(0).replaceAllUsesWith(constant);
    op->erase();
  }
  return success();
}

LogicalResult ShapeInference::run(func::FuncOp function) {
  bool ok = true;
  bindInputElements(function);
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
    ok &= succeeded(visit(&op));
  Operation *terminator = function.getBody().front().getTerminator();
  function.setType(FunctionType::get(function.getContext(), function.getArgumentTypes(),
                                     terminator->getOperandTypes()));
  return success(ok);
}

LogicalResult inferShapes(ModuleOp module) {
  ShapeInference inference(module);
  bool ok = true;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      ok &= succeeded(inference.run(function));
  return success(ok);
}

namespace {
struct InferShapes : impl::InferShapesBase<InferShapes> {
  void runOnOperation() override {
    if (failed(inferShapes(getOperation())))
      signalPassFailure();
  }
};
} // namespace

} // namespace heddle::graph
