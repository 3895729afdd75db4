// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placing buffers in one arena: the problem, its solution, and the checker that knows nothing of
// how the solution was found. Solvers are in files of their own.
#ifndef HEDDLE_LIB_MEMORY_MEMORYPROBLEM_H
#define HEDDLE_LIB_MEMORY_MEMORYPROBLEM_H

#include "heddle/Status.h"
#include <cstdint>
#include <vector>

namespace heddle::memory {

struct Buffer {
  int64_t sizeBytes = 0;
  int64_t alignmentBytes = 1;  ///< a power of two
  int64_t first = 0, last = 0; ///< live in steps [first, last)
};

struct MemoryProblem {
  std::vector<Buffer> buffers;
};

struct MemoryPlan {
  std::vector<int64_t> offsetBytes; ///< per buffer; zero-sized ones are at 0
  int64_t peakBytes = 0;            ///< size of the arena
};

/// Places buffers in one arena so that no two live buffers overlap.
///
/// Errors:  kInvalidArgument if a size is negative, a lifetime ends before it begins or an
///          alignment is not a power of two; kOutOfMemory if the arena's size overflows.
/// Thread:  safe; keeps no state.
/// Source:  first fit, in two orders (by size, by size times lifetime); the smaller arena wins.
Result<MemoryPlan> planFirstFit(const MemoryProblem &problem);

/// Checks every pair of buffers. Deliberately plain: it shares no code with any solver.
/// Errors:  kInvalidArgument that names the buffers at fault.
Status validate(const MemoryProblem &problem, const MemoryPlan &plan);

/// No plan can be smaller: the most bytes that are live in one step.
int64_t lowerBoundBytes(const MemoryProblem &problem);

} // namespace heddle::memory

#endif // HEDDLE_LIB_MEMORY_MEMORYPROBLEM_H
