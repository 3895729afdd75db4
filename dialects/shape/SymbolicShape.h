// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbolic shapes, shared by all dialects. A dynamic dimension is never just `?`: the tensor type's
// encoding is an affine map without dimensions whose results are the sizes of all axes as
// expressions over the module's symbols:
//
//   tensor<?x2048xf32, affine_map<()[s0] -> (s0, 2048)>>
//
// A static tensor has no encoding. `s0`, `s1`, ... are the entries of the module attribute
// `graph.symbols`, bound at run time in order. Products of symbols and divisions by symbols are
// semi-affine and allowed.
#ifndef HEDDLE_DIALECTS_SHAPE_SYMBOLICSHAPE_H
#define HEDDLE_DIALECTS_SHAPE_SYMBOLICSHAPE_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace heddle::shape {

/// Sizes of all axes of `type`; constants where static. A dynamic axis without encoding is an error
/// of the producer (assert).
llvm::SmallVector<mlir::AffineExpr> getDims(mlir::RankedTensorType type);
mlir::AffineExpr getDim(mlir::RankedTensorType type, int64_t axis);

/// The tensor type with these sizes: static where an expression is constant, encoded where any is
/// not.
mlir::RankedTensorType getTensorType(llvm::ArrayRef<mlir::AffineExpr> dims, mlir::Type elementType);

/// A map `()[s...] -> (exprs)` with the fewest symbols that the expressions need, so that equal
/// sizes give equal maps.
mlir::AffineMap getMap(llvm::ArrayRef<mlir::AffineExpr> exprs, mlir::MLIRContext *context);

/// The simplest known form of an expression over symbols.
mlir::AffineExpr simplify(mlir::AffineExpr expr);
mlir::AffineExpr product(llvm::ArrayRef<mlir::AffineExpr> factors, mlir::MLIRContext *context);
/// Product of `numerator` divided by the product of `denominator`; equal factors cancel, so no
/// remainder is expected.
mlir::AffineExpr quotient(llvm::ArrayRef<mlir::AffineExpr> numerator,
                          llvm::ArrayRef<mlir::AffineExpr> denominator, mlir::MLIRContext *context);
bool provablyEqual(mlir::AffineExpr a, mlir::AffineExpr b);
/// Whether the two have equally many elements whatever the symbols are.
bool haveEqualCounts(mlir::RankedTensorType a, mlir::RankedTensorType b);
std::optional<int64_t> getConstant(mlir::AffineExpr expr);
inline mlir::AffineExpr constant(int64_t value, mlir::MLIRContext *context) {
  return mlir::getAffineConstantExpr(value, context);
}

enum class SymbolKind { kInputDim, kInputElement, kDerived };
/// What a derived symbol computes from its operands; the meaning is that of
/// lib/artifact/Artifact.fbs' ExprKind.
enum class DerivedOp { kMin, kMax, kBroadcast, kEqual, kLess, kSelect };

/// The module's symbols, in binding order. Kept as the attribute `graph.symbols`, an array of
/// dictionaries: {kind = "input_dim", name = "batch", input = 0, index = 0}, {kind =
/// "input_element", name, input, index}, {kind = "derived", op = "min", operands =
/// affine_map<()[s0] -> (s0, 5)>}.
class Symbols {
public:
  struct Entry {
    SymbolKind kind;
    llvm::StringRef name;
    int64_t input = 0, index = 0;
    DerivedOp op = DerivedOp::kMin;
    mlir::AffineMap operands;
  };
  explicit Symbols(mlir::ModuleOp module) : module(module) {}
  int64_t size();
  Entry get(int64_t position);

  /// The symbol of a named input dimension; two dimensions of one (non-empty) name share it.
  mlir::AffineExpr inputDim(llvm::StringRef name, int64_t input, int64_t axis);
  /// Element `index` of the integer input tensor `input`, known on the host when shapes are bound.
  mlir::AffineExpr inputElement(llvm::StringRef name, int64_t input, int64_t index);
  /// Folds where constants allow, else makes or finds the symbol. `Broadcast` of provably equal
  /// sizes is that size.
  mlir::AffineExpr derived(DerivedOp op, llvm::ArrayRef<mlir::AffineExpr> operands);

private:
  mlir::AffineExpr append(mlir::DictionaryAttr entry);
  mlir::ArrayAttr entries();
  mlir::ModuleOp module;
};

} // namespace heddle::shape

#endif
