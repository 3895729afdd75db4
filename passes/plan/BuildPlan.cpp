// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the host program of a module whose kernels are code. Every tensor becomes a buffer; which
// tensors are one buffer (a reshape and its input) and which launch writes an output of the model
// in place is decided here, so that neither the artifact nor the runtime has to.
#include "dialects/kernel/Kernel.h"
#include "dialects/shape/SymbolicShape.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/plan/Checks.h"
#include "passes/plan/Passes.h"

using namespace mlir;

namespace heddle::plan {
#define GEN_PASS_DEF_BUILDPLAN
#include "passes/plan/Passes.h.inc"

namespace {
class PlanBuilder {
public:
  PlanBuilder(ModuleOp module, func::FuncOp main)
      : module(module), main(main), bufferType(BufferType::get(module.getContext())),
        builder(module.getContext()), buffers(builder), steps(builder), checks(builder, module) {}
  LogicalResult run();

private:
  void createInputs();
  void createOutputs();
  LogicalResult build(Operation *op);
  LogicalResult buildLaunch(kernel::LaunchOp launch);
  Value getWeight(kernel::WeightOp weight);
  Value createTemporary(Location loc, RankedTensorType type);
  /// The buffer that a kernel's result is written to: an output of the model, or a temporary.
  Value getDestination(Value result);
  void copyOutputs();
  void checkFixedInputs();
  AffineMapAttr getBytes(RankedTensorType type);

  ModuleOp module;
  func::FuncOp main;
  BufferType bufferType;
  OpBuilder builder; // checks stand before all other steps
  OpBuilder buffers, steps;
  Checks checks;
  llvm::DenseMap<Value, Value> bufferOf;
  llvm::DenseMap<Attribute, Value> weights;
  /// Tensors that a launch writes straight into an output's buffer.
  llvm::DenseMap<Value, unsigned> writesOutput;
  SmallVector<Value> outputs;
};
} // namespace

/// The tensor whose elements these are.
static Value getRoot(Value value) {
  while (auto reshape = value.getDefiningOp<kernel::ReshapeOp>())
    value = reshape.getInput();
  return value;
}

/// Bits of an element in memory: a bool has a byte, others are packed.
static int64_t getStoredBits(Type element) {
  return element.isInteger(1) ? 8 : element.getIntOrFloatBitWidth();
}

AffineMapAttr PlanBuilder::getBytes(RankedTensorType type) {
  MLIRContext *context = type.getContext();
  AffineExpr count = shape::product(shape::getDims(type), context);
  int64_t bits = getStoredBits(type.getElementType());
  AffineExpr bytes = bits >= 8 ? count * (bits / 8) : count.ceilDiv(8 / bits);
  return AffineMapAttr::get(shape::getMap({shape::simplify(bytes)}, context));
}

static StringAttr getName(MLIRContext *context, DictionaryAttr attributes, StringRef fallback,
                          unsigned position) {
  if (attributes)
    if (auto name = attributes.getAs<StringAttr>("graph.name"))
      return name;
  return StringAttr::get(context, fallback + std::to_string(position));
}

void PlanBuilder::createInputs() {
  for (BlockArgument argument : main.getArguments()) {
    unsigned position = argument.getArgNumber();
    StringAttr name = getName(main.getContext(), main.getArgAttrDict(position), "input", position);
    bufferOf[argument] = InputOp::create(buffers, argument.getLoc(), bufferType, name,
                                         TypeAttr::get(argument.getType()));
  }
}

void PlanBuilder::createOutputs() {
  auto terminator = cast<func::ReturnOp>(main.getBody().front().getTerminator());
  for (auto [i, value] : llvm::enumerate(terminator.getOperands())) {
    StringAttr name = getName(main.getContext(), main.getResultAttrDict(i), "output", i);
    outputs.push_back(OutputOp::create(buffers, value.getLoc(), bufferType, name,
                                       TypeAttr::get(value.getType())));
    Value root = getRoot(value);
    if (isa_and_nonnull<kernel::LaunchOp, kernel::HostValuesOp>(root.getDefiningOp()))
      writesOutput.try_emplace(root, i);
  }
}

Value PlanBuilder::createTemporary(Location loc, RankedTensorType type) {
  return TemporaryOp::create(buffers, loc, bufferType, getBytes(type));
}

Value PlanBuilder::getDestination(Value result) {
  auto output = writesOutput.find(result);
  if (output != writesOutput.end())
    return outputs[output->second];
  return createTemporary(result.getLoc(), cast<RankedTensorType>(result.getType()));
}

Value PlanBuilder::getWeight(kernel::WeightOp weight) {
  Value &buffer = weights[weight.getValue()];
  if (!buffer)
    buffer = WeightOp::create(buffers, weight.getLoc(), bufferType, weight.getValue());
  return buffer;
}

LogicalResult PlanBuilder::buildLaunch(kernel::LaunchOp launch) {
  SmallVector<Value> reads, writes;
  bool ok = true;
  for (Value input : launch.getInputs()) {
    reads.push_back(bufferOf.lookup(input));
    ok &= succeeded(
        checks.requireIndexable(launch.getLoc(), cast<RankedTensorType>(input.getType())));
  }
  for (Value output : launch.getOutputs()) {
    Value buffer = getDestination(output);
    bufferOf[output] = buffer;
    writes.push_back(buffer);
    ok &= succeeded(
        checks.requireIndexable(launch.getLoc(), cast<RankedTensorType>(output.getType())));
  }
  LaunchOp::create(steps, launch.getLoc(), launch.getCalleeAttr(), launch.getGridAttr(),
                   launch.getBlockAttr(), launch.getSharedAttr(), launch.getScalarsAttr(), reads,
                   writes);
  return success(ok);
}

LogicalResult PlanBuilder::build(Operation *op) {
  if (isa<func::ReturnOp>(op))
    return success();
  if (auto weight = dyn_cast<kernel::WeightOp>(op)) {
    bufferOf[weight.getOutput()] = getWeight(weight);
    return success();
  }
  if (auto reshape = dyn_cast<kernel::ReshapeOp>(op)) {
    bufferOf[reshape.getOutput()] = bufferOf.lookup(reshape.getInput());
    return checks.requireSameElementCount(op->getLoc(),
                                          cast<RankedTensorType>(reshape.getInput().getType()),
                                          cast<RankedTensorType>(reshape.getOutput().getType()));
  }
  if (auto values = dyn_cast<kernel::HostValuesOp>(op)) {
    auto type = cast<RankedTensorType>(values.getOutput().getType());
    Value buffer = getDestination(values.getOutput());
    bufferOf[values.getOutput()] = buffer;
    StoreOp::create(steps, op->getLoc(), buffer, values.getValuesAttr(),
                    TypeAttr::get(type.getElementType()));
    return success();
  }
  if (auto launch = dyn_cast<kernel::LaunchOp>(op))
    return buildLaunch(launch);
  return op->emitOpError("is no launch; run kernel-lower before plan-build");
}

void PlanBuilder::copyOutputs() {
  auto terminator = cast<func::ReturnOp>(main.getBody().front().getTerminator());
  for (auto [i, value] : llvm::enumerate(terminator.getOperands())) {
    auto direct = writesOutput.find(getRoot(value));
    if (direct != writesOutput.end() && direct->second == i)
      continue;
    CopyOp::create(steps, value.getLoc(), bufferOf.lookup(value), outputs[i],
                   getBytes(cast<RankedTensorType>(value.getType())));
  }
}

/// An input whose contents were known at compile time must have them at run time.
void PlanBuilder::checkFixedInputs() {
  shape::Symbols symbols(module);
  for (BlockArgument argument : main.getArguments()) {
    unsigned position = argument.getArgNumber();
    auto fixed = main.getArgAttrOfType<DenseIntElementsAttr>(position, "graph.value");
    if (!fixed)
      continue;
    StringAttr name = getName(main.getContext(), main.getArgAttrDict(position), "input", position);
    bool isUnsigned = fixed.getElementType().isUnsignedInteger();
    for (auto [i, element] : llvm::enumerate(fixed.getValues<APInt>())) {
      int64_t number = isUnsigned || element.getBitWidth() == 1 ? int64_t(element.getZExtValue())
                                                                : element.getSExtValue();
      checks.requireEqual(argument.getLoc(), symbols.inputElement(name.getValue(), position, i),
                          shape::constant(number, module.getContext()),
                          ("input '" + name.getValue() +
                           "' does not have the contents that it was compiled for; compile the "
                           "model for these")
                              .str());
    }
  }
}

LogicalResult PlanBuilder::run() {
  builder.setInsertionPoint(main);
  auto program = ProgramOp::create(builder, main.getLoc());
  Block &body = program.getBody().emplaceBlock();
  // Three places in one block: buffers, then checks, then the other steps. The marks keep them
  // apart while they grow.
  builder.setInsertionPointToEnd(&body);
  Operation *mark = CheckOp::create(builder, main.getLoc(), CheckKind::Equal,
                                    shape::getMap({shape::constant(0, module.getContext()),
                                                   shape::constant(0, module.getContext())},
                                                  module.getContext()),
                                    "");
  Operation *second = mark->clone();
  builder.insert(second);
  buffers.setInsertionPoint(mark);
  builder.setInsertionPoint(second);
  steps.setInsertionPointToEnd(&body);

  createInputs();
  createOutputs();
  checkFixedInputs();
  bool ok = true;
  for (Operation &op : main.getBody().front())
    ok &= succeeded(build(&op));
  if (!ok)
    return failure();
  copyOutputs();
  mark->erase();
  second->erase();
  main.erase();
  return success();
}

LogicalResult buildPlan(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal() || !main.getBody().hasOneBlock())
    return module.emitError("module has no function 'main' of one block to build a plan from");
  return PlanBuilder(module, main).run();
}

namespace {
struct BuildPlan : impl::BuildPlanBase<BuildPlan> {
  void runOnOperation() override {
    if (failed(buildPlan(getOperation())))
      signalPassFailure();
  }
};
} // namespace

} // namespace heddle::plan
