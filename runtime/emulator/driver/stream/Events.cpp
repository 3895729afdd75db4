// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events. Work is done when it is submitted, so an event that was recorded has happened; its time
// is the host's, and never goes back.
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/stream/Stream.h"
#include <algorithm>
#include <chrono>

namespace heddle::emulator {

void Event::record() {
  static std::atomic<int64_t> last{0};
  using namespace std::chrono;
  int64_t now =
      duration_cast<std::chrono::nanoseconds>(steady_clock::now().time_since_epoch()).count();
  int64_t before = last.load();
  while (!last.compare_exchange_weak(before, std::max(now, before + 1)))
    ;
  nanoseconds = std::max(now, before + 1);
  isRecorded = true;
}

} // namespace heddle::emulator

using namespace heddle::emulator;

static Event *eventOf(CUevent handle) { return Handles<Event>::get().find(handle); }

HEDDLE_EMU_API CUresult cuEventCreate(CUevent *handle, unsigned flags) {
  Call call("cuEventCreate");
  if (!call)
    return call.code;
  constexpr unsigned known =
      CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  if (!handle || flags & ~known)
    return CUDA_ERROR_INVALID_VALUE;
  if (flags & CU_EVENT_INTERPROCESS)
    return call.refuse(CUDA_ERROR_NOT_SUPPORTED,
                       "events between processes: the emulated device is one process's own");
  auto event = std::make_unique<Event>();
  event->context = call.context;
  event->flags = flags;
  *handle = reinterpret_cast<CUevent>(Handles<Event>::get().add(std::move(event)));
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuEventDestroy(CUevent handle) {
  Call call("cuEventDestroy", Call::kDriver);
  if (!call)
    return call.code;
  return Handles<Event>::get().take(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

HEDDLE_EMU_API CUresult cuEventRecordWithFlags(CUevent handle, CUstream streamHandle,
                                               unsigned flags) {
  Call call("cuEventRecord");
  if (!call)
    return call.code;
  Event *event = eventOf(handle);
  Stream *stream = Stream::find(call, streamHandle);
  if (!event || !stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (flags & ~unsigned(CU_EVENT_RECORD_EXTERNAL))
    return CUDA_ERROR_INVALID_VALUE;
  if (!stream->capture) {
    event->capture.reset();
    return submit(call, streamHandle, RecordWork{event});
  }
  if (flags & CU_EVENT_RECORD_EXTERNAL)
    return submit(call, streamHandle, RecordWork{event});
  event->capture = stream->capture;
  event->nodes = stream->last;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuEventRecord(CUevent event, CUstream stream) {
  return cuEventRecordWithFlags(event, stream, 0);
}

/// The state of an event outside of captures.
static CUresult waitFor(const Call &call, CUevent handle) {
  if (!call)
    return call.code;
  Event *event = eventOf(handle);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (event->capture.lock())
    return call.refuse(CUDA_ERROR_CAPTURED_EVENT,
                       "the event was recorded in a stream that is captured");
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuEventQuery(CUevent event) { return waitFor(Call("cuEventQuery"), event); }

HEDDLE_EMU_API CUresult cuEventSynchronize(CUevent event) {
  return waitFor(Call("cuEventSynchronize"), event);
}

HEDDLE_EMU_API CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  Call call("cuEventElapsedTime");
  if (!call)
    return call.code;
  Event *from = eventOf(start), *to = eventOf(end);
  if (!from || !to)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!milliseconds)
    return CUDA_ERROR_INVALID_VALUE;
  for (Event *event : {from, to}) {
    if (event->flags & CU_EVENT_DISABLE_TIMING)
      return call.refuse(CUDA_ERROR_INVALID_HANDLE,
                         "the event was made with CU_EVENT_DISABLE_TIMING");
    if (!event->isRecorded)
      return call.refuse(CUDA_ERROR_INVALID_HANDLE, "the event was not recorded");
  }
  *milliseconds =
      static_cast<float>(static_cast<double>(to->nanoseconds - from->nanoseconds) * 1e-6);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuStreamWaitEvent(CUstream streamHandle, CUevent handle, unsigned flags) {
  Call call("cuStreamWaitEvent");
  if (!call)
    return call.code;
  Event *event = eventOf(handle);
  Stream *stream = Stream::find(call, streamHandle);
  if (!event || !stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (flags & ~unsigned(CU_EVENT_WAIT_EXTERNAL))
    return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Capture> capture = event->capture.lock();
  if (stream->capture && (flags & CU_EVENT_WAIT_EXTERNAL))
    return submit(call, streamHandle, WaitWork{event});
  if (!capture) {
    if (!stream->capture)
      return CUDA_SUCCESS; // what was recorded has happened
    stream->capture->isInvalid = true;
    return call.refuse(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                       "a captured stream waits for an event that was recorded outside of the "
                       "capture");
  }
  if (stream->capture && stream->capture != capture) {
    stream->capture->isInvalid = capture->isInvalid = true;
    return call.refuse(CUDA_ERROR_STREAM_CAPTURE_MERGE, "two captures cannot become one");
  }
  if (stream == stream->context.legacyStream.get()) {
    capture->isInvalid = true;
    return call.refuse(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                       "the legacy default stream cannot join a capture");
  }
  stream->capture = capture;
  for (GraphNode *node : event->nodes)
    if (std::find(stream->last.begin(), stream->last.end(), node) == stream->last.end())
      stream->last.push_back(node);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuCtxRecordEvent(CUcontext handle, CUevent eventHandle) {
  Call call("cuCtxRecordEvent", Call::kDriver);
  if (!call)
    return call.code;
  Context *context = Context::find(handle);
  Event *event = eventOf(eventHandle);
  if (!context)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  event->capture.reset();
  event->record();
  return context->sticky;
}

HEDDLE_EMU_API CUresult cuCtxWaitEvent(CUcontext handle, CUevent event) {
  Call call("cuCtxWaitEvent", Call::kDriver);
  if (!call)
    return call.code;
  if (!Context::find(handle))
    return CUDA_ERROR_INVALID_CONTEXT;
  return waitFor(call, event);
}
