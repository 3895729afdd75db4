// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph", 1979, with path
// compression. Nodes are renamed by their number in a depth-first walk; nothing recurses.
#include "runtime/emulator/lower/Dominators.h"
#include <algorithm>

namespace heddle::emulator {

namespace {

using Edges = std::vector<std::vector<uint32_t>>;

class Dominators {
public:
  Dominators(const Edges &successors, const Edges &predecessors)
      : successors(successors), predecessors(predecessors),
        number(successors.size(), kNoDominator) {}

  std::vector<uint32_t> run(uint32_t root) {
    walk(root);
    uint32_t count = static_cast<uint32_t>(nodes.size());
    ancestor.assign(count, kNoDominator);
    best.resize(count);
    semi.resize(count);
    std::vector<uint32_t> dominator(count, 0), result(successors.size(), kNoDominator);
    Edges bucket(count);
    for (uint32_t i = 0; i < count; ++i)
      best[i] = semi[i] = i;
    for (uint32_t w = count; w-- > 1;) {
      for (uint32_t node : predecessors[nodes[w]])
        if (number[node] != kNoDominator)
          semi[w] = std::min(semi[w], semi[evaluate(number[node])]);
      bucket[semi[w]].push_back(w);
      ancestor[w] = parent[w];
      for (uint32_t v : bucket[parent[w]]) {
        uint32_t u = evaluate(v);
        dominator[v] = semi[u] < semi[v] ? u : parent[w];
      }
      bucket[parent[w]].clear();
    }
    for (uint32_t w = 1; w < count; ++w) {
      if (dominator[w] != semi[w])
        dominator[w] = dominator[dominator[w]];
      result[nodes[w]] = nodes[dominator[w]];
    }
    result[root] = root;
    return result;
  }

private:
  void walk(uint32_t root) {
    std::vector<std::pair<uint32_t, size_t>> stack{{root, 0}};
    number[root] = 0;
    nodes.push_back(root);
    parent.push_back(0);
    while (!stack.empty()) {
      auto &[node, edge] = stack.back();
      if (edge == successors[node].size()) {
        stack.pop_back();
        continue;
      }
      uint32_t from = number[node], next = successors[node][edge++];
      if (number[next] != kNoDominator)
        continue;
      number[next] = static_cast<uint32_t>(nodes.size());
      nodes.push_back(next);
      parent.push_back(from);
      stack.push_back({next, 0});
    }
  }

  /// The node of least semidominator on the path to the root of v's tree in the forest.
  uint32_t evaluate(uint32_t v) {
    if (ancestor[v] == kNoDominator)
      return v;
    path.clear();
    for (uint32_t u = v; ancestor[ancestor[u]] != kNoDominator; u = ancestor[u])
      path.push_back(u);
    while (!path.empty()) {
      uint32_t u = path.back(), above = ancestor[u];
      path.pop_back();
      if (semi[best[above]] < semi[best[u]])
        best[u] = best[above];
      ancestor[u] = ancestor[above];
    }
    return best[v];
  }

  const Edges &successors, &predecessors;
  std::vector<uint32_t> number;        ///< node -> number, of those that are reached
  std::vector<uint32_t> nodes, parent; ///< number -> node, and number of the parent in the walk
  std::vector<uint32_t> semi, best, ancestor, path;
};

} // namespace

std::vector<uint32_t> immediateDominators(const Edges &successors, const Edges &predecessors,
                                          uint32_t root) {
  return Dominators(successors, predecessors).run(root);
}

} // namespace heddle::emulator
