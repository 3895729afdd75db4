// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel stage's passes: generated declarations and registration.
#ifndef HEDDLE_PASSES_KERNEL_PASSES_H
#define HEDDLE_PASSES_KERNEL_PASSES_H

#include "dialects/kernel/Kernel.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace heddle::kernel {
#define GEN_PASS_DECL
#include "passes/kernel/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/kernel/Passes.h.inc"
} // namespace heddle::kernel

#endif
