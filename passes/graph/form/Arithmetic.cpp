// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic, comparisons, logic and bits of two operands, where the element types decide what the
// operator means: division cuts toward zero on integers, the remainder's sign is an attribute,
// powers mix types.
#include "passes/graph/form/Node.h"

#include <cmath>

using namespace mlir;

namespace heddle::graph::form {

static void add(Registry &registry, StringRef name, Formula formula) {
  registry[name] = [formula = std::move(formula)](Node &node) {
    return lowerElementwise(node, formula);
  };
}

/// Small constant exponents need no logarithm, and give exact squares.
static Scalar powerOfConstant(Body &b, Scalar x, double exponent) {
  if (exponent == 1)
    return x;
  if (exponent == 2)
    return x * x;
  if (exponent == 3)
    return x * x * x;
  if (exponent == 4)
    return (x * x) * (x * x);
  if (exponent == -1)
    return b.constant(1, x.type) / x;
  if (exponent == 0.5)
    return b.math<math::SqrtOp>(x);
  return {};
}

static Scalar power(Body &b, Scalar x, Scalar y) {
  auto exponent = y.number();
  if (x.isFloat()) {
    if (exponent)
      if (Scalar result = powerOfConstant(b, x, *exponent))
        return result;
    Type type = x.type.isF64() || y.type.isF64() ? b.builder.getF64Type() : x.type;
    return b.math<math::PowFOp>(b.convert(x, type), b.convert(y, type));
  }
  if (exponent && *exponent >= 1 && *exponent <= 4 && std::floor(*exponent) == *exponent)
    return powerOfConstant(b, x, *exponent);
  // Exact where the power fits 53 bits; rounding undoes the error of pow.
  Type f64 = b.builder.getF64Type();
  Scalar result = b.math<math::PowFOp>(b.convert(x, f64), b.convert(y, f64));
  return y.isFloat() ? result : b.math<math::RoundEvenOp>(result);
}

static Scalar modulo(Body &b, const Node &node, Scalar x, Scalar y) {
  Scalar rest = x % y;
  if (node.integer("fmod", 0) || x.isUnsigned())
    return rest;
  // Without fmod the result has the sign of the divisor.
  Scalar zero = b.integer(0, x.type);
  Scalar differs = b.compare(Relation::kNotEqual, rest, zero) & ((rest < zero) ^ (y < zero));
  return b.select(differs, rest + y, rest);
}

static Scalar bitShift(Body &b, const Node &node, Scalar x, Scalar y) {
  // A shift by the width or more gives zero, not what the machine does.
  unsigned width = x.value.getType().getIntOrFloatBitWidth();
  Scalar shifted =
      node.text("direction", "LEFT") == "LEFT" ? b.shiftLeft(x, y) : b.shiftRight(x, y);
  return b.select(y < b.integer(width, x.type), shifted, b.integer(0, x.type));
}

static void addComparison(Registry &registry, StringRef name, Relation relation) {
  add(registry, name,
      [relation](Body &b, const Node &, Scalars x) { return b.compare(relation, x[0], x[1]); });
}

void addArithmetic(Registry &r) {
  add(r, "add", [](Body &, const Node &, Scalars x) { return x[0] + x[1]; });
  add(r, "sub", [](Body &, const Node &, Scalars x) { return x[0] - x[1]; });
  add(r, "mul", [](Body &, const Node &, Scalars x) { return x[0] * x[1]; });
  add(r, "div", [](Body &, const Node &, Scalars x) { return x[0] / x[1]; });
  add(r, "pow", [](Body &b, const Node &, Scalars x) { return power(b, x[0], x[1]); });
  add(r, "mod", [](Body &b, const Node &n, Scalars x) { return modulo(b, n, x[0], x[1]); });

  addComparison(r, "equal", Relation::kEqual);
  addComparison(r, "less", Relation::kLess);
  addComparison(r, "less_or_equal", Relation::kLessEqual);
  addComparison(r, "greater", Relation::kGreater);
  addComparison(r, "greater_or_equal", Relation::kGreaterEqual);

  for (StringRef name : {"and", "bitwise_and"})
    add(r, name, [](Body &, const Node &, Scalars x) { return x[0] & x[1]; });
  for (StringRef name : {"or", "bitwise_or"})
    add(r, name, [](Body &, const Node &, Scalars x) { return x[0] | x[1]; });
  for (StringRef name : {"xor", "bitwise_xor"})
    add(r, name, [](Body &, const Node &, Scalars x) { return x[0] ^ x[1]; });
  for (StringRef name : {"not", "bitwise_not"})
    add(r, name, [](Body &b, const Node &, Scalars x) { return b.logicalNot(x[0]); });
  add(r, "bit_shift", [](Body &b, const Node &n, Scalars x) { return bitShift(b, n, x[0], x[1]); });
}

} // namespace heddle::graph::form
