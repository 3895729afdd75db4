// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executable graphs: instantiated, updated, launched.
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/stream/NodeParams.h"
#include "runtime/emulator/driver/stream/Stream.h"
#include <cstring>

using namespace heddle::emulator;

static GraphExec *execOf(CUgraphExec handle) { return Handles<GraphExec>::get().find(handle); }

HEDDLE_EMU_API CUresult cuGraphInstantiateWithFlags(CUgraphExec *handle, CUgraph graphHandle,
                                                    unsigned long long flags) {
  Call call("cuGraphInstantiate");
  if (!call)
    return call.code;
  constexpr unsigned long long known = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                       CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                                       CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  Graph *graph = Graph::find(graphHandle);
  if (!handle || !graph)
    return CUDA_ERROR_INVALID_VALUE;
  if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
    return call.refuse(CUDA_ERROR_NOT_SUPPORTED, "graphs that kernels launch");
  if (flags & ~known)
    return CUDA_ERROR_INVALID_VALUE;
  if (!graph->nodes.empty() && graph->inOrder().empty())
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "nodes of the graph wait for each other");
  auto exec = std::make_unique<GraphExec>();
  exec->context = call.context;
  exec->graph = graph->copy();
  exec->flags = flags;
  *handle = reinterpret_cast<CUgraphExec>(Handles<GraphExec>::get().add(std::move(exec)));
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                                     CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult code = cuGraphInstantiateWithFlags(exec, graph, params->flags);
  params->hErrNode_out = nullptr;
  params->result_out =
      code == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
  return code;
}

HEDDLE_EMU_API CUresult cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t *flags) {
  GraphExec *exec = execOf(handle);
  if (!exec || !flags)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = exec->flags;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphExecDestroy(CUgraphExec exec) {
  Call call("cuGraphExecDestroy", Call::kDriver);
  if (!call)
    return call.code;
  return Handles<GraphExec>::get().take(exec) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

HEDDLE_EMU_API CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  Call call("cuGraphUpload");
  if (!call)
    return call.code;
  return execOf(exec) && Stream::find(call, stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

HEDDLE_EMU_API CUresult cuGraphLaunch(CUgraphExec handle, CUstream streamHandle) {
  Call call("cuGraphLaunch");
  if (!call)
    return call.code;
  GraphExec *exec = execOf(handle);
  Stream *stream = Stream::find(call, streamHandle);
  if (!exec || !stream)
    return CUDA_ERROR_INVALID_VALUE;
  // In a capture the launch is a child of what is captured.
  if (stream->capture)
    return submit(call, streamHandle, ChildWork{std::shared_ptr<Graph>(exec->graph->copy())});
  return runGraph(call, stream->context, *exec->graph);
}

HEDDLE_EMU_API CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode handle,
                                              unsigned isEnabled) {
  Call call("cuGraphNodeSetEnabled");
  if (!call)
    return call.code;
  GraphNode *node = nodeIn(exec, handle);
  if (!node)
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphNodeType type = typeOf(node->work);
  if (type != CU_GRAPH_NODE_TYPE_KERNEL && type != CU_GRAPH_NODE_TYPE_MEMCPY &&
      type != CU_GRAPH_NODE_TYPE_MEMSET)
    return call.refuse(CUDA_ERROR_INVALID_VALUE,
                       "only kernels, copies and fills can be switched off");
  node->isEnabled = isEnabled != 0;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode handle,
                                              unsigned *isEnabled) {
  GraphNode *node = nodeIn(exec, handle);
  if (!node || !isEnabled)
    return CUDA_ERROR_INVALID_VALUE;
  *isEnabled = node->isEnabled;
  return CUDA_SUCCESS;
}

namespace {

/// The first difference that an update cannot bridge. Nodes are matched in the order in which they
/// were added.
CUgraphExecUpdateResultInfo compare(const Graph &old, const Graph &fresh) {
  CUgraphExecUpdateResultInfo info = {};
  auto fail = [&](CUgraphExecUpdateResult result, GraphNode *node) {
    info.result = result;
    info.errorNode = node ? node->handle() : nullptr;
    return info;
  };
  if (old.nodes.size() != fresh.nodes.size())
    return fail(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr);
  std::unordered_map<const GraphNode *, size_t> oldIndex, freshIndex;
  for (size_t i = 0; i < old.nodes.size(); ++i) {
    oldIndex[old.nodes[i].get()] = i;
    freshIndex[fresh.nodes[i].get()] = i;
  }
  for (size_t i = 0; i < old.nodes.size(); ++i) {
    const GraphNode &was = *old.nodes[i];
    GraphNode &is = *fresh.nodes[i];
    if (was.dependencies.size() != is.dependencies.size())
      return fail(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, &is);
    for (size_t d = 0; d < was.dependencies.size(); ++d)
      if (oldIndex[was.dependencies[d]] != freshIndex[is.dependencies[d]]) {
        info.errorFromNode = is.dependencies[d]->handle();
        return fail(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, &is);
      }
    if (was.work.index() != is.work.index())
      return fail(CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, &is);
    if (const auto *child = std::get_if<ChildWork>(&is.work)) {
      CUgraphExecUpdateResultInfo inner =
          compare(*std::get<ChildWork>(was.work).graph, *child->graph);
      if (inner.result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
        return inner;
    }
  }
  return info;
}

/// Takes over what the nodes do; they stay the copies of the graph that was instantiated.
void takeOver(Graph &old, const Graph &fresh) {
  for (size_t i = 0; i < old.nodes.size(); ++i) {
    Work &was = old.nodes[i]->work;
    const Work &is = fresh.nodes[i]->work;
    if (auto *child = std::get_if<ChildWork>(&was))
      takeOver(*child->graph, *std::get<ChildWork>(is).graph);
    else
      was = is;
  }
}

} // namespace

HEDDLE_EMU_API CUresult cuGraphExecUpdate(CUgraphExec handle, CUgraph graphHandle,
                                          CUgraphExecUpdateResultInfo *info) {
  Call call("cuGraphExecUpdate");
  if (!call)
    return call.code;
  GraphExec *exec = execOf(handle);
  Graph *graph = Graph::find(graphHandle);
  if (!exec || !graph || !info)
    return CUDA_ERROR_INVALID_VALUE;
  *info = compare(*exec->graph, *graph);
  if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
    return call.refuse(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
                       "nodes, their types or what they wait for changed; instantiate the graph");
  takeOver(*exec->graph, *graph);
  return CUDA_SUCCESS;
}
