// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of 2 and 4 bits: packed low bits first in tensors, one a byte in files and comparisons.
#ifndef HEDDLE_RUNTIME_CLI_SUBBYTE_H
#define HEDDLE_RUNTIME_CLI_SUBBYTE_H

#include "heddle/DType.h"
#include <span>
#include <vector>

namespace heddle::runtime::cli {

inline std::vector<uint8_t> packSubByte(DType dtype, std::span<const uint8_t> elements) {
  unsigned width = bits(dtype), perByte = 8 / width, mask = (1u << width) - 1;
  std::vector<uint8_t> packed((elements.size() + perByte - 1) / perByte);
  for (size_t i = 0; i < elements.size(); ++i)
    packed[i / perByte] =
        static_cast<uint8_t>(packed[i / perByte] | (elements[i] & mask) << (i % perByte * width));
  return packed;
}

/// Signed types are sign-extended.
inline std::vector<uint8_t> unpackSubByte(DType dtype, std::span<const uint8_t> packed,
                                          size_t count) {
  unsigned width = bits(dtype), perByte = 8 / width, mask = (1u << width) - 1;
  bool extend = isInteger(dtype) && isSigned(dtype);
  std::vector<uint8_t> elements(count);
  for (size_t i = 0; i < count && i / perByte < packed.size(); ++i) {
    unsigned element = packed[i / perByte] >> (i % perByte * width) & mask;
    bool negative = extend && (element >> (width - 1)) != 0;
    elements[i] = static_cast<uint8_t>(negative ? element | ~mask : element);
  }
  return elements;
}

} // namespace heddle::runtime::cli

#endif // HEDDLE_RUNTIME_CLI_SUBBYTE_H
