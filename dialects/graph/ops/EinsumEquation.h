// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The equation of an Einsum, parsed once for its shape rule and its decomposition. The axes that an
// ellipsis stands for become labels of their own, counted from the right so that they broadcast.
#ifndef HEDDLE_DIALECTS_GRAPH_OPS_EINSUMEQUATION_H
#define HEDDLE_DIALECTS_GRAPH_OPS_EINSUMEQUATION_H

#include "dialects/graph/ops/ShapeRules.h"

namespace heddle::graph {

struct EinsumEquation {
  /// A letter, or 256 + the distance from the right for an axis under an ellipsis.
  using Labels = llvm::SmallVector<int>;
  static constexpr int kEllipsis = 256;

  llvm::SmallVector<Labels> inputs;
  Labels output;
  llvm::DenseMap<int, mlir::AffineExpr> sizes;
};

/// Parses the op's equation for its operands' ranks and sizes, or emits an error.
mlir::FailureOr<EinsumEquation> parseEinsum(OpShape &op);

} // namespace heddle::graph

#endif
