// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dominators against their definition: d dominates n if n cannot be reached without d.
#include "runtime/emulator/lower/Dominators.h"
#include <gtest/gtest.h>
#include <random>

namespace heddle::emulator {
namespace {

using Edges = std::vector<std::vector<uint32_t>>;

/// Nodes that the root reaches on ways around `without`.
std::vector<char> reached(const Edges &successors, uint32_t root, uint32_t without) {
  std::vector<char> seen(successors.size(), 0);
  std::vector<uint32_t> open;
  if (root != without)
    open.push_back(root);
  while (!open.empty()) {
    uint32_t node = open.back();
    open.pop_back();
    if (seen[node])
      continue;
    seen[node] = 1;
    for (uint32_t next : successors[node])
      if (next != without)
        open.push_back(next);
  }
  return seen;
}

// Of each node's strict dominators, the immediate one is that which all others dominate.
TEST(Dominators, AreWhatTheirDefinitionSays) {
  std::mt19937 random(20261201);
  for (int round = 0; round < 300; ++round) {
    uint32_t count = 2 + random() % 14, edges = random() % (3 * count);
    Edges successors(count), predecessors(count);
    for (uint32_t i = 0; i < edges; ++i) {
      uint32_t from = random() % count, to = random() % count;
      successors[from].push_back(to);
      predecessors[to].push_back(from);
    }
    std::vector<uint32_t> found = immediateDominators(successors, predecessors, 0);
    std::vector<char> all = reached(successors, 0, kNoDominator);
    std::vector<std::vector<char>> around;
    for (uint32_t d = 0; d < count; ++d)
      around.push_back(reached(successors, 0, d));
    EXPECT_EQ(found[0], 0u);
    for (uint32_t n = 1; n < count; ++n) {
      if (!all[n]) {
        EXPECT_EQ(found[n], kNoDominator);
        continue;
      }
      auto dominates = [&](uint32_t d, uint32_t node) { return !around[d][node]; };
      ASSERT_LT(found[n], count);
      EXPECT_NE(found[n], n);
      EXPECT_TRUE(dominates(found[n], n));
      for (uint32_t d = 0; d < count; ++d)
        if (d != n && all[d] && dominates(d, n)) {
          EXPECT_TRUE(d == found[n] || dominates(d, found[n])) << "round " << round;
        }
    }
  }
}

} // namespace
} // namespace heddle::emulator
