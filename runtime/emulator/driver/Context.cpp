// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts: which is current, and what they hold.
#include "runtime/emulator/driver/Context.h"
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/code/Modules.h"
#include "runtime/emulator/driver/stream/Stream.h"
#include "runtime/emulator/memory/DeviceMemory.h"

namespace heddle::emulator {

namespace {

thread_local std::vector<Context *> stack;
std::atomic<unsigned long long> nextId{1};

constexpr unsigned kKnownFlags = CU_CTX_FLAGS_MASK;

} // namespace

Context::Context(EmulatedDevice &device, unsigned flags)
    : device(device), flags(flags), id(nextId++),
      legacyStream(std::make_unique<Stream>(*this, 0u, 0)),
      threadStream(std::make_unique<Stream>(*this, 0u, 0)) {
  limits = {{CU_LIMIT_STACK_SIZE, 1024},
            {CU_LIMIT_PRINTF_FIFO_SIZE, 7 << 20},
            {CU_LIMIT_MALLOC_HEAP_SIZE, 8 << 20},
            {CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 2},
            {CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 2048},
            {CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64},
            {CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0}};
}

Context::~Context() = default;

CUresult Context::breakWith(CUresult code, const std::string &text) {
  {
    std::lock_guard lock(mutex);
    if (sticky == CUDA_SUCCESS)
      fault = text;
  }
  sticky = code;
  Driver::get().setReport(text);
  return code;
}

void Context::release() {
  releaseModules(*this);
  DeviceMemory::get().freeTagged(this);
  for (Stream *stream : Handles<Stream>::get().all())
    if (&stream->context == this)
      Handles<Stream>::get().take(stream);
}

std::vector<Stream *> Context::streams() {
  std::vector<Stream *> result = {legacyStream.get(), threadStream.get()};
  for (Stream *stream : Handles<Stream>::get().all())
    if (&stream->context == this)
      result.push_back(stream);
  return result;
}

Context *Context::current() {
  while (!stack.empty() && stack.back() && !find(stack.back()->handle()))
    stack.back() = nullptr; // it was destroyed
  return stack.empty() ? nullptr : stack.back();
}

Context *Context::find(CUcontext handle) { return Handles<Context>::get().find(handle); }

Context *retainPrimary(EmulatedDevice &device) {
  std::lock_guard lock(device.mutex);
  if (!device.primary) {
    device.primary =
        Handles<Context>::get().add(std::make_unique<Context>(device, device.primaryFlags));
    device.primary->isPrimary = true;
  }
  ++device.primaryUsers;
  return device.primary;
}

} // namespace heddle::emulator

using namespace heddle::emulator;

HEDDLE_EMU_API CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *params, unsigned flags,
                                    CUdevice ordinal) {
  Call call("cuCtxCreate", Call::kDriver);
  if (!call)
    return call.code;
  EmulatedDevice *device = Driver::get().device(ordinal);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!context || flags & ~kKnownFlags)
    return CUDA_ERROR_INVALID_VALUE;
  if (params && (params->numExecAffinityParams || params->cigParams))
    return call.refuse(CUDA_ERROR_NOT_SUPPORTED,
                       "contexts on a part of the device, or shared with graphics, are not there");
  Context *made = Handles<Context>::get().add(std::make_unique<Context>(*device, flags));
  stack.push_back(made);
  *context = made->handle();
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxDestroy(CUcontext handle) {
  Call call("cuCtxDestroy", Call::kDriver);
  if (!call)
    return call.code;
  Context *context = Context::find(handle);
  if (!context)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (context->isPrimary)
    return call.refuse(CUDA_ERROR_INVALID_CONTEXT,
                       "the primary context is released with cuDevicePrimaryCtxRelease");
  context->release();
  if (!stack.empty() && stack.back() == context)
    stack.pop_back();
  Handles<Context>::get().take(context);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxPushCurrent(CUcontext handle) {
  Call call("cuCtxPushCurrent", Call::kDriver);
  if (!call)
    return call.code;
  Context *context = Context::find(handle);
  if (!context)
    return CUDA_ERROR_INVALID_CONTEXT;
  stack.push_back(context);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxPopCurrent(CUcontext *context) {
  Call call("cuCtxPopCurrent", Call::kContext);
  if (!call)
    return call.code;
  if (context)
    *context = call.context->handle();
  stack.pop_back();
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxSetCurrent(CUcontext handle) {
  Call call("cuCtxSetCurrent", Call::kDriver);
  if (!call)
    return call.code;
  Context *context = Context::find(handle);
  if (handle && !context)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!stack.empty())
    stack.pop_back();
  if (context)
    stack.push_back(context);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxGetCurrent(CUcontext *context) {
  Call call("cuCtxGetCurrent", Call::kDriver);
  if (!call)
    return call.code;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  *context = call.context ? call.context->handle() : nullptr;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice ordinal) {
  Call call("cuDevicePrimaryCtxRetain", Call::kDriver);
  if (!call)
    return call.code;
  EmulatedDevice *device = Driver::get().device(ordinal);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  *context = retainPrimary(*device)->handle();
  return CUDA_SUCCESS;
}

/// The context and what it held go; who retains it next gets a new one.
static void resetPrimary(EmulatedDevice &device) {
  Context *context = device.primary;
  device.primary = nullptr;
  device.primaryUsers = 0;
  if (!context)
    return;
  context->release();
  Handles<Context>::get().take(context);
}

HEDDLE_EMU_API CUresult cuDevicePrimaryCtxRelease(CUdevice ordinal) {
  Call call("cuDevicePrimaryCtxRelease", Call::kDriver);
  if (!call)
    return call.code;
  EmulatedDevice *device = Driver::get().device(ordinal);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  std::lock_guard lock(device->mutex);
  if (device->primaryUsers == 0)
    return call.refuse(CUDA_ERROR_INVALID_CONTEXT, "nobody retains the primary context");
  if (--device->primaryUsers == 0)
    resetPrimary(*device);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDevicePrimaryCtxReset(CUdevice ordinal) {
  Call call("cuDevicePrimaryCtxReset", Call::kDriver);
  if (!call)
    return call.code;
  EmulatedDevice *device = Driver::get().device(ordinal);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  std::lock_guard lock(device->mutex);
  resetPrimary(*device);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice ordinal, unsigned flags) {
  Call call("cuDevicePrimaryCtxSetFlags", Call::kDriver);
  if (!call)
    return call.code;
  EmulatedDevice *device = Driver::get().device(ordinal);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  if (flags & ~kKnownFlags)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard lock(device->mutex);
  device->primaryFlags = flags;
  if (device->primary)
    device->primary->flags = flags;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDevicePrimaryCtxGetState(CUdevice ordinal, unsigned *flags, int *active) {
  Call call("cuDevicePrimaryCtxGetState", Call::kDriver);
  if (!call)
    return call.code;
  EmulatedDevice *device = Driver::get().device(ordinal);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!flags || !active)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard lock(device->mutex);
  *flags = device->primaryFlags;
  *active = device->primary != nullptr;
  return CUDA_SUCCESS;
}
