// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory pools and asynchronous allocation. Streams do their work at once, so that memory is there,
// or gone, when the call returns.
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/memory/Allocate.h"
#include "runtime/emulator/driver/stream/Graph.h"
#include "runtime/emulator/driver/stream/Stream.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <algorithm>

namespace heddle::emulator {

MemoryPool *defaultPool(EmulatedDevice &device) {
  std::lock_guard lock(device.mutex);
  if (!device.defaultPool) {
    auto pool = std::make_unique<MemoryPool>();
    pool->device = &device;
    pool->isDefault = true;
    device.defaultPool = Handles<MemoryPool>::get().add(std::move(pool));
  }
  if (!device.currentPool)
    device.currentPool = device.defaultPool;
  return device.defaultPool;
}

namespace {

MemoryPool *poolOf(CUmemoryPool handle) { return Handles<MemoryPool>::get().find(handle); }
CUmemoryPool handleOf(MemoryPool *pool) { return reinterpret_cast<CUmemoryPool>(pool); }

MemoryPool *currentPool(EmulatedDevice &device) {
  defaultPool(device);
  return device.currentPool;
}

uint64_t usedBy(const MemoryPool &pool) {
  return DeviceMemory::get().usedBytes(pool.device->ordinal, &pool);
}

CUresult allocateFrom(const Call &call, MemoryPool &pool, size_t bytes, CUstream stream,
                      CUdeviceptr *address) {
  Stream *found = Stream::find(call, stream);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  if (pool.maxBytes && usedBy(pool) + bytes > pool.maxBytes)
    return call.refuse(CUDA_ERROR_OUT_OF_MEMORY,
                       "the pool may have " + std::to_string(pool.maxBytes) + " bytes");
  CUresult code = allocateOn(call, *pool.device, &pool, bytes, address);
  if (code != CUDA_SUCCESS)
    return code;
  pool.mostUsed = std::max(pool.mostUsed, usedBy(pool));
  if (!found->capture)
    return CUDA_SUCCESS;
  AllocateWork work;
  work.params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  work.params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, pool.device->ordinal};
  work.params.bytesize = bytes;
  work.params.dptr = *address;
  found->capture->graph->memory->addresses.push_back(*address);
  return submit(call, stream, work);
}

bool isDevice(const CUmemLocation *location) {
  return location && location->type == CU_MEM_LOCATION_TYPE_DEVICE &&
         Driver::get().device(location->id);
}

} // namespace

} // namespace heddle::emulator

using namespace heddle::emulator;

HEDDLE_EMU_API CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  Call call("cuMemAllocAsync");
  return call ? allocateFrom(call, *currentPool(call.context->device), bytes, stream, address)
              : call.code;
}

HEDDLE_EMU_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes,
                                                CUmemoryPool handle, CUstream stream) {
  Call call("cuMemAllocFromPoolAsync");
  if (!call)
    return call.code;
  MemoryPool *pool = poolOf(handle);
  return pool ? allocateFrom(call, *pool, bytes, stream, address) : CUDA_ERROR_INVALID_VALUE;
}

HEDDLE_EMU_API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle) {
  Call call("cuMemFreeAsync");
  if (!call)
    return call.code;
  Stream *stream = Stream::find(call, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture)
    return submit(call, handle, FreeWork{address});
  return address ? freeDevice(call, address) : CUDA_ERROR_INVALID_VALUE;
}

HEDDLE_EMU_API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice ordinal) {
  Call call("cuDeviceGetDefaultMemPool", Call::kDriver);
  if (!call)
    return call.code;
  EmulatedDevice *device = Driver::get().device(ordinal);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!pool)
    return CUDA_ERROR_INVALID_VALUE;
  *pool = handleOf(defaultPool(*device));
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice ordinal) {
  Call call("cuDeviceGetMemPool", Call::kDriver);
  if (!call)
    return call.code;
  EmulatedDevice *device = Driver::get().device(ordinal);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!pool)
    return CUDA_ERROR_INVALID_VALUE;
  *pool = handleOf(currentPool(*device));
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceSetMemPool(CUdevice ordinal, CUmemoryPool handle) {
  Call call("cuDeviceSetMemPool", Call::kDriver);
  if (!call)
    return call.code;
  EmulatedDevice *device = Driver::get().device(ordinal);
  MemoryPool *pool = poolOf(handle);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!pool || pool->device != device)
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "the pool is none of the device's");
  defaultPool(*device);
  device->currentPool = pool;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location,
                                               CUmemAllocationType type) {
  if (!isDevice(location) || type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return Call("cuMemGetDefaultMemPool", Call::kNothing)
        .refuse(CUDA_ERROR_NOT_SUPPORTED, "only devices have pools, of pinned memory");
  return cuDeviceGetDefaultMemPool(pool, location->id);
}

HEDDLE_EMU_API CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location,
                                        CUmemAllocationType type) {
  if (!isDevice(location) || type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return Call("cuMemGetMemPool", Call::kNothing)
        .refuse(CUDA_ERROR_NOT_SUPPORTED, "only devices have pools, of pinned memory");
  return cuDeviceGetMemPool(pool, location->id);
}

HEDDLE_EMU_API CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type,
                                        CUmemoryPool pool) {
  if (!isDevice(location) || type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return Call("cuMemSetMemPool", Call::kNothing)
        .refuse(CUDA_ERROR_NOT_SUPPORTED, "only devices have pools, of pinned memory");
  return cuDeviceSetMemPool(location->id, pool);
}

HEDDLE_EMU_API CUresult cuMemPoolCreate(CUmemoryPool *handle, const CUmemPoolProps *properties) {
  Call call("cuMemPoolCreate", Call::kDriver);
  if (!call)
    return call.code;
  if (!handle || !properties)
    return CUDA_ERROR_INVALID_VALUE;
  if (properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED || !isDevice(&properties->location))
    return call.refuse(CUDA_ERROR_NOT_SUPPORTED,
                       "a pool must be of CU_MEM_ALLOCATION_TYPE_PINNED on one of the devices");
  if (properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE)
    return call.refuse(CUDA_ERROR_NOT_SUPPORTED,
                       "memory cannot be shared between processes; handleTypes must be NONE");
  auto pool = std::make_unique<MemoryPool>();
  pool->device = Driver::get().device(properties->location.id);
  pool->maxBytes = properties->maxSize;
  *handle = handleOf(Handles<MemoryPool>::get().add(std::move(pool)));
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemPoolDestroy(CUmemoryPool handle) {
  Call call("cuMemPoolDestroy", Call::kDriver);
  if (!call)
    return call.code;
  MemoryPool *pool = poolOf(handle);
  if (!pool)
    return CUDA_ERROR_INVALID_VALUE;
  if (pool->isDefault)
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "the default pool cannot be destroyed");
  std::lock_guard lock(pool->device->mutex);
  if (pool->device->currentPool == pool)
    pool->device->currentPool = pool->device->defaultPool;
  Handles<MemoryPool>::get().take(pool);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t) {
  Call call("cuMemPoolTrimTo", Call::kDriver);
  if (!call)
    return call.code;
  return poolOf(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; // it keeps nothing back
}

HEDDLE_EMU_API CUresult cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                                              void *value) {
  Call call("cuMemPoolSetAttribute", Call::kDriver);
  if (!call)
    return call.code;
  MemoryPool *pool = poolOf(handle);
  if (!pool || !value)
    return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] =
        *static_cast<int *>(value);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    pool->releaseThreshold = *static_cast<cuuint64_t *>(value);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    if (*static_cast<cuuint64_t *>(value))
      return call.refuse(CUDA_ERROR_INVALID_VALUE, "a high mark can only be reset, to 0");
    pool->mostUsed = usedBy(*pool);
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

HEDDLE_EMU_API CUresult cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                                              void *value) {
  Call call("cuMemPoolGetAttribute", Call::kDriver);
  if (!call)
    return call.code;
  MemoryPool *pool = poolOf(handle);
  if (!pool || !value)
    return CUDA_ERROR_INVALID_VALUE;
  auto *number = static_cast<cuuint64_t *>(value);
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    *static_cast<int *>(value) =
        pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    *number = pool->releaseThreshold;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    *number = usedBy(*pool);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    *number = pool->mostUsed;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

HEDDLE_EMU_API CUresult cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc *rows,
                                           size_t count) {
  Call call("cuMemPoolSetAccess", Call::kDriver);
  if (!call)
    return call.code;
  MemoryPool *pool = poolOf(handle);
  if (!pool || (count && !rows))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    if (!isDevice(&rows[i].location))
      return CUDA_ERROR_INVALID_DEVICE;
    if (rows[i].location.id == pool->device->ordinal &&
        rows[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
      return call.refuse(CUDA_ERROR_INVALID_VALUE,
                         "a device always reads and writes its own pools");
  }
  for (size_t i = 0; i < count; ++i)
    pool->access[rows[i].location.id] = rows[i].flags;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool handle,
                                           CUmemLocation *location) {
  Call call("cuMemPoolGetAccess", Call::kDriver);
  if (!call)
    return call.code;
  MemoryPool *pool = poolOf(handle);
  if (!pool || !flags || !isDevice(location))
    return CUDA_ERROR_INVALID_VALUE;
  auto found = pool->access.find(location->id);
  *flags = location->id == pool->device->ordinal ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
           : found != pool->access.end()         ? found->second
                                                 : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}
