// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantisation: linear scales and zero points a tensor, an axis or a block, and the integer
// products and convolutions that take quantised operands. Products are exact in i32; scales are
// applied in f32 in the epilogue.
#include "passes/graph/form/Convolution.h"

using namespace mlir;

namespace heddle::graph::form {

/// The coordinate in a parameter that has either one element or one for each coordinate, when only
/// the run says which.
static Scalar clampToSize(Body &body, Scalar coordinate, Value parameter) {
  AffineExpr size = shape::getDim(cast<RankedTensorType>(parameter.getType()), 0);
  if (shape::getConstant(size))
    return coordinate;
  return body.minimum(coordinate, body.size(size) - 1);
}

/// The scale or zero point for an element at `at`: one for all, one along `axis`, or one a block.
static Scalar loadParameter(Body &body, Value tensor, Scalars at, int64_t axis, int64_t block) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t rank = type.getRank();
  if (rank == 0 || (type.hasStaticShape() && type.getNumElements() == 1))
    return body.load(tensor, SmallVector<Scalar>(rank, body.index(0)));
  if (rank == 1 && block == 0)
    return body.load(
        tensor, {axis < int64_t(at.size()) ? clampToSize(body, at[axis], tensor) : body.index(0)});
  SmallVector<Scalar> where(at.begin(), at.end());
  where[axis] = block > 0 ? at[axis] / body.index(block) : at[axis];
  return body.load(tensor, where);
}

static int64_t getAxis(const Node &node) {
  int64_t axis = node.integer("axis", 1);
  return axis < 0 ? axis + node.inType(0).getRank() : axis;
}

/// Rounds to even, adds the zero point, saturates.
static Scalar quantize(Body &body, Scalar x, Scalar zero, Type type, bool saturate) {
  if (isa<FloatType>(type))
    return body.convert(x, type, saturate);
  Scalar rounded = body.math<math::RoundEvenOp>(x);
  if (zero)
    rounded = rounded + body.convert(zero, rounded.type);
  return body.saturate(rounded, type);
}

static LogicalResult lowerQuantize(Node &node) {
  int64_t axis = getAxis(node), block = node.integer("block_size", 0);
  bool saturate = node.integer("saturate", 1);
  Type f32 = node.builder.getF32Type();
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar x = body.convert(body.load(node.in(0), at), f32);
    Scalar scale = body.convert(loadParameter(body, node.in(1), at, axis, block), f32);
    Scalar zero;
    if (node.in(2))
      zero = loadParameter(body, node.in(2), at, axis, block);
    return quantize(body, x / scale, zero, node.outElement(), saturate);
  }));
}

/// A quantised element less its zero point, exact.
static Scalar subtractZero(Body &body, Scalar x, Scalar zero) {
  if (x.isFloat())
    return zero ? body.widen(x) - body.widen(zero) : body.widen(x);
  Type i32 = body.builder.getI32Type();
  Scalar wide = body.convert(x, i32);
  return zero ? wide - body.convert(zero, i32) : wide;
}

static LogicalResult lowerDequantize(Node &node) {
  int64_t axis = getAxis(node), block = node.integer("block_size", 0);
  Type f32 = node.builder.getF32Type();
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar zero;
    if (node.in(2))
      zero = loadParameter(body, node.in(2), at, axis, block);
    Scalar x = body.convert(subtractZero(body, body.load(node.in(0), at), zero), f32);
    Scalar scale = body.convert(loadParameter(body, node.in(1), at, axis, block), f32);
    return body.convert(x * scale, node.outElement());
  }));
}

/// Scale and zero point from the range of the input, which always holds zero.
static LogicalResult lowerDynamicQuantize(Node &node) {
  Dims dims = node.inDims(0);
  Type f32 = node.builder.getF32Type(), ui8 = node.outElement(0);
  AffineExpr count = shape::product(dims, node.op->getContext());
  ValueRange parameters =
      node.reduceMany({node.outType(1), node.outType(2)}, true, count, [&](Body &body, Scalars) {
        auto load = [&](Scalars k) { return body.load(node.in(0), k); };
        Scalar zero = body.constant(0, f32);
        Scalar low = body.minimum(body.fold(kernel::FoldKind::Min, dims, f32, load), zero);
        Scalar high = body.maximum(body.fold(kernel::FoldKind::Max, dims, f32, load), zero);
        Scalar scale = (high - low) / 255.0;
        Scalar point = body.saturate(body.math<math::RoundEvenOp>((zero - low) / scale), ui8);
        return SmallVector<Scalar>{scale, point};
      });
  Value scale = parameters[0], point = parameters[1];
  Value y = node.map(node.outType(0), [&](Body &body, Scalars at) {
    Scalar x = body.load(node.in(0), at) / body.load(scale, {});
    return quantize(body, x, body.load(point, {}), ui8, true);
  });
  return node.replace({y, scale, point});
}

//===----------------------------------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------------------------------===//

/// A parameter of a whole tensor or along one coordinate.
static Scalar loadAlong(Body &body, Value tensor, Scalar coordinate) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() == 1 && shape::getConstant(shape::getDim(type, 0)) != 1)
    return body.load(tensor, {clampToSize(body, coordinate, tensor)});
  return body.load(tensor, SmallVector<Scalar>(type.getRank(), body.index(0)));
}

static bool isAlongOneAxis(Value tensor) {
  if (!tensor)
    return true;
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.getRank() <= 1 || (type.hasStaticShape() && type.getNumElements() == 1);
}

/// Sets how a product subtracts zero points; either may be null.
static void subtractZeros(Node &node, MatmulSpec &spec, Value zeroA, Value zeroB) {
  AffineExpr rows = node.expr(1);
  auto type = cast<RankedTensorType>(spec.a.getType());
  spec.productType = isa<FloatType>(type.getElementType()) ? Type(node.builder.getF32Type())
                                                           : Type(node.builder.getI32Type());
  if (type.getRank() > 1)
    rows = shape::getDim(type, type.getRank() - 2);
  spec.mapLhs = [=](Body &body, Scalar x, Scalars at) {
    // Batches may be folded into the rows.
    return subtractZero(body, x,
                        zeroA ? loadAlong(body, zeroA, at[1] % body.size(rows)) : Scalar());
  };
  spec.mapRhs = [=](Body &body, Scalar x, Scalars at) {
    return subtractZero(body, x, zeroB ? loadAlong(body, zeroB, at[2]) : Scalar());
  };
}

static LogicalResult lowerMatMulInteger(Node &node) {
  if (!isAlongOneAxis(node.in(2)) || !isAlongOneAxis(node.in(3)))
    return node.unsupported("its zero points have more than one axis");
  MatmulSpec spec;
  spec.a = node.in(0);
  spec.b = node.in(1);
  subtractZeros(node, spec, node.in(2), node.in(3));
  return node.replace(lowerMatmul(node, spec));
}

static LogicalResult lowerQLinearMatMul(Node &node) {
  for (unsigned group : {1, 2, 4, 5, 6, 7})
    if (!isAlongOneAxis(node.in(group)))
      return node.unsupported("its scales or zero points have more than one axis");
  MatmulSpec spec;
  spec.a = node.in(0);
  spec.b = node.in(3);
  subtractZeros(node, spec, node.in(2), node.in(5));
  spec.epilogue = [&](Body &body, Scalar acc, Scalars at) {
    Type f32 = body.builder.getF32Type();
    Scalar origin = body.index(0);
    Scalar row = at.size() > 1 ? at[at.size() - 2] : origin,
           column = at.empty() ? origin : at.back();
    auto scale = [&](unsigned group, Scalar coordinate) {
      return body.convert(loadAlong(body, node.in(group), coordinate), f32);
    };
    acc.type = acc.isFloat() ? acc.type : Type(body.builder.getI32Type());
    Scalar factor = scale(1, row) * scale(4, column) / scale(6, row);
    return quantize(body, body.convert(acc, f32) * factor, loadAlong(body, node.in(7), row),
                    node.outElement(), true);
  };
  return node.replace(lowerMatmul(node, spec));
}

static void subtractZeros(ConvSpec &spec, Value zeroX, Value zeroW) {
  spec.mapX = [=](Body &body, Scalar x) {
    return subtractZero(body, x, zeroX ? loadAlong(body, zeroX, body.index(0)) : Scalar());
  };
  spec.mapW = [=](Body &body, Scalar w, Scalar channel) {
    return subtractZero(body, w, zeroW ? loadAlong(body, zeroW, channel) : Scalar());
  };
}

static LogicalResult lowerConvInteger(Node &node) {
  ConvSpec spec;
  spec.x = node.in(0);
  spec.w = node.in(1);
  spec.productType = node.builder.getI32Type();
  subtractZeros(spec, node.in(2), node.in(3));
  return lowerConvolution(node, spec);
}

static LogicalResult lowerQLinearConv(Node &node) {
  ConvSpec spec;
  spec.x = node.in(0);
  spec.w = node.in(3);
  spec.bias = node.in(8);
  spec.productType = node.builder.getI32Type();
  subtractZeros(spec, node.in(2), node.in(5));
  Value scaleX = node.in(1), scaleW = node.in(4), scaleY = node.in(6), zeroY = node.in(7);
  Type element = node.outElement();
  spec.epilogue = [=](Body &body, Scalar acc, Scalar channel) {
    Type f32 = body.builder.getF32Type();
    auto scale = [&](Value tensor) { return body.convert(loadAlong(body, tensor, channel), f32); };
    Scalar factor = scale(scaleX) * scale(scaleW) / scale(scaleY);
    return quantize(body, body.convert(acc, f32) * factor, loadAlong(body, zeroY, channel), element,
                    true);
  };
  return lowerConvolution(node, spec);
}

void addQuantization(Registry &registry) {
  registry["quantize_linear"] = lowerQuantize;
  registry["dequantize_linear"] = lowerDequantize;
  registry["dynamic_quantize_linear"] = lowerDynamicQuantize;
  registry["matmul_integer"] = lowerMatMulInteger;
  registry["qlinear_matmul"] = lowerQLinearMatMul;
  registry["conv_integer"] = lowerConvInteger;
  registry["qlinear_conv"] = lowerQLinearConv;
}

} // namespace heddle::graph::form
