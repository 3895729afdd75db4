// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape rules: from the types of an op's operands, and the contents of those that the host knows,
// to the types of its results. A rule is a function in the file of the op's family, found by the
// op's mnemonic. Adding an operator adds one row there.
#ifndef HEDDLE_DIALECTS_GRAPH_OPS_SHAPERULES_H
#define HEDDLE_DIALECTS_GRAPH_OPS_SHAPERULES_H

#include "dialects/shape/SymbolicShape.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace heddle::graph {

using Dims = llvm::SmallVector<mlir::AffineExpr>;

/// Contents of small integer and boolean tensors as expressions over the module's symbols,
/// row-major.
using HostValues = llvm::DenseMap<mlir::Value, Dims>;

/// No tensor of more elements is followed on the host.
constexpr int64_t kMaxHostElems = 1024;

/// What a rule sees of an op, and where it puts the result types. Operands are counted in ODS
/// groups; absent ones are null.
class OpShape {
public:
  OpShape(mlir::Operation *op, shape::Symbols &symbols, HostValues &host)
      : op(op), symbols(symbols), host(host) {}

  mlir::Operation *op;
  shape::Symbols &symbols;
  HostValues &host;
  llvm::SmallVector<mlir::RankedTensorType> results;

  mlir::MLIRContext *context() const { return op->getContext(); }
  mlir::Value in(unsigned group) const;
  mlir::RankedTensorType type(unsigned group) const;
  mlir::Type element(unsigned group) const { return type(group).getElementType(); }
  int64_t rank(unsigned group) const { return type(group).getRank(); }
  Dims dims(unsigned group) const { return shape::getDims(type(group)); }
  mlir::AffineExpr constant(int64_t value) const { return shape::constant(value, context()); }

  int64_t integer(llvm::StringRef name, int64_t otherwise) const;
  llvm::StringRef text(llvm::StringRef name, llvm::StringRef otherwise) const;
  std::optional<llvm::SmallVector<int64_t>> integers(llvm::StringRef name) const;

  /// Contents that the host knows, if it does.
  std::optional<Dims> values(unsigned group) const;
  std::optional<Dims> valuesOf(mlir::Value value) const;
  /// Contents that are numbers now; emits an error where they are not.
  mlir::FailureOr<llvm::SmallVector<int64_t>> constants(unsigned group, llvm::StringRef what) const;
  /// Numbers of a constant operand of any type; nothing if it is not constant.
  std::optional<llvm::SmallVector<double>> numbers(unsigned group) const;
  std::optional<llvm::SmallVector<double>> numbersOf(mlir::Value value) const;

  /// An axis in [-rank, rank) as [0, rank), or an error.
  mlir::FailureOr<int64_t> axis(int64_t axis, int64_t rank) const;
  mlir::FailureOr<llvm::SmallVector<int64_t>> axes(llvm::ArrayRef<int64_t> axes,
                                                   int64_t rank) const;
  /// Common size of two dimensions under broadcasting, or an error when they are known to disagree.
  mlir::FailureOr<mlir::AffineExpr> broadcast(mlir::AffineExpr a, mlir::AffineExpr b) const;
  mlir::FailureOr<Dims> broadcast(llvm::ArrayRef<mlir::AffineExpr> a,
                                  llvm::ArrayRef<mlir::AffineExpr> b) const;
  /// True if the expression might be negative at run time: it depends on elements of inputs.
  bool mayBeNegative(mlir::AffineExpr expr) const;

  mlir::LogicalResult give(llvm::ArrayRef<mlir::AffineExpr> dims, mlir::Type element);
  mlir::LogicalResult fail(const llvm::Twine &reason) const;
  /// An error that says that the op is right but this compiler cannot do it.
  mlir::LogicalResult unsupported(const llvm::Twine &reason) const;

private:
  std::pair<unsigned, unsigned> segment(unsigned group) const;
};

using ShapeRule = mlir::LogicalResult (*)(OpShape &);
using ShapeRules = llvm::StringMap<ShapeRule>;

void addElementwiseRules(ShapeRules &rules);
void addMovementRules(ShapeRules &rules);
void addReductionRules(ShapeRules &rules);
void addContractionRules(ShapeRules &rules);
void addCompositeRules(ShapeRules &rules);
/// Every rule, by mnemonic.
const ShapeRules &getShapeRules();

/// Computes the contents of a result of an op of shape arithmetic, where its operands' contents are
/// known and its type is.
std::optional<Dims> foldHostValues(OpShape &op);
/// The contents of a result that follows from constants with floats among them; null where it does
/// not, or is not small.
mlir::DenseElementsAttr foldNumbers(OpShape &op);
/// True for ops that `foldHostValues` can fold.
bool isHostFoldable(llvm::StringRef mnemonic);
/// The operand groups that decide shapes, so that the host must know them.
llvm::SmallVector<unsigned> getShapeOperands(llvm::StringRef mnemonic);

/// The element type with an ONNX TensorProto.DataType code; null for strings and what is not a
/// number.
mlir::Type getElementType(int64_t onnxCode, mlir::MLIRContext *context);

} // namespace heddle::graph

#endif
