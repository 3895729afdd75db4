// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of graphs: added, asked, changed.
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/code/Launch.h"
#include "runtime/emulator/driver/stream/NodeParams.h"

using namespace heddle::emulator;

namespace {

/// Adds a node whose work `make` makes.
template <typename F>
CUresult add(const char *name, CUgraphNode *node, CUgraph handle, const CUgraphNode *dependencies,
             size_t count, F make) {
  Call call(name);
  if (!call)
    return call.code;
  Graph *graph = Graph::find(handle);
  if (!graph)
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "the graph is none, or was destroyed");
  Work work;
  if (CUresult code = make(call, *graph, work); code != CUDA_SUCCESS)
    return code;
  return addNode(call, node, graph, dependencies, count, std::move(work));
}

/// Gives a node, or its copy in an executable, other parameters.
template <typename F>
CUresult set(const char *name, GraphNode *(*find)(CUgraphExec, CUgraphNode), CUgraphExec exec,
             CUgraphNode node, F make) {
  Call call(name);
  if (!call)
    return call.code;
  Work work;
  GraphNode *found = find(exec, node);
  CUresult code = found ? make(call, *found, work) : CUDA_ERROR_INVALID_VALUE;
  return replaceWork(call, found, code, std::move(work));
}

GraphNode *inGraph(CUgraphExec, CUgraphNode node) { return GraphNode::find(node); }

/// The node's work if it is of that kind.
template <typename T> T *workIn(CUgraphNode handle) {
  GraphNode *node = GraphNode::find(handle);
  return node ? std::get_if<T>(&node->work) : nullptr;
}

/// Pointers to the parameters as a launch takes them, kept with the node.
void **pointersOf(KernelWork &work) {
  Function *function = functionOf(Context::current(), work.function);
  work.pointers = std::make_shared<std::vector<void *>>();
  if (function)
    for (const Parameter &parameter : function->kernel.params)
      work.pointers->push_back(work.params.data() + parameter.offset);
  return work.pointers->empty() ? nullptr : work.pointers->data();
}

} // namespace

HEDDLE_EMU_API CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph,
                                             const CUgraphNode *dependencies, size_t count,
                                             const CUDA_KERNEL_NODE_PARAMS *params) {
  return add("cuGraphAddKernelNode", node, graph, dependencies, count,
             [&](const Call &call, Graph &, Work &work) {
               return params ? workOf(call, *params, work) : CUDA_ERROR_INVALID_VALUE;
             });
}

HEDDLE_EMU_API CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                                             const CUgraphNode *dependencies, size_t count,
                                             const CUDA_MEMCPY3D *params, CUcontext) {
  return add("cuGraphAddMemcpyNode", node, graph, dependencies, count,
             [&](const Call &call, Graph &, Work &work) {
               return params ? workOf(call, *params, work) : CUDA_ERROR_INVALID_VALUE;
             });
}

HEDDLE_EMU_API CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph,
                                             const CUgraphNode *dependencies, size_t count,
                                             const CUDA_MEMSET_NODE_PARAMS *params, CUcontext) {
  return add("cuGraphAddMemsetNode", node, graph, dependencies, count,
             [&](const Call &call, Graph &, Work &work) {
               return params ? workOf(call, *params, work) : CUDA_ERROR_INVALID_VALUE;
             });
}

HEDDLE_EMU_API CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph,
                                           const CUgraphNode *dependencies, size_t count,
                                           const CUDA_HOST_NODE_PARAMS *params) {
  return add("cuGraphAddHostNode", node, graph, dependencies, count,
             [&](const Call &call, Graph &, Work &work) {
               return params ? workOf(call, *params, work) : CUDA_ERROR_INVALID_VALUE;
             });
}

HEDDLE_EMU_API CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph,
                                            const CUgraphNode *dependencies, size_t count) {
  return add("cuGraphAddEmptyNode", node, graph, dependencies, count,
             [](const Call &, Graph &, Work &work) {
               work = EmptyWork{};
               return CUDA_SUCCESS;
             });
}

HEDDLE_EMU_API CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph,
                                                 const CUgraphNode *dependencies, size_t count,
                                                 CUgraph child) {
  return add("cuGraphAddChildGraphNode", node, graph, dependencies, count,
             [&](const Call &call, Graph &, Work &work) { return childWork(call, child, work); });
}

HEDDLE_EMU_API CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                                  const CUgraphNode *dependencies, size_t count,
                                                  CUevent event) {
  return add(
      "cuGraphAddEventRecordNode", node, graph, dependencies, count,
      [&](const Call &call, Graph &, Work &work) { return eventWork(call, event, true, work); });
}

HEDDLE_EMU_API CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph,
                                                const CUgraphNode *dependencies, size_t count,
                                                CUevent event) {
  return add(
      "cuGraphAddEventWaitNode", node, graph, dependencies, count,
      [&](const Call &call, Graph &, Work &work) { return eventWork(call, event, false, work); });
}

HEDDLE_EMU_API CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph,
                                               const CUgraphNode *dependencies, size_t count,
                                               CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  return add("cuGraphAddMemAllocNode", node, graph, dependencies, count,
             [&](const Call &call, Graph &into, Work &work) {
               return params ? allocateWork(call, into, *params, work) : CUDA_ERROR_INVALID_VALUE;
             });
}

HEDDLE_EMU_API CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph,
                                              const CUgraphNode *dependencies, size_t count,
                                              CUdeviceptr address) {
  return add("cuGraphAddMemFreeNode", node, graph, dependencies, count,
             [&](const Call &, Graph &, Work &work) {
               work = FreeWork{address};
               return CUDA_SUCCESS;
             });
}

HEDDLE_EMU_API CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph,
                                       const CUgraphNode *dependencies, const CUgraphEdgeData *,
                                       size_t count, CUgraphNodeParams *params) {
  return add("cuGraphAddNode", node, graph, dependencies, count,
             [&](const Call &call, Graph &into, Work &work) {
               return params ? workOf(call, into, *params, work) : CUDA_ERROR_INVALID_VALUE;
             });
}

HEDDLE_EMU_API CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params) {
  return set("cuGraphNodeSetParams", inGraph, nullptr, node,
             [&](const Call &call, GraphNode &found, Work &work) {
               return params ? workOf(call, found.graph, *params, work) : CUDA_ERROR_INVALID_VALUE;
             });
}

HEDDLE_EMU_API CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                 CUgraphNodeParams *params) {
  return set("cuGraphExecNodeSetParams", nodeIn, exec, node,
             [&](const Call &call, GraphNode &found, Work &work) {
               return params ? workOf(call, found.graph, *params, work) : CUDA_ERROR_INVALID_VALUE;
             });
}

// A getter and the two setters of a kind of node.
HEDDLE_EMU_API CUresult cuGraphKernelNodeGetParams(CUgraphNode node,
                                                   CUDA_KERNEL_NODE_PARAMS *params) {
  auto *work = workIn<KernelWork>(node);
  if (!work || !params)
    return CUDA_ERROR_INVALID_VALUE;
  *params = {work->function,    work->grid[0],    work->grid[1],    work->grid[2],
             work->threads[0],  work->threads[1], work->threads[2], work->dynamicBytes,
             pointersOf(*work), nullptr,          nullptr,          nullptr};
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params) {
  auto *work = workIn<CopyWork>(node);
  if (!work || !params)
    return CUDA_ERROR_INVALID_VALUE;
  *params = work->shape;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphMemsetNodeGetParams(CUgraphNode node,
                                                   CUDA_MEMSET_NODE_PARAMS *params) {
  auto *work = workIn<FillWork>(node);
  if (!work || !params)
    return CUDA_ERROR_INVALID_VALUE;
  *params = work->shape;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params) {
  auto *work = workIn<HostWork>(node);
  if (!work || !params)
    return CUDA_ERROR_INVALID_VALUE;
  *params = {work->function, work->data};
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph) {
  auto *work = workIn<ChildWork>(node);
  if (!work || !graph)
    return CUDA_ERROR_INVALID_VALUE;
  *graph = work->graph->handle();
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event) {
  auto *work = workIn<RecordWork>(node);
  if (!work || !event)
    return CUDA_ERROR_INVALID_VALUE;
  *event = reinterpret_cast<CUevent>(work->event);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event) {
  auto *work = workIn<WaitWork>(node);
  if (!work || !event)
    return CUDA_ERROR_INVALID_VALUE;
  *event = reinterpret_cast<CUevent>(work->event);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node,
                                                     CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  auto *work = workIn<AllocateWork>(node);
  if (!work || !params)
    return CUDA_ERROR_INVALID_VALUE;
  *params = work->params;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address) {
  auto *work = workIn<FreeWork>(node);
  if (!work || !address)
    return CUDA_ERROR_INVALID_VALUE;
  *address = work->address;
  return CUDA_SUCCESS;
}

template <typename P>
static CUresult setParams(const char *name, GraphNode *(*find)(CUgraphExec, CUgraphNode),
                          CUgraphExec exec, CUgraphNode node, const P *params) {
  return set(name, find, exec, node, [&](const Call &call, GraphNode &, Work &work) {
    return params ? workOf(call, *params, work) : CUDA_ERROR_INVALID_VALUE;
  });
}

HEDDLE_EMU_API CUresult cuGraphKernelNodeSetParams(CUgraphNode node,
                                                   const CUDA_KERNEL_NODE_PARAMS *params) {
  return setParams("cuGraphKernelNodeSetParams", inGraph, nullptr, node, params);
}
HEDDLE_EMU_API CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *params) {
  return setParams("cuGraphMemcpyNodeSetParams", inGraph, nullptr, node, params);
}
HEDDLE_EMU_API CUresult cuGraphMemsetNodeSetParams(CUgraphNode node,
                                                   const CUDA_MEMSET_NODE_PARAMS *params) {
  return setParams("cuGraphMemsetNodeSetParams", inGraph, nullptr, node, params);
}
HEDDLE_EMU_API CUresult cuGraphHostNodeSetParams(CUgraphNode node,
                                                 const CUDA_HOST_NODE_PARAMS *params) {
  return setParams("cuGraphHostNodeSetParams", inGraph, nullptr, node, params);
}
HEDDLE_EMU_API CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                       const CUDA_KERNEL_NODE_PARAMS *params) {
  return setParams("cuGraphExecKernelNodeSetParams", nodeIn, exec, node, params);
}
HEDDLE_EMU_API CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                       const CUDA_MEMCPY3D *params, CUcontext) {
  return setParams("cuGraphExecMemcpyNodeSetParams", nodeIn, exec, node, params);
}
HEDDLE_EMU_API CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                       const CUDA_MEMSET_NODE_PARAMS *params,
                                                       CUcontext) {
  return setParams("cuGraphExecMemsetNodeSetParams", nodeIn, exec, node, params);
}
HEDDLE_EMU_API CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                     const CUDA_HOST_NODE_PARAMS *params) {
  return setParams("cuGraphExecHostNodeSetParams", nodeIn, exec, node, params);
}
HEDDLE_EMU_API CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                           CUgraph child) {
  return set(
      "cuGraphExecChildGraphNodeSetParams", nodeIn, exec, node,
      [&](const Call &call, GraphNode &, Work &work) { return childWork(call, child, work); });
}

static CUresult setEvent(const char *name, GraphNode *(*find)(CUgraphExec, CUgraphNode),
                         CUgraphExec exec, CUgraphNode node, CUevent event, bool isRecord) {
  return set(name, find, exec, node, [&](const Call &call, GraphNode &, Work &work) {
    return eventWork(call, event, isRecord, work);
  });
}

HEDDLE_EMU_API CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return setEvent("cuGraphEventRecordNodeSetEvent", inGraph, nullptr, node, event, true);
}
HEDDLE_EMU_API CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return setEvent("cuGraphEventWaitNodeSetEvent", inGraph, nullptr, node, event, false);
}
HEDDLE_EMU_API CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                                           CUevent event) {
  return setEvent("cuGraphExecEventRecordNodeSetEvent", nodeIn, exec, node, event, true);
}
HEDDLE_EMU_API CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                                         CUevent event) {
  return setEvent("cuGraphExecEventWaitNodeSetEvent", nodeIn, exec, node, event, false);
}

HEDDLE_EMU_API CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID id,
                                                      const CUkernelNodeAttrValue *value) {
  auto *work = workIn<KernelWork>(node);
  if (!work || !value)
    return CUDA_ERROR_INVALID_VALUE;
  work->attributes[id] = *value;
  if (Function *function = functionOf(Context::current(), work->function))
    applyAttributes(*function, *work);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID id,
                                                      CUkernelNodeAttrValue *value) {
  auto *work = workIn<KernelWork>(node);
  if (!work || !value)
    return CUDA_ERROR_INVALID_VALUE;
  auto found = work->attributes.find(id);
  *value = found == work->attributes.end() ? CUkernelNodeAttrValue{} : found->second;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  auto *target = workIn<KernelWork>(to), *source = workIn<KernelWork>(from);
  if (!target || !source)
    return CUDA_ERROR_INVALID_VALUE;
  target->attributes = source->attributes;
  if (Function *function = functionOf(Context::current(), target->function))
    applyAttributes(*function, *target);
  return CUDA_SUCCESS;
}
