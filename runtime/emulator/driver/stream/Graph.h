// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: nodes of work and what each waits for.
#ifndef HEDDLE_RUNTIME_EMULATOR_DRIVER_STREAM_GRAPH_H
#define HEDDLE_RUNTIME_EMULATOR_DRIVER_STREAM_GRAPH_H

#include "runtime/emulator/driver/stream/Work.h"
#include <unordered_map>

namespace heddle::emulator {

struct GraphNode {
  GraphNode(Graph &graph, Work work);
  ~GraphNode();
  GraphNode(const GraphNode &) = delete;
  GraphNode &operator=(const GraphNode &) = delete;

  Graph &graph;
  Work work;
  std::vector<GraphNode *> dependencies;
  const GraphNode *original = nullptr; ///< that this one was copied from
  bool isEnabled = true;

  CUgraphNode handle() { return reinterpret_cast<CUgraphNode>(this); }
  /// Null: it is none.
  static GraphNode *find(CUgraphNode handle);
};

/// What is kept until the last copy of a graph is gone: memory of its allocation nodes, and objects
/// of the program, each with what lets go of it.
struct GraphMemory {
  std::vector<CUdeviceptr> addresses;
  std::vector<std::pair<const void *, std::function<void()>>> atEnd;
  ~GraphMemory();
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes; ///< in the order in which they were added
  std::shared_ptr<GraphMemory> memory = std::make_shared<GraphMemory>();

  GraphNode *add(Work work, std::vector<GraphNode *> dependencies);
  std::unique_ptr<Graph> copy() const;
  /// The nodes, each behind what it waits for; empty if some wait for each other.
  std::vector<GraphNode *> inOrder() const;
  /// Whether `node` is, or waits for, `wanted`.
  static bool reaches(const GraphNode *node, const GraphNode *wanted);
  GraphNode *copyOf(const GraphNode *node) const;

  CUgraph handle() { return reinterpret_cast<CUgraph>(this); }
  /// Graphs of the program and those inside of child nodes; null: it is none.
  static Graph *find(CUgraph handle);
};

struct GraphExec {
  Context *context = nullptr;
  std::unique_ptr<Graph> graph;
  unsigned long long flags = 0;
};

/// The nodes behind an array of handles; false: one is none of the graph's.
bool nodesOf(const CUgraphNode *handles, size_t count, const Graph *graph,
             std::vector<GraphNode *> &nodes);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_DRIVER_STREAM_GRAPH_H
