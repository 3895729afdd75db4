// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a tensor from an ONNX .pb file (message TensorProto), as the ONNX test data are stored. The
// runtime does not link protobuf, so the wire format is read here; it is small and fixed.
#ifndef HEDDLE_RUNTIME_CLI_TENSORPROTO_H
#define HEDDLE_RUNTIME_CLI_TENSORPROTO_H

#include "runtime/Tensor.h"

namespace heddle::runtime::cli {

/// Errors:  kCorrupt for what is no TensorProto or has too few elements; kUnsupported for strings,
///          complex numbers and external data.
Result<Tensor> parseTensorProto(std::span<const uint8_t> file);

} // namespace heddle::runtime::cli

#endif // HEDDLE_RUNTIME_CLI_TENSORPROTO_H
