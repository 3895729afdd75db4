// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor in host memory: row major, elements narrower than a byte packed low bits first.
#ifndef HEDDLE_RUNTIME_TENSOR_H
#define HEDDLE_RUNTIME_TENSOR_H

#include "heddle/DType.h"
#include "heddle/Status.h"
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::runtime {

using Dims = std::vector<int64_t>;

struct Tensor {
  DType dtype = DType::kF32;
  Dims dims;
  std::vector<uint8_t> bytes;
};

/// The same without owning the bytes.
struct TensorView {
  TensorView() = default;
  TensorView(const Tensor &tensor) : dtype(tensor.dtype), dims(tensor.dims), bytes(tensor.bytes) {}
  TensorView(DType dtype, std::span<const int64_t> dims, std::span<const uint8_t> bytes)
      : dtype(dtype), dims(dims), bytes(bytes) {}

  DType dtype = DType::kF32;
  std::span<const int64_t> dims;
  std::span<const uint8_t> bytes;
};

/// Product of the dimensions.
/// Errors:  kInvalidArgument if one is negative or the product overflows.
inline Result<int64_t> elementCount(std::span<const int64_t> dims) {
  int64_t count = 1;
  bool hasZero = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      return invalidArgument("a dimension is " + std::to_string(dim));
    hasZero |= dim == 0;
  }
  // A zero makes the product zero, however large the others are.
  for (int64_t dim : dims)
    if (!hasZero && __builtin_mul_overflow(count, dim, &count))
      return invalidArgument("a tensor has more than 2^63 elements");
  return hasZero ? 0 : count;
}

inline Result<int64_t> tensorBytes(DType dtype, std::span<const int64_t> dims) {
  HEDDLE_TRY_ASSIGN(int64_t count, elementCount(dims));
  if (std::optional<int64_t> bytes = byteSize(dtype, count))
    return *bytes;
  return invalidArgument("a tensor has more than 2^63 bytes");
}

/// "[1, 3, 224]"
inline std::string formatDims(std::span<const int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TENSOR_H
