// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's element types and constants as those of the artifact.
#ifndef HEDDLE_LIB_COMPILER_ELEMENTBYTES_H
#define HEDDLE_LIB_COMPILER_ELEMENTBYTES_H

#include "heddle/Artifact.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace heddle::compiler {

/// The element type; nothing for a type that tensors of a model cannot have.
std::optional<DType> getDType(mlir::Type element);

/// The bytes of a constant as they lie in device memory. They are the attribute's own where these
/// lie as the device wants them, and `owner`'s otherwise.
/// Errors:  kUnsupported for attributes whose elements cannot be read.
Result<artifact::Bytes> getBytes(mlir::ElementsAttr value, artifact::ArtifactData &owner);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_ELEMENTBYTES_H
