// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program written by hand for the runtime's tests:
//   z[n, 4] = (x[n, 4] + y[n, 4]) + y[n, 4];  copy = x;  shape = [n, 4];  w = a weight, copied out
// It refuses n >= 1000. The kernel `add` is PTX, and known to FakeDriver.cpp by name.
#ifndef HEDDLE_TEST_UNIT_SAMPLEPROGRAM_H
#define HEDDLE_TEST_UNIT_SAMPLEPROGRAM_H

#include "heddle/Artifact.h"
#include "runtime/Tensor.h"
#include <cstring>

namespace heddle::test {

artifact::ArtifactData sampleProgram();

/// Index of an expression with this constant, added if needed.
uint32_t constant(artifact::Variant &variant, int64_t value);
uint32_t binary(artifact::Variant &variant, artifact::ExprKind kind, uint32_t a, uint32_t b);

/// A path in a folder of this process that is removed at exit.
std::string temporaryPath(const std::string &name);

std::vector<uint8_t> readBytes(const std::string &path);
void writeBytes(const std::string &path, const std::vector<uint8_t> &bytes);

template <typename T>
runtime::Tensor tensorOf(DType dtype, runtime::Dims dims, const std::vector<T> &values) {
  runtime::Tensor tensor{dtype, std::move(dims), std::vector<uint8_t>(values.size() * sizeof(T))};
  if (!values.empty())
    std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}
template <typename T> std::vector<T> valuesOf(const runtime::Tensor &tensor) {
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

} // namespace heddle::test

#endif // HEDDLE_TEST_UNIT_SAMPLEPROGRAM_H
