// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDevice*: which devices there are, their names and their attributes.
#include "runtime/emulator/driver/Device.h"
#include "runtime/emulator/driver/Driver.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace heddle::emulator {

CUuuid EmulatedDevice::uuid() const {
  CUuuid result = {};
  std::snprintf(result.bytes, sizeof result.bytes, "emu:%.9s:%d", std::string(gpu->name).c_str(),
                ordinal);
  return result;
}

std::string EmulatedDevice::pciBusId() const {
  char text[16];
  std::snprintf(text, sizeof text, "0000:%02x:00.0", static_cast<unsigned>(ordinal + 1) & 0xff);
  return text;
}

} // namespace heddle::emulator

using namespace heddle::emulator;

namespace {

/// The device, or null and the code why not.
EmulatedDevice *deviceOf(Call &call, CUdevice ordinal) {
  if (!call)
    return nullptr;
  EmulatedDevice *device = Driver::get().device(ordinal);
  if (!device)
    call.code = call.refuse(CUDA_ERROR_INVALID_DEVICE,
                            "there is no device " + std::to_string(ordinal) + "; there are " +
                                std::to_string(Driver::get().deviceCount()));
  return device;
}

} // namespace

HEDDLE_EMU_API CUresult cuDeviceGetCount(int *count) {
  Call call("cuDeviceGetCount", Call::kDriver);
  if (!call)
    return call.code;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = Driver::get().deviceCount();
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  Call call("cuDeviceGet", Call::kDriver);
  if (!deviceOf(call, ordinal))
    return call.code;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceGetName(char *name, int bytes, CUdevice ordinal) {
  Call call("cuDeviceGetName", Call::kDriver);
  EmulatedDevice *device = deviceOf(call, ordinal);
  if (!device)
    return call.code;
  if (!name || bytes <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(name, static_cast<size_t>(bytes), "%s (emulated)",
                std::string(device->gpu->display).c_str());
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice ordinal) {
  Call call("cuDeviceGetUuid", Call::kDriver);
  EmulatedDevice *device = deviceOf(call, ordinal);
  if (!device)
    return call.code;
  if (!uuid)
    return CUDA_ERROR_INVALID_VALUE;
  *uuid = device->uuid();
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceTotalMem(size_t *bytes, CUdevice ordinal) {
  Call call("cuDeviceTotalMem", Call::kDriver);
  EmulatedDevice *device = deviceOf(call, ordinal);
  if (!device)
    return call.code;
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  *bytes = static_cast<size_t>(device->gpu->memoryBytes);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                                             CUdevice ordinal) {
  Call call("cuDeviceGetAttribute", Call::kDriver);
  EmulatedDevice *device = deviceOf(call, ordinal);
  if (!device)
    return call.code;
  if (!value || attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  *value = device->attribute(attribute);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice ordinal) {
  Call call("cuDeviceComputeCapability", Call::kDriver);
  EmulatedDevice *device = deviceOf(call, ordinal);
  if (!device)
    return call.code;
  if (!major || !minor)
    return CUDA_ERROR_INVALID_VALUE;
  *major = device->gpu->major;
  *minor = device->gpu->minor;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice ordinal) {
  Call call("cuDeviceGetProperties", Call::kDriver);
  EmulatedDevice *device = deviceOf(call, ordinal);
  if (!device)
    return call.code;
  if (!properties)
    return CUDA_ERROR_INVALID_VALUE;
  auto get = [&](CUdevice_attribute attribute) { return device->attribute(attribute); };
  *properties = {get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
                 {get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                  get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                  get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
                 {get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                  get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
                 get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
                 get(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
                 get(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
                 get(CU_DEVICE_ATTRIBUTE_MAX_PITCH),
                 get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
                 get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
                 get(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)};
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceGetPCIBusId(char *text, int bytes, CUdevice ordinal) {
  Call call("cuDeviceGetPCIBusId", Call::kDriver);
  EmulatedDevice *device = deviceOf(call, ordinal);
  if (!device)
    return call.code;
  if (!text || bytes <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(text, static_cast<size_t>(bytes), "%s", device->pciBusId().c_str());
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceGetByPCIBusId(CUdevice *result, const char *text) {
  Call call("cuDeviceGetByPCIBusId", Call::kDriver);
  if (!call)
    return call.code;
  if (!result || !text)
    return CUDA_ERROR_INVALID_VALUE;
  // [domain]:[bus]:[device].[function], [domain]:[bus]:[device] or [bus]:[device].[function].
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  bool isWhole = std::sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) >= 3;
  if (!isWhole) {
    domain = function = 0;
    if (std::sscanf(text, "%x:%x.%x", &bus, &slot, &function) != 3)
      return call.refuse(CUDA_ERROR_INVALID_VALUE,
                         "\"" + std::string(text) + "\" is no PCI bus id");
  }
  if (domain || slot || function || bus < 1 ||
      !Driver::get().device(static_cast<int>(std::min(bus, 256u)) - 1))
    return call.refuse(CUDA_ERROR_INVALID_DEVICE,
                       "there is no device at PCI bus id \"" + std::string(text) + "\"");
  *result = static_cast<int>(bus) - 1;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceGetExecAffinitySupport(int *value, CUexecAffinityType type,
                                                       CUdevice ordinal) {
  Call call("cuDeviceGetExecAffinitySupport", Call::kDriver);
  if (!deviceOf(call, ordinal))
    return call.code;
  if (!value || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
    return CUDA_ERROR_INVALID_VALUE;
  *value = 0;
  return CUDA_SUCCESS;
}
