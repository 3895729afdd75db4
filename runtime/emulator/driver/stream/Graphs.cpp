// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs as a whole: made, copied, taken apart, their nodes and edges.
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/stream/NodeParams.h"
#include <algorithm>

using namespace heddle::emulator;

HEDDLE_EMU_API CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
  Call call("cuGraphCreate", Call::kDriver);
  if (!call)
    return call.code;
  if (!graph || flags)
    return CUDA_ERROR_INVALID_VALUE;
  *graph = Handles<Graph>::get().add(std::make_unique<Graph>())->handle();
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphDestroy(CUgraph graph) {
  Call call("cuGraphDestroy", Call::kDriver);
  if (!call)
    return call.code;
  return Handles<Graph>::get().take(graph) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

HEDDLE_EMU_API CUresult cuGraphClone(CUgraph *clone, CUgraph original) {
  Call call("cuGraphClone", Call::kDriver);
  if (!call)
    return call.code;
  Graph *graph = Graph::find(original);
  if (!graph || !clone)
    return CUDA_ERROR_INVALID_VALUE;
  *clone = Handles<Graph>::get().add(graph->copy())->handle();
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original,
                                               CUgraph clone) {
  Call call("cuGraphNodeFindInClone", Call::kDriver);
  if (!call)
    return call.code;
  Graph *graph = Graph::find(clone);
  GraphNode *wanted = GraphNode::find(original);
  if (!graph || !wanted || !node)
    return CUDA_ERROR_INVALID_VALUE;
  GraphNode *found = graph->copyOf(wanted);
  if (!found)
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "the graph has no copy of the node");
  *node = found->handle();
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType *type) {
  GraphNode *node = GraphNode::find(handle);
  if (!node || !type)
    return CUDA_ERROR_INVALID_VALUE;
  *type = typeOf(node->work);
  return CUDA_SUCCESS;
}

/// The protocol of all lists: without an array the count is asked for; places too many become null.
static CUresult list(const std::vector<GraphNode *> &found, CUgraphNode *nodes, size_t *count) {
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  if (!nodes) {
    *count = found.size();
    return CUDA_SUCCESS;
  }
  for (size_t i = 0; i < *count; ++i)
    nodes[i] = i < found.size() ? found[i]->handle() : nullptr;
  *count = std::min(*count, found.size());
  return CUDA_SUCCESS;
}

template <typename F>
static CUresult listNodes(CUgraph handle, CUgraphNode *nodes, size_t *count, F isWanted) {
  Graph *graph = Graph::find(handle);
  if (!graph)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<GraphNode *> found;
  for (const auto &node : graph->nodes)
    if (isWanted(*node))
      found.push_back(node.get());
  return list(found, nodes, count);
}

HEDDLE_EMU_API CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return listNodes(graph, nodes, count, [](const GraphNode &) { return true; });
}

HEDDLE_EMU_API CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return listNodes(graph, nodes, count,
                   [](const GraphNode &node) { return node.dependencies.empty(); });
}

/// All edges are whole dependencies.
static void clearEdges(CUgraphEdgeData *edges, const size_t *count) {
  for (size_t i = 0; edges && count && i < *count; ++i)
    edges[i] = CUgraphEdgeData{};
}

HEDDLE_EMU_API CUresult cuGraphGetEdges(CUgraph handle, CUgraphNode *from, CUgraphNode *to,
                                        CUgraphEdgeData *edges, size_t *count) {
  Graph *graph = Graph::find(handle);
  if (!graph || !count || !from != !to)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<GraphNode *> begins, ends;
  for (const auto &node : graph->nodes)
    for (GraphNode *dependency : node->dependencies) {
      begins.push_back(dependency);
      ends.push_back(node.get());
    }
  size_t places = *count;
  CUresult code = list(begins, from, count);
  if (code == CUDA_SUCCESS && to)
    code = list(ends, to, &places);
  if (from)
    clearEdges(edges, count);
  return code;
}

HEDDLE_EMU_API CUresult cuGraphNodeGetDependencies(CUgraphNode handle, CUgraphNode *nodes,
                                                   CUgraphEdgeData *edges, size_t *count) {
  GraphNode *node = GraphNode::find(handle);
  if (!node)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult code = list(node->dependencies, nodes, count);
  if (nodes)
    clearEdges(edges, count);
  return code;
}

HEDDLE_EMU_API CUresult cuGraphNodeGetDependentNodes(CUgraphNode handle, CUgraphNode *nodes,
                                                     CUgraphEdgeData *edges, size_t *count) {
  GraphNode *node = GraphNode::find(handle);
  if (!node)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<GraphNode *> found;
  for (const auto &other : node->graph.nodes)
    if (std::count(other->dependencies.begin(), other->dependencies.end(), node))
      found.push_back(other.get());
  CUresult code = list(found, nodes, count);
  if (nodes)
    clearEdges(edges, count);
  return code;
}

HEDDLE_EMU_API CUresult cuGraphAddDependencies(CUgraph handle, const CUgraphNode *from,
                                               const CUgraphNode *to, const CUgraphEdgeData *,
                                               size_t count) {
  Call call("cuGraphAddDependencies", Call::kDriver);
  if (!call)
    return call.code;
  Graph *graph = Graph::find(handle);
  std::vector<GraphNode *> begins, ends;
  if (!graph || !nodesOf(from, count, graph, begins) || !nodesOf(to, count, graph, ends))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    if (Graph::reaches(begins[i], ends[i]))
      return call.refuse(CUDA_ERROR_INVALID_VALUE, "the nodes would wait for each other");
    std::vector<GraphNode *> &edges = ends[i]->dependencies;
    if (std::count(edges.begin(), edges.end(), begins[i]))
      return call.refuse(CUDA_ERROR_INVALID_VALUE, "the dependency is there already");
    edges.push_back(begins[i]);
  }
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphRemoveDependencies(CUgraph handle, const CUgraphNode *from,
                                                  const CUgraphNode *to, const CUgraphEdgeData *,
                                                  size_t count) {
  Call call("cuGraphRemoveDependencies", Call::kDriver);
  if (!call)
    return call.code;
  Graph *graph = Graph::find(handle);
  std::vector<GraphNode *> begins, ends;
  if (!graph || !nodesOf(from, count, graph, begins) || !nodesOf(to, count, graph, ends))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    std::vector<GraphNode *> &edges = ends[i]->dependencies;
    auto found = std::find(edges.begin(), edges.end(), begins[i]);
    if (found == edges.end())
      return call.refuse(CUDA_ERROR_INVALID_VALUE, "there is no such dependency");
    edges.erase(found);
  }
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuGraphDestroyNode(CUgraphNode handle) {
  Call call("cuGraphDestroyNode", Call::kDriver);
  if (!call)
    return call.code;
  GraphNode *node = GraphNode::find(handle);
  if (!node)
    return CUDA_ERROR_INVALID_VALUE;
  auto &nodes = node->graph.nodes;
  for (const auto &other : nodes)
    std::erase(other->dependencies, node);
  std::erase_if(nodes, [&](const auto &owned) { return owned.get() == node; });
  return CUDA_SUCCESS;
}
