// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph dialect: the model in ONNX's own terms, one op an operator. Shape rules stand in ops/, one file a family.
#ifndef HEDDLE_DIALECTS_GRAPH_GRAPH_TD
#define HEDDLE_DIALECTS_GRAPH_GRAPH_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::heddle::graph";
  let summary = "A model as ONNX means it, a whole tensor a value";
  let hasConstantMaterializer = 1;
  let description = [{
    Each op is an ONNX operator in its newest form: mnemonic = ONNX name in snake case, operands, results and attributes in ONNX's
    order and with ONNX's names. An absent attribute means ONNX's default. Values have type `none` until `graph-infer-shapes`
    has given them a ranked type with sizes as in dialects/shape/SymbolicShape.h. Unsigned integers are `ui8`, ...; signed ones are
    signless; a bool is `i1`.
  }];
}

def Graph_OnnxOperator : OpInterface<"OnnxOperator"> {
  let cppNamespace = "::heddle::graph";
  let description = "What the importer asks of an op: the ONNX operator that it is, and the opsets at which that changed.";
  let methods = [
    StaticInterfaceMethod<"ONNX name, such as `Conv`", "::llvm::StringRef", "getOnnxName", (ins)>,
    StaticInterfaceMethod<"ascending opset versions", "::llvm::ArrayRef<int>", "getOnnxVersions", (ins)>,
  ];
}

class Graph_Operator<string mnemonic, string onnx, string versions, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, !listconcat([Pure, DeclareOpInterfaceMethods<Graph_OnnxOperator>], traits)> {
  let summary = "ONNX " # onnx;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = [{
    ::llvm::StringRef $cppClass::getOnnxName() { return "}] # onnx # [{"; }
    ::llvm::ArrayRef<int> $cppClass::getOnnxVersions() {
      static constexpr int versions[] = {}] # versions # [{};
      return versions;
    }
  }];
}

//===-------------------------------------------------------------------------------------------------------------------===//
// Values that are not computed by an operator
//===-------------------------------------------------------------------------------------------------------------------===//

def Graph_ConstantOp : Op<Graph_Dialect, "constant", [Pure, ConstantLike]> {
  let summary = "A tensor of the model file";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "attr-dict $value `:` type($result)";
  let hasFolder = 1;
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value), [{
    $_state.getOrAddProperties<Properties>().value = value;
    $_state.addTypes(value.getType());
  }]>];
}

def Graph_SymbolicConstantOp : Op<Graph_Dialect, "symbolic_constant", [Pure]> {
  let summary = "A small integer tensor that the host computes from the module's symbols";
  let arguments = (ins AffineMapAttr:$values);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$values attr-dict `:` type($result)";
}

include "dialects/graph/ElementwiseOps.td"
include "dialects/graph/MovementOps.td"
include "dialects/graph/ReductionOps.td"
include "dialects/graph/ContractionOps.td"
include "dialects/graph/CompositeOps.td"

#endif
