// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams: made, asked, waited for.
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/stream/Stream.h"
#include <algorithm>

namespace heddle::emulator {

static std::atomic<unsigned long long> nextStreamId{1};

Stream::Stream(Context &context, unsigned flags, int priority)
    : context(context), flags(flags), priority(priority), id(nextStreamId++) {}
Stream::~Stream() = default;

Stream *Stream::find(const Call &call, CUstream handle) {
  if (!handle || handle == CU_STREAM_LEGACY)
    return call.context->legacyStream.get();
  if (handle == CU_STREAM_PER_THREAD)
    return call.context->threadStream.get();
  return Handles<Stream>::get().find(handle);
}

} // namespace heddle::emulator

using namespace heddle::emulator;

/// Waiting for a captured stream, or for a blocking one's legacy stream, spoils the capture.
static CUresult waitFor(const Call &call, CUstream handle) {
  if (!call)
    return call.code;
  Stream *stream = Stream::find(call, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture)
    return stream->capture->invalidate(call);
  return stream->context.sticky;
}

HEDDLE_EMU_API CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
  Call call("cuStreamCreateWithPriority");
  if (!call)
    return call.code;
  if (!stream || flags & ~unsigned(CU_STREAM_NON_BLOCKING))
    return CUDA_ERROR_INVALID_VALUE;
  priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
  *stream = Handles<Stream>::get()
                .add(std::make_unique<Stream>(*call.context, flags, priority))
                ->handle();
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

HEDDLE_EMU_API CUresult cuStreamDestroy(CUstream handle) {
  Call call("cuStreamDestroy", Call::kDriver);
  if (!call)
    return call.code;
  std::unique_ptr<Stream> stream = Handles<Stream>::get().take(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) {
    stream->capture->isInvalid = true;
    if (stream->capture->origin == stream.get())
      endCapture(stream->capture);
  }
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuStreamSynchronize(CUstream stream) {
  return waitFor(Call("cuStreamSynchronize"), stream);
}

HEDDLE_EMU_API CUresult cuStreamQuery(CUstream stream) {
  return waitFor(Call("cuStreamQuery"), stream);
}

/// Writes one property of a stream.
template <typename T, typename F>
static CUresult ask(const char *name, CUstream handle, T *to, F get) {
  Call call(name);
  if (!call)
    return call.code;
  Stream *stream = Stream::find(call, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!to)
    return CUDA_ERROR_INVALID_VALUE;
  *to = get(*stream);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuStreamGetPriority(CUstream stream, int *priority) {
  return ask("cuStreamGetPriority", stream, priority, [](Stream &s) { return s.priority; });
}

HEDDLE_EMU_API CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
  return ask("cuStreamGetFlags", stream, flags, [](Stream &s) { return s.flags; });
}

HEDDLE_EMU_API CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
  return ask("cuStreamGetId", stream, id, [](Stream &s) { return s.id; });
}

HEDDLE_EMU_API CUresult cuStreamGetDevice(CUstream stream, CUdevice *device) {
  return ask("cuStreamGetDevice", stream, device,
             [](Stream &s) { return s.context.device.ordinal; });
}

HEDDLE_EMU_API CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  return ask("cuStreamGetCtx", stream, context, [](Stream &s) { return s.context.handle(); });
}

HEDDLE_EMU_API CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context,
                                          CUgreenCtx *greenContext) {
  if (greenContext)
    *greenContext = nullptr;
  return cuStreamGetCtx(stream, context);
}

HEDDLE_EMU_API CUresult cuStreamGetAttribute(CUstream handle, CUstreamAttrID attribute,
                                             CUstreamAttrValue *value) {
  return ask("cuStreamGetAttribute", handle, value, [&](Stream &s) {
    auto found = s.attributes.find(attribute);
    CUstreamAttrValue result = {};
    if (found != s.attributes.end())
      result = found->second;
    else if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
      result.priority = s.priority;
    else if (attribute == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY)
      result.syncPolicy = CU_SYNC_POLICY_AUTO;
    return result;
  });
}

HEDDLE_EMU_API CUresult cuStreamSetAttribute(CUstream handle, CUstreamAttrID attribute,
                                             const CUstreamAttrValue *value) {
  Call call("cuStreamSetAttribute");
  if (!call)
    return call.code;
  Stream *stream = Stream::find(call, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
  case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    stream->attributes[attribute] = *value;
    return CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    stream->priority = std::clamp(value->priority, kGreatestPriority, kLeastPriority);
    return CUDA_SUCCESS;
  default:
    return call.refuse(CUDA_ERROR_INVALID_VALUE,
                       "attribute " + std::to_string(attribute) + " is none of streams");
  }
}

HEDDLE_EMU_API CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  Call call("cuStreamCopyAttributes");
  if (!call)
    return call.code;
  Stream *target = Stream::find(call, to), *source = Stream::find(call, from);
  if (!target || !source)
    return CUDA_ERROR_INVALID_HANDLE;
  target->attributes = source->attributes;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  Call call("cuLaunchHostFunc");
  if (!call)
    return call.code;
  return function ? submit(call, stream, HostWork{function, data, nullptr})
                  : CUDA_ERROR_INVALID_VALUE;
}

HEDDLE_EMU_API CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data,
                                            unsigned flags) {
  Call call("cuStreamAddCallback");
  if (!call)
    return call.code;
  if (!callback || flags)
    return CUDA_ERROR_INVALID_VALUE;
  Stream *found = Stream::find(call, stream);
  if (found && found->capture)
    return found->capture->invalidate(call);
  return submit(call, stream,
                HostWork{nullptr, nullptr, [=] { callback(stream, CUDA_SUCCESS, data); }});
}

HEDDLE_EMU_API CUresult cuStreamAttachMemAsync(CUstream, CUdeviceptr, size_t, unsigned) {
  Call call("cuStreamAttachMemAsync");
  return call ? call.refuse(CUDA_ERROR_NOT_SUPPORTED,
                            "the emulated device has no managed memory to attach")
              : call.code;
}
