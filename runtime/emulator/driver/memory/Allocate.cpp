// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory: allocated, freed, found.
#include "runtime/emulator/driver/memory/Allocate.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <algorithm>

namespace heddle::emulator {

CUresult allocateOn(const Call &call, EmulatedDevice &device, const void *tag, size_t bytes,
                    CUdeviceptr *address) {
  if (!address || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  DeviceMemory &memory = DeviceMemory::get();
  *address = memory.allocate(bytes, "", device.ordinal, tag);
  if (*address)
    return CUDA_SUCCESS;
  return call.refuse(CUDA_ERROR_OUT_OF_MEMORY,
                     std::to_string(bytes) + " bytes; the emulated device has " +
                         std::to_string(memory.capacityBytes(device.ordinal)) +
                         " bytes, of which " + std::to_string(memory.usedBytes(device.ordinal)) +
                         " are taken");
}

CUresult freeDevice(const Call &call, CUdeviceptr address) {
  AllocationFacts facts;
  DeviceMemory &memory = DeviceMemory::get();
  bool isOurs = memory.facts(address, facts) && facts.begin == address &&
                facts.owner != kHostOwner && !facts.isVariable;
  if (isOurs && memory.free(address))
    return CUDA_SUCCESS;
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return call.refuse(CUDA_ERROR_INVALID_VALUE, std::string(text) + " is not the begin of an " +
                                                   "allocation: " + memory.describe(address));
}

} // namespace heddle::emulator

using namespace heddle::emulator;

HEDDLE_EMU_API CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  Call call("cuMemAlloc");
  return call ? allocateOn(call, call.context->device, call.context, bytes, address) : call.code;
}

HEDDLE_EMU_API CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width,
                                        size_t height, unsigned elementBytes) {
  Call call("cuMemAllocPitch");
  if (!call)
    return call.code;
  constexpr size_t kPitchAlign = 512;
  if (!pitch || width == 0 || height == 0 || width > SIZE_MAX - kPitchAlign)
    return CUDA_ERROR_INVALID_VALUE;
  if (elementBytes != 4 && elementBytes != 8 && elementBytes != 16)
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "the size of an element must be 4, 8 or 16 bytes");
  *pitch = (width + kPitchAlign - 1) / kPitchAlign * kPitchAlign;
  if (height > SIZE_MAX / *pitch)
    return CUDA_ERROR_INVALID_VALUE;
  return allocateOn(call, call.context->device, call.context, *pitch * height, address);
}

HEDDLE_EMU_API CUresult cuMemFree(CUdeviceptr address) {
  Call call("cuMemFree", Call::kDriver);
  if (!call)
    return call.code;
  return address == 0 ? CUDA_SUCCESS : freeDevice(call, address);
}

HEDDLE_EMU_API CUresult cuMemGetInfo(size_t *available, size_t *total) {
  Call call("cuMemGetInfo");
  if (!call)
    return call.code;
  if (!available || !total)
    return CUDA_ERROR_INVALID_VALUE;
  int owner = call.context->device.ordinal;
  *total = DeviceMemory::get().capacityBytes(owner);
  *available = *total - DeviceMemory::get().usedBytes(owner);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes,
                                             CUdeviceptr address) {
  Call call("cuMemGetAddressRange");
  if (!call)
    return call.code;
  AllocationFacts facts;
  if (!DeviceMemory::get().facts(address, facts))
    return call.refuse(CUDA_ERROR_NOT_FOUND,
                       "the address is in no allocation: " + DeviceMemory::get().describe(address));
  if (base)
    *base = facts.begin;
  if (bytes)
    *bytes = facts.end - facts.begin;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemAllocManaged(CUdeviceptr *, size_t, unsigned) {
  Call call("cuMemAllocManaged");
  return call ? call.refuse(CUDA_ERROR_NOT_SUPPORTED,
                            "the emulated device has no managed memory; use cuMemAlloc, or "
                            "cuMemHostAlloc for memory that host and device both use")
              : call.code;
}
