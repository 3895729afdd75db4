// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One GPU, real or emulated, with its context, and memory on it.
#ifndef HEDDLE_RUNTIME_DEVICE_H
#define HEDDLE_RUNTIME_DEVICE_H

#include "runtime/Driver.h"
#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle::runtime {

class Device {
public:
  /// Opens the device that `spec` names:
  ///   auto       the first real GPU, else the emulated device
  ///   cuda[:N]   real GPU number N, 0 if absent
  ///   emu[:GPU]  the emulated device as that GPU ("emu:h200"); without a name as one that runs
  ///              code for the first of `targets`
  /// `targets` are those that the artifact has code for.
  ///
  /// Errors:  kInvalidArgument for another spec; else as Driver says.
  static Result<std::shared_ptr<const Device>> open(std::string_view spec,
                                                    const std::vector<std::string> &targets);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const Driver &driver() const { return *table; }
  const std::string &name() const { return deviceName; }
  /// "cuda:0", "emu:h200"
  const std::string &spec() const { return chosenSpec; }
  /// Why `auto` did not take a real GPU; else empty.
  const std::string &note() const { return whyEmulated; }
  bool emulated() const { return table->emulated(); }
  int major() const { return computeMajor; }
  int minor() const { return computeMinor; }
  int64_t totalBytes() const { return memoryBytes; }
  int driverVersion() const { return version; }

  /// Makes the context current on this thread; needed before any other call.
  Status makeCurrent() const;

private:
  Device() = default;
  static Result<std::shared_ptr<const Device>> openOn(std::shared_ptr<const Driver> driver,
                                                      int ordinal, std::string spec);

  std::shared_ptr<const Driver> table;
  CUdevice device = 0;
  CUcontext context = nullptr;
  std::string deviceName, chosenSpec, whyEmulated;
  int computeMajor = 0, computeMinor = 0, version = 0;
  int64_t memoryBytes = 0;
};

/// Memory on a device; freed with the object.
class DeviceMemory {
public:
  DeviceMemory() = default;
  /// No bytes are allocated for a size of zero; the address is 0 then.
  static Result<DeviceMemory> allocate(std::shared_ptr<const Device> device, int64_t bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory &&other) noexcept;
  DeviceMemory &operator=(DeviceMemory &&other) noexcept;

  CUdeviceptr address() const { return base; }
  int64_t sizeBytes() const { return bytes; }

private:
  std::shared_ptr<const Device> device;
  CUdeviceptr base = 0;
  int64_t bytes = 0;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DEVICE_H
