// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every dialect, pass and pipeline of the compiler, registered once: what heddle-opt, the language
// server and the driver know is the same by construction.
#ifndef HEDDLE_LIB_COMPILER_REGISTER_H
#define HEDDLE_LIB_COMPILER_REGISTER_H

#include "mlir/IR/DialectRegistry.h"

namespace heddle::compiler {

/// Our dialects, those of MLIR that our passes use, and their translations to LLVM IR.
void registerDialects(mlir::DialectRegistry &registry);

/// Our passes and pipelines, and MLIR's general ones (canonicalize, cse, ...). Call it once in a
/// process: MLIR keeps one table of passes.
void registerPasses();

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_REGISTER_H
