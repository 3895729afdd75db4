// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Appends a map to the kernel whose result it reads element by element: a bias, an activation or a
// residual becomes the end of a contraction, a norm, a reduction or a pool. Values keep every
// rounding, so the result is the same bit for bit.
#include "passes/graph/Fusion.h"
#include "passes/graph/Passes.h"
#include "passes/graph/form/Node.h"

namespace heddle::graph {

#define GEN_PASS_DEF_FUSEEPILOGUE
#include "passes/graph/Passes.h.inc"

using namespace mlir;
using namespace fusion;

using Known = DenseMap<Operation *, Value>;

static RankedTensorType firstType(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

/// What the producer's results are worth at each load of the map.
static Known mapLoads(ArrayRef<kernel::LoadOp> loads, ValueRange yielded) {
  Known known;
  for (kernel::LoadOp load : loads)
    known[load] = yielded[cast<OpResult>(getSource(load)).getResultNumber()];
  return known;
}

namespace {

/// A producer, the map that is appended to it, and the map's loads of its results.
struct Pair {
  Operation *producer;
  kernel::MapOp map;
  SmallVector<kernel::LoadOp> loads;
};

} // namespace

/// Replaces both ops by the fused one.
static Operation *finish(Pair pair, Operation *fused) {
  pair.map->replaceAllUsesWith(fused->getResults());
  pair.map->erase();
  eraseWithReshapes(pair.producer);
  return fused;
}

/// Coordinates of the fused contraction's results.
static AffineMap composeCoordinates(kernel::ContractOp contract, RankedTensorType target) {
  MLIRContext *context = contract.getContext();
  Dims from = shape::getDims(firstType(contract)), to = shape::getDims(target);
  if (from == to)
    return contract.getCoordinates();
  ArrayRef<AffineExpr> old = contract.getCoordinates().getResults();
  Dims composed;
  for (AffineExpr expr : mapThroughReshape(from, to, context))
    composed.push_back(expr.replaceDims(old));
  unsigned symbols = form::countSymbols(composed);
  return simplifyAffineMap(AffineMap::get(3, symbols, composed, context));
}

static Operation *fuseContract(Pair pair) {
  auto contract = cast<kernel::ContractOp>(pair.producer);
  Location loc = pair.map.getLoc();
  OpBuilder builder(pair.map);
  AffineMap coordinates = composeCoordinates(contract, firstType(pair.map));
  auto fused = kernel::ContractOp::create(builder, loc, pair.map.getResultTypes(),
                                          contract.getSizes(), coordinates, contract.getMath());
  builder.setInsertionPoint(fused);
  fused.getLhs().takeBody(contract.getLhs());
  fused.getRhs().takeBody(contract.getRhs());
  Block &old = contract.getEpilogue().front();
  Block &block = fused.getEpilogue().emplaceBlock();
  for (BlockArgument argument : old.getArguments())
    block.addArgument(argument.getType(), argument.getLoc());
  form::Body body(OpBuilder::atBlockEnd(&block), loc);
  Known known = mapLoads(pair.loads, inlineBlock(body.builder, old, block.getArguments(), Known()));
  SmallVector<form::Scalar> bmn = body.wrapIndices(block.getArguments().take_front(3));
  // Other tensors of the map's shape are read as [B, M, N], which needs no division.
  ArrayRef<AffineExpr> sizes = contract.getSizes().getResults().take_front(3);
  for (auto load : pair.map.getBody().front().getOps<kernel::LoadOp>())
    if (!known.contains(load) && isIdentity(load, pair.map)) {
      Value flat = form::createReshape(builder, loc, load.getTensor(), sizes);
      known[load] = body.load(flat, bmn).value;
    }
  SmallVector<Value> at = llvm::map_to_vector(
      coordinates.getResults(), [&](AffineExpr e) { return body.evaluate(e, bmn).value; });
  SmallVector<Value> results = inlineBlock(body.builder, pair.map.getBody().front(), at, known);
  kernel::YieldOp::create(body.builder, loc, results);
  return finish(pair, fused);
}

static Operation *fuseRows(Pair pair) {
  auto rows = cast<kernel::RowsOp>(pair.producer);
  Location loc = pair.map.getLoc();
  OpBuilder builder(pair.map);
  auto fused = kernel::RowsOp::create(builder, loc, pair.map.getResultTypes(), rows.getAxes());
  fused.getBody().takeBody(rows.getBody());
  Block &outer = fused.getBody().front();
  Block &inner = cast<kernel::ElementsOp>(outer.getTerminator()).getBody().front();
  auto yield = cast<kernel::YieldOp>(inner.getTerminator());
  builder.setInsertionPoint(yield);
  SmallVector<Value> at;
  for (int64_t axis = 0, o = 0, i = 0; axis < firstType(fused).getRank(); ++axis)
    at.push_back(llvm::is_contained(fused.getAxes(), axis) ? inner.getArgument(i++)
                                                           : outer.getArgument(o++));
  Known known = mapLoads(pair.loads, yield.getValues());
  SmallVector<Value> results = inlineBlock(builder, pair.map.getBody().front(), at, known);
  kernel::YieldOp::create(builder, loc, results);
  yield.erase();
  return finish(pair, fused);
}

/// A reduction or a map with folds: its region runs at the map's coordinates.
template <typename Op> static Operation *fusePointwise(Pair pair) {
  auto producer = cast<Op>(pair.producer);
  MLIRContext *context = producer.getContext();
  Location loc = pair.map.getLoc();
  OpBuilder builder(pair.map);
  auto fused = Op::create(builder, loc, pair.map.getResultTypes());
  Block &block = fused.getBody().emplaceBlock();
  for (int64_t i = 0; i < firstType(fused).getRank(); ++i)
    block.addArgument(builder.getIndexType(), loc);
  form::Body body(OpBuilder::atBlockEnd(&block), loc);
  SmallVector<form::Scalar> own = body.wrapIndices(block.getArguments());
  Dims made = shape::getDims(firstType(fused)), read = shape::getDims(firstType(producer));
  SmallVector<Value> at(block.getArguments().begin(), block.getArguments().end());
  if (made != read)
    at = llvm::map_to_vector(mapThroughReshape(made, read, context),
                             [&](AffineExpr e) { return body.evaluate(e, own).value; });
  Known known =
      mapLoads(pair.loads, inlineBlock(body.builder, producer.getBody().front(), at, Known()));
  SmallVector<Value> results =
      inlineBlock(body.builder, pair.map.getBody().front(), block.getArguments(), known);
  kernel::YieldOp::create(body.builder, loc, results);
  return finish(pair, fused);
}

static bool canEnd(Operation *op) {
  return isa<kernel::ContractOp, kernel::RowsOp, kernel::ReduceOp>(op) ||
         (isa<kernel::MapOp>(op) && hasFold(op));
}

/// The map that may be appended to a kernel; null, with the reason, if there is none.
static kernel::MapOp findMap(Operation *producer, const Readers &readers, std::string &reason) {
  if (readers.loads.empty() && !readers.other)
    return {};
  if (readers.other) {
    // A result of the model ends the chain; that is no missed fusion.
    if (!readers.other->hasTrait<OpTrait::IsTerminator>())
      reason = "another op than a kernel uses its result";
    return {};
  }
  Operation *only = getOnlyKernel(readers.loads);
  auto map = dyn_cast_or_null<kernel::MapOp>(only);
  if (!only)
    reason = "several kernels read its result";
  else if (!map)
    reason = "a kernel that is not a map reads its result";
  else if (hasFold(map) && !isa<kernel::ReduceOp, kernel::MapOp>(producer))
    reason = "the map that reads it holds a fold";
  else if (!isa<kernel::MapOp>(producer) && llvm::any_of(map.getResultTypes(), [](Type type) {
             return kernel::isPacked(cast<RankedTensorType>(type).getElementType());
           }))
    reason = "its elements are narrower than a byte, so a thread must make whole bytes of them";
  else if (!llvm::all_of(readers.loads, [&](kernel::LoadOp load) {
             return isIdentity(load, map) && !load->getParentOfType<kernel::FoldOp>();
           }))
    reason = "the map reads other elements than the one that it computes";
  else if (isa<kernel::RowsOp>(producer) &&
           shape::getDims(firstType(producer)) != shape::getDims(firstType(map)))
    reason = "a reshape lies between the rows and the map";
  return reason.empty() ? map : kernel::MapOp();
}

static Operation *fuse(Pair pair) {
  if (isa<kernel::ContractOp>(pair.producer))
    return fuseContract(pair);
  if (isa<kernel::RowsOp>(pair.producer))
    return fuseRows(pair);
  if (isa<kernel::ReduceOp>(pair.producer))
    return fusePointwise<kernel::ReduceOp>(pair);
  return fusePointwise<kernel::MapOp>(pair);
}

static void fuseEpilogues(Operation *root) {
  // The last producer first: of two whose sum is taken, the later one takes it.
  SmallVector<Operation *> work;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (canEnd(op))
      work.push_back(op);
    return isa<kernel::KernelDialect>(op->getDialect()) ? WalkResult::skip()
                                                        : WalkResult::advance();
  });
  while (!work.empty()) {
    Operation *producer = work.pop_back_val();
    std::string reason;
    Readers readers = Readers::of(producer);
    if (kernel::MapOp map = findMap(producer, readers, reason)) {
      llvm::erase(work, map.getOperation()); // a map with folds is in the list itself
      work.push_back(fuse({producer, map, readers.loads}));
    } else if (!reason.empty()) {
      remarkMissed(producer, "graph-fuse-epilogue", reason);
    }
  }
}

namespace {
struct FuseEpilogue : impl::FuseEpilogueBase<FuseEpilogue> {
  void runOnOperation() override {
    fuseEpilogues(getOperation());
    cleanUp(getOperation());
  }
};
} // namespace

} // namespace heddle::graph
