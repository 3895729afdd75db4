// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products, convolutions and windows. Operands, results and attributes are those of the newest form of
// the ONNX operator; the list is every opset version at which the operator changed, up to the newest known.

def Graph_MatMulOp : Graph_Operator<"matmul", "MatMul", "1, 9, 13"> {
  let arguments = (ins AnyType:$a, AnyType:$b);
  let results = (outs AnyType:$result);
}
def Graph_GemmOp : Graph_Operator<"gemm", "Gemm", "1, 6, 7, 9, 11, 13"> {
  let arguments = (ins AnyType:$a, AnyType:$b, Optional<AnyType>:$c, OptionalAttr<F32Attr>:$alpha,
                       OptionalAttr<F32Attr>:$beta, OptionalAttr<I64Attr>:$transA, OptionalAttr<I64Attr>:$transB);
  let results = (outs AnyType:$result);
}
def Graph_ConvOp : Graph_Operator<"conv", "Conv", "1, 11, 22"> {
  let arguments = (ins AnyType:$x, AnyType:$w, Optional<AnyType>:$b, OptionalAttr<StrAttr>:$auto_pad,
                       OptionalAttr<DenseI64ArrayAttr>:$dilations, OptionalAttr<I64Attr>:$group,
                       OptionalAttr<DenseI64ArrayAttr>:$kernel_shape, OptionalAttr<DenseI64ArrayAttr>:$pads,
                       OptionalAttr<DenseI64ArrayAttr>:$strides);
  let results = (outs AnyType:$result);
}
def Graph_ConvTransposeOp : Graph_Operator<"conv_transpose", "ConvTranspose", "1, 11, 22"> {
  let arguments = (ins AnyType:$x, AnyType:$w, Optional<AnyType>:$b, OptionalAttr<StrAttr>:$auto_pad,
                       OptionalAttr<DenseI64ArrayAttr>:$dilations, OptionalAttr<I64Attr>:$group,
                       OptionalAttr<DenseI64ArrayAttr>:$kernel_shape, OptionalAttr<DenseI64ArrayAttr>:$output_padding,
                       OptionalAttr<DenseI64ArrayAttr>:$output_shape, OptionalAttr<DenseI64ArrayAttr>:$pads,
                       OptionalAttr<DenseI64ArrayAttr>:$strides);
  let results = (outs AnyType:$result);
}
def Graph_MaxPoolOp : Graph_Operator<"max_pool", "MaxPool", "1, 8, 10, 11, 12, 22"> {
  let arguments = (ins AnyType:$x, OptionalAttr<StrAttr>:$auto_pad, OptionalAttr<I64Attr>:$ceil_mode,
                       OptionalAttr<DenseI64ArrayAttr>:$dilations, OptionalAttr<DenseI64ArrayAttr>:$kernel_shape,
                       OptionalAttr<DenseI64ArrayAttr>:$pads, OptionalAttr<I64Attr>:$storage_order,
                       OptionalAttr<DenseI64ArrayAttr>:$strides);
  let results = (outs Variadic<AnyType>:$outputs);
}
def Graph_AveragePoolOp : Graph_Operator<"average_pool", "AveragePool", "1, 7, 10, 11, 19, 22"> {
  let arguments = (ins AnyType:$x, OptionalAttr<StrAttr>:$auto_pad, OptionalAttr<I64Attr>:$ceil_mode,
                       OptionalAttr<I64Attr>:$count_include_pad, OptionalAttr<DenseI64ArrayAttr>:$dilations,
                       OptionalAttr<DenseI64ArrayAttr>:$kernel_shape, OptionalAttr<DenseI64ArrayAttr>:$pads,
                       OptionalAttr<DenseI64ArrayAttr>:$strides);
  let results = (outs AnyType:$result);
}
def Graph_LpPoolOp : Graph_Operator<"lp_pool", "LpPool", "1, 2, 11, 18, 22"> {
  let arguments = (ins AnyType:$x, OptionalAttr<StrAttr>:$auto_pad, OptionalAttr<I64Attr>:$ceil_mode,
                       OptionalAttr<DenseI64ArrayAttr>:$dilations, OptionalAttr<DenseI64ArrayAttr>:$kernel_shape,
                       OptionalAttr<I64Attr>:$p, OptionalAttr<DenseI64ArrayAttr>:$pads,
                       OptionalAttr<DenseI64ArrayAttr>:$strides);
  let results = (outs AnyType:$result);
}
def Graph_GlobalAveragePoolOp : Graph_Operator<"global_average_pool", "GlobalAveragePool", "1, 22"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_GlobalMaxPoolOp : Graph_Operator<"global_max_pool", "GlobalMaxPool", "1, 22"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
def Graph_GlobalLpPoolOp : Graph_Operator<"global_lp_pool", "GlobalLpPool", "1, 2, 22"> {
  let arguments = (ins AnyType:$x, OptionalAttr<I64Attr>:$p);
  let results = (outs AnyType:$result);
}
def Graph_EinsumOp : Graph_Operator<"einsum", "Einsum", "12"> {
  let arguments = (ins Variadic<AnyType>:$inputs, OptionalAttr<StrAttr>:$equation);
  let results = (outs AnyType:$result);
}
def Graph_AttentionOp : Graph_Operator<"attention", "Attention", "23, 24", [AttrSizedOperandSegments]> {
  let arguments = (ins AnyType:$q, AnyType:$k, AnyType:$v, Optional<AnyType>:$attn_mask, Optional<AnyType>:$past_key,
                       Optional<AnyType>:$past_value, Optional<AnyType>:$nonpad_kv_seqlen,
                       OptionalAttr<I64Attr>:$is_causal, OptionalAttr<I64Attr>:$kv_num_heads,
                       OptionalAttr<I64Attr>:$q_num_heads, OptionalAttr<I64Attr>:$qk_matmul_output_mode,
                       OptionalAttr<F32Attr>:$scale, OptionalAttr<F32Attr>:$softcap,
                       OptionalAttr<I64Attr>:$softmax_precision);
  let results = (outs Variadic<AnyType>:$outputs);
}
def Graph_RotaryEmbeddingOp : Graph_Operator<"rotary_embedding", "RotaryEmbedding", "23"> {
  let arguments = (ins AnyType:$x, AnyType:$cos_cache, AnyType:$sin_cache, Optional<AnyType>:$position_ids,
                       OptionalAttr<I64Attr>:$interleaved, OptionalAttr<I64Attr>:$num_heads,
                       OptionalAttr<I64Attr>:$rotary_embedding_dim);
  let results = (outs AnyType:$result);
}
def Graph_MatMulIntegerOp : Graph_Operator<"matmul_integer", "MatMulInteger", "10", [AttrSizedOperandSegments]> {
  let arguments = (ins AnyType:$a, AnyType:$b, Optional<AnyType>:$a_zero_point, Optional<AnyType>:$b_zero_point);
  let results = (outs AnyType:$result);
}
def Graph_ConvIntegerOp : Graph_Operator<"conv_integer", "ConvInteger", "10", [AttrSizedOperandSegments]> {
  let arguments = (ins AnyType:$x, AnyType:$w, Optional<AnyType>:$x_zero_point, Optional<AnyType>:$w_zero_point,
                       OptionalAttr<StrAttr>:$auto_pad, OptionalAttr<DenseI64ArrayAttr>:$dilations,
                       OptionalAttr<I64Attr>:$group, OptionalAttr<DenseI64ArrayAttr>:$kernel_shape,
                       OptionalAttr<DenseI64ArrayAttr>:$pads, OptionalAttr<DenseI64ArrayAttr>:$strides);
  let results = (outs AnyType:$result);
}
def Graph_QuantizeLinearOp : Graph_Operator<"quantize_linear", "QuantizeLinear", "10, 13, 19, 21, 23, 24, 25"> {
  let arguments = (ins AnyType:$x, AnyType:$y_scale, Optional<AnyType>:$y_zero_point, OptionalAttr<I64Attr>:$axis,
                       OptionalAttr<I64Attr>:$block_size, OptionalAttr<I64Attr>:$output_dtype,
                       OptionalAttr<I64Attr>:$precision, OptionalAttr<I64Attr>:$saturate);
  let results = (outs AnyType:$result);
}
def Graph_DequantizeLinearOp : Graph_Operator<"dequantize_linear", "DequantizeLinear", "10, 13, 19, 21, 23, 24, 25"> {
  let arguments = (ins AnyType:$x, AnyType:$x_scale, Optional<AnyType>:$x_zero_point, OptionalAttr<I64Attr>:$axis,
                       OptionalAttr<I64Attr>:$block_size, OptionalAttr<I64Attr>:$output_dtype);
  let results = (outs AnyType:$result);
}
def Graph_DynamicQuantizeLinearOp : Graph_Operator<"dynamic_quantize_linear", "DynamicQuantizeLinear", "11"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$y, AnyType:$y_scale, AnyType:$y_zero_point);
}
def Graph_QLinearMatMulOp : Graph_Operator<"qlinear_matmul", "QLinearMatMul", "10, 21"> {
  let arguments = (ins AnyType:$a, AnyType:$a_scale, AnyType:$a_zero_point, AnyType:$b, AnyType:$b_scale,
                       AnyType:$b_zero_point, AnyType:$y_scale, AnyType:$y_zero_point);
  let results = (outs AnyType:$result);
}
def Graph_QLinearConvOp : Graph_Operator<"qlinear_conv", "QLinearConv", "10"> {
  let arguments = (ins AnyType:$x, AnyType:$x_scale, AnyType:$x_zero_point, AnyType:$w, AnyType:$w_scale,
                       AnyType:$w_zero_point, AnyType:$y_scale, AnyType:$y_zero_point, Optional<AnyType>:$b,
                       OptionalAttr<StrAttr>:$auto_pad, OptionalAttr<DenseI64ArrayAttr>:$dilations,
                       OptionalAttr<I64Attr>:$group, OptionalAttr<DenseI64ArrayAttr>:$kernel_shape,
                       OptionalAttr<DenseI64ArrayAttr>:$pads, OptionalAttr<DenseI64ArrayAttr>:$strides);
  let results = (outs AnyType:$result);
}
