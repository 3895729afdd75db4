// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan.program as the artifact's variant for one target.
#ifndef HEDDLE_LIB_COMPILER_MAKEVARIANT_H
#define HEDDLE_LIB_COMPILER_MAKEVARIANT_H

#include "heddle/Artifact.h"
#include "mlir/IR/BuiltinOps.h"

namespace heddle::compiler {

/// Everything of a variant but its code: signature, sizes, buffers, kernels, steps. Nothing is
/// decided here. Weights refer to the module's attributes, which must outlive `owner`.
/// Errors:  kUnsupported if the plan has what no artifact can hold.
Result<artifact::Variant> makeVariant(mlir::ModuleOp module, artifact::ArtifactData &owner);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_MAKEVARIANT_H
