// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all driver functions begin with: is there a driver, a context, is it still sound; and the
// text that explains the last refusal or fault.
#ifndef HEDDLE_RUNTIME_EMULATOR_DRIVER_DRIVER_H
#define HEDDLE_RUNTIME_EMULATOR_DRIVER_DRIVER_H

#include "runtime/emulator/driver/Device.h"
#include <cuda.h>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#define HEDDLE_EMU_API extern "C" __attribute__((visibility("default")))

namespace heddle::emulator {

struct Context;

constexpr int kDriverVersion = 13000; // CUDA 13.0

/// The process's driver.
class Driver {
public:
  static Driver &get();

  CUresult initialise();
  bool isInitialised() const { return !devices.empty(); }
  int deviceCount() const { return static_cast<int>(devices.size()); }
  /// Null: no such device.
  EmulatedDevice *device(int ordinal) const;

  std::string report() const;
  void setReport(std::string text);

private:
  mutable std::mutex mutex;
  std::vector<std::unique_ptr<EmulatedDevice>> devices;
  std::string lastReport;
};

/// One call of a program. `if (!call) return call.code;` is its first line.
class Call {
public:
  enum Needs {
    kNothing,
    kDriver,      ///< cuInit
    kContext,     ///< a current context, even one that a fault broke
    kSoundContext ///< one in which no kernel faulted
  };
  explicit Call(const char *name, Needs needs = kSoundContext);
  explicit operator bool() const { return code == CUDA_SUCCESS; }
  /// Records why the call is refused, behind its name.
  CUresult refuse(CUresult code, const std::string &why) const;

  const char *name;
  CUresult code = CUDA_SUCCESS;
  Context *context = nullptr; ///< the current one
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_DRIVER_DRIVER_H
