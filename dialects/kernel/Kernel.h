// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel dialect's C++ side: generated classes, and what passes ask of kernels.
#ifndef HEDDLE_DIALECTS_KERNEL_KERNEL_H
#define HEDDLE_DIALECTS_KERNEL_KERNEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/kernel/KernelDialect.h.inc"
#include "dialects/kernel/KernelEnums.h.inc"

#define GET_OP_CLASSES
#include "dialects/kernel/Kernel.h.inc"

namespace heddle::kernel {

/// The signless scalar that `kernel.load` gives for a tensor's element type.
mlir::Type getScalarType(mlir::Type elementType);

/// Whether elements of this type share bytes in memory: narrower than a byte, and no bool.
bool isPacked(mlir::Type elementType);

/// The type in which a contraction of `elementType` operands is summed: f64 for f64, f32 for other
/// floats, i64 for i64, else i32.
mlir::Type getAccumulatorType(mlir::Type elementType);

} // namespace heddle::kernel

#endif
