// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Map: one thread an element, consecutive threads at consecutive positions, so that accesses to
// tensors of the result's own order are whole sectors.
#include "dialects/shape/SymbolicShape.h"
#include "lib/schedule/Schedules.h"

using namespace mlir;
using heddle::device::KernelBuilder;
using heddle::device::Values;

namespace heddle::schedule {

constexpr int64_t kThreads = 256;

/// Elements narrower than a byte: one thread makes the whole byte, low bits first.
static void storePacked(KernelBuilder &k, kernel::MapOp op, ArrayRef<AffineExpr> dims,
                        Value byteIndex, Value count) {
  for (unsigned output = 0; output < op.getNumResults(); ++output) {
    Type scalar = kernel::getScalarType(
        cast<RankedTensorType>(op.getResult(output).getType()).getElementType());
    unsigned bits = scalar.getIntOrFloatBitWidth(), perByte = 8 / bits;
    Type byte = k.b.getIntegerType(8), narrow = k.b.getIntegerType(bits);
    Value packed = k.zero(byte);
    for (unsigned i = 0; i < perByte; ++i) {
      Value linear = k.add(k.mul(byteIndex, k.index(perByte)), k.index(i));
      Value part = k.guarded(
          k.less(linear, count), byte,
          [&]() -> Value {
            Value value = k.inlined(op.getBody(), k.delinearize(linear, dims))[output];
            if (value.getType() != narrow)
              value = arith::BitcastOp::create(k.b, k.loc, narrow, value);
            return arith::ExtUIOp::create(k.b, k.loc, byte, value);
          },
          k.zero(byte));
      Value shift = arith::ConstantIntOp::create(k.b, k.loc, i * bits, 8);
      packed =
          arith::OrIOp::create(k.b, k.loc, packed, arith::ShLIOp::create(k.b, k.loc, part, shift));
    }
    k.store(output, byteIndex, packed);
  }
}

Kernel scheduleMap(kernel::MapOp op, StringRef name) {
  KernelBuilder k(op, name, kThreads);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  SmallVector<AffineExpr> dims = shape::getDims(type);
  AffineExpr elements = shape::simplify(shape::product(dims, op.getContext()));
  Type scalar = kernel::getScalarType(type.getElementType());
  unsigned bits = scalar.isInteger(1) ? 8 : scalar.getIntOrFloatBitWidth();
  int64_t perThread = bits < 8 ? 8 / bits : 1;
  AffineExpr units = elements.ceilDiv(perThread);

  Value position = k.add(k.mul(k.blockId(), k.index(kThreads)), k.threadId());
  k.when(k.less(position, k.size(units)), [&] {
    if (perThread > 1)
      return storePacked(k, op, dims, position, k.size(elements));
    Values values = k.inlined(op.getBody(), k.delinearize(position, dims));
    for (auto [output, value] : llvm::enumerate(values))
      k.store(output, position, value);
  });
  k.finish();
  MLIRContext *context = op.getContext();
  return {k.func,
          {units.ceilDiv(kThreads), shape::constant(1, context), shape::constant(1, context)},
          kThreads,
          k.inputs,
          k.scalars};
}

} // namespace heddle::schedule
