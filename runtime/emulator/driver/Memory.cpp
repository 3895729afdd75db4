// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation, copies and fills. Ranges are checked: a copy behind an allocation is an error here,
// not a crash later.
#include "runtime/emulator/driver/State.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <cstring>

using namespace heddle::emulator;

namespace {

/// The range must lie in one allocation.
CUresult checkRange(const char *call, CUdeviceptr address, size_t bytes) {
  Driver &driver = Driver::get();
  driver.forgetReport();
  if (CUresult code = driver.check(); code != CUDA_SUCCESS)
    return code;
  uint64_t begin = 0, end = 0;
  if (bytes == 0 || (DeviceMemory::get().find(address, begin, end) && bytes <= end - address))
    return CUDA_SUCCESS;
  std::lock_guard lock(driver.mutex);
  char text[160];
  std::snprintf(text, sizeof text,
                "%s: %zu bytes at 0x%llx are not inside of one allocation: ", call, bytes,
                static_cast<unsigned long long>(address));
  return driver.refuse(CUDA_ERROR_INVALID_VALUE, text + DeviceMemory::get().describe(address));
}

void *at(CUdeviceptr address) { return reinterpret_cast<void *>(address); }

} // namespace

HEDDLE_EMU_API CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  Driver &driver = Driver::get();
  if (CUresult code = driver.check(); code != CUDA_SUCCESS)
    return code;
  driver.forgetReport();
  if (!address || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  DeviceMemory &memory = DeviceMemory::get();
  *address = memory.allocate(bytes);
  if (*address)
    return CUDA_SUCCESS;
  std::lock_guard lock(driver.mutex);
  return driver.refuse(CUDA_ERROR_OUT_OF_MEMORY,
                       "the emulated device has " + std::to_string(memory.capacityBytes()) +
                           " bytes, of which " + std::to_string(memory.usedBytes()) + " are taken");
}

HEDDLE_EMU_API CUresult cuMemFree(CUdeviceptr address) {
  if (address == 0 || DeviceMemory::get().free(address))
    return CUDA_SUCCESS;
  return CUDA_ERROR_INVALID_VALUE;
}

HEDDLE_EMU_API CUresult cuMemGetInfo(size_t *available, size_t *total) {
  if (!available || !total)
    return CUDA_ERROR_INVALID_VALUE;
  DeviceMemory &memory = DeviceMemory::get();
  *total = memory.capacityBytes();
  *available = *total - memory.usedBytes();
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  if (CUresult code = checkRange("cuMemcpyHtoD", to, bytes); code != CUDA_SUCCESS)
    return code;
  if (bytes && !from)
    return CUDA_ERROR_INVALID_VALUE;
  if (bytes)
    std::memcpy(at(to), from, bytes);
  DeviceMemory::get().markWritten(to, bytes);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  if (CUresult code = checkRange("cuMemcpyDtoH", from, bytes); code != CUDA_SUCCESS)
    return code;
  if (bytes && !to)
    return CUDA_ERROR_INVALID_VALUE;
  if (bytes)
    std::memcpy(to, at(from), bytes);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  if (CUresult code = checkRange("cuMemcpyDtoD", to, bytes); code != CUDA_SUCCESS)
    return code;
  if (CUresult code = checkRange("cuMemcpyDtoD", from, bytes); code != CUDA_SUCCESS)
    return code;
  if (bytes)
    std::memmove(at(to), at(from), bytes);
  DeviceMemory::get().copyMarks(to, from, bytes);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes,
                                          CUstream) {
  return cuMemcpyHtoD(to, from, bytes);
}
HEDDLE_EMU_API CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream) {
  return cuMemcpyDtoH(to, from, bytes);
}
HEDDLE_EMU_API CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                          CUstream) {
  return cuMemcpyDtoD(to, from, bytes);
}

HEDDLE_EMU_API CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  if (CUresult code = checkRange("cuMemsetD8", to, count); code != CUDA_SUCCESS)
    return code;
  if (count)
    std::memset(at(to), value, count);
  DeviceMemory::get().markWritten(to, count);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  if (count > SIZE_MAX / 4 || to % 4 != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult code = checkRange("cuMemsetD32", to, count * 4); code != CUDA_SUCCESS)
    return code;
  for (size_t i = 0; i < count; ++i)
    static_cast<unsigned *>(at(to))[i] = value;
  DeviceMemory::get().markWritten(to, count * 4);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                                        CUstream) {
  return cuMemsetD8(to, value, count);
}
HEDDLE_EMU_API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream) {
  return cuMemsetD32(to, value, count);
}
