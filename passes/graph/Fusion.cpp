// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions and edits shared by the fusion passes. See the header.
#include "passes/graph/Fusion.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace heddle::graph::fusion {

//===----------------------------------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------------------------------===//

static void collect(Value value, Readers &readers) {
  for (Operation *user : value.getUsers()) {
    if (auto load = dyn_cast<kernel::LoadOp>(user))
      readers.loads.push_back(load);
    // The plan checks a reshape that may not fit, so it must stay.
    else if (auto reshape = dyn_cast<kernel::ReshapeOp>(user);
             reshape &&
             shape::haveEqualCounts(cast<RankedTensorType>(reshape.getInput().getType()),
                                    cast<RankedTensorType>(reshape.getOutput().getType())))
      collect(reshape.getOutput(), readers);
    else
      readers.other = user;
  }
}

Readers Readers::of(Operation *producer) {
  Readers readers;
  for (Value result : producer->getResults())
    collect(result, readers);
  return readers;
}

Operation *getKernel(Operation *inner) {
  for (Operation *op = inner->getParentOp(); op; op = op->getParentOp())
    if (isa<kernel::MapOp, kernel::ReduceOp, kernel::RowsOp, kernel::ContractOp>(op))
      return op;
  return nullptr;
}

Operation *getOnlyKernel(ArrayRef<kernel::LoadOp> loads) {
  Operation *only = nullptr;
  for (kernel::LoadOp load : loads) {
    Operation *kernel = getKernel(load);
    if (only && kernel != only)
      return nullptr;
    only = kernel;
  }
  return only;
}

Value getSource(kernel::LoadOp load) {
  Value tensor = load.getTensor();
  while (auto reshape = tensor.getDefiningOp<kernel::ReshapeOp>())
    tensor = reshape.getInput();
  return tensor;
}

bool hasFold(Operation *kernel) {
  return kernel->walk([](kernel::FoldOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

static int64_t getCost(Operation &op) {
  if (isa<kernel::LoadOp>(op))
    return 1;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return 1 + std::max(getCost(branch.getThenRegion()), getCost(branch.getElseRegion()));
  if (isa<math::AbsFOp, math::FloorOp, math::CeilOp, math::RoundEvenOp>(op))
    return 1;
  if (isa<math::SqrtOp, arith::DivFOp>(op))
    return 4;
  if (isa<math::MathDialect>(op.getDialect()))
    return 16;
  bool isIndex = op.getNumResults() == 1 && op.getResult(0).getType().isIndex();
  if (isa<arith::ConstantOp, kernel::SizeOp>(op) || isIndex || op.hasTrait<OpTrait::IsTerminator>())
    return 0;
  return 1;
}

int64_t getCost(Region &region) {
  int64_t cost = 0;
  for (Block &block : region)
    for (Operation &op : block)
      cost += getCost(op);
  return cost;
}

bool isPlainMovement(kernel::MapOp map) {
  int64_t loads = 0;
  for (Operation &op : map.getBody().front()) {
    bool isIndex = op.getNumResults() == 1 && op.getResult(0).getType().isIndex();
    bool isCheck = isa<arith::CmpIOp>(op);
    if (isa<kernel::LoadOp>(op))
      ++loads;
    else if (!isIndex && !isCheck && !isa<kernel::YieldOp, arith::ConstantOp>(op))
      return false;
  }
  return loads <= 1;
}

bool isIdentity(kernel::LoadOp load, kernel::MapOp map) {
  if (getKernel(load) != map)
    return false;
  Dims read = shape::getDims(cast<RankedTensorType>(load.getTensor().getType()));
  Dims made = shape::getDims(cast<RankedTensorType>(map.getResult(0).getType()));
  if (read.size() != made.size())
    return false;
  for (auto [axis, coordinate] : llvm::enumerate(load.getCoordinates())) {
    if (!shape::provablyEqual(read[axis], made[axis]))
      return false;
    bool isOwn = coordinate == map.getBody().getArgument(axis);
    bool isOnly = shape::getConstant(made[axis]) == 1 && matchPattern(coordinate, m_Zero());
    if (!isOwn && !isOnly)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------------------------------===//
// Edits
//===----------------------------------------------------------------------------------------------===//

/// Loads nested in branches are replaced in the copy.
static void replaceNested(Operation *original, Operation *copy,
                          const DenseMap<Operation *, Value> &known) {
  SmallVector<std::pair<Operation *, Value>> edits;
  SmallVector<Operation *> from, to;
  original->walk([&](Operation *op) { from.push_back(op); });
  copy->walk([&](Operation *op) { to.push_back(op); });
  for (auto [a, b] : llvm::zip_equal(from, to))
    if (Value value = known.lookup(a))
      edits.push_back({b, value});
  for (auto [op, value] : edits) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
}

SmallVector<Value> inlineBlock(OpBuilder &builder, Block &block, ValueRange arguments,
                               const DenseMap<Operation *, Value> &known) {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator()) {
    if (Value value = known.lookup(&op)) {
      mapping.map(op.getResult(0), value);
      continue;
    }
    Operation *copy = builder.clone(op, mapping);
    if (copy->getNumRegions() > 0) {
      replaceNested(&op, copy, known);
      continue;
    }
    SmallVector<Value> folded;
    if (succeeded(builder.tryFold(copy, folded)) && folded.size() == copy->getNumResults()) {
      mapping.map(op.getResults(), folded);
      copy->erase();
    }
  }
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

void eraseWithReshapes(Operation *kernel) {
  for (Operation *user : llvm::make_early_inc_range(kernel->getUsers()))
    eraseWithReshapes(user);
  assert(kernel->use_empty() && "only reshapes that nothing reads are left");
  kernel->erase();
}

void cleanUp(Operation *root) {
  SmallVector<Block *> blocks;
  root->walk([&](Block *block) {
    Operation *parent = block->getParentOp();
    if (parent != root && (isa<kernel::KernelDialect>(parent->getDialect()) || getKernel(parent)))
      return;
    blocks.push_back(block);
  });
  for (Block *block : blocks)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (op.getNumResults() > 0 && isOpTriviallyDead(&op))
        op.erase();
  IRRewriter rewriter(root->getContext());
  DominanceInfo dominance(root);
  eliminateCommonSubExpressions(rewriter, dominance, root);
}

void remarkMissed(Operation *op, StringRef pass, const Twine &reason) {
  remark::missed(op->getLoc(), remark::RemarkOpts::name("NotFused").category(pass))
      << remark::reason("{0}", reason.str());
}

} // namespace heddle::graph::fusion
