// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of host tensors as numbers: to fill with, to compare and to print.
#ifndef HEDDLE_RUNTIME_CLI_ELEMENTS_H
#define HEDDLE_RUNTIME_CLI_ELEMENTS_H

#include "runtime/Tensor.h"

namespace heddle::runtime::cli {

/// The bits of element `index`, without sign extension.
uint64_t elementBits(const Tensor &tensor, size_t index);
/// Element `index` as a number; integers above 2^53 are rounded.
double elementValue(const Tensor &tensor, size_t index);
/// "1.5", "-3", "true"
std::string formatElement(const Tensor &tensor, size_t index);
/// The first elements: "0.1 0.2 0.3 ..."
std::string preview(const Tensor &tensor, size_t limit);

/// A tensor of reproducible numbers: floats in [-1, 1), integers 0 to 9 (or the type's largest, if
/// that is less), booleans. Equal seeds give equal tensors on every machine.
///
/// Errors:  kInvalidArgument for impossible dims; kOutOfMemory if it is larger than this machine's
///          memory.
Result<Tensor> randomTensor(DType dtype, const Dims &dims, uint64_t seed);

struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-7;
};
/// Compares as numpy.allclose does: |got - expected| <= absolute + relative * |expected|; NaN
/// equals NaN, infinities equal themselves; integers and booleans are equal.
///
/// Output:  "max |difference| 1.2e-06" if they agree.
/// Errors:  kFailedCheck that says how many elements differ and shows the worst.
Result<std::string> compareTensors(const Tensor &got, const Tensor &expected,
                                   const Tolerance &tolerance);

} // namespace heddle::runtime::cli

#endif // HEDDLE_RUNTIME_CLI_ELEMENTS_H
