// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does work, or adds it to the graph of a capture.
#include "runtime/emulator/driver/stream/Work.h"
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/stream/Graph.h"
#include "runtime/emulator/driver/stream/Stream.h"
#include "runtime/emulator/memory/DeviceMemory.h"

namespace heddle::emulator {

CUgraphNodeType typeOf(const Work &work) {
  static constexpr CUgraphNodeType types[] = {
      CU_GRAPH_NODE_TYPE_KERNEL,       CU_GRAPH_NODE_TYPE_MEMCPY,     CU_GRAPH_NODE_TYPE_MEMSET,
      CU_GRAPH_NODE_TYPE_HOST,         CU_GRAPH_NODE_TYPE_EMPTY,      CU_GRAPH_NODE_TYPE_GRAPH,
      CU_GRAPH_NODE_TYPE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_MEM_ALLOC,
      CU_GRAPH_NODE_TYPE_MEM_FREE};
  static_assert(std::variant_size_v<Work> == std::size(types));
  return types[work.index()];
}

CUresult perform(const Call &call, Context &context, Work &work) {
  if (context.sticky != CUDA_SUCCESS)
    return context.sticky;
  if (auto *kernel = std::get_if<KernelWork>(&work))
    return runKernel(call, context, *kernel);
  if (auto *copy = std::get_if<CopyWork>(&work))
    return runCopy(call, context, copy->shape);
  if (auto *fill = std::get_if<FillWork>(&work))
    return runFill(call, context, fill->shape);
  if (auto *child = std::get_if<ChildWork>(&work))
    return runGraph(call, context, *child->graph);
  if (auto *host = std::get_if<HostWork>(&work)) {
    if (host->callback)
      host->callback();
    else
      host->function(host->data);
  } else if (auto *record = std::get_if<RecordWork>(&work)) {
    if (!Handles<Event>::get().find(record->event))
      return call.refuse(CUDA_ERROR_INVALID_HANDLE, "the event was destroyed");
    record->event->record();
  }
  // Events have happened when they were recorded; memory of graphs is there as long as they are.
  return CUDA_SUCCESS;
}

CUresult runGraph(const Call &call, Context &context, Graph &graph) {
  for (GraphNode *node : graph.inOrder()) {
    if (!node->isEnabled)
      continue;
    if (CUresult code = perform(call, context, node->work); code != CUDA_SUCCESS)
      return code;
  }
  return CUDA_SUCCESS;
}

CUresult submit(const Call &call, CUstream handle, Work work) {
  Stream *stream = Stream::find(call, handle);
  if (!stream)
    return call.refuse(CUDA_ERROR_INVALID_HANDLE, "the stream is none, or was destroyed");
  if (!stream->capture) {
    // The legacy stream waits for blocking streams, which a captured one cannot be waited for.
    if (stream == stream->context.legacyStream.get())
      for (Stream *other : stream->context.streams())
        if (other->capture && !(other->flags & CU_STREAM_NON_BLOCKING) &&
            other->capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
          other->capture->isInvalid = true;
          return call.refuse(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                             "work in the legacy default stream while a blocking stream is "
                             "captured");
        }
    return perform(call, stream->context, work);
  }
  Capture &capture = *stream->capture;
  if (!Graph::find(capture.graph->handle()))
    capture.isInvalid = true; // the program destroyed it
  if (capture.isInvalid)
    return call.refuse(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "an earlier error ended the capture");
  GraphNode *node = capture.graph->add(std::move(work), stream->last);
  stream->last = {node};
  return CUDA_SUCCESS;
}

} // namespace heddle::emulator
