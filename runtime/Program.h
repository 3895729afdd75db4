// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled model on a device: code loaded, weights uploaded. Immutable, so that any number of
// executors can share it.
#ifndef HEDDLE_RUNTIME_PROGRAM_H
#define HEDDLE_RUNTIME_PROGRAM_H

#include "lib/artifact/ArtifactFile.h"
#include "runtime/Device.h"
#include "runtime/Expressions.h"
#include "runtime/Module.h"

namespace heddle::runtime {

/// How a program's memory is laid out.
enum class MemoryMode : uint8_t {
  kArena,   ///< one allocation for all buffers, places shared by buffers that are not live together
  kSeparate ///< an allocation a buffer, so that a memory checker sees every step over an edge
};

class Program {
public:
  /// Errors:  as ArtifactFile, Device::open, chooseCode and Module::load say.
  static Result<std::shared_ptr<const Program>>
  open(const std::string &path, std::string_view deviceSpec, MemoryMode mode = MemoryMode::kArena);
  static Result<std::shared_ptr<const Program>> load(artifact::ArtifactFile file,
                                                     std::string_view deviceSpec,
                                                     MemoryMode mode = MemoryMode::kArena);

  const artifact::ArtifactData &artifact() const { return file.data(); }
  const artifact::Variant &variant() const { return *chosen; }
  const std::shared_ptr<const Device> &device() const { return owner; }
  const Module &module() const { return code; }
  const Evaluator &evaluator() const { return *sizes; }
  MemoryMode memoryMode() const { return mode; }
  /// Device address of a weight buffer.
  CUdeviceptr weight(artifact::BufferId id) const { return weightAddresses[id]; }
  int64_t weightBytes() const { return totalWeightBytes; }

  /// The place of an input by name.
  /// Errors:  kInvalidArgument with the names that there are.
  Result<size_t> findInput(std::string_view name) const;
  Result<size_t> findOutput(std::string_view name) const;

private:
  explicit Program(artifact::ArtifactFile file) : file(std::move(file)) {}
  Status uploadWeights();

  artifact::ArtifactFile file;
  std::shared_ptr<const Device> owner;
  const artifact::Variant *chosen = nullptr;
  Module code;
  std::unique_ptr<Evaluator> sizes;
  MemoryMode mode = MemoryMode::kArena;
  std::vector<DeviceMemory> weightMemory;
  std::vector<CUdeviceptr> weightAddresses;
  int64_t totalWeightBytes = 0;
};

/// One line an input and output: name, type, shape.
std::string signature(const artifact::Variant &variant);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PROGRAM_H
