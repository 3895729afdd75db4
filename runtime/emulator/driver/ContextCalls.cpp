// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be asked of the current context, and access to the memory of other devices.
#include "runtime/emulator/driver/Context.h"
#include "runtime/emulator/driver/stream/Stream.h"
#include <algorithm>

using namespace heddle::emulator;

static CUresult synchronize(const Call &call, Context &context) {
  if (context.sticky != CUDA_SUCCESS)
    return context.sticky;
  for (Stream *stream : context.streams())
    if (stream->capture)
      return stream->capture->invalidate(call);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxSynchronize() {
  Call call("cuCtxSynchronize");
  return call ? synchronize(call, *call.context) : call.code;
}

HEDDLE_EMU_API CUresult cuCtxSynchronize_v2(CUcontext handle) {
  Call call("cuCtxSynchronize_v2", Call::kDriver);
  if (!call)
    return call.code;
  Context *context = handle ? Context::find(handle) : call.context;
  return context ? synchronize(call, *context) : CUDA_ERROR_INVALID_CONTEXT;
}

HEDDLE_EMU_API CUresult cuCtxGetDevice(CUdevice *device) {
  Call call("cuCtxGetDevice", Call::kContext);
  if (!call)
    return call.code;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  *device = call.context->device.ordinal;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext handle) {
  Call call("cuCtxGetDevice_v2", Call::kDriver);
  if (!call)
    return call.code;
  Context *context = handle ? Context::find(handle) : call.context;
  if (!context)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  *device = context->device.ordinal;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxGetFlags(unsigned *flags) {
  Call call("cuCtxGetFlags", Call::kContext);
  if (!call)
    return call.code;
  if (!flags)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = call.context->flags;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxSetFlags(unsigned flags) {
  Call call("cuCtxSetFlags", Call::kContext);
  if (!call)
    return call.code;
  if (flags & ~unsigned(CU_CTX_FLAGS_MASK))
    return CUDA_ERROR_INVALID_VALUE;
  call.context->flags = flags;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxGetId(CUcontext handle, unsigned long long *id) {
  Call call("cuCtxGetId", Call::kDriver);
  if (!call)
    return call.code;
  Context *context = handle ? Context::find(handle) : call.context;
  if (!context)
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (!id)
    return CUDA_ERROR_INVALID_VALUE;
  *id = context->id;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxGetApiVersion(CUcontext handle, unsigned *version) {
  Call call("cuCtxGetApiVersion", Call::kDriver);
  if (!call)
    return call.code;
  if (!(handle ? Context::find(handle) : call.context))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = 3020; // the version of the context functions' binary interface
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  Call call("cuCtxGetLimit");
  if (!call)
    return call.code;
  std::lock_guard lock(call.context->mutex);
  auto found = call.context->limits.find(limit);
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  if (found == call.context->limits.end())
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  *value = found->second;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  Call call("cuCtxSetLimit");
  if (!call)
    return call.code;
  std::lock_guard lock(call.context->mutex);
  auto found = call.context->limits.find(limit);
  if (found == call.context->limits.end())
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  if (limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY && value > 128)
    return CUDA_ERROR_INVALID_VALUE;
  if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE)
    value = 0; // hints to caches are none here
  found->second = value;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
  Call call("cuCtxGetCacheConfig");
  if (!call)
    return call.code;
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  *config = call.context->cacheConfig;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  Call call("cuCtxSetCacheConfig");
  if (!call)
    return call.code;
  if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL)
    return CUDA_ERROR_INVALID_VALUE;
  call.context->cacheConfig = config;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) {
  Call call("cuCtxGetSharedMemConfig");
  if (!call)
    return call.code;
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxSetSharedMemConfig(CUsharedconfig) {
  return Call("cuCtxSetSharedMemConfig").code; // no GPU since Kepler heeds it
}

HEDDLE_EMU_API CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  Call call("cuCtxGetStreamPriorityRange");
  if (!call)
    return call.code;
  if (least)
    *least = kLeastPriority;
  if (greatest)
    *greatest = kGreatestPriority;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxResetPersistingL2Cache() {
  return Call("cuCtxResetPersistingL2Cache").code;
}

HEDDLE_EMU_API CUresult cuProfilerStart() { return Call("cuProfilerStart").code; }
HEDDLE_EMU_API CUresult cuProfilerStop() { return Call("cuProfilerStop").code; }

HEDDLE_EMU_API CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  Call call("cuDeviceCanAccessPeer", Call::kDriver);
  if (!call)
    return call.code;
  if (!Driver::get().device(device) || !Driver::get().device(peer))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!can)
    return CUDA_ERROR_INVALID_VALUE;
  *can = device != peer;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute,
                                                CUdevice from, CUdevice to) {
  Call call("cuDeviceGetP2PAttribute", Call::kDriver);
  if (!call)
    return call.code;
  if (!Driver::get().device(from) || !Driver::get().device(to) || from == to)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  *value = attribute == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED ||
           attribute == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags) {
  Call call("cuCtxEnablePeerAccess");
  if (!call)
    return call.code;
  Context *peer = Context::find(handle);
  if (!peer)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (&peer->device == &call.context->device)
    return call.refuse(CUDA_ERROR_INVALID_DEVICE, "the context is on the same device");
  std::lock_guard lock(call.context->mutex);
  return call.context->peers.insert(peer->device.ordinal).second
             ? CUDA_SUCCESS
             : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

HEDDLE_EMU_API CUresult cuCtxDisablePeerAccess(CUcontext handle) {
  Call call("cuCtxDisablePeerAccess");
  if (!call)
    return call.code;
  Context *peer = Context::find(handle);
  if (!peer)
    return CUDA_ERROR_INVALID_CONTEXT;
  std::lock_guard lock(call.context->mutex);
  return call.context->peers.erase(peer->device.ordinal) ? CUDA_SUCCESS
                                                         : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}
