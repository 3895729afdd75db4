// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuInit: which GPUs there are; and what every call begins with.
#include "runtime/emulator/driver/Driver.h"
#include "runtime/emulator/driver/Context.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <cstdlib>

namespace heddle::emulator {

namespace {

constexpr const char *kDefaultGpu = "a100";

/// The names in HEDDLE_EMU_GPU, repeated up to HEDDLE_EMU_DEVICES.
bool wantedGpus(std::vector<std::string> &names, std::string &error) {
  const char *text = std::getenv("HEDDLE_EMU_GPU");
  std::string list = text && *text ? text : kDefaultGpu;
  for (size_t from = 0; from <= list.size();) {
    size_t to = std::min(list.find(',', from), list.size());
    names.push_back(list.substr(from, to - from));
    from = to + 1;
  }
  size_t count = names.size();
  if (const char *devices = std::getenv("HEDDLE_EMU_DEVICES"); devices && *devices) {
    char *end;
    long value = std::strtol(devices, &end, 10);
    if (*end || value < 1 || value > kMaxDevices) {
      error = "HEDDLE_EMU_DEVICES is \"" + std::string(devices) + "\"; expected 1 to " +
              std::to_string(kMaxDevices);
      return false;
    }
    count = static_cast<size_t>(value);
  }
  if (count > kMaxDevices) {
    error = "HEDDLE_EMU_GPU names more than " + std::to_string(kMaxDevices) + " GPUs";
    return false;
  }
  for (size_t i = names.size(); i < count; ++i)
    names.push_back(names[i % names.size()]);
  names.resize(count);
  return true;
}

} // namespace

Driver &Driver::get() {
  static Driver *driver = new Driver(); // calls may come until the process ends
  return *driver;
}

CUresult Driver::initialise() {
  std::lock_guard lock(mutex);
  if (isInitialised())
    return CUDA_SUCCESS;
  std::vector<std::string> names;
  if (!wantedGpus(names, lastReport))
    return CUDA_ERROR_NO_DEVICE;
  std::vector<std::unique_ptr<EmulatedDevice>> made;
  for (const std::string &name : names) {
    Result<const Gpu *> gpu = findGpu(name);
    if (!gpu.ok()) {
      lastReport = "HEDDLE_EMU_GPU: " + gpu.status().text();
      return CUDA_ERROR_NO_DEVICE;
    }
    Result<const Target *> target = findTarget((*gpu)->target);
    if (!target.ok()) {
      lastReport = "HEDDLE_EMU_GPU: " + target.status().text();
      return CUDA_ERROR_NO_DEVICE;
    }
    auto device = std::make_unique<EmulatedDevice>();
    device->ordinal = static_cast<int>(made.size());
    device->gpu = *gpu;
    device->target = *target;
    DeviceMemory::get().setCapacity(static_cast<uint64_t>((*gpu)->memoryBytes), device->ordinal);
    made.push_back(std::move(device));
  }
  devices = std::move(made);
  return CUDA_SUCCESS;
}

EmulatedDevice *Driver::device(int ordinal) const {
  return ordinal >= 0 && ordinal < deviceCount() ? devices[static_cast<size_t>(ordinal)].get()
                                                 : nullptr;
}

std::string Driver::report() const {
  std::lock_guard lock(mutex);
  return lastReport;
}

void Driver::setReport(std::string text) {
  std::lock_guard lock(mutex);
  lastReport = std::move(text);
}

Call::Call(const char *name, Needs needs) : name(name) {
  Driver &driver = Driver::get();
  context = Context::current();
  // A fault stays the explanation of all that fails after it.
  bool isBroken = context && context->sticky != CUDA_SUCCESS;
  driver.setReport(isBroken ? context->fault : "");
  if (needs >= kDriver && !driver.isInitialised())
    code = CUDA_ERROR_NOT_INITIALIZED;
  else if (needs >= kContext && !context)
    code = refuse(CUDA_ERROR_INVALID_CONTEXT,
                  "the thread has no current context; cuCtxSetCurrent makes one current");
  else if (needs >= kSoundContext && isBroken)
    code = context->sticky;
}

CUresult Call::refuse(CUresult result, const std::string &why) const {
  Driver::get().setReport(std::string(name) + ": " + why);
  return result;
}

} // namespace heddle::emulator

using namespace heddle::emulator;

HEDDLE_EMU_API CUresult cuInit(unsigned flags) {
  return flags ? CUDA_ERROR_INVALID_VALUE : Driver::get().initialise();
}

HEDDLE_EMU_API CUresult cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = kDriverVersion;
  return CUDA_SUCCESS;
}
