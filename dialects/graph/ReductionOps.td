// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, scans and rows: softmax and normalisations. Operands, results and attributes are those of the newest form of
// the ONNX operator; the list is every opset version at which the operator changed, up to the newest known.

def Graph_ReduceMeanOp : Graph_Operator<"reduce_mean", "ReduceMean", "1, 11, 13, 18"> {
  let arguments = (ins AnyType:$data, Optional<AnyType>:$axes, OptionalAttr<I64Attr>:$keepdims,
                       OptionalAttr<I64Attr>:$noop_with_empty_axes);
  let results = (outs AnyType:$result);
}
def Graph_ReduceSumOp : Graph_Operator<"reduce_sum", "ReduceSum", "1, 11, 13"> {
  let arguments = (ins AnyType:$data, Optional<AnyType>:$axes, OptionalAttr<I64Attr>:$keepdims,
                       OptionalAttr<I64Attr>:$noop_with_empty_axes);
  let results = (outs AnyType:$result);
}
def Graph_ReduceMaxOp : Graph_Operator<"reduce_max", "ReduceMax", "1, 11, 12, 13, 18, 20"> {
  let arguments = (ins AnyType:$data, Optional<AnyType>:$axes, OptionalAttr<I64Attr>:$keepdims,
                       OptionalAttr<I64Attr>:$noop_with_empty_axes);
  let results = (outs AnyType:$result);
}
def Graph_ReduceMinOp : Graph_Operator<"reduce_min", "ReduceMin", "1, 11, 12, 13, 18, 20"> {
  let arguments = (ins AnyType:$data, Optional<AnyType>:$axes, OptionalAttr<I64Attr>:$keepdims,
                       OptionalAttr<I64Attr>:$noop_with_empty_axes);
  let results = (outs AnyType:$result);
}
def Graph_ReduceProdOp : Graph_Operator<"reduce_prod", "ReduceProd", "1, 11, 13, 18"> {
  let arguments = (ins AnyType:$data, Optional<AnyType>:$axes, OptionalAttr<I64Attr>:$keepdims,
                       OptionalAttr<I64Attr>:$noop_with_empty_axes);
  let results = (outs AnyType:$result);
}
def Graph_ReduceL1Op : Graph_Operator<"reduce_l1", "ReduceL1", "1, 11, 13, 18"> {
  let arguments = (ins AnyType:$data, Optional<AnyType>:$axes, OptionalAttr<I64Attr>:$keepdims,
                       OptionalAttr<I64Attr>:$noop_with_empty_axes);
  let results = (outs AnyType:$result);
}
def Graph_ReduceL2Op : Graph_Operator<"reduce_l2", "ReduceL2", "1, 11, 13, 18"> {
  let arguments = (ins AnyType:$data, Optional<AnyType>:$axes, OptionalAttr<I64Attr>:$keepdims,
                       OptionalAttr<I64Attr>:$noop_with_empty_axes);
  let results = (outs AnyType:$result);
}
def Graph_ReduceLogSumOp : Graph_Operator<"reduce_log_sum", "ReduceLogSum", "1, 11, 13, 18"> {
  let arguments = (ins AnyType:$data, Optional<AnyType>:$axes, OptionalAttr<I64Attr>:$keepdims,
                       OptionalAttr<I64Attr>:$noop_with_empty_axes);
  let results = (outs AnyType:$result);
}
def Graph_ReduceLogSumExpOp : Graph_Operator<"reduce_log_sum_exp", "ReduceLogSumExp", "1, 11, 13, 18"> {
  let arguments = (ins AnyType:$data, Optional<AnyType>:$axes, OptionalAttr<I64Attr>:$keepdims,
                       OptionalAttr<I64Attr>:$noop_with_empty_axes);
  let results = (outs AnyType:$result);
}
def Graph_ReduceSumSquareOp : Graph_Operator<"reduce_sum_square", "ReduceSumSquare", "1, 11, 13, 18"> {
  let arguments = (ins AnyType:$data, Optional<AnyType>:$axes, OptionalAttr<I64Attr>:$keepdims,
                       OptionalAttr<I64Attr>:$noop_with_empty_axes);
  let results = (outs AnyType:$result);
}
def Graph_ArgMaxOp : Graph_Operator<"arg_max", "ArgMax", "1, 11, 12, 13"> {
  let arguments = (ins AnyType:$data, OptionalAttr<I64Attr>:$axis, OptionalAttr<I64Attr>:$keepdims,
                       OptionalAttr<I64Attr>:$select_last_index);
  let results = (outs AnyType:$result);
}
def Graph_ArgMinOp : Graph_Operator<"arg_min", "ArgMin", "1, 11, 12, 13"> {
  let arguments = (ins AnyType:$data, OptionalAttr<I64Attr>:$axis, OptionalAttr<I64Attr>:$keepdims,
                       OptionalAttr<I64Attr>:$select_last_index);
  let results = (outs AnyType:$result);
}
def Graph_CumSumOp : Graph_Operator<"cum_sum", "CumSum", "11, 14"> {
  let arguments = (ins AnyType:$x, AnyType:$axis, OptionalAttr<I64Attr>:$exclusive, OptionalAttr<I64Attr>:$reverse);
  let results = (outs AnyType:$result);
}
def Graph_CumProdOp : Graph_Operator<"cum_prod", "CumProd", "26"> {
  let arguments = (ins AnyType:$x, AnyType:$axis, OptionalAttr<I64Attr>:$exclusive, OptionalAttr<I64Attr>:$reverse);
  let results = (outs AnyType:$result);
}
def Graph_TopKOp : Graph_Operator<"top_k", "TopK", "1, 10, 11, 24"> {
  let arguments = (ins AnyType:$x, AnyType:$k, OptionalAttr<I64Attr>:$axis, OptionalAttr<I64Attr>:$largest,
                       OptionalAttr<I64Attr>:$sorted);
  let results = (outs AnyType:$values, AnyType:$indices);
}
def Graph_SoftmaxOp : Graph_Operator<"softmax", "Softmax", "1, 11, 13"> {
  let arguments = (ins AnyType:$input, OptionalAttr<I64Attr>:$axis);
  let results = (outs AnyType:$result);
}
def Graph_LogSoftmaxOp : Graph_Operator<"log_softmax", "LogSoftmax", "1, 11, 13"> {
  let arguments = (ins AnyType:$input, OptionalAttr<I64Attr>:$axis);
  let results = (outs AnyType:$result);
}
def Graph_HardmaxOp : Graph_Operator<"hardmax", "Hardmax", "1, 11, 13"> {
  let arguments = (ins AnyType:$input, OptionalAttr<I64Attr>:$axis);
  let results = (outs AnyType:$result);
}
def Graph_BatchNormalizationOp : Graph_Operator<"batch_normalization", "BatchNormalization", "1, 6, 7, 9, 14, 15"> {
  let arguments = (ins AnyType:$x, AnyType:$scale, AnyType:$b, AnyType:$input_mean, AnyType:$input_var,
                       OptionalAttr<F32Attr>:$epsilon, OptionalAttr<F32Attr>:$momentum,
                       OptionalAttr<I64Attr>:$training_mode);
  let results = (outs Variadic<AnyType>:$outputs);
}
def Graph_LayerNormalizationOp : Graph_Operator<"layer_normalization", "LayerNormalization", "17"> {
  let arguments = (ins AnyType:$x, AnyType:$scale, Optional<AnyType>:$b, OptionalAttr<I64Attr>:$axis,
                       OptionalAttr<F32Attr>:$epsilon, OptionalAttr<I64Attr>:$stash_type);
  let results = (outs Variadic<AnyType>:$outputs);
}
def Graph_RMSNormalizationOp : Graph_Operator<"rms_normalization", "RMSNormalization", "23"> {
  let arguments = (ins AnyType:$x, AnyType:$scale, OptionalAttr<I64Attr>:$axis, OptionalAttr<F32Attr>:$epsilon,
                       OptionalAttr<I64Attr>:$stash_type);
  let results = (outs AnyType:$result);
}
def Graph_InstanceNormalizationOp : Graph_Operator<"instance_normalization", "InstanceNormalization", "1, 6, 22"> {
  let arguments = (ins AnyType:$input, AnyType:$scale, AnyType:$b, OptionalAttr<F32Attr>:$epsilon);
  let results = (outs AnyType:$result);
}
def Graph_GroupNormalizationOp : Graph_Operator<"group_normalization", "GroupNormalization", "18, 21"> {
  let arguments = (ins AnyType:$x, AnyType:$scale, AnyType:$bias, OptionalAttr<F32Attr>:$epsilon,
                       OptionalAttr<I64Attr>:$num_groups, OptionalAttr<I64Attr>:$stash_type);
  let results = (outs AnyType:$result);
}
def Graph_LpNormalizationOp : Graph_Operator<"lp_normalization", "LpNormalization", "1, 22"> {
  let arguments = (ins AnyType:$input, OptionalAttr<I64Attr>:$axis, OptionalAttr<I64Attr>:$p);
  let results = (outs AnyType:$result);
}
def Graph_MeanVarianceNormalizationOp : Graph_Operator<"mean_variance_normalization", "MeanVarianceNormalization", "9, 13"> {
  let arguments = (ins AnyType:$x, OptionalAttr<DenseI64ArrayAttr>:$axes);
  let results = (outs AnyType:$result);
}
def Graph_LRNOp : Graph_Operator<"lrn", "LRN", "1, 13"> {
  let arguments = (ins AnyType:$x, OptionalAttr<F32Attr>:$alpha, OptionalAttr<F32Attr>:$beta,
                       OptionalAttr<F32Attr>:$bias, OptionalAttr<I64Attr>:$size);
  let results = (outs AnyType:$result);
}
