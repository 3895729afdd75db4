// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds simpler graph ops in the place of a composite one. Each new op gets its type from its own
// shape rule at once, so that an expansion states the formula and nothing about sizes. A failed
// step gives a null value, later steps pass null on, and the expansion asks once at its end.
#ifndef HEDDLE_PASSES_GRAPH_DECOMPOSE_EXPANSION_H
#define HEDDLE_PASSES_GRAPH_DECOMPOSE_EXPANSION_H

#include "dialects/graph/Graph.h"
#include "dialects/graph/ops/ShapeRules.h"
#include "mlir/IR/Builders.h"

namespace heddle::graph {

class Expansion {
public:
  Expansion(mlir::Operation *op, const ShapeRules &rules, shape::Symbols &symbols, HostValues &host)
      : shape(op, symbols, host), rules(rules), builder(op) {}

  /// The composite op: operands, attributes, errors.
  OpShape shape;

  mlir::Value in(unsigned group) const { return shape.in(group); }
  static mlir::RankedTensorType type(mlir::Value value);
  static Dims dims(mlir::Value value);
  mlir::AffineExpr constant(int64_t value) const { return shape.constant(value); }
  double real(llvm::StringRef name, double otherwise) const;

  using Attrs = llvm::ArrayRef<mlir::NamedAttribute>;
  /// A new op with one result, by mnemonic; every operand group is given.
  mlir::Value emit(llvm::StringRef mnemonic, mlir::ValueRange operands, Attrs attrs = {});
  mlir::NamedAttribute attr(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute attr(llvm::StringRef name, llvm::ArrayRef<int64_t> values);

  /// A vector of i64 on the host: a constant, or expressions over symbols.
  mlir::Value vector(llvm::ArrayRef<mlir::AffineExpr> values);
  mlir::Value vector(llvm::ArrayRef<int64_t> values);
  /// A rank-0 i64 on the host.
  mlir::Value number(mlir::AffineExpr value);
  /// A rank-0 constant.
  mlir::Value scalar(double value, mlir::Type element);

  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> dims);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> perm);
  mlir::Value unsqueeze(mlir::Value value, int64_t axis);
  /// Elements [begin, end) of an axis, every `step`-th.
  mlir::Value slice(mlir::Value value, int64_t axis, mlir::AffineExpr begin, mlir::AffineExpr end,
                    int64_t step = 1);
  mlir::Value concat(mlir::ValueRange values, int64_t axis);
  mlir::Value cast(mlir::Value value, mlir::Type element);
  mlir::Value add(mlir::Value a, mlir::Value b) { return emit("add", {a, b}); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return emit("mul", {a, b}); }
  mlir::Value matmul(mlir::Value a, mlir::Value b) { return emit("matmul", {a, b}); }
  mlir::Value reduceSum(mlir::Value value, llvm::ArrayRef<int64_t> axes);

  /// Replaces the op's results; a null value is an expansion that failed. A null among `values`
  /// stands for a result that must have no use.
  mlir::LogicalResult replace(llvm::ArrayRef<mlir::Value> values);

private:
  const ShapeRules &rules;
  mlir::OpBuilder builder;
};

/// Replaces one op, or emits an error at it.
using Expand = mlir::LogicalResult (*)(Expansion &);

mlir::LogicalResult expandAttention(Expansion &e);
mlir::LogicalResult expandRotaryEmbedding(Expansion &e);
mlir::LogicalResult expandEinsum(Expansion &e);
mlir::LogicalResult expandNegativeLogLikelihoodLoss(Expansion &e);
mlir::LogicalResult expandSoftmaxCrossEntropyLoss(Expansion &e);
mlir::LogicalResult expandHannWindow(Expansion &e);
mlir::LogicalResult expandHammingWindow(Expansion &e);
mlir::LogicalResult expandBlackmanWindow(Expansion &e);
mlir::LogicalResult expandCenterCropPad(Expansion &e);

} // namespace heddle::graph

#endif
