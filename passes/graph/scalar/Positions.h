// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions as affine expressions: row-major positions taken apart, and coordinates carried through
// reshapes.
#ifndef HEDDLE_PASSES_GRAPH_SCALAR_POSITIONS_H
#define HEDDLE_PASSES_GRAPH_SCALAR_POSITIONS_H

#include "dialects/shape/SymbolicShape.h"

namespace heddle::graph::form {

using Dims = llvm::SmallVector<mlir::AffineExpr>;

/// Coordinates in `dims` of a row-major position.
Dims delinearizeExpr(mlir::AffineExpr position, llvm::ArrayRef<mlir::AffineExpr> dims);

/// Coordinates in `to` of the element that lies at (d0, d1, ...) in `from`; both shapes hold the
/// same elements in row-major order. Axes that match pass unchanged.
Dims mapThroughReshape(llvm::ArrayRef<mlir::AffineExpr> from, llvm::ArrayRef<mlir::AffineExpr> to,
                       mlir::MLIRContext *context);

/// Symbols that a map of these expressions needs.
unsigned countSymbols(llvm::ArrayRef<mlir::AffineExpr> exprs);

} // namespace heddle::graph::form

#endif
