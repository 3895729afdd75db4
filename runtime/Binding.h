// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program for one set of input shapes: every size is a number, every buffer has its place. What
// is left to add is the address of the memory.
#ifndef HEDDLE_RUNTIME_BINDING_H
#define HEDDLE_RUNTIME_BINDING_H

#include "runtime/Expressions.h"
#include <array>
#include <variant>

namespace heddle::runtime {

struct BoundLaunch {
  uint32_t kernel;
  std::array<uint32_t, 3> grid, block;
  uint32_t sharedBytes;
  const std::vector<artifact::Arg> *args;
  std::vector<int64_t> values; ///< per argument; unused for pointers
};
struct BoundCopy {
  artifact::BufferId dst, src;
  int64_t sizeBytes;
};
struct BoundStore {
  artifact::BufferId dst;
  std::vector<uint8_t> bytes;
};
using BoundStep = std::variant<BoundLaunch, BoundCopy, BoundStore>;

struct Binding {
  std::vector<Dims> outputDims;
  std::vector<int64_t> outputBytes;
  std::vector<int64_t> bufferBytes;  ///< per buffer of the variant
  std::vector<int64_t> arenaOffsets; ///< per buffer; unused for weights
  int64_t arenaBytes = 0;
  std::vector<BoundStep> steps; ///< launches with an empty grid and copies of nothing are left out
};

/// Buffers start at multiples of this; cuMemAlloc gives no less.
inline constexpr int64_t kBufferAlignmentBytes = 256;

/// Whether the inputs have the types, ranks and byte counts that the variant states.
/// Errors:  kInvalidArgument that names the input and says what is expected.
Status checkInputs(const artifact::Variant &variant, std::span<const TensorView> inputs);

/// Evaluates all sizes, runs the program's checks and plans the arena.
///
/// Input:   inputs that passed `checkInputs`, in the program's order.
/// Errors:  kInvalidArgument for shapes that the program does not take; kFailedCheck with the
///          program's own message; kCorrupt for steps that leave their buffers; kOutOfMemory.
Result<Binding> bindShapes(const artifact::Variant &variant, const Evaluator &evaluator,
                           std::span<const TensorView> inputs);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BINDING_H
