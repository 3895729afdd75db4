// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one way in which matrix products are formed, shared by MatMul, Gemm and the quantised
// products.
#ifndef HEDDLE_PASSES_GRAPH_FORM_MATMUL_H
#define HEDDLE_PASSES_GRAPH_FORM_MATMUL_H

#include "passes/graph/form/Node.h"

namespace heddle::graph::form {

struct MatmulSpec {
  mlir::Value a, b; // rank 1 and up, with the meaning of numpy.matmul
  bool transposeA = false, transposeB = false;
  /// Type of what `mapLhs` and `mapRhs` give; null: that of the operands.
  mlir::Type productType;
  /// Changes an operand's element; `at` is (b, m, k) or (b, k, n) of the contraction.
  std::function<Scalar(Body &, Scalar x, Scalars at)> mapLhs, mapRhs;
  /// Gets the coordinates in the result.
  std::function<Scalar(Body &, Scalar acc, Scalars at)> epilogue;
};

/// Makes the kernel for the node's only result.
mlir::Value lowerMatmul(Node &node, const MatmulSpec &spec);

} // namespace heddle::graph::form

#endif
