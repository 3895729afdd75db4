// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that changed their parameters under the same name. Programs that were built with an
// older cuda.h, or ask cuGetProcAddress for an older version, mean these; each calls the newest.
#include "runtime/emulator/driver/Driver.h"
#include <cstring>

namespace {

// cuda.h's names are macros for the newest versions; here both are meant.
CUresult newCtxCreate(CUcontext *context, unsigned flags, CUdevice device) {
  return cuCtxCreate(context, nullptr, flags, device);
}
const auto newGetProcAddress = &cuGetProcAddress;
const auto newBeginCapture = &cuStreamBeginCapture;
const auto newCaptureInfo = &cuStreamGetCaptureInfo;
const auto newUpdateDependencies = &cuStreamUpdateCaptureDependencies;
const auto newAddKernelNode = &cuGraphAddKernelNode;
const auto newKernelGetParams = &cuGraphKernelNodeGetParams;
const auto newKernelSetParams = &cuGraphKernelNodeSetParams;
const auto newExecKernelSetParams = &cuGraphExecKernelNodeSetParams;
const auto newExecUpdate = &cuGraphExecUpdate;
const auto newGetEdges = &cuGraphGetEdges;
const auto newGetDependencies = &cuGraphNodeGetDependencies;
const auto newGetDependentNodes = &cuGraphNodeGetDependentNodes;
const auto newAddDependencies = &cuGraphAddDependencies;
const auto newRemoveDependencies = &cuGraphRemoveDependencies;
const auto newAddNode = &cuGraphAddNode;
const auto newInstantiate = &cuGraphInstantiate;

/// The first version had no kernel handle and no context at the end.
using OldKernelParams = CUDA_KERNEL_NODE_PARAMS_v1;
CUDA_KERNEL_NODE_PARAMS widen(const OldKernelParams &old) {
  CUDA_KERNEL_NODE_PARAMS params = {};
  std::memcpy(&params, &old, sizeof old);
  return params;
}

} // namespace

#undef cuCtxCreate
#undef cuGetProcAddress
#undef cuStreamBeginCapture
#undef cuStreamGetCaptureInfo
#undef cuStreamUpdateCaptureDependencies
#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphExecUpdate
#undef cuGraphGetEdges
#undef cuGraphNodeGetDependencies
#undef cuGraphNodeGetDependentNodes
#undef cuGraphAddDependencies
#undef cuGraphRemoveDependencies
#undef cuGraphAddNode
#undef cuGraphInstantiate

HEDDLE_EMU_API CUresult cuCtxCreate(CUcontext *context, unsigned flags, CUdevice device) {
  return newCtxCreate(context, flags, device);
}
HEDDLE_EMU_API CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
  return newCtxCreate(context, flags, device);
}
HEDDLE_EMU_API CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *, int count,
                                       unsigned flags, CUdevice device) {
  return count ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : newCtxCreate(context, flags, device);
}

HEDDLE_EMU_API CUresult cuGetProcAddress(const char *name, void **function, int version,
                                         cuuint64_t flags) {
  CUresult code = newGetProcAddress(name, function, version, flags, nullptr);
  return code == CUDA_SUCCESS && !*function ? CUDA_ERROR_NOT_FOUND : code;
}

HEDDLE_EMU_API CUresult cuStreamBeginCapture(CUstream stream) {
  return newBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
HEDDLE_EMU_API CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status,
                                               cuuint64_t *id) {
  return newCaptureInfo(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
HEDDLE_EMU_API CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status,
                                                  cuuint64_t *id, CUgraph *graph,
                                                  const CUgraphNode **nodes, size_t *count) {
  return newCaptureInfo(stream, status, id, graph, nodes, nullptr, count);
}
HEDDLE_EMU_API CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes,
                                                          size_t count, unsigned flags) {
  return newUpdateDependencies(stream, nodes, nullptr, count, flags);
}

HEDDLE_EMU_API CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph,
                                             const CUgraphNode *dependencies, size_t count,
                                             const OldKernelParams *params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS wide = widen(*params);
  return newAddKernelNode(node, graph, dependencies, count, &wide);
}
HEDDLE_EMU_API CUresult cuGraphKernelNodeGetParams(CUgraphNode node, OldKernelParams *params) {
  CUDA_KERNEL_NODE_PARAMS wide;
  CUresult code = params ? newKernelGetParams(node, &wide) : CUDA_ERROR_INVALID_VALUE;
  if (code == CUDA_SUCCESS)
    std::memcpy(params, &wide, sizeof *params);
  return code;
}
HEDDLE_EMU_API CUresult cuGraphKernelNodeSetParams(CUgraphNode node,
                                                   const OldKernelParams *params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS wide = widen(*params);
  return newKernelSetParams(node, &wide);
}
HEDDLE_EMU_API CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                       const OldKernelParams *params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS wide = widen(*params);
  return newExecKernelSetParams(exec, node, &wide);
}

HEDDLE_EMU_API CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *node,
                                          CUgraphExecUpdateResult *result) {
  CUgraphExecUpdateResultInfo info = {};
  CUresult code = newExecUpdate(exec, graph, &info);
  if (node)
    *node = info.errorNode;
  if (result)
    *result = info.result;
  return code;
}
HEDDLE_EMU_API CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                                        size_t *count) {
  return newGetEdges(graph, from, to, nullptr, count);
}
HEDDLE_EMU_API CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes,
                                                   size_t *count) {
  return newGetDependencies(node, nodes, nullptr, count);
}
HEDDLE_EMU_API CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes,
                                                     size_t *count) {
  return newGetDependentNodes(node, nodes, nullptr, count);
}
HEDDLE_EMU_API CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                                               const CUgraphNode *to, size_t count) {
  return newAddDependencies(graph, from, to, nullptr, count);
}
HEDDLE_EMU_API CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
                                                  const CUgraphNode *to, size_t count) {
  return newRemoveDependencies(graph, from, to, nullptr, count);
}
HEDDLE_EMU_API CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph,
                                       const CUgraphNode *dependencies, size_t count,
                                       CUgraphNodeParams *params) {
  return newAddNode(node, graph, dependencies, nullptr, count, params);
}

/// Of both versions before the one with flags.
static CUresult instantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *node, char *log,
                            size_t bytes) {
  if (node)
    *node = nullptr;
  if (log && bytes)
    *log = '\0';
  return newInstantiate(exec, graph, 0);
}
HEDDLE_EMU_API CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *node,
                                           char *log, size_t bytes) {
  return instantiate(exec, graph, node, log, bytes);
}
HEDDLE_EMU_API CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *node,
                                              char *log, size_t bytes) {
  return instantiate(exec, graph, node, log, bytes);
}
