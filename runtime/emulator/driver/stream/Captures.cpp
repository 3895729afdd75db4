// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream capture: from begin to end the calls on a stream, and on those that join it through
// events, become nodes of a graph.
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/stream/Graph.h"
#include "runtime/emulator/driver/stream/Stream.h"
#include <algorithm>

namespace heddle::emulator {

static std::atomic<unsigned long long> nextCaptureId{1};
static thread_local CUstreamCaptureMode threadMode = CU_STREAM_CAPTURE_MODE_GLOBAL;

CUresult Capture::invalidate(const Call &call) {
  isInvalid = true;
  return call.refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                     "this call is not allowed while a stream is captured; the capture is invalid");
}

void endCapture(const std::shared_ptr<Capture> &capture) {
  std::shared_ptr<Capture> kept = capture;
  for (Context *context : Handles<Context>::get().all())
    for (Stream *stream : context->streams())
      if (stream->capture == kept) {
        stream->capture.reset();
        stream->last.clear();
      }
}

namespace {

CUresult begin(const Call &call, CUstream handle, Graph *graph, std::vector<GraphNode *> last,
               CUstreamCaptureMode mode) {
  Stream *stream = Stream::find(call, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  if (stream == stream->context.legacyStream.get())
    return call.refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                       "the legacy default stream cannot be captured");
  if (stream->capture)
    return call.refuse(CUDA_ERROR_ILLEGAL_STATE, "the stream is captured already");
  auto capture = std::make_shared<Capture>();
  capture->id = nextCaptureId++;
  capture->mode = mode;
  capture->origin = stream;
  capture->isOwned = !graph;
  capture->graph = graph ? graph : Handles<Graph>::get().add(std::make_unique<Graph>());
  stream->capture = std::move(capture);
  stream->last = std::move(last);
  return CUDA_SUCCESS;
}

/// Whether all that other streams added is waited for by the stream that began.
bool isJoined(const Capture &capture, const std::vector<GraphNode *> &last) {
  for (Context *context : Handles<Context>::get().all())
    for (Stream *stream : context->streams()) {
      if (stream == capture.origin || stream->capture.get() != &capture)
        continue;
      for (const GraphNode *node : stream->last)
        if (std::none_of(last.begin(), last.end(),
                         [&](const GraphNode *end) { return Graph::reaches(end, node); }))
          return false;
    }
  return true;
}

} // namespace

} // namespace heddle::emulator

using namespace heddle::emulator;

HEDDLE_EMU_API CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  Call call("cuStreamBeginCapture");
  return call ? begin(call, stream, nullptr, {}, mode) : call.code;
}

HEDDLE_EMU_API CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph handle,
                                                    const CUgraphNode *dependencies,
                                                    const CUgraphEdgeData *, size_t count,
                                                    CUstreamCaptureMode mode) {
  Call call("cuStreamBeginCaptureToGraph");
  if (!call)
    return call.code;
  Graph *graph = Graph::find(handle);
  std::vector<GraphNode *> last;
  if (!graph || !nodesOf(dependencies, count, graph, last))
    return CUDA_ERROR_INVALID_VALUE;
  return begin(call, stream, graph, std::move(last), mode);
}

HEDDLE_EMU_API CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  Call call("cuStreamEndCapture");
  if (!call)
    return call.code;
  Stream *stream = Stream::find(call, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!graph)
    return CUDA_ERROR_INVALID_VALUE;
  *graph = nullptr;
  std::shared_ptr<Capture> capture = stream->capture;
  if (!capture)
    return call.refuse(CUDA_ERROR_ILLEGAL_STATE, "the stream is not captured");
  if (capture->origin != stream)
    return call.refuse(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
                       "another stream began the capture and must end it");
  bool joined = isJoined(*capture, stream->last);
  endCapture(capture);
  CUresult code = CUDA_SUCCESS;
  if (capture->isInvalid)
    code =
        call.refuse(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "a call during the capture spoilt it");
  else if (!joined)
    code = call.refuse(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
                       "a stream that joined the capture did work that the first stream does not "
                       "wait for; record an event there and wait for it");
  if (code == CUDA_SUCCESS)
    *graph = capture->graph->handle();
  else if (capture->isOwned)
    Handles<Graph>::get().take(capture->graph);
  return code;
}

HEDDLE_EMU_API CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status) {
  Call call("cuStreamIsCapturing");
  if (!call)
    return call.code;
  Stream *stream = Stream::find(call, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!status)
    return CUDA_ERROR_INVALID_VALUE;
  *status = !stream->capture             ? CU_STREAM_CAPTURE_STATUS_NONE
            : stream->capture->isInvalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                         : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus *status,
                                               cuuint64_t *id, CUgraph *graph,
                                               const CUgraphNode **dependencies,
                                               const CUgraphEdgeData **edges, size_t *count) {
  if (CUresult code = cuStreamIsCapturing(handle, status); code != CUDA_SUCCESS)
    return code;
  Call call("cuStreamGetCaptureInfo");
  Stream *stream = Stream::find(call, handle);
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return CUDA_SUCCESS;
  static_assert(sizeof(CUgraphNode) == sizeof(GraphNode *));
  if (id)
    *id = stream->capture->id;
  if (graph)
    *graph = stream->capture->graph->handle();
  if (dependencies)
    *dependencies = reinterpret_cast<const CUgraphNode *>(stream->last.data());
  if (edges)
    *edges = nullptr;
  if (count)
    *count = stream->last.size();
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuStreamUpdateCaptureDependencies(CUstream handle, CUgraphNode *nodes,
                                                          const CUgraphEdgeData *, size_t count,
                                                          unsigned flags) {
  Call call("cuStreamUpdateCaptureDependencies");
  if (!call)
    return call.code;
  Stream *stream = Stream::find(call, handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!stream->capture)
    return call.refuse(CUDA_ERROR_ILLEGAL_STATE, "the stream is not captured");
  std::vector<GraphNode *> found;
  if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES ||
      !nodesOf(nodes, count, stream->capture->graph, found))
    return CUDA_ERROR_INVALID_VALUE;
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
    stream->last.clear();
  stream->last.insert(stream->last.end(), found.begin(), found.end());
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  Call call("cuThreadExchangeStreamCaptureMode", Call::kDriver);
  if (!call)
    return call.code;
  if (!mode || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, threadMode);
  return CUDA_SUCCESS;
}
