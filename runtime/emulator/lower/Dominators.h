// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Immediate dominators of a graph, in O(edges log nodes) whatever its shape: texts come from
// outside, and the usual iteration takes quadratic time on a ladder of branches.
#ifndef HEDDLE_RUNTIME_EMULATOR_LOWER_DOMINATORS_H
#define HEDDLE_RUNTIME_EMULATOR_LOWER_DOMINATORS_H

#include <cstdint>
#include <vector>

namespace heddle::emulator {

constexpr uint32_t kNoDominator = ~0u;

/// node -> its immediate dominator; the root is its own, nodes that it does not reach have
/// kNoDominator. Post-dominators: pass the edges of the reversed graph.
std::vector<uint32_t> immediateDominators(const std::vector<std::vector<uint32_t>> &successors,
                                          const std::vector<std::vector<uint32_t>> &predecessors,
                                          uint32_t root);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_LOWER_DOMINATORS_H
