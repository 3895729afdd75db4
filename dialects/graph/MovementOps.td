// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that move, copy, repeat or make elements without computing on them. Operands, results and attributes are those of the newest form of
// the ONNX operator; the list is every opset version at which the operator changed, up to the newest known.

def Graph_ReshapeOp : Graph_Operator<"reshape", "Reshape", "1, 5, 13, 14, 19, 21, 23, 24, 25"> {
  let arguments = (ins AnyType:$data, AnyType:$shape, OptionalAttr<I64Attr>:$allowzero);
  let results = (outs AnyType:$result);
}
def Graph_FlattenOp : Graph_Operator<"flatten", "Flatten", "1, 9, 11, 13, 21, 23, 24, 25"> {
  let arguments = (ins AnyType:$input, OptionalAttr<I64Attr>:$axis);
  let results = (outs AnyType:$result);
}
def Graph_SqueezeOp : Graph_Operator<"squeeze", "Squeeze", "1, 11, 13, 21, 23, 24, 25"> {
  let arguments = (ins AnyType:$data, Optional<AnyType>:$axes);
  let results = (outs AnyType:$result);
}
def Graph_UnsqueezeOp : Graph_Operator<"unsqueeze", "Unsqueeze", "1, 11, 13, 21, 23, 24, 25"> {
  let arguments = (ins AnyType:$data, AnyType:$axes);
  let results = (outs AnyType:$result);
}
def Graph_TransposeOp : Graph_Operator<"transpose", "Transpose", "1, 13, 21, 23, 24, 25"> {
  let arguments = (ins AnyType:$data, OptionalAttr<DenseI64ArrayAttr>:$perm);
  let results = (outs AnyType:$result);
}
def Graph_ConcatOp : Graph_Operator<"concat", "Concat", "1, 4, 11, 13"> {
  let arguments = (ins Variadic<AnyType>:$inputs, OptionalAttr<I64Attr>:$axis);
  let results = (outs AnyType:$result);
}
def Graph_SplitOp : Graph_Operator<"split", "Split", "1, 2, 11, 13, 18"> {
  let arguments = (ins AnyType:$input, Optional<AnyType>:$split, OptionalAttr<I64Attr>:$axis,
                       OptionalAttr<I64Attr>:$num_outputs);
  let results = (outs Variadic<AnyType>:$outputs);
}
def Graph_SliceOp : Graph_Operator<"slice", "Slice", "1, 10, 11, 13", [AttrSizedOperandSegments]> {
  let arguments = (ins AnyType:$data, AnyType:$starts, AnyType:$ends, Optional<AnyType>:$axes,
                       Optional<AnyType>:$steps);
  let results = (outs AnyType:$result);
}
def Graph_ExpandOp : Graph_Operator<"expand", "Expand", "8, 13"> {
  let arguments = (ins AnyType:$input, AnyType:$shape);
  let results = (outs AnyType:$result);
}
def Graph_TileOp : Graph_Operator<"tile", "Tile", "1, 6, 13"> {
  let arguments = (ins AnyType:$input, AnyType:$repeats);
  let results = (outs AnyType:$result);
}
def Graph_PadOp : Graph_Operator<"pad", "Pad", "1, 2, 11, 13, 18, 19, 21, 23, 24, 25", [AttrSizedOperandSegments]> {
  let arguments = (ins AnyType:$data, AnyType:$pads, Optional<AnyType>:$constant_value, Optional<AnyType>:$axes,
                       OptionalAttr<StrAttr>:$mode);
  let results = (outs AnyType:$result);
}
def Graph_GatherOp : Graph_Operator<"gather", "Gather", "1, 11, 13"> {
  let arguments = (ins AnyType:$data, AnyType:$indices, OptionalAttr<I64Attr>:$axis);
  let results = (outs AnyType:$result);
}
def Graph_GatherElementsOp : Graph_Operator<"gather_elements", "GatherElements", "11, 13"> {
  let arguments = (ins AnyType:$data, AnyType:$indices, OptionalAttr<I64Attr>:$axis);
  let results = (outs AnyType:$result);
}
def Graph_GatherNDOp : Graph_Operator<"gather_nd", "GatherND", "11, 12, 13"> {
  let arguments = (ins AnyType:$data, AnyType:$indices, OptionalAttr<I64Attr>:$batch_dims);
  let results = (outs AnyType:$result);
}
def Graph_ScatterElementsOp : Graph_Operator<"scatter_elements", "ScatterElements", "11, 13, 16, 18"> {
  let arguments = (ins AnyType:$data, AnyType:$indices, AnyType:$updates, OptionalAttr<I64Attr>:$axis,
                       OptionalAttr<StrAttr>:$reduction);
  let results = (outs AnyType:$result);
}
def Graph_ScatterOp : Graph_Operator<"scatter", "Scatter", "9, 11"> {
  let arguments = (ins AnyType:$data, AnyType:$indices, AnyType:$updates, OptionalAttr<I64Attr>:$axis);
  let results = (outs AnyType:$result);
}
def Graph_ScatterNDOp : Graph_Operator<"scatter_nd", "ScatterND", "11, 13, 16, 18"> {
  let arguments = (ins AnyType:$data, AnyType:$indices, AnyType:$updates, OptionalAttr<StrAttr>:$reduction);
  let results = (outs AnyType:$result);
}
def Graph_TensorScatterOp : Graph_Operator<"tensor_scatter", "TensorScatter", "24"> {
  let arguments = (ins AnyType:$past_cache, AnyType:$update, Optional<AnyType>:$write_indices,
                       OptionalAttr<I64Attr>:$axis, OptionalAttr<StrAttr>:$mode);
  let results = (outs AnyType:$result);
}
def Graph_DepthToSpaceOp : Graph_Operator<"depth_to_space", "DepthToSpace", "1, 11, 13"> {
  let arguments = (ins AnyType:$input, OptionalAttr<I64Attr>:$blocksize, OptionalAttr<StrAttr>:$mode);
  let results = (outs AnyType:$result);
}
def Graph_SpaceToDepthOp : Graph_Operator<"space_to_depth", "SpaceToDepth", "1, 13"> {
  let arguments = (ins AnyType:$input, OptionalAttr<I64Attr>:$blocksize);
  let results = (outs AnyType:$result);
}
def Graph_TriluOp : Graph_Operator<"trilu", "Trilu", "14"> {
  let arguments = (ins AnyType:$input, Optional<AnyType>:$k, OptionalAttr<I64Attr>:$upper);
  let results = (outs AnyType:$result);
}
def Graph_ReverseSequenceOp : Graph_Operator<"reverse_sequence", "ReverseSequence", "10"> {
  let arguments = (ins AnyType:$input, AnyType:$sequence_lens, OptionalAttr<I64Attr>:$batch_axis,
                       OptionalAttr<I64Attr>:$time_axis);
  let results = (outs AnyType:$result);
}
def Graph_OneHotOp : Graph_Operator<"one_hot", "OneHot", "9, 11"> {
  let arguments = (ins AnyType:$indices, AnyType:$depth, AnyType:$values, OptionalAttr<I64Attr>:$axis);
  let results = (outs AnyType:$result);
}
def Graph_EyeLikeOp : Graph_Operator<"eye_like", "EyeLike", "9, 22"> {
  let arguments = (ins AnyType:$input, OptionalAttr<I64Attr>:$dtype, OptionalAttr<I64Attr>:$k);
  let results = (outs AnyType:$result);
}
def Graph_RangeOp : Graph_Operator<"range", "Range", "11, 27"> {
  let arguments = (ins AnyType:$start, AnyType:$limit, AnyType:$delta, OptionalAttr<I64Attr>:$stash_type);
  let results = (outs AnyType:$result);
}
def Graph_ConstantOfShapeOp : Graph_Operator<"constant_of_shape", "ConstantOfShape", "9, 20, 21, 23, 24, 25"> {
  let arguments = (ins AnyType:$input, OptionalAttr<ElementsAttr>:$value);
  let results = (outs AnyType:$result);
}
def Graph_ShapeOp : Graph_Operator<"shape", "Shape", "1, 13, 15, 19, 21, 23, 24, 25"> {
  let arguments = (ins AnyType:$data, OptionalAttr<I64Attr>:$end, OptionalAttr<I64Attr>:$start);
  let results = (outs AnyType:$result);
}
def Graph_SizeOp : Graph_Operator<"size", "Size", "1, 13, 19, 21, 23, 24, 25"> {
  let arguments = (ins AnyType:$data);
  let results = (outs AnyType:$result);
}
def Graph_ResizeOp : Graph_Operator<"resize", "Resize", "10, 11, 13, 18, 19", [AttrSizedOperandSegments]> {
  let arguments = (ins AnyType:$x, Optional<AnyType>:$roi, Optional<AnyType>:$scales, Optional<AnyType>:$sizes,
                       OptionalAttr<I64Attr>:$antialias, OptionalAttr<DenseI64ArrayAttr>:$axes,
                       OptionalAttr<StrAttr>:$coordinate_transformation_mode, OptionalAttr<F32Attr>:$cubic_coeff_a,
                       OptionalAttr<I64Attr>:$exclude_outside, OptionalAttr<F32Attr>:$extrapolation_value,
                       OptionalAttr<StrAttr>:$keep_aspect_ratio_policy, OptionalAttr<StrAttr>:$mode,
                       OptionalAttr<StrAttr>:$nearest_mode);
  let results = (outs AnyType:$result);
}
def Graph_UpsampleOp : Graph_Operator<"upsample", "Upsample", "1, 7, 9, 10"> {
  let arguments = (ins AnyType:$x, AnyType:$scales, OptionalAttr<StrAttr>:$mode);
  let results = (outs AnyType:$result);
}
def Graph_NonZeroOp : Graph_Operator<"non_zero", "NonZero", "9, 13"> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
}
