// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns demands on symbolic sizes into checks of the plan.
#include "passes/plan/Checks.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace heddle::plan {

static constexpr int64_t kMaxElems = int64_t(1) << 31;

void Checks::create(Location loc, CheckKind kind, AffineExpr a, AffineExpr b, StringRef message) {
  AffineMap numbers = shape::getMap({a, b}, builder.getContext());
  if ((kind == CheckKind::Equal ? seenEqual : seenLess).insert(numbers).second)
    CheckOp::create(builder, loc, kind, numbers, message);
}

/// Whether an expression is made of sizes of inputs without a negative constant. Elements of inputs
/// and derived symbols may be negative, which the size that they make must show.
bool Checks::isNeverNegative(AffineExpr expr) {
  bool never = true;
  expr.walk([&](AffineExpr part) {
    auto value = shape::getConstant(part);
    auto symbol = dyn_cast<AffineSymbolExpr>(part);
    never &= !value || *value >= 0;
    never &= !symbol || symbols.get(symbol.getPosition()).kind == shape::SymbolKind::kInputDim;
  });
  return never;
}

LogicalResult Checks::requireIndexable(Location loc, RankedTensorType type) {
  SmallVector<AffineExpr> dims = shape::getDims(type);
  if (type.hasStaticShape()) {
    std::optional<int64_t> count = 1;
    for (int64_t size : type.getShape())
      count = size == 0 ? std::optional<int64_t>(0)
              : count   ? llvm::checkedMul(*count, size)
                        : count;
    if (!count || *count >= kMaxElems)
      return emitError(loc) << "tensor " << type
                            << " has 2^31 elements or more, which kernels cannot index; use a "
                               "smaller batch or split the model";
    return success();
  }
  MLIRContext *context = builder.getContext();
  for (AffineExpr dim : dims)
    if (!shape::getConstant(dim) && !isNeverNegative(dim))
      create(loc, CheckKind::Less, shape::constant(-1, context), dim,
             "a tensor would have a negative size; use larger inputs");
  create(loc, CheckKind::Less, shape::product(dims, context), shape::constant(kMaxElems, context),
         "a tensor would have 2^31 elements or more, which kernels cannot index; use smaller "
         "inputs");
  return success();
}

LogicalResult Checks::requireSameElementCount(Location loc, RankedTensorType a,
                                              RankedTensorType b) {
  if (shape::haveEqualCounts(a, b))
    return success();
  MLIRContext *context = builder.getContext();
  AffineExpr countA = shape::product(shape::getDims(a), context);
  AffineExpr countB = shape::product(shape::getDims(b), context);
  if (shape::getConstant(countA) && shape::getConstant(countB))
    return emitError(loc) << "cannot reshape " << a << " to " << b
                          << ": they have different numbers of elements";
  create(loc, CheckKind::Equal, countA, countB,
         "a reshape needs as many elements as its input has");
  return success();
}

void Checks::requireEqual(Location loc, AffineExpr a, AffineExpr b, StringRef message) {
  if (!shape::provablyEqual(a, b))
    create(loc, CheckKind::Equal, a, b, message);
}

} // namespace heddle::plan
