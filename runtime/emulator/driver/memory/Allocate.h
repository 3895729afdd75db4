// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation on a device, and the pools that asynchronous allocation takes from.
#ifndef HEDDLE_RUNTIME_EMULATOR_DRIVER_MEMORY_ALLOCATE_H
#define HEDDLE_RUNTIME_EMULATOR_DRIVER_MEMORY_ALLOCATE_H

#include "runtime/emulator/driver/Context.h"

namespace heddle::emulator {

CUresult allocateOn(const Call &call, EmulatedDevice &device, const void *tag, size_t bytes,
                    CUdeviceptr *address);
CUresult freeDevice(const Call &call, CUdeviceptr address);

/// Memory is taken from the device directly; the pool counts it and bounds it.
struct MemoryPool {
  EmulatedDevice *device = nullptr;
  bool isDefault = false;
  uint64_t maxBytes = 0; ///< 0: the device's
  uint64_t releaseThreshold = 0, mostUsed = 0;
  int reuse[3] = {1, 1, 1};                ///< follow events, opportunistic, internal dependencies
  std::map<int, CUmemAccess_flags> access; ///< of other devices
};

MemoryPool *defaultPool(EmulatedDevice &device);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_DRIVER_MEMORY_ALLOCATE_H
