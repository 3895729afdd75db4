// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small language for writing the scalar regions of kernels. A `Scalar` is an SSA value that knows
// its ONNX element type (so that `/` on an unsigned integer divides unsigned) and has operators; a
// `Body` is the place where they are built.
#ifndef HEDDLE_PASSES_GRAPH_SCALAR_SCALAR_H
#define HEDDLE_PASSES_GRAPH_SCALAR_SCALAR_H

#include "dialects/kernel/Kernel.h"
#include "dialects/shape/SymbolicShape.h"
#include "mlir/IR/Builders.h"
#include <utility>

namespace heddle::graph::form {

class Body;

/// A scalar of a kernel: a value and its element type with sign. Coordinates have type `index`.
struct Scalar {
  Body *body = nullptr;
  mlir::Value value;
  mlir::Type type;
  explicit operator bool() const { return bool(value); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(type); }
  bool isUnsigned() const { return type.isUnsignedInteger() || type.isInteger(1); }
  /// The value if it is a compile-time number.
  std::optional<double> number() const;
};

enum class Relation { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
using Scalars = llvm::ArrayRef<Scalar>;

/// The type in which an operator on `element` computes: f32 for the floats below 32 bits, else
/// itself.
mlir::Type getComputeType(mlir::Type element);

class Body {
public:
  Body(mlir::OpBuilder builder, mlir::Location loc) : builder(builder), loc(loc) {}
  mlir::OpBuilder builder;
  mlir::Location loc;

  /// Constants and sizes.
  Scalar constant(double value, mlir::Type type);
  Scalar integer(int64_t value, mlir::Type type);
  Scalar index(int64_t value) { return integer(value, builder.getIndexType()); }
  Scalar size(mlir::AffineExpr expr);
  /// An expression whose dimensions are `dims`.
  Scalar evaluate(mlir::AffineExpr expr, Scalars dims);
  Scalar wrap(mlir::Value value, mlir::Type type) { return {this, value, type}; }
  llvm::SmallVector<Scalar> wrapIndices(mlir::ValueRange values);
  /// The largest and smallest finite-or-infinite value of a type.
  Scalar highest(mlir::Type type);
  Scalar lowest(mlir::Type type);

  /// Reads an element. A splat constant is not read but is that constant.
  Scalar load(mlir::Value tensor, Scalars coordinates);
  /// Reads the element that broadcasting puts at `coordinates` of a tensor with sizes `dims`.
  Scalar loadBroadcast(mlir::Value tensor, Scalars coordinates,
                       llvm::ArrayRef<mlir::AffineExpr> dims);
  /// The same, in the compute type.
  Scalar loadWide(mlir::Value tensor, Scalars coordinates);

  /// ONNX Cast. `saturate` matters for 8-bit floats only.
  Scalar convert(Scalar x, mlir::Type type, bool saturate = true);
  Scalar widen(Scalar x) { return convert(x, getComputeType(x.type)); }
  /// Clamps to the range of an integer type, then converts; x is a float or an integer.
  Scalar saturate(Scalar x, mlir::Type type);
  Scalar toIndex(Scalar x) { return convert(x, builder.getIndexType()); }

  Scalar compare(Relation relation, Scalar a, Scalar b);
  Scalar select(Scalar condition, Scalar a, Scalar b);
  Scalar minimum(Scalar a, Scalar b);
  Scalar maximum(Scalar a, Scalar b);
  Scalar logicalNot(Scalar a);
  Scalar isNaN(Scalar a);
  Scalar shiftLeft(Scalar a, Scalar b);
  Scalar shiftRight(Scalar a, Scalar b);
  /// Bits as an integer or float of the same width.
  Scalar bitcast(Scalar a, mlir::Type type);
  /// A float function of the math dialect.
  template <typename Op> Scalar math(Scalar x) {
    return wrap(builder.createOrFold<Op>(loc, x.value), x.type);
  }
  template <typename Op> Scalar math(Scalar x, Scalar y) {
    return wrap(builder.createOrFold<Op>(loc, x.value, y.value), x.type);
  }
  Scalar sigmoid(Scalar x);
  Scalar floorDivide(Scalar a, Scalar b);

  /// 0 <= i < size in one comparison; i may be negative.
  Scalar inside(Scalar i, Scalar size);
  /// `then` where `condition` holds, evaluated only there; else `otherwise`.
  Scalar guard(Scalar condition, llvm::function_ref<Scalar()> then, Scalar otherwise);
  /// Both sides are evaluated only where they are needed.
  Scalar branch(Scalar condition, llvm::function_ref<Scalar()> then,
                llvm::function_ref<Scalar()> otherwise);

  /// kernel.fold over an index space; `type` is the type of what `element` gives.
  Scalar fold(kernel::FoldKind kind, llvm::ArrayRef<mlir::AffineExpr> sizes, mlir::Type type,
              llvm::function_ref<Scalar(Scalars)> element);
  /// ArgMin and ArgMax: (value, index).
  std::pair<Scalar, Scalar> argFold(kernel::FoldKind kind, llvm::ArrayRef<mlir::AffineExpr> sizes,
                                    mlir::Type type,
                                    llvm::function_ref<std::pair<Scalar, Scalar>(Scalars)> element);

  /// Row-major position, and its inverse (the outermost size is not needed).
  Scalar linearize(Scalars coordinates, llvm::ArrayRef<mlir::AffineExpr> dims);
  llvm::SmallVector<Scalar> delinearize(Scalar position, llvm::ArrayRef<mlir::AffineExpr> dims);

private:
  Scalar decodeSmallFloat(Scalar x);
  Scalar encodeSmallFloat(Scalar x, mlir::Type type, bool saturate);
  Scalar convertToInteger(Scalar x, mlir::Type type);
  Scalar convertToFloat(Scalar x, mlir::Type type);
};

/// Floats of fewer than 16 bits; converted by integer arithmetic, since no target has them all.
bool isSmallFloat(mlir::Type type);

Scalar operator+(Scalar a, Scalar b);
Scalar operator-(Scalar a, Scalar b);
Scalar operator*(Scalar a, Scalar b);
/// Toward zero for integers; unsigned for indices.
Scalar operator/(Scalar a, Scalar b);
/// The sign of the dividend; unsigned for indices.
Scalar operator%(Scalar a, Scalar b);
Scalar operator&(Scalar a, Scalar b);
Scalar operator|(Scalar a, Scalar b);
Scalar operator^(Scalar a, Scalar b);
Scalar operator-(Scalar a);
inline Scalar operator+(Scalar a, double b) { return a + a.body->constant(b, a.type); }
inline Scalar operator-(Scalar a, double b) { return a - a.body->constant(b, a.type); }
inline Scalar operator*(Scalar a, double b) { return a * a.body->constant(b, a.type); }
inline Scalar operator/(Scalar a, double b) { return a / a.body->constant(b, a.type); }
Scalar operator<(Scalar a, Scalar b);
Scalar operator<=(Scalar a, Scalar b);
Scalar operator>(Scalar a, Scalar b);
Scalar operator>=(Scalar a, Scalar b);
inline Scalar operator<(Scalar a, double b) { return a < a.body->constant(b, a.type); }
inline Scalar operator>(Scalar a, double b) { return a > a.body->constant(b, a.type); }
inline Scalar equal(Scalar a, Scalar b) { return a.body->compare(Relation::kEqual, a, b); }

} // namespace heddle::graph::form

#endif
