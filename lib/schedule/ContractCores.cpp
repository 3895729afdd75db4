// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contract on the plain cores: a block computes a tile of the result, a thread a tile of that in
// registers. Operands go through shared memory k-major, so that a thread reads the rows and columns
// of its tile as vectors. Every element type is served, f32 exactly.
#include "dialects/shape/SymbolicShape.h"
#include "lib/schedule/Schedules.h"

using namespace mlir;
using heddle::device::KernelBuilder;
using heddle::device::Values;

namespace heddle::schedule {

namespace {

constexpr int64_t kThreadsM = 8, kThreadsN = 16, kThreads = kThreadsM * kThreadsN;
constexpr int64_t kTileK = 8;

/// The thread's part of one side of the tile: `elems` rows or columns, in groups of up to four
/// neighbours, a group from each `groupStride`, so that a warp's vector reads of shared memory do
/// not collide.
struct Side {
  int64_t elems, threads;
  int64_t group() const { return std::min<int64_t>(elems, 4); }
  int64_t tile() const { return elems * threads; }
  int64_t offset(int64_t i) const { return (i / group()) * group() * threads + i % group(); }
};

/// The smallest register tile that covers `extent`, so that small products do not compute padding.
Side chooseSide(AffineExpr extent, int64_t threads) {
  int64_t elems = 8;
  if (auto size = shape::getConstant(extent))
    while (elems > 1 && elems / 2 * threads >= *size)
      elems /= 2;
  return {elems, threads};
}

class CoresKernel {
public:
  CoresKernel(kernel::ContractOp op, StringRef name)
      : op(op), k(op, name, kThreads), sizes(op.getSizes().getResults()),
        rows(chooseSide(sizes[1], kThreadsM)), columns(chooseSide(sizes[2], kThreadsN)) {
    element = op.getLhs().front().getTerminator()->getOperand(0).getType();
    accumulator = kernel::getAccumulatorType(element);
  }

  Kernel write();

private:
  void loadTile(Value pointer, const Side &side, Value first, Value limit, Value k0, bool isLeft);
  Values readSide(Value pointer, const Side &side, Value threadOffset, int64_t row);
  Value multiplyAdd(Value a, Value b, Value sum);
  Value widen(Value value);
  void epilogue(ArrayRef<Value> sums, Value m0, Value n0);

  kernel::ContractOp op;
  KernelBuilder k;
  ArrayRef<AffineExpr> sizes;
  Side rows, columns;
  Type element, accumulator;
  Value thread, batch, extentM, extentN, extentK;
};

} // namespace

/// Values are widened to the accumulator's type before they are stored, once instead of at each
/// use.
Value CoresKernel::widen(Value value) {
  if (value.getType() == accumulator)
    return value;
  if (isa<FloatType>(accumulator))
    return arith::ExtFOp::create(k.b, k.loc, accumulator, value);
  return arith::ExtSIOp::create(k.b, k.loc, accumulator, value);
}

/// Fills one operand's tile, [kTileK][side.tile()], with zeros outside the sizes.
void CoresKernel::loadTile(Value pointer, const Side &side, Value first, Value limit, Value k0,
                           bool isLeft) {
  int64_t tile = side.tile();
  // Where the tile is as wide as the block, a thread keeps its row or column and k is the same for
  // all.
  for (int64_t i = 0; i < tile * kTileK; i += kThreads) {
    Value position = k.add(thread, k.index(i));
    Value alongK, along;
    if (isLeft) { // left operands are k-contiguous more often than not
      along = k.div(position, k.index(kTileK));
      alongK = k.rem(position, k.index(kTileK));
    } else if (tile == kThreads) {
      along = thread;
      alongK = k.index(i / kThreads);
    } else {
      along = k.rem(position, k.index(tile));
      alongK = k.div(position, k.index(tile));
    }
    Value atK = k.add(k0, alongK), at = k.add(first, along);
    Value inside = k.both(k.less(at, limit), k.less(atK, extentK));
    Region &region = isLeft ? op.getLhs() : op.getRhs();
    auto fill = [&] {
      Value value = k.guarded(
          inside, accumulator,
          [&] {
            Values arguments = isLeft ? Values{batch, at, atK} : Values{batch, atK, at};
            return widen(k.inlined(region, arguments)[0]);
          },
          k.zero(accumulator));
      k.storeShared(pointer, accumulator, k.add(k.mul(alongK, k.index(tile)), along), value);
    };
    if (i + kThreads > tile * kTileK)
      k.when(k.less(position, k.index(tile * kTileK)), fill);
    else
      fill();
  }
}

Values CoresKernel::readSide(Value pointer, const Side &side, Value threadOffset, int64_t row) {
  int64_t group = side.group();
  Values result;
  for (int64_t i = 0; i < side.elems; i += group) {
    Value position = k.add(threadOffset, k.index(row * side.tile() + side.offset(i)));
    unsigned bytes = accumulator.getIntOrFloatBitWidth() / 8;
    if (group == 1) {
      result.push_back(k.loadShared(pointer, accumulator, position));
      continue;
    }
    auto vector = VectorType::get({group}, accumulator);
    Value packed = k.loadShared(pointer, vector, position, std::min<unsigned>(16, bytes * group));
    for (int64_t j = 0; j < group; ++j)
      result.push_back(LLVM::ExtractElementOp::create(k.b, k.loc, packed, k.i32(j)));
  }
  return result;
}

Value CoresKernel::multiplyAdd(Value a, Value b, Value sum) {
  if (isa<FloatType>(accumulator))
    return math::FmaOp::create(k.b, k.loc, a, b, sum);
  return arith::AddIOp::create(k.b, k.loc, sum, arith::MulIOp::create(k.b, k.loc, a, b));
}

void CoresKernel::epilogue(ArrayRef<Value> sums, Value m0, Value n0) {
  Value plane = k.mul(batch, extentM);
  for (int64_t i = 0; i < rows.elems; ++i) {
    Value m = k.add(m0, k.index(rows.offset(i)));
    k.when(k.less(m, extentM), [&] {
      Value row = k.mul(k.add(plane, m), extentN);
      for (int64_t j = 0; j < columns.elems; ++j) {
        Value n = k.add(n0, k.index(columns.offset(j)));
        k.when(k.less(n, extentN), [&] {
          Values results = k.inlined(op.getEpilogue(), {batch, m, n, sums[i * columns.elems + j]});
          for (auto [output, value] : llvm::enumerate(results))
            k.store(output, k.add(row, n), value);
        });
      }
    });
  }
}

Kernel CoresKernel::write() {
  thread = k.threadId();
  Value tilesM = k.size(sizes[1].ceilDiv(rows.tile()));
  // The grid's only long axis walks the batch, in it the tiles of a plane, rows first.
  Value tilesPlane = k.size(sizes[1].ceilDiv(rows.tile()) * sizes[2].ceilDiv(columns.tile()));
  Value tile = k.rem(k.blockId(), tilesPlane);
  batch = k.div(k.blockId(), tilesPlane);
  extentM = k.size(sizes[1]), extentN = k.size(sizes[2]), extentK = k.size(sizes[3]);
  Value tileM = k.mul(k.rem(tile, tilesM), k.index(rows.tile()));
  Value tileN = k.mul(k.div(tile, tilesM), k.index(columns.tile()));
  Value left = k.shared(accumulator, kTileK * rows.tile());
  Value right = k.shared(accumulator, kTileK * columns.tile());
  Value threadM = k.mul(k.div(thread, k.index(kThreadsN)), k.index(rows.group()));
  Value threadN = k.mul(k.rem(thread, k.index(kThreadsN)), k.index(columns.group()));

  Values zeros(rows.elems * columns.elems, k.zero(accumulator));
  Values sums =
      k.loop(k.index(0), extentK, k.index(kTileK), zeros, [&](Value k0, ArrayRef<Value> state) {
        loadTile(left, rows, tileM, extentM, k0, /*isLeft=*/true);
        loadTile(right, columns, tileN, extentN, k0, /*isLeft=*/false);
        k.barrier();
        Values next(state);
        for (int64_t step = 0; step < kTileK; ++step) {
          Values a = readSide(left, rows, threadM, step),
                 b = readSide(right, columns, threadN, step);
          for (int64_t i = 0; i < rows.elems; ++i)
            for (int64_t j = 0; j < columns.elems; ++j)
              next[i * columns.elems + j] = multiplyAdd(a[i], b[j], next[i * columns.elems + j]);
        }
        k.barrier();
        return next;
      });
  epilogue(sums, k.add(tileM, threadM), k.add(tileN, threadN));
  k.finish();
  AffineExpr tiles = sizes[0] * sizes[1].ceilDiv(rows.tile()) * sizes[2].ceilDiv(columns.tile());
  return {k.func,
          {tiles, shape::constant(1, op.getContext()), shape::constant(1, op.getContext())},
          kThreads,
          k.inputs,
          k.scalars};
}

Kernel scheduleContractCores(kernel::ContractOp op, StringRef name) {
  return CoresKernel(op, name).write();
}

} // namespace heddle::schedule
