// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the windows of convolutions and pools lie: strides, dilations, padding (given or derived
// from `auto_pad`), and which window elements may fall outside of the input.
#ifndef HEDDLE_PASSES_GRAPH_FORM_WINDOW_H
#define HEDDLE_PASSES_GRAPH_FORM_WINDOW_H

#include "passes/graph/form/Node.h"

namespace heddle::graph::form {

struct Window {
  enum class Padding { kExplicit, kSameUpper, kSameLower };

  Dims in, out; // spatial sizes
  llvm::SmallVector<int64_t> kernel, strides, dilations, begin, end;
  Padding padding = Padding::kExplicit;
  bool ceil = false;

  /// Reads strides, dilations, pads, auto_pad and ceil_mode of a node.
  static mlir::FailureOr<Window> get(const Node &node, Dims in, Dims out,
                                     llvm::ArrayRef<int64_t> kernel);
  /// Kernel sizes from `kernel_shape` or, for convolutions, from the weight.
  static mlir::FailureOr<llvm::SmallVector<int64_t>>
  getKernel(const Node &node, llvm::ArrayRef<mlir::AffineExpr> sizes);

  unsigned rank() const { return kernel.size(); }
  int64_t volume() const;
  Dims kernelDims(mlir::MLIRContext *context) const;
  /// Kernels of size 1 at stride 1 without padding read exactly the output's position.
  bool isPointwise() const;
  /// Whether some window reaches outside of the input along an axis.
  bool needsGuard(unsigned axis) const;
  Scalar padBegin(Body &body, unsigned axis) const;
  /// Input coordinate along an axis for an output coordinate, before adding the kernel's offset.
  Scalar start(Body &body, unsigned axis, Scalar output) const;
  /// All input coordinates, and in `inside` whether they are valid (null: always).
  llvm::SmallVector<Scalar> locate(Body &body, Scalars output, Scalars offset,
                                   Scalar &inside) const;
};

} // namespace heddle::graph::form

#endif
