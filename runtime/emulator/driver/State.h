// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver functions share: the GPU that is emulated, loaded modules, the error that sticks
// after a fault, and the text that explains it.
#ifndef HEDDLE_RUNTIME_EMULATOR_DRIVER_STATE_H
#define HEDDLE_RUNTIME_EMULATOR_DRIVER_STATE_H

#include "heddle/Target.h"
#include "runtime/emulator/exec/Kernel.h"
#include <cuda.h>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#define HEDDLE_EMU_API extern "C" __attribute__((visibility("default")))

namespace heddle::emulator {

struct LoadedModule {
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
  struct Global {
    uint64_t address;
    uint64_t bytes;
  };
  std::map<std::string, Global> globals;
};

struct Driver {
  std::mutex mutex;
  bool isInitialised = false;
  const Gpu *gpu = nullptr;
  const Target *target = nullptr;
  CUresult sticky = CUDA_SUCCESS; ///< after a fault every call fails with it, as on a GPU
  std::string report;             ///< why; also of refused modules and launches
  std::set<LoadedModule *> modules;
  std::map<const void *, LoadedModule *> functions; ///< Kernel -> its module
  std::set<void *> streams, events;

  static Driver &get();
  /// A new call: what was said about the last one does not explain it. A fault stays.
  void forgetReport();
  /// Records why a call is refused.
  CUresult refuse(CUresult code, std::string why);
  /// Not initialised, or broken by an earlier fault.
  CUresult check() const;
};

/// True and the kernel if the handle is one.
Kernel *kernelOf(CUfunction function);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_DRIVER_STATE_H
