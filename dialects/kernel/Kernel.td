// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel dialect: what one GPU launch computes. A value is a whole tensor; a kernel's inside is a region of scalar `arith`,
// `math` and `scf` ops that reads tensors of the enclosing function with `kernel.load` at computed coordinates. Fusing a producer
// is therefore cloning its region at the load; fusing a consumer is appending its region to an epilogue.
#ifndef HEDDLE_DIALECTS_KERNEL_KERNEL_TD
#define HEDDLE_DIALECTS_KERNEL_KERNEL_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::heddle::kernel";
  let summary = "Whole tensors made by one GPU kernel each";
  let description = [{
    Tensor types follow dialects/shape/SymbolicShape.h: dynamic sizes are affine maps over the module's symbols.
    Scalars in regions are signless: an element of `tensor<ui8>` is an `i8`; the ops chosen carry the sign. A `bool` is an `i1`.
    Coordinates and sizes are `index`, which is 32 bits wide in a kernel.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
  let hasConstantMaterializer = 1;
}

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

def Kernel_FoldKind : I32EnumAttr<"FoldKind", "how kernel.fold combines values", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">,
  I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"Max", 3, "max">,
  I32EnumAttrCase<"MinU", 4, "minu">, I32EnumAttrCase<"MaxU", 5, "maxu">,
  I32EnumAttrCase<"And", 6, "and">, I32EnumAttrCase<"Or", 7, "or">, I32EnumAttrCase<"Xor", 8, "xor">,
  I32EnumAttrCase<"ArgMin", 9, "argmin">, I32EnumAttrCase<"ArgMax", 10, "argmax">,
  I32EnumAttrCase<"ArgMinU", 11, "argminu">, I32EnumAttrCase<"ArgMaxU", 12, "argmaxu">]> {
  let cppNamespace = "::heddle::kernel";
}

def Kernel_Math : I32EnumAttr<"Math", "the type in which products of a contraction are made", [
  I32EnumAttrCase<"Native", 0, "native">,  // the operands' own type
  I32EnumAttrCase<"TF32", 1, "tf32">, I32EnumAttrCase<"F16", 2, "f16">, I32EnumAttrCase<"BF16", 3, "bf16">]> {
  let cppNamespace = "::heddle::kernel";
}

//===-------------------------------------------------------------------------------------------------------------------===//
// Kernels
//===-------------------------------------------------------------------------------------------------------------------===//

def Kernel_MapOp : Kernel_Op<"map", [RecursiveMemoryEffects]> {
  let summary = "Compute every element on its own, one thread an element";
  let description = [{
    The region's arguments are the result coordinates, one index an axis; it yields one scalar a result. All results have the same
    shape. `kernel.fold` inside it is a loop of that thread (windows of a pool, depthwise convolution).
    ```mlir
    %r = kernel.map -> tensor<2x8xf32> {
    ^bb0(%i: index, %j: index):
      %x = kernel.load %a[%j, %i] : tensor<8x2xf32> -> f32
      kernel.yield %x : f32
    }
    ```
  }];
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict `->` type($outputs) $body";
  let hasRegionVerifier = 1;
}

def Kernel_ReduceOp : Kernel_Op<"reduce", [RecursiveMemoryEffects]> {
  let summary = "Compute every element by threads that share its folds";
  let description = [{
    As `kernel.map`, but each `kernel.fold` at the top level of the region is shared by a warp or a block of threads, which then
    all hold its result. For reductions that are long or few.
  }];
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict `->` type($outputs) $body";
  let hasRegionVerifier = 1;
}

def Kernel_RowsOp : Kernel_Op<"rows", [RecursiveMemoryEffects]> {
  let summary = "Compute whole rows by threads that share the row's folds (softmax, norms)";
  let description = [{
    `axes` are the result axes that make up a row, in ascending order. The region's arguments are the coordinates on the other axes.
    Folds at its top level are shared as in `kernel.reduce`. It ends in `kernel.elements`, whose region gets the coordinates on
    `axes` and yields one scalar a result.
    ```mlir
    %r = kernel.rows axes = [1] -> tensor<4x100xf32> {
    ^bb0(%i: index):
      %max = kernel.fold max affine_map<() -> (100)> -> f32 {
      ^bb0(%k: index):
        %x = kernel.load %a[%i, %k] : tensor<4x100xf32> -> f32
        kernel.yield %x : f32
      }
      kernel.elements {
      ^bb0(%k: index):
        %x = kernel.load %a[%i, %k] : tensor<4x100xf32> -> f32
        %y = arith.subf %x, %max : f32
        kernel.yield %y : f32
      }
    }
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$axes);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`axes` `=` $axes attr-dict `->` type($outputs) $body";
  let hasRegionVerifier = 1;
}

def Kernel_ContractOp : Kernel_Op<"contract", [RecursiveMemoryEffects]> {
  let summary = "Batched matrix product with operands and results given by regions (GEMM, convolution)";
  let description = [{
    With `sizes = (B, M, N, K)`: acc[b, m, n] = sum over k of lhs(b, m, k) * rhs(b, k, n), then results = epilogue(b, m, n, acc).
    `lhs` (arguments b, m, k) and `rhs` (arguments b, k, n) yield one element each, of the same type; they are only evaluated inside
    the sizes. Each result holds B*M*N elements, element (b, m, n) at row-major position (b*M + m)*N + n, whatever its shape;
    `coordinates` maps (b, m, n) to the coordinates of that position in the results' shape, for fusions.
    `math` says in which type products are made; sums are f32 for all float types but f64 (f64), and i32 for integers up to 32 bits
    (i64 for i64).
    The accumulator argument of `epilogue` has that type.
  }];
  let arguments = (ins AffineMapAttr:$sizes, AffineMapAttr:$coordinates,
                       DefaultValuedAttr<Kernel_Math, "::heddle::kernel::Math::Native">:$math);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$lhs, SizedRegion<1>:$rhs, SizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    `sizes` `=` $sizes `coordinates` `=` $coordinates attr-dict `->` type($outputs) `lhs` $lhs `rhs` $rhs `epilogue` $epilogue
  }];
  let hasRegionVerifier = 1;
}

//===-------------------------------------------------------------------------------------------------------------------===//
// Inside of kernels
//===-------------------------------------------------------------------------------------------------------------------===//

def Kernel_YieldOp : Kernel_Op<"yield", [Pure, Terminator,
    ParentOneOf<["MapOp", "ReduceOp", "ContractOp", "FoldOp", "ElementsOp"]>]> {
  let summary = "Give the values that a region computes";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Kernel_ElementsOp : Kernel_Op<"elements", [RecursiveMemoryEffects, Terminator, HasParent<"RowsOp">]> {
  let summary = "Give the elements of a row";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
}

def Kernel_FoldOp : Kernel_Op<"fold", [RecursiveMemoryEffects]> {
  let summary = "Combine a value over an index space";
  let description = [{
    The region gets one index for each result of `sizes` and yields a scalar, or (value, index) for `argmin` and `argmax`, which
    give the extreme value and, among equals, the smallest index. The order of combination is free. An empty space gives the neutral
    element (0, 1, the largest or smallest value of the type; infinities for floats). `min` and `max` of floats give NaN if any is.
  }];
  let arguments = (ins Kernel_FoldKind:$kind, AffineMapAttr:$sizes);
  let results = (outs Variadic<AnyType>:$values);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$kind $sizes attr-dict `->` type($values) $body";
  let hasRegionVerifier = 1;
}

def Kernel_LoadOp : Kernel_Op<"load", [Pure]> {
  let summary = "Read one element of a tensor";
  let description = [{
    The coordinates must lie inside the tensor wherever the op is executed; guard it with `scf.if` where they may not. The result is the
    element type, signless.
  }];
  let arguments = (ins AnyRankedTensor:$tensor, Variadic<Index>:$coordinates);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$tensor `[` $coordinates `]` attr-dict `:` type($tensor) `->` type($value)";
  let hasVerifier = 1;
}

def Kernel_SizeOp : Kernel_Op<"size", [Pure]> {
  let summary = "The value of an expression over the module's symbols";
  let arguments = (ins AffineMapAttr:$expression);
  let results = (outs Index:$value);
  let assemblyFormat = "$expression attr-dict";
  let hasFolder = 1;
}

//===-------------------------------------------------------------------------------------------------------------------===//
// Tensors that no kernel makes
//===-------------------------------------------------------------------------------------------------------------------===//

def Kernel_WeightOp : Kernel_Op<"weight", [Pure, ConstantLike]> {
  let summary = "A constant tensor in device memory";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyRankedTensor:$output);
  let assemblyFormat = "attr-dict $value `->` type($output)";
  let hasFolder = 1;
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value), [{
    $_state.addAttribute("value", value);
    $_state.addTypes(value.getType());
  }]>];
}

def Kernel_HostValuesOp : Kernel_Op<"host_values", [Pure]> {
  let summary = "A small tensor whose elements the host computes from the module's symbols";
  let arguments = (ins AffineMapAttr:$values);
  let results = (outs AnyRankedTensor:$output);
  let assemblyFormat = "$values attr-dict `->` type($output)";
}

def Kernel_ReshapeOp : Kernel_Op<"reshape", [Pure]> {
  let summary = "The same elements, in row-major order, under another shape; no code";
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasFolder = 1;
}

//===-------------------------------------------------------------------------------------------------------------------===//
// After lowering
//===-------------------------------------------------------------------------------------------------------------------===//

def Kernel_LaunchOp : Kernel_Op<"launch", [Pure]> {
  let summary = "Launch a kernel that is already code";
  let description = [{
    `callee` is an `llvm.func` of the module. Its parameters are: a pointer for each input, a pointer for each output, an i32 for each
    result of `scalars`. `grid` has three results; if one is zero at run time nothing is launched. `shared` is dynamic shared memory
    in bytes. Inputs are read only; outputs are whole new tensors.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, AffineMapAttr:$grid, DenseI64ArrayAttr:$block, I64Attr:$shared,
                       AffineMapAttr:$scalars, Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    $callee `grid` `=` $grid `block` `=` $block `shared` `=` $shared `scalars` `=` $scalars `(` $inputs `)` attr-dict
    `:` functional-type($inputs, $outputs)
  }];
}

#endif
