// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element by element operators, with broadcasting. Operands, results and attributes are those of the newest form of
// the ONNX operator; the list is every opset version at which the operator changed, up to the newest known.

def Graph_ReluOp : Graph_Operator<"relu", "Relu", "1, 6, 13, 14"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_AddOp : Graph_Operator<"add", "Add", "1, 6, 7, 13, 14"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_SubOp : Graph_Operator<"sub", "Sub", "1, 6, 7, 13, 14"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_MulOp : Graph_Operator<"mul", "Mul", "1, 6, 7, 13, 14"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_DivOp : Graph_Operator<"div", "Div", "1, 6, 7, 13, 14"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_SigmoidOp : Graph_Operator<"sigmoid", "Sigmoid", "1, 6, 13"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_TanhOp : Graph_Operator<"tanh", "Tanh", "1, 6, 13"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_ErfOp : Graph_Operator<"erf", "Erf", "9, 13"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_GeluOp : Graph_Operator<"gelu", "Gelu", "20"> {
  let arguments = (ins AnyType:$x, OptionalAttr<StrAttr>:$approximate);
  let results = (outs AnyType:$result);
}
def Graph_SqrtOp : Graph_Operator<"sqrt", "Sqrt", "1, 6, 13"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_PowOp : Graph_Operator<"pow", "Pow", "1, 7, 12, 13, 15"> {
  let arguments = (ins AnyType:$x, AnyType:$y);
  let results = (outs AnyType:$result);
}
def Graph_ExpOp : Graph_Operator<"exp", "Exp", "1, 6, 13"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_ReciprocalOp : Graph_Operator<"reciprocal", "Reciprocal", "1, 6, 13"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_NegOp : Graph_Operator<"neg", "Neg", "1, 6, 13"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_ClipOp : Graph_Operator<"clip", "Clip", "1, 6, 11, 12, 13", [AttrSizedOperandSegments]> {
  let arguments = (ins AnyType:$input, Optional<AnyType>:$min, Optional<AnyType>:$max);
  let results = (outs AnyType:$result);
}
def Graph_WhereOp : Graph_Operator<"where", "Where", "9, 16"> {
  let arguments = (ins AnyType:$condition, AnyType:$x, AnyType:$y);
  let results = (outs AnyType:$result);
}
def Graph_EqualOp : Graph_Operator<"equal", "Equal", "1, 7, 11, 13, 19"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_HardSwishOp : Graph_Operator<"hard_swish", "HardSwish", "14, 22"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_HardSigmoidOp : Graph_Operator<"hard_sigmoid", "HardSigmoid", "1, 6, 22"> {
  let arguments = (ins AnyType:$x, OptionalAttr<F32Attr>:$alpha, OptionalAttr<F32Attr>:$beta);
  let results = (outs AnyType:$result);
}
def Graph_LeakyReluOp : Graph_Operator<"leaky_relu", "LeakyRelu", "1, 6, 16"> {
  let arguments = (ins AnyType:$x, OptionalAttr<F32Attr>:$alpha);
  let results = (outs AnyType:$result);
}
def Graph_SumOp : Graph_Operator<"sum", "Sum", "1, 6, 8, 13"> {
  let arguments = (ins Variadic<AnyType>:$inputs);
  let results = (outs AnyType:$result);
}
def Graph_AbsOp : Graph_Operator<"abs", "Abs", "1, 6, 13"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_LogOp : Graph_Operator<"log", "Log", "1, 6, 13"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_MinOp : Graph_Operator<"min", "Min", "1, 6, 8, 12, 13"> {
  let arguments = (ins Variadic<AnyType>:$inputs);
  let results = (outs AnyType:$result);
}
def Graph_MaxOp : Graph_Operator<"max", "Max", "1, 6, 8, 12, 13"> {
  let arguments = (ins Variadic<AnyType>:$inputs);
  let results = (outs AnyType:$result);
}
def Graph_MeanOp : Graph_Operator<"mean", "Mean", "1, 6, 8, 13"> {
  let arguments = (ins Variadic<AnyType>:$inputs);
  let results = (outs AnyType:$result);
}
def Graph_LessOp : Graph_Operator<"less", "Less", "1, 7, 9, 13"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_LessOrEqualOp : Graph_Operator<"less_or_equal", "LessOrEqual", "12, 16"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_GreaterOp : Graph_Operator<"greater", "Greater", "1, 7, 9, 13"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_GreaterOrEqualOp : Graph_Operator<"greater_or_equal", "GreaterOrEqual", "12, 16"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_AndOp : Graph_Operator<"and", "And", "1, 7"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_OrOp : Graph_Operator<"or", "Or", "1, 7"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_XorOp : Graph_Operator<"xor", "Xor", "1, 7"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_NotOp : Graph_Operator<"not", "Not", "1"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_BitwiseAndOp : Graph_Operator<"bitwise_and", "BitwiseAnd", "18"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_BitwiseOrOp : Graph_Operator<"bitwise_or", "BitwiseOr", "18"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_BitwiseXorOp : Graph_Operator<"bitwise_xor", "BitwiseXor", "18"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_BitwiseNotOp : Graph_Operator<"bitwise_not", "BitwiseNot", "18"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_BitShiftOp : Graph_Operator<"bit_shift", "BitShift", "11"> {
  let arguments = (ins AnyType:$x, AnyType:$y, OptionalAttr<StrAttr>:$direction);
  let results = (outs AnyType:$result);
}
def Graph_CosOp : Graph_Operator<"cos", "Cos", "7, 22"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_SinOp : Graph_Operator<"sin", "Sin", "7, 22"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_TanOp : Graph_Operator<"tan", "Tan", "7, 22"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_AcosOp : Graph_Operator<"acos", "Acos", "7, 22"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_AsinOp : Graph_Operator<"asin", "Asin", "7, 22"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_AtanOp : Graph_Operator<"atan", "Atan", "7, 22"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_CoshOp : Graph_Operator<"cosh", "Cosh", "9, 22"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_SinhOp : Graph_Operator<"sinh", "Sinh", "9, 22"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_AcoshOp : Graph_Operator<"acosh", "Acosh", "9, 22"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_AsinhOp : Graph_Operator<"asinh", "Asinh", "9, 22"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_AtanhOp : Graph_Operator<"atanh", "Atanh", "9, 22"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_CeilOp : Graph_Operator<"ceil", "Ceil", "1, 6, 13"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_FloorOp : Graph_Operator<"floor", "Floor", "1, 6, 13"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_RoundOp : Graph_Operator<"round", "Round", "11, 22"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_SignOp : Graph_Operator<"sign", "Sign", "9, 13"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_ModOp : Graph_Operator<"mod", "Mod", "10, 13"> {
  let arguments = (ins AnyType:$a, AnyType:$b, OptionalAttr<I64Attr>:$fmod);
  let results = (outs AnyType:$result);
}
def Graph_IsNaNOp : Graph_Operator<"is_nan", "IsNaN", "9, 13, 20"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_IsInfOp : Graph_Operator<"is_inf", "IsInf", "10, 20"> {
  let arguments = (ins AnyType:$x, OptionalAttr<I64Attr>:$detect_negative, OptionalAttr<I64Attr>:$detect_positive);
  let results = (outs AnyType:$result);
}
def Graph_PReluOp : Graph_Operator<"prelu", "PRelu", "1, 6, 7, 9, 16"> {
  let arguments = (ins AnyType:$x, AnyType:$slope);
  let results = (outs AnyType:$result);
}
def Graph_EluOp : Graph_Operator<"elu", "Elu", "1, 6, 22"> {
  let arguments = (ins AnyType:$x, OptionalAttr<F32Attr>:$alpha);
  let results = (outs AnyType:$result);
}
def Graph_SeluOp : Graph_Operator<"selu", "Selu", "1, 6, 22"> {
  let arguments = (ins AnyType:$x, OptionalAttr<F32Attr>:$alpha, OptionalAttr<F32Attr>:$gamma);
  let results = (outs AnyType:$result);
}
def Graph_CeluOp : Graph_Operator<"celu", "Celu", "12"> {
  let arguments = (ins AnyType:$x, OptionalAttr<F32Attr>:$alpha);
  let results = (outs AnyType:$result);
}
def Graph_SoftplusOp : Graph_Operator<"softplus", "Softplus", "1, 22"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_SoftsignOp : Graph_Operator<"softsign", "Softsign", "1, 22"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
def Graph_ThresholdedReluOp : Graph_Operator<"thresholded_relu", "ThresholdedRelu", "10, 22"> {
  let arguments = (ins AnyType:$x, OptionalAttr<F32Attr>:$alpha);
  let results = (outs AnyType:$result);
}
def Graph_ShrinkOp : Graph_Operator<"shrink", "Shrink", "9"> {
  let arguments = (ins AnyType:$input, OptionalAttr<F32Attr>:$bias, OptionalAttr<F32Attr>:$lambd);
  let results = (outs AnyType:$result);
}
def Graph_MishOp : Graph_Operator<"mish", "Mish", "18, 22"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_SwishOp : Graph_Operator<"swish", "Swish", "24"> {
  let arguments = (ins AnyType:$x, OptionalAttr<F32Attr>:$alpha);
  let results = (outs AnyType:$result);
}
def Graph_CastOp : Graph_Operator<"cast", "Cast", "1, 6, 9, 13, 19, 21, 23, 24, 25"> {
  let arguments = (ins AnyType:$input, OptionalAttr<StrAttr>:$round_mode, OptionalAttr<I64Attr>:$saturate,
                       OptionalAttr<I64Attr>:$to);
  let results = (outs AnyType:$result);
}
def Graph_CastLikeOp : Graph_Operator<"cast_like", "CastLike", "15, 19, 21, 23, 24, 25"> {
  let arguments = (ins AnyType:$input, AnyType:$target_type, OptionalAttr<StrAttr>:$round_mode,
                       OptionalAttr<I64Attr>:$saturate);
  let results = (outs AnyType:$result);
}
def Graph_BitCastOp : Graph_Operator<"bit_cast", "BitCast", "26"> {
  let arguments = (ins AnyType:$input, OptionalAttr<I64Attr>:$to);
  let results = (outs AnyType:$result);
}
def Graph_DropoutOp : Graph_Operator<"dropout", "Dropout", "1, 6, 7, 10, 12, 13, 22", [AttrSizedOperandSegments]> {
  let arguments = (ins AnyType:$data, Optional<AnyType>:$ratio, Optional<AnyType>:$training_mode,
                       OptionalAttr<I64Attr>:$seed);
  let results = (outs Variadic<AnyType>:$outputs);
}
def Graph_IdentityOp : Graph_Operator<"identity", "Identity", "1, 13, 14, 16, 19, 21, 23, 24, 25"> {
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
}
