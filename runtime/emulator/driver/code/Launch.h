// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a program's launch to KernelWork, and how many blocks fit on the device.
#ifndef HEDDLE_RUNTIME_EMULATOR_DRIVER_CODE_LAUNCH_H
#define HEDDLE_RUNTIME_EMULATOR_DRIVER_CODE_LAUNCH_H

#include "runtime/emulator/driver/code/Modules.h"
#include "runtime/emulator/driver/stream/Work.h"

namespace heddle::emulator {

/// Checks the launch and copies its parameters.
CUresult makeKernelWork(const Call &call, CUfunction handle, const CUlaunchConfig &config,
                        void **params, void **extra, KernelWork &work);
/// Sets the clusters and the cooperation that the attributes and the kernel ask for.
void applyAttributes(const Function &function, KernelWork &work);
CUresult readParams(const Call &call, const Function &function, void **params, void **extra,
                    KernelWork &work);

/// Blocks of that size that one multiprocessor holds together.
int blocksPerSm(const Function &function, uint32_t threads, uint64_t dynamicBytes);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_DRIVER_CODE_LAUNCH_H
