// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types as an enum with the facts of each from DType.def. Header only, because the
// compiler, the runtime and the tests all need it and none should link another for it.
#ifndef HEDDLE_DTYPE_H
#define HEDDLE_DTYPE_H

#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace heddle {

enum class DType : uint8_t {
#define HEDDLE_DTYPE(enumerator, name, bits, onnx, npy, raw) enumerator,
#include "heddle/DType.def"
};

struct DTypeFacts {
  DType dtype;
  std::string_view name; ///< "f32"
  unsigned bits;         ///< of one element; narrower than 8: packed, low bits first
  int onnx;              ///< ONNX TensorProto.DataType
  std::string_view npy;  ///< NumPy descr, or that of its raw bits
  bool rawInNpy;         ///< NumPy has no such type: files hold the bits, one element an integer
};

inline constexpr DTypeFacts kDTypes[] = {
#define HEDDLE_DTYPE(enumerator, name, bits, onnx, npy, raw)                                       \
  {DType::enumerator, name, bits, onnx, npy, raw},
#include "heddle/DType.def"
};
inline constexpr unsigned kDTypeCount = std::size(kDTypes);

constexpr bool isValidDType(uint8_t value) { return value < kDTypeCount; }
constexpr const DTypeFacts &facts(DType dtype) { return kDTypes[static_cast<uint8_t>(dtype)]; }
constexpr std::string_view name(DType dtype) { return facts(dtype).name; }
constexpr unsigned bits(DType dtype) { return facts(dtype).bits; }

constexpr std::optional<DType> dtypeFromOnnx(int code) {
  for (const DTypeFacts &row : kDTypes)
    if (row.onnx == code)
      return row.dtype;
  return std::nullopt;
}
constexpr std::optional<DType> dtypeFromName(std::string_view name) {
  for (const DTypeFacts &row : kDTypes)
    if (row.name == name)
      return row.dtype;
  return std::nullopt;
}

constexpr bool isFloat(DType dtype) {
  switch (dtype) {
  case DType::kF16:
  case DType::kBF16:
  case DType::kF32:
  case DType::kF64:
  case DType::kF8E4M3FN:
  case DType::kF8E4M3FNUZ:
  case DType::kF8E5M2:
  case DType::kF8E5M2FNUZ:
  case DType::kF4E2M1:
  case DType::kF8E8M0:
    return true;
  default:
    return false;
  }
}
constexpr bool isInteger(DType dtype) { return !isFloat(dtype) && dtype != DType::kBool; }
constexpr bool isSigned(DType dtype) {
  return isFloat(dtype) || name(dtype).substr(0, 1) == "i"; // "i8", "i16", ...
}

/// Bytes of `count` elements, the last byte filled up. Nothing if `count` is negative or the size
/// does not fit int64_t.
constexpr std::optional<int64_t> byteSize(DType dtype, int64_t count) {
  int64_t width = bits(dtype);
  if (count < 0)
    return std::nullopt;
  if (width < 8)
    return count / (8 / width) + (count % (8 / width) != 0);
  int64_t bytes = 0;
  if (__builtin_mul_overflow(count, width / 8, &bytes))
    return std::nullopt;
  return bytes;
}

} // namespace heddle

#endif // HEDDLE_DTYPE_H
