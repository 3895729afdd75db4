// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a plan once and writes it down as plain data.
#include "lib/compiler/MakeVariant.h"

#include "dialects/plan/Plan.h"
#include "lib/compiler/ElementBytes.h"
#include "lib/compiler/ExprPool.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace heddle::compiler {

namespace {
class VariantBuilder {
public:
  VariantBuilder(ModuleOp module, artifact::ArtifactData &owner)
      : module(module), owner(owner), pool(variant.exprs) {}

  Result<artifact::Variant> run(plan::ProgramOp program) {
    for (Operation &op : program.getBody().front())
      HEDDLE_TRY(declare(&op));
    variant.symbols = makeSymbols(module, pool, variant.inputs);
    for (Operation &op : program.getBody().front())
      HEDDLE_TRY(addStep(&op));
    return std::move(variant);
  }

private:
  Status declare(Operation *op);
  Status addStep(Operation *op);
  Result<artifact::Value> makeValue(StringRef name, Type type);
  artifact::BufferId addBuffer(mlir::Value value, artifact::Buffer buffer);
  /// The buffer as an operand of the step that comes next; extends a temporary's life to it.
  artifact::BufferId use(mlir::Value value);
  uint32_t getKernel(plan::LaunchOp launch);
  artifact::Launch makeLaunch(plan::LaunchOp launch);
  artifact::Check makeCheck(plan::CheckOp check);

  ModuleOp module;
  artifact::ArtifactData &owner;
  artifact::Variant variant;
  ExprPool pool;
  llvm::DenseMap<mlir::Value, artifact::BufferId> buffers;
  llvm::StringMap<uint32_t> kernels;
};
} // namespace

artifact::BufferId VariantBuilder::addBuffer(mlir::Value value, artifact::Buffer buffer) {
  auto id = static_cast<artifact::BufferId>(variant.buffers.size());
  variant.buffers.push_back(buffer);
  buffers[value] = id;
  return id;
}

Result<artifact::Value> VariantBuilder::makeValue(StringRef name, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::optional<DType> dtype = getDType(tensor.getElementType());
  if (!dtype)
    return unsupported("'" + name.str() + "' has an element type that no device holds");
  artifact::Value value;
  value.name = name.str();
  value.dtype = *dtype;
  for (AffineExpr dim : shape::getDims(tensor))
    value.dims.push_back(pool.add(dim));
  return value;
}

/// The bytes of a value, as its dtype packs them.
static artifact::ExprId makeBytes(ExprPool &pool, const artifact::Value &value) {
  artifact::ExprId count = pool.constant(1);
  for (artifact::ExprId dim : value.dims)
    count = count == pool.constant(1) ? dim : pool.node(artifact::ExprKind::kMul, count, dim);
  unsigned width = bits(value.dtype);
  if (width < 8)
    return pool.node(artifact::ExprKind::kCeilDiv, count, pool.constant(8 / width));
  return pool.node(artifact::ExprKind::kMul, count, pool.constant(width / 8));
}

Status VariantBuilder::declare(Operation *op) {
  if (auto input = dyn_cast<plan::InputOp>(op)) {
    HEDDLE_TRY_ASSIGN(artifact::Value value, makeValue(input.getName(), input.getType()));
    value.buffer = addBuffer(
        input.getBuffer(), {.kind = artifact::BufferKind::kInput, .size = makeBytes(pool, value)});
    variant.inputs.push_back(std::move(value));
  } else if (auto output = dyn_cast<plan::OutputOp>(op)) {
    HEDDLE_TRY_ASSIGN(artifact::Value value, makeValue(output.getName(), output.getType()));
    value.buffer = addBuffer(output.getBuffer(), {.kind = artifact::BufferKind::kOutput,
                                                  .size = makeBytes(pool, value)});
    variant.outputs.push_back(std::move(value));
  } else if (auto weight = dyn_cast<plan::WeightOp>(op)) {
    HEDDLE_TRY_ASSIGN(artifact::Bytes bytes, getBytes(weight.getValue(), owner));
    addBuffer(weight.getBuffer(), {.kind = artifact::BufferKind::kWeight,
                                   .size = pool.constant(static_cast<int64_t>(bytes.size())),
                                   .weight = bytes});
  } else if (auto temporary = dyn_cast<plan::TemporaryOp>(op)) {
    addBuffer(temporary.getBuffer(), {.kind = artifact::BufferKind::kTemporary,
                                      .size = pool.add(temporary.getBytes().getResult(0))});
  }
  return Status::success();
}

artifact::BufferId VariantBuilder::use(mlir::Value value) {
  artifact::BufferId id = buffers.lookup(value);
  artifact::Buffer &buffer = variant.buffers[id];
  auto step = static_cast<uint32_t>(variant.steps.size());
  if (buffer.kind == artifact::BufferKind::kTemporary) {
    if (buffer.last == 0)
      buffer.first = step;
    buffer.last = step + 1;
  }
  return id;
}

/// The nodes of the model that a kernel computes: "Conv_0, Relu_1".
static std::string describeNodes(Location loc) {
  std::string names;
  llvm::StringSet<> seen;
  loc->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      if (!name.getName().empty() && seen.insert(name.getName()).second)
        names += (names.empty() ? "" : ", ") + name.getName().str();
    return WalkResult::advance();
  });
  constexpr size_t kMaxDescriptionBytes = 200;
  if (names.size() > kMaxDescriptionBytes)
    names = names.substr(0, kMaxDescriptionBytes) + "...";
  return names;
}

uint32_t VariantBuilder::getKernel(plan::LaunchOp launch) {
  auto [entry, isNew] = kernels.try_emplace(launch.getCallee(), variant.kernels.size());
  if (isNew)
    variant.kernels.push_back(
        {.name = launch.getCallee().str(), .op = describeNodes(launch.getLoc())});
  return entry->second;
}

artifact::Launch VariantBuilder::makeLaunch(plan::LaunchOp launch) {
  artifact::Launch step;
  step.kernel = getKernel(launch);
  for (auto [i, expr] : llvm::enumerate(launch.getGrid().getResults()))
    step.grid[i] = pool.add(expr);
  for (auto [i, size] : llvm::enumerate(launch.getBlock()))
    step.block[i] = static_cast<uint32_t>(size);
  step.sharedBytes = static_cast<uint32_t>(launch.getShared());
  for (ValueRange operands : {ValueRange(launch.getReads()), ValueRange(launch.getWrites())})
    for (mlir::Value operand : operands)
      step.args.push_back({.kind = artifact::ArgKind::kPointer, .buffer = use(operand)});
  for (artifact::ExprId scalar : pool.add(launch.getScalars()))
    step.args.push_back({.kind = artifact::ArgKind::kInt32, .expr = scalar});
  return step;
}

artifact::Check VariantBuilder::makeCheck(plan::CheckOp check) {
  std::vector<artifact::ExprId> numbers = pool.add(check.getNumbers());
  auto kind = check.getKind() == plan::CheckKind::Equal ? artifact::ExprKind::kEqual
                                                        : artifact::ExprKind::kLess;
  return {.condition = pool.node(kind, numbers[0], numbers[1]),
          .message = check.getMessage().str(),
          .values = numbers};
}

Status VariantBuilder::addStep(Operation *op) {
  if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
    variant.steps.push_back(makeLaunch(launch));
  } else if (auto copy = dyn_cast<plan::CopyOp>(op)) {
    variant.steps.push_back(artifact::Copy{.dst = use(copy.getDestination()),
                                           .src = use(copy.getSource()),
                                           .size = pool.add(copy.getBytes().getResult(0))});
  } else if (auto store = dyn_cast<plan::StoreOp>(op)) {
    std::optional<DType> dtype = getDType(store.getElementType());
    if (!dtype)
      return unsupported("host values have an element type that no device holds");
    variant.steps.push_back(artifact::Store{.dst = use(store.getDestination()),
                                            .dtype = *dtype,
                                            .values = pool.add(store.getValues())});
  } else if (auto check = dyn_cast<plan::CheckOp>(op)) {
    variant.steps.push_back(makeCheck(check));
  }
  return Status::success();
}

Result<artifact::Variant> makeVariant(ModuleOp module, artifact::ArtifactData &owner) {
  auto programs = module.getOps<plan::ProgramOp>();
  if (programs.empty())
    return invalidArgument("the module has no plan.program");
  return VariantBuilder(module, owner).run(*programs.begin());
}

} // namespace heddle::compiler
