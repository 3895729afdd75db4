// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy files, versions 1 to 3. Types that NumPy lacks are stored as their bits; types
// narrower than a byte as one element a byte.
#ifndef HEDDLE_RUNTIME_CLI_NPY_H
#define HEDDLE_RUNTIME_CLI_NPY_H

#include "runtime/Tensor.h"

namespace heddle::runtime::cli {

/// The array in `file` as a tensor of type `dtype`. Nothing is converted but representation: byte
/// order, Fortran order, and the bits of types that NumPy lacks.
///
/// Errors:  kCorrupt for what is no .npy file or is cut off; kInvalidArgument if the file has
///          another type, with both names.
Result<Tensor> parseNpy(std::span<const uint8_t> file, DType dtype);

/// The bytes of a .npy file, version 1.
std::vector<uint8_t> formatNpy(const Tensor &tensor);

} // namespace heddle::runtime::cli

#endif // HEDDLE_RUNTIME_CLI_NPY_H
