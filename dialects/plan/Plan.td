// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan dialect: the host program of one target. Values are buffers in device memory; sizes are affine maps over the module's
// symbols; steps are executed in order. It mirrors lib/artifact/Artifact.fbs, so that writing an artifact decides nothing.
#ifndef HEDDLE_DIALECTS_PLAN_PLAN_TD
#define HEDDLE_DIALECTS_PLAN_PLAN_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::heddle::plan";
  let summary = "The host program: buffers, sizes and steps";
  let useDefaultTypePrinterParser = 1;
}

class Plan_Op<string mnemonic, list<Trait> traits = []> : Op<Plan_Dialect, mnemonic, traits>;

def Plan_Buffer : TypeDef<Plan_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "Bytes in device memory";
}

def Plan_CheckKind : I32EnumAttr<"CheckKind", "what plan.check demands of its two numbers", [
  I32EnumAttrCase<"Equal", 0, "equal">, I32EnumAttrCase<"Less", 1, "less">]> {
  let cppNamespace = "::heddle::plan";
}

def Plan_ProgramOp : Plan_Op<"program", [NoTerminator, SingleBlock, IsolatedFromAbove]> {
  let summary = "One run of the model";
  let description = [{
    Buffers are declared before the steps that use them. Steps are executed in the order in which they stand; a temporary is live
    from the first step that uses it to the last, which is for the memory planner to know when a run's sizes are.
    ```mlir
    plan.program {
      %x = plan.input "x" : tensor<8xf32>
      %y = plan.output "y" : tensor<8xf32>
      plan.launch @relu grid = affine_map<() -> (1, 1, 1)> block = [128] shared = 0 scalars = affine_map<() -> (8)>
          reads(%x) writes(%y)
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
}

//===-------------------------------------------------------------------------------------------------------------------===//
// Buffers
//===-------------------------------------------------------------------------------------------------------------------===//

class Plan_ValueOp<string mnemonic> : Plan_Op<mnemonic, [HasParent<"ProgramOp">]> {
  let description = [{ In the order of the model's signature. Sizes in the type are expressions over the module's symbols. }];
  let arguments = (ins StrAttr:$name, TypeAttrOf<AnyRankedTensor>:$type);
  let results = (outs Plan_Buffer:$buffer);
  let assemblyFormat = "$name attr-dict `:` $type";
}
def Plan_InputOp : Plan_ValueOp<"input"> { let summary = "The memory of an input of the model; read only"; }
def Plan_OutputOp : Plan_ValueOp<"output"> { let summary = "The memory of an output of the model; no other value's"; }

def Plan_WeightOp : Plan_Op<"weight", [HasParent<"ProgramOp">]> {
  let summary = "Constant bytes in device memory; read only";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Plan_Buffer:$buffer);
  let assemblyFormat = "attr-dict $value";
}

def Plan_TemporaryOp : Plan_Op<"temporary", [HasParent<"ProgramOp">]> {
  let summary = "Memory for an intermediate tensor";
  let description = [{ `bytes` has one result. The memory planner may give temporaries that are not live together the same place. }];
  let arguments = (ins AffineMapAttr:$bytes);
  let results = (outs Plan_Buffer:$buffer);
  let assemblyFormat = "$bytes attr-dict";
}

//===-------------------------------------------------------------------------------------------------------------------===//
// Steps
//===-------------------------------------------------------------------------------------------------------------------===//

def Plan_LaunchOp : Plan_Op<"launch", [HasParent<"ProgramOp">, AttrSizedOperandSegments]> {
  let summary = "Launch a kernel";
  let description = [{ The meaning is that of kernel.launch; the kernel's parameters are `reads`, `writes`, then `scalars`. }];
  let arguments = (ins FlatSymbolRefAttr:$callee, AffineMapAttr:$grid, DenseI64ArrayAttr:$block, I64Attr:$shared,
                       AffineMapAttr:$scalars, Variadic<Plan_Buffer>:$reads, Variadic<Plan_Buffer>:$writes);
  let assemblyFormat = [{
    $callee `grid` `=` $grid `block` `=` $block `shared` `=` $shared `scalars` `=` $scalars
    `reads` `(` $reads `)` `writes` `(` $writes `)` attr-dict
  }];
  let hasVerifier = 1;
}

def Plan_CopyOp : Plan_Op<"copy", [HasParent<"ProgramOp">]> {
  let summary = "Copy the first bytes of one buffer to another";
  let arguments = (ins Plan_Buffer:$source, Plan_Buffer:$destination, AffineMapAttr:$bytes);
  let assemblyFormat = "$source `to` $destination `bytes` `=` $bytes attr-dict";
}

def Plan_StoreOp : Plan_Op<"store", [HasParent<"ProgramOp">]> {
  let summary = "Write numbers that the host computes from the symbols";
  let description = [{ One element for each result of `values`, converted to `elementType`: an integer, bool, f32 or f64. }];
  let arguments = (ins Plan_Buffer:$destination, AffineMapAttr:$values, TypeAttr:$elementType);
  let assemblyFormat = "$values `as` $elementType `to` $destination attr-dict";
  let hasVerifier = 1;
}

def Plan_CheckOp : Plan_Op<"check", [HasParent<"ProgramOp">]> {
  let summary = "Refuse input shapes for which two numbers are not equal, or the first is not less";
  let description = [{ `numbers` has two results. The text ends in what the user can do; the runtime adds the numbers. }];
  let arguments = (ins Plan_CheckKind:$kind, AffineMapAttr:$numbers, StrAttr:$message);
  let assemblyFormat = "$kind $numbers $message attr-dict";
  let hasVerifier = 1;
}

#endif
