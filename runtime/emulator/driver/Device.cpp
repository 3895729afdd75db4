// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device, its attributes and its context, of which there is one.
#include "runtime/emulator/driver/State.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <algorithm>
#include <cstring>

using namespace heddle::emulator;

namespace {

/// Contexts are the same for everybody; the handle only has to be one.
CUcontext theContext() { return reinterpret_cast<CUcontext>(&Driver::get()); }

} // namespace

HEDDLE_EMU_API CUresult cuDeviceGetCount(int *count) {
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = 1;
  return Driver::get().isInitialised ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

HEDDLE_EMU_API CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (!Driver::get().isInitialised)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceGetName(char *name, int bytes, CUdevice device) {
  Driver &driver = Driver::get();
  if (!driver.isInitialised)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!name || bytes <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  std::string text = std::string(driver.gpu->display) + " (emulated)";
  std::strncpy(name, text.c_str(), static_cast<size_t>(bytes));
  name[bytes - 1] = '\0';
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  Driver &driver = Driver::get();
  if (!driver.isInitialised)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  *bytes = static_cast<size_t>(driver.gpu->memoryBytes);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                                             CUdevice device) {
  Driver &driver = Driver::get();
  if (!driver.isInitialised)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  const heddle::Gpu &gpu = *driver.gpu;
  const heddle::Target &target = *driver.target;
  const struct {
    CUdevice_attribute attribute;
    int64_t value;
  } rows[] = {
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, target.sharedPerBlockBytes},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, gpu.sharedPerSmBytes},
      {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, target.sharedReservedBytes},
      {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, target.registersPerSm},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, int64_t(gpu.boostMHz) * 1000},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, gpu.sms},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, target.threadsPerSm},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, target.blocksPerSm},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu.major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu.minor},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, gpu.l2Bytes},
      {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
      {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 0},
      {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0},
  };
  // What the table lacks is a capability that is not there.
  *value = 0;
  for (const auto &row : rows)
    if (row.attribute == attribute)
      *value = static_cast<int>(std::min<int64_t>(row.value, 2147483647));
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  if (!Driver::get().isInitialised)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  *context = theContext();
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

HEDDLE_EMU_API CUresult cuCtxSetCurrent(CUcontext context) {
  if (!Driver::get().isInitialised)
    return CUDA_ERROR_NOT_INITIALIZED;
  return context == nullptr || context == theContext() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

HEDDLE_EMU_API CUresult cuCtxGetCurrent(CUcontext *context) {
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  *context = theContext();
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxSynchronize() { return Driver::get().check(); }

// Work is done when it is submitted, so that streams and events are handles only.
HEDDLE_EMU_API CUresult cuStreamCreate(CUstream *stream, unsigned) {
  Driver &driver = Driver::get();
  if (!stream)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult code = driver.check(); code != CUDA_SUCCESS)
    return code;
  std::lock_guard lock(driver.mutex);
  void *handle = ::operator new(1);
  driver.streams.insert(handle);
  *stream = static_cast<CUstream>(handle);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuStreamDestroy(CUstream stream) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  if (driver.streams.erase(stream) == 0)
    return CUDA_ERROR_INVALID_HANDLE;
  ::operator delete(stream);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuStreamSynchronize(CUstream) { return Driver::get().check(); }
HEDDLE_EMU_API CUresult cuStreamQuery(CUstream) { return Driver::get().check(); }
