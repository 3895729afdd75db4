// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enqueues a bound program on its stream. It decides nothing: order and sizes are the compiler's.
#include "runtime/Executor.h"

namespace heddle::runtime {

/// Plans that are kept; more shapes than this in use at once are planned anew.
static constexpr size_t kMaxBindings = 256;

Result<std::unique_ptr<Executor>> Executor::create(std::shared_ptr<const Program> program) {
  const Driver &driver = program->device()->driver();
  HEDDLE_TRY(program->device()->makeCurrent());
  std::unique_ptr<Executor> executor(new Executor(std::move(program)));
  CUresult code = driver.cuStreamCreate(&executor->stream, CU_STREAM_NON_BLOCKING);
  if (code != CUDA_SUCCESS) {
    executor->stream = nullptr;
    return driver.failure(code, "cuStreamCreate()");
  }
  return executor;
}

Executor::~Executor() {
  if (!program->device()->makeCurrent().ok())
    return;
  const Driver &driver = program->device()->driver();
  if (stream) {
    driver.cuStreamSynchronize(stream);
    driver.cuStreamDestroy(stream);
  }
}

Status Executor::run(std::span<const TensorView> inputs, std::vector<Tensor> &outputs) {
  HEDDLE_TRY(bind(inputs));
  Status status = enqueue(inputs, outputs);
  // Also after a failure: copies that are under way use the caller's memory.
  Status waited = synchronize();
  return status.ok() ? std::move(waited) : std::move(status);
}

Status Executor::enqueue(std::span<const TensorView> inputs, std::vector<Tensor> &outputs) {
  HEDDLE_TRY(upload(inputs));
  HEDDLE_TRY(launch());
  return download(outputs);
}

/// All that a binding depends on: the dimensions, and the elements that are read as sizes.
std::vector<int64_t> Executor::keyOf(std::span<const TensorView> inputs) const {
  std::vector<int64_t> key;
  for (const TensorView &input : inputs)
    key.insert(key.end(), input.dims.begin(), input.dims.end());
  for (auto [input, index] : program->evaluator().neededElements()) {
    Result<int64_t> element = readInteger(inputs[input], index);
    key.push_back(element.ok());
    key.push_back(element.ok() ? *element : 0);
  }
  return key;
}

Status Executor::bind(std::span<const TensorView> inputs) {
  HEDDLE_TRY(checkInputs(program->variant(), inputs));
  HEDDLE_TRY(program->device()->makeCurrent());
  std::vector<int64_t> key = keyOf(inputs);
  std::shared_ptr<const Binding> binding;
  if (auto found = bindings.find(key); found != bindings.end()) {
    binding = found->second;
  } else {
    HEDDLE_TRY_ASSIGN(Binding made, bindShapes(program->variant(), program->evaluator(), inputs));
    binding = std::make_shared<const Binding>(std::move(made));
    if (bindings.size() >= kMaxBindings)
      bindings.clear();
    bindings.emplace(std::move(key), binding);
  }
  if (binding == current)
    return Status::success();
  HEDDLE_TRY(synchronize());
  current = binding;
  Status placed = placeBuffers();
  if (!placed.ok())
    current = nullptr;
  return placed;
}

Status Executor::placeBuffers() {
  const artifact::Variant &variant = program->variant();
  addresses.assign(variant.buffers.size(), 0);
  for (uint32_t i = 0; i < variant.buffers.size(); ++i)
    if (variant.buffers[i].kind == artifact::BufferKind::kWeight)
      addresses[i] = program->weight(i);
  if (program->memoryMode() == MemoryMode::kSeparate)
    return allocateSeparately();
  if (arena.sizeBytes() < current->arenaBytes) {
    arena = DeviceMemory(); // free first: both may not fit together
    HEDDLE_TRY_ASSIGN(arena, DeviceMemory::allocate(program->device(), current->arenaBytes));
  }
  for (uint32_t i = 0; i < variant.buffers.size(); ++i)
    if (variant.buffers[i].kind != artifact::BufferKind::kWeight)
      addresses[i] = arena.address() + static_cast<CUdeviceptr>(current->arenaOffsets[i]);
  return Status::success();
}

Status Executor::allocateSeparately() {
  const artifact::Variant &variant = program->variant();
  separate.clear();
  for (uint32_t i = 0; i < variant.buffers.size(); ++i) {
    if (variant.buffers[i].kind == artifact::BufferKind::kWeight)
      continue;
    HEDDLE_TRY_ASSIGN(DeviceMemory memory,
                      DeviceMemory::allocate(program->device(), current->bufferBytes[i]));
    addresses[i] = memory.address();
    separate.push_back(std::move(memory));
  }
  return Status::success();
}

Status Executor::upload(std::span<const TensorView> inputs) {
  const Driver &driver = program->device()->driver();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const artifact::Value &value = program->variant().inputs[i];
    if (inputs[i].bytes.empty())
      continue;
    CUresult code = driver.cuMemcpyHtoDAsync(addresses[value.buffer], inputs[i].bytes.data(),
                                             inputs[i].bytes.size(), stream);
    if (code != CUDA_SUCCESS)
      return driver.failure(code, "cuMemcpyHtoDAsync(" + std::to_string(inputs[i].bytes.size()) +
                                      ") of input \"" + value.name + "\"");
  }
  return Status::success();
}

Status Executor::launch() {
  const Driver &driver = program->device()->driver();
  for (const BoundStep &step : current->steps) {
    if (const auto *kernel = std::get_if<BoundLaunch>(&step)) {
      HEDDLE_TRY(launchKernel(*kernel));
    } else if (const auto *copy = std::get_if<BoundCopy>(&step)) {
      CUresult code = driver.cuMemcpyDtoDAsync(addresses[copy->dst], addresses[copy->src],
                                               static_cast<size_t>(copy->sizeBytes), stream);
      if (code != CUDA_SUCCESS)
        return driver.failure(code, "cuMemcpyDtoDAsync(" + std::to_string(copy->sizeBytes) + ")");
    } else if (const auto *store = std::get_if<BoundStore>(&step)) {
      CUresult code = driver.cuMemcpyHtoDAsync(addresses[store->dst], store->bytes.data(),
                                               store->bytes.size(), stream);
      if (code != CUDA_SUCCESS)
        return driver.failure(code,
                              "cuMemcpyHtoDAsync(" + std::to_string(store->bytes.size()) + ")");
    }
  }
  return Status::success();
}

Status Executor::launchKernel(const BoundLaunch &launch) {
  const Driver &driver = program->device()->driver();
  const artifact::Kernel &kernel = program->variant().kernels[launch.kernel];
  size_t count = launch.args->size();
  // Little endian: the address of an int64_t is that of its low 32 bits, too.
  std::vector<int64_t> values = launch.values;
  std::vector<void *> parameters(count);
  for (size_t i = 0; i < count; ++i) {
    const artifact::Arg &arg = (*launch.args)[i];
    if (arg.kind == artifact::ArgKind::kPointer)
      values[i] = static_cast<int64_t>(addresses[arg.buffer]);
    parameters[i] = &values[i];
  }
  CUresult code = driver.cuLaunchKernel(program->module().function(launch.kernel), launch.grid[0],
                                        launch.grid[1], launch.grid[2], launch.block[0],
                                        launch.block[1], launch.block[2], launch.sharedBytes,
                                        stream, parameters.data(), nullptr);
  if (code == CUDA_SUCCESS)
    return Status::success();
  auto triple = [](const std::array<uint32_t, 3> &t) {
    return "(" + std::to_string(t[0]) + ", " + std::to_string(t[1]) + ", " + std::to_string(t[2]) +
           ")";
  };
  return driver.failure(code, "cuLaunchKernel(\"" + kernel.name + "\", grid " +
                                  triple(launch.grid) + ", block " + triple(launch.block) + ", " +
                                  std::to_string(launch.sharedBytes) + " bytes shared)" +
                                  (kernel.op.empty() ? "" : " for " + kernel.op));
}

Status Executor::synchronize() {
  const Driver &driver = program->device()->driver();
  if (CUresult code = driver.cuStreamSynchronize(stream); code != CUDA_SUCCESS)
    return driver.failure(code, "cuStreamSynchronize()");
  return Status::success();
}

Status Executor::download(std::vector<Tensor> &outputs) {
  const Driver &driver = program->device()->driver();
  const artifact::Variant &variant = program->variant();
  outputs.resize(variant.outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const artifact::Value &value = variant.outputs[i];
    outputs[i].dtype = value.dtype;
    outputs[i].dims = current->outputDims[i];
    outputs[i].bytes.resize(static_cast<size_t>(current->outputBytes[i]));
    if (outputs[i].bytes.empty())
      continue;
    CUresult code = driver.cuMemcpyDtoHAsync(outputs[i].bytes.data(), addresses[value.buffer],
                                             outputs[i].bytes.size(), stream);
    if (code != CUDA_SUCCESS)
      return driver.failure(code, "cuMemcpyDtoHAsync(" + std::to_string(outputs[i].bytes.size()) +
                                      ") of output \"" + value.name + "\"");
  }
  return Status::success();
}

int64_t Executor::launchCount() const {
  int64_t count = 0;
  if (current)
    for (const BoundStep &step : current->steps)
      count += std::holds_alternative<BoundLaunch>(step);
  return count;
}

} // namespace heddle::runtime
