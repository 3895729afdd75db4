// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One emulated GPU of the process: its rows of the target table, its primary context and its pools.
#ifndef HEDDLE_RUNTIME_EMULATOR_DRIVER_DEVICE_H
#define HEDDLE_RUNTIME_EMULATOR_DRIVER_DEVICE_H

#include "heddle/Target.h"
#include <cuda.h>
#include <mutex>
#include <string>

namespace heddle::emulator {

struct Context;
struct MemoryPool;

struct EmulatedDevice {
  int ordinal = 0;
  const Gpu *gpu = nullptr;
  const Target *target = nullptr;

  std::mutex mutex;
  Context *primary = nullptr; ///< null: nobody retains it
  unsigned primaryUsers = 0, primaryFlags = 0;
  MemoryPool *defaultPool = nullptr, *currentPool = nullptr;

  CUuuid uuid() const;
  std::string pciBusId() const; ///< "0000:01:00.0"
  /// 0 for what is not there.
  int attribute(CUdevice_attribute attribute) const;
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_DRIVER_DEVICE_H
