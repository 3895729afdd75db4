// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating point formats that the host has no type for, read and written bit by bit. Only files and
// comparisons need it, so it is made to be plain and not fast.
#ifndef HEDDLE_RUNTIME_CLI_FLOATFORMAT_H
#define HEDDLE_RUNTIME_CLI_FLOATFORMAT_H

#include "heddle/DType.h"

namespace heddle::runtime::cli {

/// The value of `bits`, the low bits(dtype) of which count. `dtype` is a floating point type.
double decodeFloat(DType dtype, uint64_t bits);
/// The nearest value, ties to even. Larger ones give infinity, or the largest number of a format
/// that has none; NaN gives NaN, or zero in a format without.
uint64_t encodeFloat(DType dtype, double value);

} // namespace heddle::runtime::cli

#endif // HEDDLE_RUNTIME_CLI_FLOATFORMAT_H
