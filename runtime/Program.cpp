// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads an artifact: device, code, weights.
#include "runtime/Program.h"
#include "runtime/Binding.h"
#include <map>

namespace heddle::runtime {

Result<std::shared_ptr<const Program>> Program::open(const std::string &path,
                                                     std::string_view deviceSpec, MemoryMode mode) {
  HEDDLE_TRY_ASSIGN(artifact::ArtifactFile file, artifact::ArtifactFile::open(path));
  return load(std::move(file), deviceSpec, mode);
}

Result<std::shared_ptr<const Program>> Program::load(artifact::ArtifactFile file,
                                                     std::string_view deviceSpec, MemoryMode mode) {
  std::shared_ptr<Program> program(new Program(std::move(file)));
  const artifact::ArtifactData &data = program->artifact();
  std::vector<std::string> targets;
  for (const artifact::Variant &variant : data.variants)
    targets.push_back(variant.target);
  HEDDLE_TRY_ASSIGN(program->owner, Device::open(deviceSpec, targets));
  const Device &device = *program->owner;
  Result<CodeChoice> choice = chooseCode(data, device.major(), device.minor(), device.emulated());
  if (!choice.ok())
    return choice.takeStatus().in("device \"" + device.spec() + "\" (" + device.name() + ")");
  program->chosen = choice->variant;
  program->mode = mode;
  program->sizes = std::make_unique<Evaluator>(*program->chosen);
  HEDDLE_TRY_ASSIGN(program->code, Module::load(program->owner, *choice));
  HEDDLE_TRY(program->uploadWeights());
  return std::shared_ptr<const Program>(std::move(program));
}

Status Program::uploadWeights() {
  const Driver &driver = owner->driver();
  weightAddresses.assign(chosen->buffers.size(), 0);
  // Weights that are the same section of the file are the same memory.
  std::map<std::pair<const uint8_t *, size_t>, int64_t> offsets;
  int64_t end = 0;
  for (const artifact::Buffer &buffer : chosen->buffers) {
    if (buffer.kind != artifact::BufferKind::kWeight || buffer.weight.empty())
      continue;
    auto key = std::make_pair(buffer.weight.data(), buffer.weight.size());
    if (!offsets.try_emplace(key, end).second)
      continue;
    int64_t padded = 0;
    if (__builtin_add_overflow(end, static_cast<int64_t>(buffer.weight.size()), &end) ||
        __builtin_add_overflow(end, kBufferAlignmentBytes - 1, &padded))
      return outOfMemory("the weights have more than 2^63 bytes");
    end = padded / kBufferAlignmentBytes * kBufferAlignmentBytes;
    totalWeightBytes += static_cast<int64_t>(buffer.weight.size());
  }
  CUdeviceptr base = 0;
  if (mode == MemoryMode::kArena) {
    HEDDLE_TRY_ASSIGN(DeviceMemory memory, DeviceMemory::allocate(owner, end));
    base = memory.address();
    weightMemory.push_back(std::move(memory));
  }
  std::map<int64_t, CUdeviceptr> uploaded;
  for (size_t i = 0; i < chosen->buffers.size(); ++i) {
    artifact::Bytes bytes = chosen->buffers[i].weight;
    if (chosen->buffers[i].kind != artifact::BufferKind::kWeight || bytes.empty())
      continue;
    int64_t offset = offsets[{bytes.data(), bytes.size()}];
    if (auto found = uploaded.find(offset); found != uploaded.end()) {
      weightAddresses[i] = found->second;
      continue;
    }
    CUdeviceptr address = base + static_cast<CUdeviceptr>(offset);
    if (mode == MemoryMode::kSeparate) {
      HEDDLE_TRY_ASSIGN(DeviceMemory memory,
                        DeviceMemory::allocate(owner, static_cast<int64_t>(bytes.size())));
      address = memory.address();
      weightMemory.push_back(std::move(memory));
    }
    CUresult code = driver.cuMemcpyHtoDAsync(address, bytes.data(), bytes.size(), nullptr);
    if (code != CUDA_SUCCESS)
      return driver.failure(code, "cuMemcpyHtoDAsync(" + std::to_string(bytes.size()) + ")");
    weightAddresses[i] = uploaded[offset] = address;
  }
  if (CUresult code = driver.cuStreamSynchronize(nullptr); code != CUDA_SUCCESS)
    return driver.failure(code, "cuStreamSynchronize()");
  return Status::success();
}

static Result<size_t> findValue(const std::vector<artifact::Value> &values, std::string_view name,
                                const char *what) {
  std::string known;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].name == name)
      return i;
    known += (i ? ", \"" : "\"") + values[i].name + "\"";
  }
  return invalidArgument(std::string("the program has no ") + what + " \"" + std::string(name) +
                         "\"; it has " + (known.empty() ? "none" : known));
}

Result<size_t> Program::findInput(std::string_view name) const {
  return findValue(chosen->inputs, name, "input");
}

Result<size_t> Program::findOutput(std::string_view name) const {
  return findValue(chosen->outputs, name, "output");
}

std::string signature(const artifact::Variant &variant) {
  std::string text;
  auto add = [&](const char *what, const artifact::Value &value) {
    text += std::string(what) + value.name + "  " + std::string(name(value.dtype)) + "  " +
            describe(variant, value.dims) + "\n";
  };
  for (const artifact::Value &value : variant.inputs)
    add("input     ", value);
  for (const artifact::Value &value : variant.outputs)
    add("output    ", value);
  return text;
}

} // namespace heddle::runtime
