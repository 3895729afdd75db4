// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors in files: .npy and ONNX .pb are read, .npy is written.
#ifndef HEDDLE_RUNTIME_CLI_TENSORFILE_H
#define HEDDLE_RUNTIME_CLI_TENSORFILE_H

#include "runtime/Tensor.h"

namespace heddle::runtime::cli {

/// Reads a tensor of type `dtype`; what the file is, its first bytes say.
/// Errors:  kNotFound, kIo, kCorrupt, kInvalidArgument for another element type; all with the path.
Result<Tensor> readTensorFile(const std::string &path, DType dtype);

/// Errors:  kIo with the path and the system's reason.
Status writeNpyFile(const std::string &path, const Tensor &tensor);

/// A file name for a value: '/', '\', ':', '*', '?', '"', '<', '>', '|' and control characters
/// become '_', and very long names are cut.
std::string fileNameFor(std::string_view valueName);

} // namespace heddle::runtime::cli

#endif // HEDDLE_RUNTIME_CLI_TENSORFILE_H
