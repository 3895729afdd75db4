// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves maps into the kernels that read them: the map's region is cloned where its result was
// loaded, and the tensor between the two is never written. A map goes into all of its readers or
// stays, so that nothing is computed twice for nothing.
#include "passes/graph/Fusion.h"
#include "passes/graph/Passes.h"
#include "passes/graph/scalar/Scalar.h"

namespace heddle::graph {

#define GEN_PASS_DEF_FUSEMAPS
#include "passes/graph/Passes.h.inc"

using namespace mlir;
using namespace fusion;

/// Work that may be repeated for free: it hides behind the load that it replaces.
static constexpr int64_t kCheapCost = 4;
/// Work that may be repeated a few times in one kernel, as a row's folds and elements do.
static constexpr int64_t kModerateCost = 12;
static constexpr int64_t kMostOps = 1500;   // in one kernel
static constexpr int64_t kMostTensors = 40; // that one kernel reads

/// How often a load is executed: the kernel's own elements times all folds around it.
static AffineExpr countExecutions(kernel::LoadOp load) {
  MLIRContext *context = load.getContext();
  Dims sizes;
  Operation *kernel = getKernel(load);
  auto type = cast<RankedTensorType>(kernel->getResult(0).getType());
  Dims dims = shape::getDims(type);
  bool inElements = load->getParentOfType<kernel::ElementsOp>() != nullptr;
  if (auto rows = dyn_cast<kernel::RowsOp>(kernel); rows && !inElements) {
    for (auto [axis, size] : llvm::enumerate(dims))
      if (!llvm::is_contained(rows.getAxes(), int64_t(axis)))
        sizes.push_back(size);
  } else {
    sizes = dims;
  }
  for (Operation *op = load->getParentOp(); op != kernel; op = op->getParentOp())
    if (auto fold = dyn_cast<kernel::FoldOp>(op))
      sizes.append(fold.getSizes().getResults().begin(), fold.getSizes().getResults().end());
  return shape::product(sizes, context);
}

/// Whether a load stands in an operand of a contraction, where every element is read many times by
/// code that wants plain addresses.
static bool isContractOperand(kernel::LoadOp load) {
  auto contract = dyn_cast<kernel::ContractOp>(getKernel(load));
  return contract && !contract.getEpilogue().isAncestor(load->getParentRegion());
}

/// Number of places that differ in block or coordinates.
static int64_t countSites(ArrayRef<kernel::LoadOp> loads) {
  SmallVector<kernel::LoadOp> sites;
  for (kernel::LoadOp load : loads)
    if (llvm::none_of(sites, [&](kernel::LoadOp other) {
          return other->getBlock() == load->getBlock() && other.getTensor() == load.getTensor() &&
                 other.getCoordinates() == load.getCoordinates();
        }))
      sites.push_back(load);
  return sites.size();
}

/// The map can still become the epilogue of the kernel that makes what it reads.
static bool isEpilogueOfProducer(kernel::MapOp map) {
  bool found = false;
  map.walk([&](kernel::LoadOp load) {
    Operation *producer = getSource(load).getDefiningOp();
    if (!producer || !isIdentity(load, map))
      return;
    bool isHeavy = isa<kernel::ContractOp, kernel::RowsOp, kernel::ReduceOp>(producer) ||
                   (isa<kernel::MapOp>(producer) && hasFold(producer));
    if (!isHeavy)
      return;
    Readers readers = Readers::of(producer);
    found |= !readers.other && getOnlyKernel(readers.loads) == map;
  });
  return found;
}

static bool isPlainElementwise(kernel::LoadOp load) {
  auto consumer = dyn_cast<kernel::MapOp>(getKernel(load));
  return consumer && !load->getParentOfType<kernel::FoldOp>() && isIdentity(load, consumer);
}

static int64_t countOps(Operation *op) {
  int64_t count = 0;
  op->walk([&](Operation *) { ++count; });
  return count;
}

static int64_t countTensors(Operation *op) {
  llvm::SmallPtrSet<Value, 16> tensors;
  op->walk([&](kernel::LoadOp load) { tensors.insert(load.getTensor()); });
  return tensors.size();
}

/// Why a map stays a kernel of its own; empty if it goes into its readers.
static std::string whyNot(kernel::MapOp map, const Readers &readers) {
  if (readers.other)
    return ("\"" + readers.other->getName().getStringRef() + "\" needs the tensor itself").str();
  if (hasFold(map))
    return "it holds a fold, which would be repeated";
  int64_t cost = getCost(map.getBody());
  bool isMovement = isPlainMovement(map);
  Operation *only = getOnlyKernel(readers.loads);
  AffineExpr elements = shape::product(
      shape::getDims(cast<RankedTensorType>(map.getResult(0).getType())), map.getContext());
  bool once = true;
  DenseMap<Operation *, SmallVector<kernel::LoadOp>> byKernel;
  for (kernel::LoadOp load : readers.loads) {
    byKernel[getKernel(load)].push_back(load);
    if (isContractOperand(load) && !isMovement)
      return "a contraction reads it as an operand, and it does more than move elements";
    once &= shape::provablyEqual(countExecutions(load), elements);
  }
  for (auto &[kernel, loads] : byKernel) {
    int64_t sites = countSites(loads);
    if (countOps(kernel) + sites * countOps(map) > kMostOps ||
        countTensors(kernel) + countTensors(map) > kMostTensors)
      return "the kernel that reads it is large enough";
  }
  if (isEpilogueOfProducer(map) && !(only && llvm::all_of(readers.loads, isPlainElementwise)))
    return "it becomes the epilogue of the kernel that it reads";
  if (isMovement || cost <= kCheapCost)
    return {};
  if (!only)
    return "several kernels read it, and it is not cheap to repeat";
  if (!once)
    return "its elements are read more than once, and it is not cheap to repeat";
  if (countSites(readers.loads) > 1 && cost > kModerateCost)
    return "it is read at several places of the kernel, and it is not cheap to repeat";
  return {};
}

/// Clones the map's region at a load.
static Value inlineAt(kernel::MapOp map, kernel::LoadOp load) {
  OpBuilder builder(load);
  form::Body body(builder, load.getLoc());
  SmallVector<Value> coordinates(load.getCoordinates());
  // Reshapes between the two, from the load back to the map.
  Value tensor = load.getTensor();
  while (auto reshape = tensor.getDefiningOp<kernel::ReshapeOp>()) {
    Dims to = shape::getDims(cast<RankedTensorType>(reshape.getInput().getType()));
    Dims from = shape::getDims(cast<RankedTensorType>(tensor.getType()));
    SmallVector<form::Scalar> at = body.wrapIndices(coordinates);
    coordinates =
        llvm::map_to_vector(mapThroughReshape(from, to, map.getContext()),
                            [&](AffineExpr expr) { return body.evaluate(expr, at).value; });
    tensor = reshape.getInput();
  }
  unsigned result = cast<OpResult>(tensor).getResultNumber();
  return inlineBlock(body.builder, map.getBody().front(), coordinates,
                     DenseMap<Operation *, Value>())[result];
}

static void inlineAll(kernel::MapOp map, ArrayRef<kernel::LoadOp> loads) {
  SmallVector<std::pair<kernel::LoadOp, Value>> done;
  // In the order of the program, so that an earlier copy in the block serves later loads.
  SmallVector<kernel::LoadOp> ordered(loads);
  llvm::sort(ordered, [](kernel::LoadOp a, kernel::LoadOp b) {
    return a->getBlock() == b->getBlock() ? a->isBeforeInBlock(b) : a->getBlock() < b->getBlock();
  });
  for (kernel::LoadOp load : ordered) {
    Value value;
    for (auto &[other, made] : done)
      if (other->getBlock() == load->getBlock() && other.getTensor() == load.getTensor() &&
          other.getCoordinates() == load.getCoordinates())
        value = made;
    if (!value)
      value = inlineAt(map, load);
    done.push_back({load, value});
  }
  for (auto &[load, value] : done) {
    load.getValue().replaceAllUsesWith(value);
    load.erase();
  }
  // Whoever asks for the readers of what the map read must not find it.
  eraseWithReshapes(map);
}

static bool fuseOnce(Operation *root, bool remarks) {
  SmallVector<kernel::MapOp> maps;
  root->walk([&](kernel::MapOp map) { maps.push_back(map); });
  bool changed = false;
  for (kernel::MapOp map : maps) {
    Readers readers = Readers::of(map);
    if (readers.loads.empty() && !readers.other)
      continue;
    std::string reason = whyNot(map, readers);
    if (!reason.empty()) {
      if (remarks)
        remarkMissed(map, "graph-fuse-maps", reason);
      continue;
    }
    inlineAll(map, readers.loads);
    changed = true;
  }
  return changed;
}

static void fuseMaps(Operation *root) {
  // Every round takes at least one map away, so this ends.
  while (fuseOnce(root, false))
    cleanUp(root);
  fuseOnce(root, true);
}

namespace {
struct FuseMaps : impl::FuseMapsBase<FuseMaps> {
  void runOnOperation() override { fuseMaps(getOperation()); }
};
} // namespace

} // namespace heddle::graph
