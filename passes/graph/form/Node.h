// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a lowering sees of a graph op: operands by position (absent ones are null), attributes by
// ONNX name, values that the host knows; and the builders for each kind of kernel.
#ifndef HEDDLE_PASSES_GRAPH_FORM_NODE_H
#define HEDDLE_PASSES_GRAPH_FORM_NODE_H

#include "passes/graph/scalar/Positions.h"
#include "passes/graph/scalar/Scalar.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace heddle::graph::form {

class Node {
public:
  explicit Node(mlir::Operation *op);

  mlir::Operation *op;
  mlir::OpBuilder builder;
  mlir::Location loc;

  /// The operand of an ODS group, or null if it is absent.
  mlir::Value in(unsigned group) const;
  mlir::OperandRange ins(unsigned group) const;
  unsigned groups() const;
  mlir::RankedTensorType inType(unsigned group) const;
  mlir::RankedTensorType outType(unsigned result = 0) const;
  mlir::Type outElement(unsigned result = 0) const { return outType(result).getElementType(); }
  Dims inDims(unsigned group) const { return shape::getDims(inType(group)); }
  Dims outDims(unsigned result = 0) const { return shape::getDims(outType(result)); }
  mlir::AffineExpr expr(int64_t value) const;

  mlir::Attribute attr(llvm::StringRef name) const;
  int64_t integer(llvm::StringRef name, int64_t otherwise) const;
  double real(llvm::StringRef name, double otherwise) const;
  llvm::StringRef text(llvm::StringRef name, llvm::StringRef otherwise) const;
  std::optional<llvm::SmallVector<int64_t>> integers(llvm::StringRef name) const;
  llvm::SmallVector<int64_t> integers(llvm::StringRef name, unsigned count,
                                      int64_t otherwise) const;

  /// The elements of an integer operand as expressions over the module's symbols, if they are known
  /// on the host.
  std::optional<Dims> values(unsigned group) const;
  /// The elements of a constant operand of any number type.
  std::optional<llvm::SmallVector<double>> numbers(unsigned group) const;
  /// Constant axes from the attribute `axes` or the operand `group`, in [0, rank). Null: absent.
  /// Failure: not constant.
  mlir::FailureOr<std::optional<llvm::SmallVector<int64_t>>> axes(unsigned group,
                                                                  int64_t rank) const;

  /// Reports that the node has no lowering; all nodes of a model are reported before giving up.
  mlir::LogicalResult unsupported(const llvm::Twine &reason) const;
  mlir::LogicalResult replace(mlir::ValueRange values);

  using Element = llvm::function_ref<Scalar(Body &, Scalars)>;
  using Elements = llvm::function_ref<llvm::SmallVector<Scalar>(Body &, Scalars)>;
  mlir::Value map(mlir::RankedTensorType type, Element element);
  mlir::ValueRange mapMany(llvm::ArrayRef<mlir::RankedTensorType> types, Elements elements);
  /// kernel.reduce where threads should share the folds, else kernel.map; `inner`: the fold runs
  /// over the innermost axis of what it reads; `folded`: its number of elements.
  mlir::Value reduce(mlir::RankedTensorType type, bool inner, mlir::AffineExpr folded,
                     Element element);
  mlir::ValueRange reduceMany(llvm::ArrayRef<mlir::RankedTensorType> types, bool inner,
                              mlir::AffineExpr folded, Elements elements);
  /// `row` builds the folds from the outer coordinates and returns the function for the elements,
  /// which gets all coordinates.
  using RowElements = std::function<llvm::SmallVector<Scalar>(Body &, Scalars)>;
  using Row = llvm::function_ref<RowElements(Body &, Scalars)>;
  mlir::ValueRange rows(llvm::ArrayRef<mlir::RankedTensorType> types, llvm::ArrayRef<int64_t> axes,
                        Row row);
  struct Contract {
    mlir::RankedTensorType type;
    Dims sizes;         // B, M, N, K
    Dims coordinates;   // of the result, over d0 = b, d1 = m, d2 = n
    mlir::Type element; // of what the operands give, with sign
    /// Neighbours in K are neighbours in memory, where the product is one with a vector.
    bool innerK = false;
  };
  using Epilogue = llvm::function_ref<Scalar(Body &, Scalars bmn, Scalar acc)>;
  mlir::Value contract(const Contract &contract, Element lhs, Element rhs, Epilogue epilogue);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> dims);

private:
  mlir::Value contractVector(const Contract &contract, Element lhs, Element rhs, Epilogue epilogue);
  std::pair<unsigned, unsigned> segment(unsigned group) const;
};

/// So few rows or columns that a matrix product is one with vectors.
bool isFew(mlir::AffineExpr size);
/// A reshape, or the value itself where it has that type already.
mlir::Value createReshape(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                          llvm::ArrayRef<mlir::AffineExpr> dims);

using Lowering = std::function<mlir::LogicalResult(Node &)>;
using Registry = llvm::StringMap<Lowering>;

/// An elementwise formula: operands broadcast and in the compute type; absent ones are null. The
/// result is converted to the result's type.
using Formula = std::function<Scalar(Body &, const Node &, Scalars)>;
mlir::LogicalResult lowerElementwise(Node &node, const Formula &formula);

/// Each family adds its operators, by mnemonic.
void addElementwise(Registry &registry);
void addArithmetic(Registry &registry);
void addCasts(Registry &registry);
void addMovement(Registry &registry);
void addIndexing(Registry &registry);
void addGenerators(Registry &registry);
void addReductions(Registry &registry);
void addRows(Registry &registry);
void addPools(Registry &registry);
void addMatmuls(Registry &registry);
void addConvolutions(Registry &registry);
void addResize(Registry &registry);
void addQuantization(Registry &registry);
void addSorting(Registry &registry);

} // namespace heddle::graph::form

#endif
