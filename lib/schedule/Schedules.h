// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules: how a kernel op becomes instructions. Each is one function that writes one kernel;
// `schedule` chooses.
#ifndef HEDDLE_LIB_SCHEDULE_SCHEDULES_H
#define HEDDLE_LIB_SCHEDULE_SCHEDULES_H

#include "heddle/Target.h"
#include "lib/device/KernelBuilder.h"

namespace heddle::schedule {

/// A kernel that is code, and how to launch it.
struct Kernel {
  mlir::LLVM::LLVMFuncOp func;
  llvm::SmallVector<mlir::AffineExpr> grid; ///< three expressions over the module's symbols
  int64_t threads;
  device::Values inputs;
  llvm::SmallVector<mlir::AffineExpr> scalars;
};

/// Writes `op` for `target` as a function called `name`. An op that no schedule serves is an error
/// at its location.
mlir::FailureOr<Kernel> schedule(mlir::Operation *op, const Target &target, llvm::StringRef name);

/// One thread an element.
Kernel scheduleMap(kernel::MapOp op, llvm::StringRef name);
/// Threads that share folds: a warp or a block for each element of a reduction, or for each row.
Kernel scheduleReduce(kernel::ReduceOp op, llvm::StringRef name);
Kernel scheduleRows(kernel::RowsOp op, llvm::StringRef name);
/// Register tiles on the plain cores, for every element type.
Kernel scheduleContractCores(kernel::ContractOp op, llvm::StringRef name);
/// mma.sync tiles in f16, bf16 or tf32; `multiply` is the type of the products.
Kernel scheduleContractMma(kernel::ContractOp op, llvm::StringRef name, kernel::Math multiply);

} // namespace heddle::schedule

#endif
