// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of a model file, in any of the ways in which ONNX stores them, as MLIR attributes.
#ifndef HEDDLE_LIB_IMPORT_TENSORS_H
#define HEDDLE_LIB_IMPORT_TENSORS_H

#include "mlir/IR/BuiltinAttributes.h"
#include <onnx/onnx_pb.h>
#include <string>

namespace heddle::import {

/// Finds the contents of tensors that the model keeps in files of its own.
struct ExternalData {
  /// The model file's folder; empty where a model in memory has none.
  std::string folder;
};

/// The tensor's contents; null, and a reason in `problem`, where they are damaged, missing or of a
/// type without numbers. Copies the bytes once.
mlir::ElementsAttr readTensor(const onnx::TensorProto &tensor, const ExternalData &external,
                              mlir::MLIRContext *context, std::string &problem);

/// The name of a TensorProto.DataType, for messages.
std::string getTypeName(int64_t code);

} // namespace heddle::import

#endif
