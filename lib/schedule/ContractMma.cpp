// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contract on Tensor Cores with mma.sync: four warps in two by two compute a 64 x 128 tile, each 32
// x 64 as m16n8 fragments. Both operands lie in shared memory with k contiguous and rows padded by
// 16 bytes, which spreads the eight rows of a fragment over all banks; operands of a wider type are
// rounded on their way there.
#include "dialects/shape/SymbolicShape.h"
#include "lib/schedule/Schedules.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using heddle::device::KernelBuilder;
using heddle::device::Values;

namespace heddle::schedule {

namespace {

constexpr int64_t kThreads = 128, kWarp = 32;
constexpr int64_t kTileM = 64, kTileN = 128, kWarpM = 32, kWarpN = 64;
constexpr int64_t kAtomM = 16, kAtomN = 8;
/// Bytes of k in a tile's row, and the padding that makes rows start in different banks.
constexpr int64_t kRowBytes = 64, kPadBytes = 16;

class MmaKernel {
public:
  MmaKernel(kernel::ContractOp op, StringRef name, kernel::Math multiply)
      : op(op), k(op, name, kThreads), sizes(op.getSizes().getResults()), multiply(multiply) {
    Builder &b = k.b;
    word = b.getI32Type();
    if (multiply == kernel::Math::TF32) {
      stored = b.getF32Type();
    } else {
      stored = multiply == kernel::Math::F16 ? Type(b.getF16Type()) : Type(b.getBF16Type());
    }
    elemBytes = stored.getIntOrFloatBitWidth() / 8;
    tileK = kRowBytes / elemBytes;
    rowElems = (kRowBytes + kPadBytes) / elemBytes;
  }

  Kernel write();

private:
  Value convert(Value value);
  void loadTile(Value pointer, int64_t tile, Value first, Value limit, Value k0, bool isLeft);
  Values fragment(Value pointer, Value row, int64_t rows, Value byteK);
  Values multiplyTile(ArrayRef<Value> a, ArrayRef<Value> b, ArrayRef<Value> c);
  void epilogue(ArrayRef<Value> sums, Value m0, Value n0);

  kernel::ContractOp op;
  KernelBuilder k;
  ArrayRef<AffineExpr> sizes;
  kernel::Math multiply;
  Type word, stored;
  int64_t elemBytes, tileK, rowElems;
  Value thread, lane, batch, extentM, extentN, extentK;
};

} // namespace

/// The operand's value in the type of the products; ties go to even, tf32 as cvt.rna does.
Value MmaKernel::convert(Value value) {
  Type type = value.getType();
  if (multiply == kernel::Math::TF32) {
    auto name = k.b.getStringAttr("llvm.nvvm.f2tf32.rna");
    Value bits =
        LLVM::CallIntrinsicOp::create(k.b, k.loc, word, name, ValueRange{value}).getResult(0);
    return arith::BitcastOp::create(k.b, k.loc, stored, bits);
  }
  if (type == stored)
    return value;
  if (type.getIntOrFloatBitWidth() == 16) {
    value = arith::ExtFOp::create(k.b, k.loc, k.b.getF32Type(), value);
    type = value.getType();
  }
  return arith::TruncFOp::create(k.b, k.loc, stored, value);
}

/// Fills an operand's tile, [tile][rowElems], with zeros outside the sizes. A thread owns a row and
/// walks k, so what depends on the row alone is computed once.
void MmaKernel::loadTile(Value pointer, int64_t tile, Value first, Value limit, Value k0,
                         bool isLeft) {
  int64_t threadsARow = kThreads / tile; // 2 for rows of the left tile, 1 for the right one
  int64_t perThread = tileK / threadsARow;
  Value row = threadsARow == 1 ? thread : k.div(thread, k.index(threadsARow));
  Value part = threadsARow == 1 ? k.index(0)
                                : k.mul(k.rem(thread, k.index(threadsARow)), k.index(perThread));
  Value at = k.add(first, row);
  Value rowInside = k.less(at, limit);
  Region &region = isLeft ? op.getLhs() : op.getRhs();
  for (int64_t i = 0; i < perThread; ++i) {
    Value alongK = k.add(part, k.index(i)), atK = k.add(k0, alongK);
    Value inside = k.both(rowInside, k.less(atK, extentK));
    Value value = k.guarded(
        inside, stored,
        [&] {
          Values arguments = isLeft ? Values{batch, at, atK} : Values{batch, atK, at};
          return convert(k.inlined(region, arguments)[0]);
        },
        k.zero(stored));
    k.storeShared(pointer, stored, k.add(k.mul(row, k.index(rowElems)), alongK), value);
  }
}

/// The 32-bit registers of a fragment: rows g and (where `rows` is 16) g + 8, two steps of 16 bytes
/// in k. PTX ISA, "Matrix Fragments for mma.m16n8k16" and "mma.m16n8k8": register r has row g + 8 *
/// (r & 1), k offset 16 * (r >> 1) bytes.
Values MmaKernel::fragment(Value pointer, Value row, int64_t rows, Value byteK) {
  Values result;
  int64_t rowWords = (kRowBytes + kPadBytes) / 4;
  Value base = k.add(k.mul(row, k.index(rowWords)), byteK);
  for (int64_t step = 0; step < 2; ++step)
    for (int64_t half = 0; half < rows / 8; ++half) {
      Value position = k.add(base, k.index(half * 8 * rowWords + step * 4));
      result.push_back(k.loadShared(pointer, word, position));
    }
  return result;
}

/// One mma: four registers of A, two of B, four sums.
Values MmaKernel::multiplyTile(ArrayRef<Value> a, ArrayRef<Value> b, ArrayRef<Value> c) {
  StringRef name = multiply == kernel::Math::TF32  ? "llvm.nvvm.mma.m16n8k8.row.col.tf32"
                   : multiply == kernel::Math::F16 ? "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
                                                   : "llvm.nvvm.mma.m16n8k16.row.col.bf16";
  Values arguments;
  auto pair = VectorType::get({2}, k.b.getF16Type());
  for (Value value : llvm::concat<const Value>(a, b))
    arguments.push_back(multiply == kernel::Math::F16
                            ? LLVM::BitcastOp::create(k.b, k.loc, pair, value).getResult()
                            : value);
  arguments.append(c.begin(), c.end());
  Type f32 = k.b.getF32Type();
  auto type = LLVM::LLVMStructType::getLiteral(k.b.getContext(), {f32, f32, f32, f32});
  Value all = LLVM::CallIntrinsicOp::create(k.b, k.loc, type, k.b.getStringAttr(name), arguments)
                  .getResult(0);
  Values sums;
  for (int64_t i = 0; i < 4; ++i)
    sums.push_back(LLVM::ExtractValueOp::create(k.b, k.loc, all, ArrayRef<int64_t>{i}));
  return sums;
}

/// Registers 0, 1 of a fragment are row g, columns 2t and 2t + 1; registers 2, 3 are row g + 8.
void MmaKernel::epilogue(ArrayRef<Value> sums, Value m0, Value n0) {
  Value plane = k.mul(batch, extentM);
  Value g = k.div(lane, k.index(4)), t = k.rem(lane, k.index(4));
  for (int64_t i = 0; i < kWarpM / kAtomM; ++i)
    for (int64_t half = 0; half < 2; ++half) {
      Value m = k.add(k.add(m0, g), k.index(i * kAtomM + half * 8));
      k.when(k.less(m, extentM), [&] {
        Value row = k.mul(k.add(plane, m), extentN);
        for (int64_t j = 0; j < kWarpN / kAtomN; ++j)
          for (int64_t c = 0; c < 2; ++c) {
            Value n = k.add(k.add(n0, k.mul(t, k.index(2))), k.index(j * kAtomN + c));
            k.when(k.less(n, extentN), [&] {
              Value sum = sums[(i * (kWarpN / kAtomN) + j) * 4 + half * 2 + c];
              Values results = k.inlined(op.getEpilogue(), {batch, m, n, sum});
              for (auto [output, value] : llvm::enumerate(results))
                k.store(output, k.add(row, n), value);
            });
          }
      });
    }
}

Kernel MmaKernel::write() {
  thread = k.threadId();
  lane = k.rem(thread, k.index(kWarp));
  Value warp = k.div(thread, k.index(kWarp));
  Value tilesM = k.size(sizes[1].ceilDiv(kTileM));
  // The grid's only long axis walks the batch, in it the tiles of a plane, rows first.
  Value tilesPlane = k.size(sizes[1].ceilDiv(kTileM) * sizes[2].ceilDiv(kTileN));
  Value tile = k.rem(k.blockId(), tilesPlane);
  batch = k.div(k.blockId(), tilesPlane);
  extentM = k.size(sizes[1]), extentN = k.size(sizes[2]), extentK = k.size(sizes[3]);
  Value tileM = k.mul(k.rem(tile, tilesM), k.index(kTileM));
  Value tileN = k.mul(k.div(tile, tilesM), k.index(kTileN));
  Value left = k.shared(stored, kTileM * rowElems), right = k.shared(stored, kTileN * rowElems);
  Value warpM = k.mul(k.div(warp, k.index(2)), k.index(kWarpM));
  Value warpN = k.mul(k.rem(warp, k.index(2)), k.index(kWarpN));
  Value g = k.div(lane, k.index(4)), t = k.rem(lane, k.index(4));

  constexpr int64_t atomsM = kWarpM / kAtomM, atomsN = kWarpN / kAtomN;
  Values zeros(atomsM * atomsN * 4, k.zero(k.b.getF32Type()));
  Values sums =
      k.loop(k.index(0), extentK, k.index(tileK), zeros, [&](Value k0, ArrayRef<Value> state) {
        loadTile(left, kTileM, tileM, extentM, k0, /*isLeft=*/true);
        loadTile(right, kTileN, tileN, extentN, k0, /*isLeft=*/false);
        k.barrier();
        Values next(state);
        for (int64_t step = 0; step < kRowBytes / 32; ++step) {
          Value wordK = k.add(t, k.index(step * 8));
          SmallVector<Values> a, b;
          for (int64_t i = 0; i < atomsM; ++i)
            a.push_back(fragment(left, k.add(k.add(warpM, g), k.index(i * kAtomM)), 16, wordK));
          for (int64_t j = 0; j < atomsN; ++j)
            b.push_back(fragment(right, k.add(k.add(warpN, g), k.index(j * kAtomN)), 8, wordK));
          for (int64_t i = 0; i < atomsM; ++i)
            for (int64_t j = 0; j < atomsN; ++j) {
              auto *first = next.begin() + (i * atomsN + j) * 4;
              Values sum = multiplyTile(a[i], b[j], ArrayRef<Value>(first, 4));
              std::copy(sum.begin(), sum.end(), first);
            }
        }
        k.barrier();
        return next;
      });
  epilogue(sums, k.add(tileM, warpM), k.add(tileN, warpN));
  k.finish();
  AffineExpr tiles = sizes[0] * sizes[1].ceilDiv(kTileM) * sizes[2].ceilDiv(kTileN);
  return {k.func,
          {tiles, shape::constant(1, op.getContext()), shape::constant(1, op.getContext())},
          kThreads,
          k.inputs,
          k.scalars};
}

Kernel scheduleContractMma(kernel::ContractOp op, StringRef name, kernel::Math multiply) {
  return MmaKernel(op, name, multiply).write();
}

} // namespace heddle::schedule
