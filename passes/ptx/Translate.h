// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ptx stage: functions of a module to PTX text, in process.
#ifndef HEDDLE_PASSES_PTX_TRANSLATE_H
#define HEDDLE_PASSES_PTX_TRANSLATE_H

#include "heddle/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace heddle::ptx {

/// Lowers scf, cf, arith, math and index ops inside the module's llvm.funcs to the llvm dialect,
/// with 32-bit indices.
mlir::LogicalResult lowerToLlvm(mlir::ModuleOp module);

/// PTX of all llvm.funcs of `module` for `target`; "" if there are none. `module` is not changed.
/// Errors:  diagnostics at the module's location.
mlir::FailureOr<std::string> translateToPtx(mlir::ModuleOp module, const Target &target);

} // namespace heddle::ptx

#endif
