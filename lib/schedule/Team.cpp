// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduce and Rows: a team of threads shares each fold. The team is a warp where the fold is short,
// which needs no shared memory, and the whole block where it is long. Partial results meet in
// butterfly shuffles, then, for a block, in shared memory.
#include "dialects/shape/SymbolicShape.h"
#include "lib/schedule/Schedules.h"

using namespace mlir;
using heddle::device::KernelBuilder;
using heddle::device::Values;

namespace heddle::schedule {

constexpr int64_t kThreads = 256;
constexpr int64_t kWarp = 32;
/// Folds of more elements than this are worth a block.
constexpr int64_t kWarpFoldElems = 1024;

namespace {

class Team {
public:
  Team(KernelBuilder &k, bool isBlock) : k(k), size(isBlock ? kThreads : kWarp) {
    thread = k.threadId();
    lane = isBlock ? thread : k.rem(thread, k.index(kWarp));
    unit = isBlock ? k.blockId()
                   : k.add(k.mul(k.blockId(), k.index(kThreads / kWarp)),
                           k.div(thread, k.index(kWarp)));
  }

  /// A fold of which each thread takes every `size`-th element; all threads get the result.
  Values fold(kernel::FoldOp op, IRMapping &mapping) {
    ArrayRef<AffineExpr> sizes = op.getSizes().getResults();
    Value count = k.size(shape::product(sizes, op.getContext()));
    Values partial =
        k.loop(lane, count, k.index(size), k.neutral(op), [&](Value i, ArrayRef<Value> state) {
          IRMapping inner(mapping);
          return k.combine(op, state,
                           k.inlined(op.getBody(), k.delinearize(i, sizes), nullptr, &inner));
        });
    for (int64_t mask = kWarp / 2; mask > 0; mask /= 2) {
      Values other =
          llvm::map_to_vector<6>(partial, [&](Value value) { return k.shuffleXor(value, mask); });
      partial = k.combine(op, partial, other);
    }
    return size == kWarp ? partial : acrossWarps(op, partial);
  }

  Value thread, lane, unit;

private:
  Values acrossWarps(kernel::FoldOp op, Values partial) {
    constexpr int64_t kWarps = kThreads / kWarp;
    Values pointers;
    Value warp = k.div(thread, k.index(kWarp));
    for (Value value : partial) {
      Type type = memoryType(value.getType());
      pointers.push_back(k.shared(type, kWarps));
    }
    k.barrier(); // the slots may still be read from a fold before
    k.when(k.less(k.rem(thread, k.index(kWarp)), k.index(1)), [&] {
      for (auto [pointer, value] : llvm::zip_equal(pointers, partial))
        k.storeShared(pointer, memoryType(value.getType()), warp, toMemory(value));
    });
    k.barrier();
    Values result;
    for (int64_t i = 0; i < kWarps; ++i) {
      Values one;
      for (auto [pointer, value] : llvm::zip_equal(pointers, partial))
        one.push_back(fromMemory(k.loadShared(pointer, memoryType(value.getType()), k.index(i)),
                                 value.getType()));
      result = i ? k.combine(op, result, one) : one;
    }
    return result;
  }

  Type memoryType(Type type) {
    if (type.isInteger(1))
      return k.b.getIntegerType(8);
    return type.isIndex() ? k.b.getI32Type() : type;
  }
  Value toMemory(Value value) {
    if (value.getType().isIndex())
      return k.toInteger(value, k.b.getI32Type());
    return value.getType().isInteger(1)
               ? arith::ExtUIOp::create(k.b, k.loc, k.b.getIntegerType(8), value).getResult()
               : value;
  }
  Value fromMemory(Value value, Type type) {
    if (type.isIndex())
      return arith::IndexCastUIOp::create(k.b, k.loc, type, value);
    return type.isInteger(1) ? arith::TruncIOp::create(k.b, k.loc, type, value).getResult() : value;
  }

  KernelBuilder &k;
  int64_t size;
};

} // namespace

/// Whether the longest fold of a body wants a block; sizes that only show at run time count as
/// long.
static bool wantsBlock(Region &body, std::optional<int64_t> units) {
  int64_t longest = 0;
  for (auto fold : body.front().getOps<kernel::FoldOp>()) {
    auto count = shape::getConstant(
        shape::simplify(shape::product(fold.getSizes().getResults(), fold.getContext())));
    longest = std::max(longest, count.value_or(kWarpFoldElems + 1));
  }
  return longest > kWarpFoldElems || (longest > kThreads && units && *units < 64);
}

static Kernel launch(KernelBuilder &k, AffineExpr units, bool isBlock) {
  MLIRContext *context = k.b.getContext();
  AffineExpr blocks = isBlock ? units : units.ceilDiv(kThreads / kWarp);
  return {k.func,
          {blocks, shape::constant(1, context), shape::constant(1, context)},
          kThreads,
          k.inputs,
          k.scalars};
}

Kernel scheduleReduce(kernel::ReduceOp op, StringRef name) {
  KernelBuilder k(op, name, kThreads);
  SmallVector<AffineExpr> dims = shape::getDims(cast<RankedTensorType>(op.getResult(0).getType()));
  AffineExpr units = shape::simplify(shape::product(dims, op.getContext()));
  bool isBlock = wantsBlock(op.getBody(), shape::getConstant(units));
  Team team(k, isBlock);
  // Warps past the end repeat the last unit, so that all threads reach every shuffle and barrier.
  Value count = k.size(units);
  Value unit = k.minimum(team.unit, k.sub(count, k.index(1)));
  Values values =
      k.inlined(op.getBody(), k.delinearize(unit, dims),
                [&](kernel::FoldOp fold, IRMapping &mapping) { return team.fold(fold, mapping); });
  Value isFirst = k.less(team.lane, k.index(1));
  k.when(k.both(isFirst, k.less(team.unit, count)), [&] {
    for (auto [output, value] : llvm::enumerate(values))
      k.store(output, unit, value);
  });
  k.finish();
  return launch(k, units, isBlock);
}

Kernel scheduleRows(kernel::RowsOp op, StringRef name) {
  KernelBuilder k(op, name, kThreads);
  SmallVector<AffineExpr> dims = shape::getDims(cast<RankedTensorType>(op.getResult(0).getType()));
  SmallVector<AffineExpr> outer, row;
  for (auto [axis, dim] : llvm::enumerate(dims))
    (llvm::is_contained(op.getAxes(), int64_t(axis)) ? row : outer).push_back(dim);
  AffineExpr units = shape::simplify(shape::product(outer, op.getContext()));
  AffineExpr elements = shape::simplify(shape::product(row, op.getContext()));
  bool isBlock = shape::getConstant(elements).value_or(kWarpFoldElems + 1) > kWarpFoldElems ||
                 wantsBlock(op.getBody(), shape::getConstant(units));
  Team team(k, isBlock);
  Value count = k.size(units);
  Value unit = k.minimum(team.unit, k.sub(count, k.index(1)));
  Values outerAt = k.delinearize(unit, outer);
  IRMapping mapping;
  k.inlined(
      op.getBody(), outerAt,
      [&](kernel::FoldOp fold, IRMapping &inner) { return team.fold(fold, inner); }, &mapping);
  auto elementsOp = cast<kernel::ElementsOp>(op.getBody().front().getTerminator());
  k.when(k.less(team.unit, count), [&] {
    k.loop(team.lane, k.size(elements), k.index(isBlock ? kThreads : kWarp), {},
           [&](Value i, ArrayRef<Value>) {
             Values rowAt = k.delinearize(i, row), at;
             for (size_t axis = 0, fromRow = 0, fromOuter = 0; axis < dims.size(); ++axis)
               at.push_back(llvm::is_contained(op.getAxes(), int64_t(axis)) ? rowAt[fromRow++]
                                                                            : outerAt[fromOuter++]);
             IRMapping inner(mapping);
             Values values = k.inlined(elementsOp.getBody(), rowAt, nullptr, &inner);
             Value linear = k.linearize(at, dims);
             for (auto [output, value] : llvm::enumerate(values))
               k.store(output, linear, value);
             return Values();
           });
  });
  k.finish();
  return launch(k, units, isBlock);
}

} // namespace heddle::schedule
