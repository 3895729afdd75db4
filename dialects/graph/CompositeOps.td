// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that graph-decompose expands into simpler ones. Operands, results and attributes are those of the newest form of
// the ONNX operator; the list is every opset version at which the operator changed, up to the newest known.

def Graph_NegativeLogLikelihoodLossOp
    : Graph_Operator<"negative_log_likelihood_loss", "NegativeLogLikelihoodLoss", "12, 13, 22"> {
  let arguments = (ins AnyType:$input, AnyType:$target, Optional<AnyType>:$weight, OptionalAttr<I64Attr>:$ignore_index,
                       OptionalAttr<StrAttr>:$reduction);
  let results = (outs AnyType:$loss);
}
def Graph_SoftmaxCrossEntropyLossOp
    : Graph_Operator<"softmax_cross_entropy_loss", "SoftmaxCrossEntropyLoss", "12, 13"> {
  let arguments = (ins AnyType:$scores, AnyType:$labels, Optional<AnyType>:$weights, OptionalAttr<I64Attr>:$ignore_index,
                       OptionalAttr<StrAttr>:$reduction);
  let results = (outs Variadic<AnyType>:$outputs);
}
def Graph_HannWindowOp : Graph_Operator<"hann_window", "HannWindow", "17"> {
  let arguments = (ins AnyType:$size, OptionalAttr<I64Attr>:$output_datatype, OptionalAttr<I64Attr>:$periodic);
  let results = (outs AnyType:$result);
}
def Graph_HammingWindowOp : Graph_Operator<"hamming_window", "HammingWindow", "17"> {
  let arguments = (ins AnyType:$size, OptionalAttr<I64Attr>:$output_datatype, OptionalAttr<I64Attr>:$periodic);
  let results = (outs AnyType:$result);
}
def Graph_BlackmanWindowOp : Graph_Operator<"blackman_window", "BlackmanWindow", "17"> {
  let arguments = (ins AnyType:$size, OptionalAttr<I64Attr>:$output_datatype, OptionalAttr<I64Attr>:$periodic);
  let results = (outs AnyType:$result);
}
def Graph_CenterCropPadOp : Graph_Operator<"center_crop_pad", "CenterCropPad", "18"> {
  let arguments = (ins AnyType:$input_data, AnyType:$shape, OptionalAttr<DenseI64ArrayAttr>:$axes);
  let results = (outs AnyType:$result);
}
