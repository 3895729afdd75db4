// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the graph stage, from the model's operators to kernels.
#ifndef HEDDLE_PASSES_GRAPH_PASSES_TD
#define HEDDLE_PASSES_GRAPH_PASSES_TD

include "mlir/Pass/PassBase.td"

def InferShapes : Pass<"graph-infer-shapes", "::mlir::ModuleOp"> {
  let summary = "Give every value a ranked type with symbolic sizes, and compute shape arithmetic";
  let description = [{
    Does:     applies each operator's shape rule from inputs to outputs; an op whose contents follow from sizes and from integer
              inputs that decide shapes becomes a graph.constant or a graph.symbolic_constant.
    Needs:    the importer's `main`, with ranked inputs.
    Leaves:   every value ranked, dynamic sizes as expressions over the module's symbols.
    Numerics: exact; integers are those of ONNX's formulas.
    Errors:   every operator whose operands do not fit it, or whose result's rank or axes are not known at compile time.
    Example:  Shape, Gather, Concat before a Reshape become one graph.symbolic_constant.
  }];
  let dependentDialects = ["::heddle::graph::GraphDialect"];
}

def Decompose : Pass<"graph-decompose", "::mlir::ModuleOp"> {
  let summary = "Replace composite operators by the simpler ones of their definition";
  let description = [{
    Does:     expands attention, rotary embedding and einsum into matrix products, softmax, movement and arithmetic.
    Needs:    ranked types with symbolic sizes (graph-infer-shapes).
    Leaves:   operators that have kernels of their own.
    Numerics: that of the operator's definition; attention scales the query alone, by the whole scale.
    Example:  `graph.einsum {equation = "ij,jk->ik"}` becomes `graph.matmul`.
  }];
  let dependentDialects = ["::heddle::graph::GraphDialect"];
}

def FormKernels : Pass<"graph-form-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn every operator into the kernels that compute it";
  let description = [{
    Does:     replaces each graph op by kernel.map, reduce, rows, contract or reshape with the operator's formula as scalar regions.
    Needs:    ranked types with symbolic sizes (graph-infer-shapes).
    Leaves:   no graph op; one kernel an operator, unfused.
    Numerics: 16-bit floats compute in f32 and round once at the operator's end; sums of 16-bit floats are f32.
    Errors:   all operators without a lowering are reported, each with its node's name and the reason.
    Example:  `%y = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>` becomes a kernel.map with `arith.maximumf` against 0.
  }];
  let dependentDialects = ["::heddle::kernel::KernelDialect"];
}

def FuseMaps : Pass<"graph-fuse-maps", "::mlir::ModuleOp"> {
  let summary = "Compute elementwise and moving operators inside of the kernels that read them";
  let description = [{
    Does:     clones a kernel.map's region at the loads of its result in other kernels, and erases the map.
    Needs:    kernels (graph-form-kernels).
    Leaves:   maps that are results, hold folds, or cost more to repeat than to store; a remark says why.
    Numerics: unchanged; a 16-bit tensor that is no longer stored is still rounded.
    Example:  relu(x) + y, two maps, becomes one map that loads x and y.
  }];
  let dependentDialects = ["::heddle::kernel::KernelDialect"];
}

def FuseEpilogue : Pass<"graph-fuse-epilogue", "::mlir::ModuleOp"> {
  let summary = "Move bias, activation and residual into the kernel whose result they read";
  let description = [{
    Does:     appends a kernel.map to the epilogue of a contraction, the elements of rows, or the end of a reduction or pool whose only
              reader it is, where it reads the result at its own coordinates, also through a reshape.
    Needs:    kernels (graph-form-kernels).
    Leaves:   at most one kernel for contraction, bias, activation and residual; a remark says why not.
    Numerics: unchanged; a 16-bit result that is no longer stored is still rounded.
    Example:  conv, then batch normalisation, then relu, becomes one kernel.contract.
  }];
  let dependentDialects = ["::heddle::kernel::KernelDialect"];
}

def LowerPrecision : Pass<"graph-lower-precision", "::mlir::ModuleOp"> {
  let summary = "Make the products of f32 contractions in a narrower type";
  let description = [{
    Does:     sets `math` of every kernel.contract whose operands are f32.
    Needs:    kernels (graph-form-kernels).
    Leaves:   tensors, sums and epilogues in f32.
    Numerics: operands of products are rounded to the precision; f32 changes nothing.
    Example:  precision=tf32 sets `math = tf32`.
  }];
  let options = [Option<"precision", "precision", "std::string", "\"f32\"", "f32, tf32, f16 or bf16">];
  let dependentDialects = ["::heddle::kernel::KernelDialect"];
}

#endif
