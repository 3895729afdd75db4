// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold of sizes that are only known when a model runs.
#ifndef HEDDLE_PASSES_PLAN_CHECKS_H
#define HEDDLE_PASSES_PLAN_CHECKS_H

#include "dialects/plan/Plan.h"
#include "dialects/shape/SymbolicShape.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

namespace heddle::plan {

/// Creates plan.check ops, each condition once; what holds for every size makes none.
class Checks {
public:
  Checks(mlir::OpBuilder &builder, mlir::ModuleOp module) : builder(builder), symbols(module) {}

  /// Kernels index with 32 bits, so a tensor has fewer than 2^31 elements, and no negative size.
  /// An error where the type says already that it has not.
  mlir::LogicalResult requireIndexable(mlir::Location loc, mlir::RankedTensorType type);
  /// An error where they can never have equally many elements.
  mlir::LogicalResult requireSameElementCount(mlir::Location loc, mlir::RankedTensorType a,
                                              mlir::RankedTensorType b);
  void requireEqual(mlir::Location loc, mlir::AffineExpr a, mlir::AffineExpr b,
                    llvm::StringRef message);

private:
  void create(mlir::Location loc, CheckKind kind, mlir::AffineExpr a, mlir::AffineExpr b,
              llvm::StringRef message);
  bool isNeverNegative(mlir::AffineExpr expr);
  mlir::OpBuilder &builder;
  shape::Symbols symbols;
  llvm::DenseSet<mlir::AffineMap> seenEqual, seenLess;
};

} // namespace heddle::plan

#endif // HEDDLE_PASSES_PLAN_CHECKS_H
