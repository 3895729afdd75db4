// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one way in which convolutions are formed, shared by Conv and the quantised ones.
#ifndef HEDDLE_PASSES_GRAPH_FORM_CONVOLUTION_H
#define HEDDLE_PASSES_GRAPH_FORM_CONVOLUTION_H

#include "passes/graph/form/Matmul.h"
#include "passes/graph/form/Window.h"

namespace heddle::graph::form {

struct ConvSpec {
  mlir::Value x, w, bias; // bias: [out channels], or null
  /// Type of what `mapX` and `mapW` give; null: that of the operands.
  mlir::Type productType;
  /// Change the elements of the input (never those of the padding) and of the weight.
  std::function<Scalar(Body &, Scalar x)> mapX;
  std::function<Scalar(Body &, Scalar w, Scalar outChannel)> mapW;
  std::function<Scalar(Body &, Scalar acc, Scalar outChannel)> epilogue;
};

mlir::LogicalResult lowerConvolution(Node &node, const ConvSpec &spec);

} // namespace heddle::graph::form

#endif
