// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program: one stream, one arena, and a plan for each set of shapes seen so far.
#ifndef HEDDLE_RUNTIME_EXECUTOR_H
#define HEDDLE_RUNTIME_EXECUTOR_H

#include "runtime/Binding.h"
#include "runtime/Program.h"
#include <map>

namespace heddle::runtime {

class Executor {
public:
  static Result<std::unique_ptr<Executor>> create(std::shared_ptr<const Program> program);
  ~Executor();
  Executor(const Executor &) = delete;
  Executor &operator=(const Executor &) = delete;

  /// Uploads inputs, runs every step, brings the outputs back and waits for all of it.
  ///
  /// Input:   one tensor an input, in the program's order.
  /// Output:  one tensor an output.
  /// Errors:  kInvalidArgument for inputs that do not fit, kFailedCheck, kOutOfMemory, kDevice.
  /// Thread:  one call at a time; executors of one program are independent.
  Status run(std::span<const TensorView> inputs, std::vector<Tensor> &outputs);

  /// The parts of `run`, to be timed: `bind` before all others; `upload`, `launch` and `download`
  /// only enqueue, and what they are given must live until `synchronize` has waited.
  Status bind(std::span<const TensorView> inputs);
  Status upload(std::span<const TensorView> inputs);
  Status launch();
  Status synchronize();
  Status download(std::vector<Tensor> &outputs);

  /// Of the bound shapes: kernels that one run launches, bytes of the arena.
  int64_t launchCount() const;
  int64_t arenaBytes() const { return current ? current->arenaBytes : 0; }

private:
  explicit Executor(std::shared_ptr<const Program> program) : program(std::move(program)) {}
  Status enqueue(std::span<const TensorView> inputs, std::vector<Tensor> &outputs);
  Status placeBuffers();
  Status allocateSeparately();
  Status launchKernel(const BoundLaunch &launch);
  std::vector<int64_t> keyOf(std::span<const TensorView> inputs) const;

  std::shared_ptr<const Program> program;
  CUstream stream = nullptr;
  std::map<std::vector<int64_t>, std::shared_ptr<const Binding>> bindings;
  std::shared_ptr<const Binding> current;
  DeviceMemory arena;
  std::vector<DeviceMemory> separate;
  std::vector<CUdeviceptr> addresses; ///< per buffer, for `current`
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_EXECUTOR_H
