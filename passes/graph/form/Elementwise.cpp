// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that compute each element from the elements at the same place, one formula a row.
// Formulas are those of the ONNX operator texts; 16-bit floats compute in f32 and round once.
#include "passes/graph/form/Node.h"

#include <cmath>

using namespace mlir;

namespace heddle::graph::form {

LogicalResult lowerElementwise(Node &node, const Formula &formula) {
  RankedTensorType type = node.outType();
  Dims dims = node.outDims();
  Value result = node.map(type, [&](Body &body, Scalars at) {
    SmallVector<Scalar> operands;
    for (unsigned group = 0; group < std::max(node.groups(), node.op->getNumOperands()); ++group) {
      Value operand = node.in(group);
      operands.push_back(operand ? body.widen(body.loadBroadcast(operand, at, dims)) : Scalar());
    }
    return body.convert(formula(body, node, operands), type.getElementType());
  });
  return node.replace(result);
}

/// Operators with one variadic operand, combined from the left.
static LogicalResult lowerVariadic(Node &node,
                                   llvm::function_ref<Scalar(Body &, Scalar, Scalar)> combine,
                                   llvm::function_ref<Scalar(Scalar, int64_t)> finish) {
  RankedTensorType type = node.outType();
  Dims dims = node.outDims();
  Value result = node.map(type, [&](Body &body, Scalars at) {
    Scalar sum;
    for (Value operand : node.op->getOperands()) {
      Scalar x = body.widen(body.loadBroadcast(operand, at, dims));
      sum = sum ? combine(body, sum, x) : x;
    }
    return body.convert(finish(sum, node.op->getNumOperands()), type.getElementType());
  });
  return node.replace(result);
}

static void add(Registry &registry, StringRef name, Formula formula) {
  registry[name] = [formula = std::move(formula)](Node &node) {
    return lowerElementwise(node, formula);
  };
}

template <typename Op> static void addMath(Registry &registry, StringRef name) {
  add(registry, name, [](Body &b, const Node &, Scalars x) { return b.math<Op>(x[0]); });
}

//===----------------------------------------------------------------------------------------------===//
// Functions of one float
//===----------------------------------------------------------------------------------------------===//

static Scalar zero(Scalar x) { return x.body->constant(0, x.type); }

/// log(1 + e^x), which neither overflows for large x nor loses small values.
static Scalar softplus(Body &b, Scalar x) {
  Scalar tail = b.math<math::Log1pOp>(b.math<math::ExpOp>(-b.math<math::AbsFOp>(x)));
  return b.maximum(x, zero(x)) + tail;
}

static Scalar gelu(Body &b, const Node &node, Scalar x) {
  Scalar one = b.constant(1, x.type);
  if (node.text("approximate", "none") == "tanh") {
    Scalar inner = (x + x * x * x * 0.044715) * std::sqrt(2.0 / M_PI);
    return x * 0.5 * (one + b.math<math::TanhOp>(inner));
  }
  return x * 0.5 * (one + b.math<math::ErfOp>(x * M_SQRT1_2));
}

static Scalar clampUnit(Body &b, Scalar x) {
  return b.maximum(b.minimum(x, b.constant(1, x.type)), zero(x));
}

static void addActivations(Registry &r) {
  add(r, "relu", [](Body &b, const Node &, Scalars x) { return b.maximum(x[0], zero(x[0])); });
  add(r, "sigmoid", [](Body &b, const Node &, Scalars x) { return b.sigmoid(x[0]); });
  add(r, "gelu", [](Body &b, const Node &n, Scalars x) { return gelu(b, n, x[0]); });
  add(r, "leaky_relu", [](Body &b, const Node &n, Scalars x) {
    return b.select(x[0] < 0, x[0] * n.real("alpha", 0.01), x[0]);
  });
  add(r, "prelu", [](Body &b, const Node &, Scalars x) {
    return b.select(x[0] < zero(x[0]), x[0] * x[1], x[0]);
  });
  add(r, "thresholded_relu", [](Body &b, const Node &n, Scalars x) {
    return b.select(x[0] > n.real("alpha", 1), x[0], zero(x[0]));
  });
  add(r, "elu", [](Body &b, const Node &n, Scalars x) {
    return b.select(x[0] < 0, b.math<math::ExpM1Op>(x[0]) * n.real("alpha", 1), x[0]);
  });
  add(r, "celu", [](Body &b, const Node &n, Scalars x) {
    double alpha = n.real("alpha", 1);
    Scalar below = b.math<math::ExpM1Op>(x[0] / alpha) * alpha;
    return b.maximum(x[0], zero(x[0])) + b.minimum(below, zero(x[0]));
  });
  add(r, "selu", [](Body &b, const Node &n, Scalars x) {
    Scalar below = b.math<math::ExpM1Op>(x[0]) * n.real("alpha", 1.67326319217681884765625);
    return b.select(x[0] > 0, x[0], below) * n.real("gamma", 1.05070102214813232421875);
  });
  add(r, "hard_sigmoid", [](Body &b, const Node &n, Scalars x) {
    return clampUnit(b, x[0] * n.real("alpha", 0.2) + n.real("beta", 0.5));
  });
  add(r, "hard_swish", [](Body &b, const Node &, Scalars x) {
    return x[0] * clampUnit(b, x[0] * (1.0 / 6.0) + 0.5);
  });
  add(r, "softplus", [](Body &b, const Node &, Scalars x) { return softplus(b, x[0]); });
  add(r, "softsign", [](Body &b, const Node &, Scalars x) {
    return x[0] / (b.constant(1, x[0].type) + b.math<math::AbsFOp>(x[0]));
  });
  add(r, "mish", [](Body &b, const Node &, Scalars x) {
    return x[0] * b.math<math::TanhOp>(softplus(b, x[0]));
  });
  add(r, "swish", [](Body &b, const Node &n, Scalars x) {
    return x[0] * b.sigmoid(x[0] * n.real("alpha", 1));
  });
  add(r, "shrink", [](Body &b, const Node &n, Scalars x) {
    double lambda = n.real("lambd", 0.5), bias = n.real("bias", 0);
    // Integers shrink in f32 too, as lambda and bias are floats.
    Scalar v = x[0].isFloat() ? x[0] : b.convert(x[0], b.builder.getF32Type());
    return b.select(v < -lambda, v + bias, b.select(v > lambda, v - bias, zero(v)));
  });
}

static void addFunctions(Registry &r) {
  addMath<math::ExpOp>(r, "exp");
  addMath<math::LogOp>(r, "log");
  addMath<math::SqrtOp>(r, "sqrt");
  addMath<math::ErfOp>(r, "erf");
  addMath<math::SinOp>(r, "sin");
  addMath<math::CosOp>(r, "cos");
  addMath<math::TanOp>(r, "tan");
  addMath<math::AsinOp>(r, "asin");
  addMath<math::AcosOp>(r, "acos");
  addMath<math::AtanOp>(r, "atan");
  addMath<math::SinhOp>(r, "sinh");
  addMath<math::CoshOp>(r, "cosh");
  addMath<math::TanhOp>(r, "tanh");
  addMath<math::AsinhOp>(r, "asinh");
  addMath<math::AcoshOp>(r, "acosh");
  addMath<math::AtanhOp>(r, "atanh");
  addMath<math::FloorOp>(r, "floor");
  addMath<math::CeilOp>(r, "ceil");
  addMath<math::RoundEvenOp>(r, "round");
  add(r, "reciprocal",
      [](Body &b, const Node &, Scalars x) { return b.constant(1, x[0].type) / x[0]; });
  add(r, "neg", [](Body &, const Node &, Scalars x) { return -x[0]; });
  add(r, "abs", [](Body &b, const Node &, Scalars x) {
    if (x[0].isFloat())
      return b.math<math::AbsFOp>(x[0]);
    return x[0].isUnsigned() ? x[0] : b.maximum(x[0], -x[0]);
  });
  add(r, "sign", [](Body &b, const Node &, Scalars x) {
    // A zero and a NaN stay what they are.
    Scalar positive = b.constant(1, x[0].type);
    Scalar rest = x[0].isUnsigned() ? x[0] : b.select(x[0] < zero(x[0]), -positive, x[0]);
    return b.select(x[0] > zero(x[0]), positive, rest);
  });
  add(r, "is_nan", [](Body &b, const Node &, Scalars x) { return b.isNaN(x[0]); });
  add(r, "is_inf", [](Body &b, const Node &n, Scalars x) {
    Scalar result = b.integer(0, b.builder.getI1Type());
    if (n.integer("detect_positive", 1))
      result = result | equal(x[0], b.highest(x[0].type));
    if (n.integer("detect_negative", 1))
      result = result | equal(x[0], b.lowest(x[0].type));
    return result;
  });
}

//===----------------------------------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------------------------------===//

static void addChoices(Registry &r) {
  add(r, "where", [](Body &b, const Node &, Scalars x) { return b.select(x[0], x[1], x[2]); });
  add(r, "clip", [](Body &b, const Node &n, Scalars x) {
    Scalar y = x[0];
    // Up to opset 10 the bounds are attributes.
    if (x.size() > 1 && x[1])
      y = b.maximum(y, x[1]);
    else if (n.attr("min"))
      y = b.maximum(y, b.constant(n.real("min", 0), y.type));
    if (x.size() > 2 && x[2])
      y = b.minimum(y, x[2]);
    else if (n.attr("max"))
      y = b.minimum(y, b.constant(n.real("max", 0), y.type));
    return y;
  });
  r["max"] = [](Node &node) {
    return lowerVariadic(
        node, [](Body &b, Scalar x, Scalar y) { return b.maximum(x, y); },
        [](Scalar x, int64_t) { return x; });
  };
  r["min"] = [](Node &node) {
    return lowerVariadic(
        node, [](Body &b, Scalar x, Scalar y) { return b.minimum(x, y); },
        [](Scalar x, int64_t) { return x; });
  };
  r["sum"] = [](Node &node) {
    return lowerVariadic(
        node, [](Body &, Scalar x, Scalar y) { return x + y; },
        [](Scalar x, int64_t) { return x; });
  };
  r["mean"] = [](Node &node) {
    return lowerVariadic(
        node, [](Body &, Scalar x, Scalar y) { return x + y; },
        [](Scalar x, int64_t count) { return x / double(count); });
  };
}

void addElementwise(Registry &registry) {
  addActivations(registry);
  addFunctions(registry);
  addChoices(registry);
}

} // namespace heddle::graph::form
