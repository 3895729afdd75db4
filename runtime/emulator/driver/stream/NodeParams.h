// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the structs of cuda.h that describe a node, and work.
#ifndef HEDDLE_RUNTIME_EMULATOR_DRIVER_STREAM_NODEPARAMS_H
#define HEDDLE_RUNTIME_EMULATOR_DRIVER_STREAM_NODEPARAMS_H

#include "runtime/emulator/driver/stream/Graph.h"

namespace heddle::emulator {

CUresult workOf(const Call &call, const CUDA_KERNEL_NODE_PARAMS &params, Work &work);
CUresult workOf(const Call &call, const CUDA_MEMCPY3D &params, Work &work);
CUresult workOf(const Call &call, const CUDA_MEMSET_NODE_PARAMS &params, Work &work);
CUresult workOf(const Call &call, const CUDA_HOST_NODE_PARAMS &params, Work &work);
CUresult childWork(const Call &call, CUgraph child, Work &work);
CUresult eventWork(const Call &call, CUevent event, bool isRecord, Work &work);
CUresult allocateWork(const Call &call, Graph &graph, CUDA_MEM_ALLOC_NODE_PARAMS &params,
                      Work &work);
/// Any of them, by type.
CUresult workOf(const Call &call, Graph &graph, CUgraphNodeParams &params, Work &work);

/// Adds a node behind others.
CUresult addNode(const Call &call, CUgraphNode *node, Graph *graph, const CUgraphNode *dependencies,
                 size_t count, Work work);
/// The executable's copy of a node; null: it has none.
GraphNode *nodeIn(CUgraphExec exec, CUgraphNode node);
/// Gives a node other parameters of the same kind.
CUresult replaceWork(const Call &call, GraphNode *node, CUresult made, Work work);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_DRIVER_STREAM_NODEPARAMS_H
