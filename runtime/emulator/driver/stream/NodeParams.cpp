// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes work of the structs that describe nodes of graphs.
#include "runtime/emulator/driver/stream/NodeParams.h"
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/code/Launch.h"
#include "runtime/emulator/driver/memory/Allocate.h"
#include "runtime/emulator/driver/stream/Stream.h"
#include <cstring>

namespace heddle::emulator {

CUresult workOf(const Call &call, const CUDA_KERNEL_NODE_PARAMS &params, Work &work) {
  CUlaunchConfig config = {
      params.gridDimX,  params.gridDimY,       params.gridDimZ, params.blockDimX, params.blockDimY,
      params.blockDimZ, params.sharedMemBytes, nullptr,         nullptr,          0};
  KernelWork kernel;
  CUfunction function = params.func ? params.func : reinterpret_cast<CUfunction>(params.kern);
  CUresult code = makeKernelWork(call, function, config, params.kernelParams, params.extra, kernel);
  work = std::move(kernel);
  return code;
}

CUresult workOf(const Call &, const CUDA_MEMCPY3D &params, Work &work) {
  work = CopyWork{params};
  return CUDA_SUCCESS;
}

CUresult workOf(const Call &call, const CUDA_MEMSET_NODE_PARAMS &params, Work &work) {
  if (params.elementSize != 1 && params.elementSize != 2 && params.elementSize != 4)
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "elements must have 1, 2 or 4 bytes");
  work = FillWork{params};
  return CUDA_SUCCESS;
}

CUresult workOf(const Call &, const CUDA_HOST_NODE_PARAMS &params, Work &work) {
  work = HostWork{params.fn, params.userData, nullptr};
  return params.fn ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult childWork(const Call &call, CUgraph handle, Work &work) {
  Graph *child = Graph::find(handle);
  if (!child)
    return CUDA_ERROR_INVALID_VALUE;
  for (const auto &node : child->nodes)
    if (std::holds_alternative<AllocateWork>(node->work) ||
        std::holds_alternative<FreeWork>(node->work))
      return call.refuse(CUDA_ERROR_NOT_SUPPORTED, "a child graph cannot allocate or free memory");
  work = ChildWork{std::shared_ptr<Graph>(child->copy())};
  return CUDA_SUCCESS;
}

CUresult eventWork(const Call &, CUevent handle, bool isRecord, Work &work) {
  Event *event = Handles<Event>::get().find(handle);
  if (!event)
    return CUDA_ERROR_INVALID_HANDLE;
  if (isRecord)
    work = RecordWork{event};
  else
    work = WaitWork{event};
  return CUDA_SUCCESS;
}

CUresult allocateWork(const Call &call, Graph &graph, CUDA_MEM_ALLOC_NODE_PARAMS &params,
                      Work &work) {
  EmulatedDevice *device = Driver::get().device(params.poolProps.location.id);
  if (!device || params.poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_INVALID_DEVICE;
  CUresult code = allocateOn(call, *device, defaultPool(*device), params.bytesize, &params.dptr);
  if (code != CUDA_SUCCESS)
    return code;
  graph.memory->addresses.push_back(params.dptr);
  AllocateWork allocate{params};
  allocate.params.accessDescs = nullptr;
  allocate.params.accessDescCount = 0;
  work = allocate;
  return CUDA_SUCCESS;
}

CUresult workOf(const Call &call, Graph &graph, CUgraphNodeParams &params, Work &work) {
  switch (params.type) {
  case CU_GRAPH_NODE_TYPE_KERNEL: {
    CUDA_KERNEL_NODE_PARAMS kernel;
    static_assert(sizeof kernel == sizeof params.kernel);
    std::memcpy(&kernel, &params.kernel, sizeof kernel);
    return workOf(call, kernel, work);
  }
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return workOf(call, params.memcpy.copyParams, work);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return workOf(call,
                  CUDA_MEMSET_NODE_PARAMS{params.memset.dst, params.memset.pitch,
                                          params.memset.value, params.memset.elementSize,
                                          params.memset.width, params.memset.height},
                  work);
  case CU_GRAPH_NODE_TYPE_HOST:
    return workOf(call, CUDA_HOST_NODE_PARAMS{params.host.fn, params.host.userData}, work);
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return childWork(call, params.graph.graph, work);
  case CU_GRAPH_NODE_TYPE_EMPTY:
    work = EmptyWork{};
    return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return eventWork(call, params.eventWait.event, false, work);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return eventWork(call, params.eventRecord.event, true, work);
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
    CUDA_MEM_ALLOC_NODE_PARAMS allocate;
    static_assert(sizeof allocate == sizeof params.alloc);
    std::memcpy(&allocate, &params.alloc, sizeof allocate);
    CUresult code = allocateWork(call, graph, allocate, work);
    params.alloc.dptr = allocate.dptr;
    return code;
  }
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    work = FreeWork{params.free.dptr};
    return CUDA_SUCCESS;
  default:
    return call.refuse(CUDA_ERROR_NOT_SUPPORTED,
                       "nodes of type " + std::to_string(params.type) +
                           " (semaphores, batches of memory operations, conditions) are not there");
  }
}

CUresult addNode(const Call &call, CUgraphNode *node, Graph *graph, const CUgraphNode *dependencies,
                 size_t count, Work work) {
  std::vector<GraphNode *> found;
  if (!graph)
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "the graph is none, or was destroyed");
  if (!node)
    return CUDA_ERROR_INVALID_VALUE;
  if (!nodesOf(dependencies, count, graph, found))
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "a dependency is no node of the graph");
  *node = graph->add(std::move(work), std::move(found))->handle();
  return CUDA_SUCCESS;
}

GraphNode *nodeIn(CUgraphExec handle, CUgraphNode nodeHandle) {
  GraphExec *exec = Handles<GraphExec>::get().find(handle);
  GraphNode *node = GraphNode::find(nodeHandle);
  return exec && node ? exec->graph->copyOf(node) : nullptr;
}

CUresult replaceWork(const Call &call, GraphNode *node, CUresult made, Work work) {
  if (!node)
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "the node is none, or none of this graph");
  if (made != CUDA_SUCCESS)
    return made;
  if (node->work.index() != work.index())
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "the node is of another type");
  if (auto *kernel = std::get_if<KernelWork>(&work)) {
    // Attributes that were set for the node stay.
    kernel->attributes = std::get<KernelWork>(node->work).attributes;
    if (Function *function = functionOf(call.context, kernel->function))
      applyAttributes(*function, *kernel);
  }
  node->work = std::move(work);
  return CUDA_SUCCESS;
}

} // namespace heddle::emulator
