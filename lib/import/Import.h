// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX models to the graph dialect.
#ifndef HEDDLE_LIB_IMPORT_IMPORT_H
#define HEDDLE_LIB_IMPORT_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

namespace heddle::import {

struct ImportOptions {
  /// Numbers for named dimensions of the model's inputs; the others stay symbolic.
  llvm::StringMap<int64_t> dimSizes;
  /// Contents of named inputs that are known when the model is compiled, as numbers separated by
  /// commas. Such an input decides something at compile time, like the axes of a reduction; it
  /// stays an input, and its argument has the contents as attribute `graph.value`, so that another
  /// value at run time can be refused.
  llvm::StringMap<std::string> inputValues;
};

/// Imports a model file as a module with one function `main`: arguments are the model's inputs,
/// results its outputs, initializers constants. Every op is in its operator's newest form and has
/// the node's name as location; types other than those of inputs and constants are `none` until
/// `graph-infer-shapes`.
///
/// Errors: diagnostics of the context, one for each node that cannot be imported; then null.
mlir::OwningOpRef<mlir::ModuleOp> importOnnxFile(llvm::StringRef path, mlir::MLIRContext &context,
                                                 const ImportOptions &options = {});

/// The same for a model in memory. `folder` is where it finds tensors in files of their own; empty
/// if it has none.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(llvm::StringRef bytes, llvm::StringRef folder,
                                             mlir::MLIRContext &context,
                                             const ImportOptions &options = {});

} // namespace heddle::import

#endif
