// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs as data: nodes, their order, copies.
#include "runtime/emulator/driver/stream/Graph.h"
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <algorithm>
#include <unordered_set>

namespace heddle::emulator {

namespace {

/// All nodes of the process, so that a wrong handle is found.
struct LiveNodes {
  std::mutex mutex;
  std::unordered_set<const void *> nodes;
  static LiveNodes &get() {
    static LiveNodes *live = new LiveNodes();
    return *live;
  }
};

} // namespace

GraphNode::GraphNode(Graph &graph, Work work) : graph(graph), work(std::move(work)) {
  std::lock_guard lock(LiveNodes::get().mutex);
  LiveNodes::get().nodes.insert(this);
}

GraphNode::~GraphNode() {
  std::lock_guard lock(LiveNodes::get().mutex);
  LiveNodes::get().nodes.erase(this);
}

GraphNode *GraphNode::find(CUgraphNode handle) {
  std::lock_guard lock(LiveNodes::get().mutex);
  return LiveNodes::get().nodes.count(handle) ? reinterpret_cast<GraphNode *>(handle) : nullptr;
}

GraphMemory::~GraphMemory() {
  for (CUdeviceptr address : addresses)
    DeviceMemory::get().free(address);
  for (const auto &[object, letGo] : atEnd)
    letGo();
}

GraphNode *Graph::add(Work work, std::vector<GraphNode *> dependencies) {
  nodes.push_back(std::make_unique<GraphNode>(*this, std::move(work)));
  nodes.back()->dependencies = std::move(dependencies);
  return nodes.back().get();
}

std::unique_ptr<Graph> Graph::copy() const {
  auto result = std::make_unique<Graph>();
  result->memory = memory;
  std::unordered_map<const GraphNode *, GraphNode *> copies;
  for (const auto &node : nodes) {
    Work work = node->work;
    if (auto *child = std::get_if<ChildWork>(&work))
      child->graph = std::shared_ptr<Graph>(child->graph->copy());
    GraphNode *made = result->add(std::move(work), {});
    made->original = node.get();
    made->isEnabled = node->isEnabled;
    copies[node.get()] = made;
  }
  for (const auto &node : nodes)
    for (GraphNode *dependency : node->dependencies)
      copies[node.get()]->dependencies.push_back(copies[dependency]);
  return result;
}

std::vector<GraphNode *> Graph::inOrder() const {
  std::unordered_map<const GraphNode *, size_t> missing;
  std::unordered_map<const GraphNode *, std::vector<GraphNode *>> users;
  std::vector<GraphNode *> result;
  for (const auto &node : nodes) {
    missing[node.get()] = node->dependencies.size();
    for (const GraphNode *dependency : node->dependencies)
      users[dependency].push_back(node.get());
    if (node->dependencies.empty())
      result.push_back(node.get());
  }
  for (size_t i = 0; i < result.size(); ++i)
    for (GraphNode *user : users[result[i]])
      if (--missing[user] == 0)
        result.push_back(user);
  if (result.size() != nodes.size())
    result.clear();
  return result;
}

bool Graph::reaches(const GraphNode *node, const GraphNode *wanted) {
  std::unordered_set<const GraphNode *> seen = {node};
  std::vector<const GraphNode *> open = {node};
  while (!open.empty()) {
    const GraphNode *next = open.back();
    open.pop_back();
    if (next == wanted)
      return true;
    for (const GraphNode *dependency : next->dependencies)
      if (seen.insert(dependency).second)
        open.push_back(dependency);
  }
  return false;
}

GraphNode *Graph::copyOf(const GraphNode *wanted) const {
  for (const auto &node : nodes) {
    if (node->original == wanted)
      return node.get();
    if (const auto *child = std::get_if<ChildWork>(&node->work))
      if (GraphNode *inner = child->graph->copyOf(wanted))
        return inner;
  }
  return nullptr;
}

namespace {

Graph *findInside(Graph &graph, const void *handle) {
  if (&graph == handle)
    return &graph;
  for (const auto &node : graph.nodes)
    if (auto *child = std::get_if<ChildWork>(&node->work))
      if (Graph *found = findInside(*child->graph, handle))
        return found;
  return nullptr;
}

} // namespace

Graph *Graph::find(CUgraph handle) {
  if (Graph *found = Handles<Graph>::get().find(handle))
    return found;
  for (Graph *graph : Handles<Graph>::get().all())
    if (Graph *found = findInside(*graph, handle))
      return found;
  return nullptr;
}

bool nodesOf(const CUgraphNode *handles, size_t count, const Graph *graph,
             std::vector<GraphNode *> &nodes) {
  if (count && !handles)
    return false;
  for (size_t i = 0; i < count; ++i) {
    GraphNode *node = GraphNode::find(handles[i]);
    if (!node || (graph && &node->graph != graph))
      return false;
    nodes.push_back(node);
  }
  return true;
}

} // namespace heddle::emulator
