// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element type conversions with the rules of ONNX Cast: floats to integers cut toward zero,
// anything but zero is true, floats round to nearest even once. Floats below 16 bits are taken
// apart and put together with integer arithmetic, because few targets convert them and none
// converts all.
#include "passes/graph/scalar/Scalar.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace heddle::graph::form {

namespace {

/// How a small float type uses its codes.
struct SmallFloat {
  int bits, mantissa, bias;
  bool isSigned;
  int64_t maxFinite;    // the code of the largest finite value
  int64_t infinity;     // the code of infinity, or -1
  int64_t nan;          // a code of NaN, or -1 if the type has none
  bool hasNegativeZero; // else that code is the NaN
};

} // namespace

static SmallFloat describe(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return {8, 3, 7, true, 0x7E, -1, 0x7F, true};
  if (isa<Float8E5M2Type>(type))
    return {8, 2, 15, true, 0x7B, 0x7C, 0x7F, true};
  if (isa<Float8E4M3FNUZType>(type))
    return {8, 3, 8, true, 0x7F, -1, 0x80, false};
  if (isa<Float8E5M2FNUZType>(type))
    return {8, 2, 16, true, 0x7F, -1, 0x80, false};
  if (isa<Float8E8M0FNUType>(type))
    return {8, 0, 127, false, 0xFE, -1, 0xFF, true};
  assert(isa<Float4E2M1FNType>(type) && "every small float of the model is described");
  return {4, 1, 1, true, 0x7, -1, -1, true};
}

Scalar Body::decodeSmallFloat(Scalar x) {
  SmallFloat format = describe(x.type);
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
  Type code = builder.getIntegerType(format.bits);
  Scalar bits = wrap(arith::ExtUIOp::create(builder, loc, i32,
                                            arith::BitcastOp::create(builder, loc, code, x.value)),
                     i32);
  int magnitudeBits = format.isSigned ? format.bits - 1 : format.bits;
  Scalar magnitude = bits & integer((1 << magnitudeBits) - 1, i32);
  Scalar value;
  if (!format.isSigned) {
    // Exponent only: code 0 is 2^-127, a subnormal of f32.
    Scalar zero = equal(magnitude, integer(0, i32));
    value = select(zero, integer(0x00400000, i32), shiftLeft(magnitude, integer(23, i32)));
    value = bitcast(value, f32);
  } else {
    Scalar normal = shiftLeft(magnitude, integer(23 - format.mantissa, i32)) +
                    integer(int64_t(127 - format.bias) << 23, i32);
    Scalar subnormal = wrap(arith::UIToFPOp::create(builder, loc, f32, magnitude.value), f32) *
                       std::ldexp(1.0, 1 - format.bias - format.mantissa);
    Scalar isSubnormal = magnitude < integer(1 << format.mantissa, i32);
    value = select(isSubnormal, subnormal, bitcast(normal, f32));
  }
  if (format.infinity >= 0)
    value = select(equal(magnitude, integer(format.infinity, i32)), highest(f32), value);
  if (format.isSigned) {
    Scalar sign = shiftLeft(shiftRight(bits, integer(format.bits - 1, i32)), integer(31, i32));
    value = bitcast(bitcast(value, i32) | sign, f32);
  }
  Scalar nan = constant(std::nan(""), f32);
  if (!format.hasNegativeZero)
    return select(equal(bits, integer(format.nan, i32)), nan, value);
  if (format.infinity >= 0)
    return select(magnitude > integer(format.infinity, i32), nan, value);
  if (format.nan >= 0)
    return select(equal(magnitude, integer(format.nan, i32)), nan, value);
  return value;
}

Scalar Body::encodeSmallFloat(Scalar x, Type type, bool saturate) {
  SmallFloat format = describe(type);
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
  Scalar bits = bitcast(x, i32);
  Scalar magnitude = bits & integer(0x7FFFFFFF, i32);
  Scalar code;
  if (!format.isSigned) {
    // A scale is rounded up, so that what it divides never overflows.
    Scalar up = select(equal(magnitude & integer(0x7FFFFF, i32), integer(0, i32)), integer(0, i32),
                       integer(1, i32));
    code = shiftRight(magnitude, integer(23, i32)) + up;
  } else {
    int shift = 23 - format.mantissa;
    Scalar odd = shiftRight(magnitude, integer(shift, i32)) & integer(1, i32);
    Scalar rounded = magnitude + integer((1 << (shift - 1)) - 1, i32) + odd;
    Scalar normal = shiftRight(rounded, integer(shift, i32)) -
                    integer(int64_t(127 - format.bias) << format.mantissa, i32);
    // Adding this power of two leaves the code of a subnormal in the last bits, rounded to even.
    Scalar magic = constant(std::ldexp(1.0, 23 + 1 - format.bias - format.mantissa), f32);
    Scalar subnormal = bitcast(bitcast(magnitude, f32) + magic, i32) - bitcast(magic, i32);
    Scalar small = bitcast(magnitude, f32) < std::ldexp(1.0, 1 - format.bias);
    code = select(small, subnormal, normal);
  }
  Scalar isNaN = magnitude > integer(0x7F800000, i32);
  int64_t overflow = format.maxFinite;
  if (!saturate && format.nan >= 0)
    overflow = format.infinity >= 0 ? format.infinity : format.nan;
  // Codes of finite f32 values fit 31 bits, so a signed comparison is right.
  code = select(code > integer(format.maxFinite, i32), integer(overflow, i32), code);
  if (format.isSigned) {
    Scalar sign = shiftLeft(shiftRight(bits, integer(31, i32)), integer(format.bits - 1, i32));
    Scalar withSign = code | sign;
    code = format.hasNegativeZero ? withSign
                                  : select(equal(code, integer(0, i32)), integer(0, i32), withSign);
  }
  // A type without NaN gets negative zero, as the reference does.
  int64_t nan = format.nan >= 0 ? format.nan : int64_t(1) << (format.bits - 1);
  code = select(isNaN, integer(nan, i32), code);
  Value narrow =
      arith::TruncIOp::create(builder, loc, builder.getIntegerType(format.bits), code.value);
  return wrap(arith::BitcastOp::create(builder, loc, type, narrow), type);
}

//===----------------------------------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------------------------------===//

template <typename Op> static Scalar cast1(Body &body, Scalar x, Type type) {
  Type plain = kernel::getScalarType(type);
  return body.wrap(body.builder.createOrFold<Op>(body.loc, plain, x.value), type);
}

Scalar Body::convertToInteger(Scalar x, Type type) {
  unsigned width = kernel::getScalarType(type).getIntOrFloatBitWidth();
  if (!x.isFloat()) {
    unsigned from = x.value.getType().getIntOrFloatBitWidth();
    if (from == width)
      return wrap(x.value, type);
    if (from > width)
      return cast1<arith::TruncIOp>(*this, x, type);
    return x.isUnsigned() ? cast1<arith::ExtUIOp>(*this, x, type)
                          : cast1<arith::ExtSIOp>(*this, x, type);
  }
  // Narrow results go through a wider signed integer and wrap, as numpy does on common machines.
  if (type.isUnsignedInteger(64))
    return cast1<arith::FPToUIOp>(*this, x, type);
  Type wide = width < 32 ? builder.getI32Type() : builder.getI64Type();
  if (!type.isUnsignedInteger() && width >= 32)
    return cast1<arith::FPToSIOp>(*this, x, type);
  return convertToInteger(cast1<arith::FPToSIOp>(*this, x, wide), type);
}

Scalar Body::convertToFloat(Scalar x, Type type) {
  if (x.type == type)
    return x;
  Type f32 = builder.getF32Type();
  if (!x.isFloat()) {
    Type first = type.isF64() ? type : f32;
    Scalar real = x.isUnsigned() ? cast1<arith::UIToFPOp>(*this, x, first)
                                 : cast1<arith::SIToFPOp>(*this, x, first);
    return convertToFloat(real, type);
  }
  unsigned from = x.type.getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from < to)
    return from == 16 && to == 64 ? convertToFloat(cast1<arith::ExtFOp>(*this, x, f32), type)
                                  : cast1<arith::ExtFOp>(*this, x, type);
  if (from > to)
    return from == 64 && type.isBF16() ? convertToFloat(cast1<arith::TruncFOp>(*this, x, f32), type)
                                       : cast1<arith::TruncFOp>(*this, x, type);
  return convertToFloat(cast1<arith::ExtFOp>(*this, x, f32), type); // f16 <-> bf16
}

Scalar Body::convert(Scalar x, Type type, bool saturate) {
  if (x.type == type)
    return x;
  Type indexType = builder.getIndexType(), f32 = builder.getF32Type();
  if (isSmallFloat(x.type))
    return convert(decodeSmallFloat(x), type, saturate);
  if (isSmallFloat(type))
    return encodeSmallFloat(convert(x, f32), type, saturate);
  if (x.type.isIndex()) {
    Type i64 = builder.getI64Type();
    if (type.isInteger(64))
      return wrap(builder.createOrFold<arith::IndexCastOp>(loc, i64, x.value), type);
    return convert(convert(x, i64), type);
  }
  if (type.isIndex()) {
    if (x.isFloat())
      return convert(convert(x, builder.getI32Type()), type);
    if (x.isUnsigned())
      return wrap(builder.createOrFold<arith::IndexCastUIOp>(loc, indexType, x.value), type);
    return wrap(builder.createOrFold<arith::IndexCastOp>(loc, indexType, x.value), type);
  }
  if (type.isInteger(1))
    return compare(Relation::kNotEqual, x, integer(0, x.type));
  return isa<FloatType>(type) ? convertToFloat(x, type) : convertToInteger(x, type);
}

Scalar Body::saturate(Scalar x, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger();
  double low = isUnsigned ? 0 : -std::ldexp(1.0, width - 1);
  double high = std::ldexp(1.0, isUnsigned ? width : width - 1) - 1;
  if (x.isFloat() || width < x.value.getType().getIntOrFloatBitWidth())
    x = minimum(maximum(x, constant(low, x.type)), constant(high, x.type));
  return convert(x, type);
}

} // namespace heddle::graph::form
