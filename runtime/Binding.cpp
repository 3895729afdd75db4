// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a variant and input shapes into a Binding. All that can be refused about shapes is refused
// here, before anything is launched.
#include "runtime/Binding.h"
#include "lib/memory/MemoryProblem.h"
#include <cstring>

namespace heddle::runtime {

namespace {

using artifact::ArgKind;
using artifact::BufferKind;
using artifact::Value;
using artifact::Variant;

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr int64_t kMaxGrid[] = {2147483647, 65535, 65535};

std::string quoted(const char *what, const std::string &name) {
  return std::string(what) + " \"" + name + "\"";
}

class Binder {
public:
  Binder(const Variant &variant, const Sizes &sizes) : variant(variant), sizes(sizes) {}

  Result<Binding> bind(std::span<const TensorView> inputs) {
    HEDDLE_TRY(checkShapes(inputs));
    HEDDLE_TRY(runChecks());
    HEDDLE_TRY(sizeBuffers());
    HEDDLE_TRY(sizeOutputs());
    HEDDLE_TRY(planArena());
    for (size_t i = 0; i < variant.steps.size(); ++i) {
      auto visit = [&](const auto &step) { return add(step); };
      HEDDLE_TRY(std::visit(visit, variant.steps[i]).in("step " + std::to_string(i)));
    }
    return std::move(result);
  }

private:
  Status checkShapes(std::span<const TensorView> inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Value &value = variant.inputs[i];
      for (size_t d = 0; d < value.dims.size(); ++d) {
        Result<int64_t> expected = sizes.at(value.dims[d]);
        std::string where = quoted("input", value.name);
        if (!expected.ok())
          return expected.takeStatus().in(where);
        if (*expected != inputs[i].dims[d])
          return invalidArgument(where + " has shape " + formatDims(inputs[i].dims) +
                                 ", expected " + describe(variant, value.dims) + ": dimension " +
                                 std::to_string(d) + " must be " + std::to_string(*expected));
      }
    }
    return Status::success();
  }

  Status runChecks() {
    for (const artifact::Step &step : variant.steps) {
      const auto *check = std::get_if<artifact::Check>(&step);
      if (!check)
        continue;
      HEDDLE_TRY_ASSIGN(int64_t holds, sizes.at(check->condition));
      if (holds)
        continue;
      std::string text = check->message;
      for (size_t i = 0; i < check->values.size(); ++i) {
        Result<int64_t> value = sizes.at(check->values[i]);
        text += (i ? ", " : ": ") + (value.ok() ? std::to_string(*value) : "no value");
      }
      return {StatusCode::kFailedCheck, text};
    }
    return Status::success();
  }

  Status sizeBuffers() {
    for (size_t i = 0; i < variant.buffers.size(); ++i) {
      Result<int64_t> bytes = sizes.at(variant.buffers[i].size);
      std::string where = "buffer " + std::to_string(i);
      if (!bytes.ok())
        return bytes.takeStatus().in(where);
      if (*bytes < 0)
        return corrupt(where + " has the negative size " + std::to_string(*bytes));
      result.bufferBytes.push_back(*bytes);
    }
    for (const Value &value : variant.inputs)
      HEDDLE_TRY(valueBytes(value, "input").takeStatus());
    return Status::success();
  }

  /// Bytes of an input or output, which its buffer must hold.
  Result<int64_t> valueBytes(const Value &value, const char *what, Dims *dims = nullptr) {
    Result<Dims> shape = sizes.at(value.dims);
    if (!shape.ok())
      return shape.takeStatus().in(quoted(what, value.name));
    Result<int64_t> bytes = tensorBytes(value.dtype, *shape);
    if (!bytes.ok())
      return bytes.takeStatus().in(quoted(what, value.name));
    if (*bytes > result.bufferBytes[value.buffer])
      return corrupt(quoted(what, value.name) + " has " + std::to_string(*bytes) +
                     " bytes, its buffer " + std::to_string(result.bufferBytes[value.buffer]));
    if (dims)
      *dims = std::move(*shape);
    return bytes;
  }

  Status sizeOutputs() {
    for (const Value &value : variant.outputs) {
      Dims dims;
      HEDDLE_TRY_ASSIGN(int64_t bytes, valueBytes(value, "output", &dims));
      result.outputDims.push_back(std::move(dims));
      result.outputBytes.push_back(bytes);
    }
    return Status::success();
  }

  Status planArena() {
    int64_t end = static_cast<int64_t>(variant.steps.size());
    memory::MemoryProblem problem;
    for (size_t i = 0; i < variant.buffers.size(); ++i) {
      const artifact::Buffer &buffer = variant.buffers[i];
      memory::Buffer &entry = problem.buffers.emplace_back();
      entry.alignmentBytes = kBufferAlignmentBytes;
      if (buffer.kind == BufferKind::kWeight)
        continue; // has memory of its own
      entry.sizeBytes = result.bufferBytes[i];
      bool temporary = buffer.kind == BufferKind::kTemporary;
      // Inputs are there before the first step, outputs are read after the last.
      entry.first = temporary ? int64_t{buffer.first} : -1;
      entry.last = temporary ? int64_t{buffer.last} : end + 1;
    }
    HEDDLE_TRY_ASSIGN(memory::MemoryPlan plan, memory::planFirstFit(problem));
    result.arenaOffsets = std::move(plan.offsetBytes);
    result.arenaBytes = plan.peakBytes;
    return Status::success();
  }

  Status add(const artifact::Launch &launch) {
    BoundLaunch bound{launch.kernel, {}, launch.block, launch.sharedBytes, &launch.args, {}};
    bool empty = false;
    for (size_t axis = 0; axis < 3; ++axis) {
      HEDDLE_TRY_ASSIGN(int64_t extent, sizes.at(launch.grid[axis]));
      if (extent < 0 || extent > kMaxGrid[axis])
        return unsupported("the grid of kernel \"" + variant.kernels[launch.kernel].name +
                           "\" is " + std::to_string(extent) + " along axis " +
                           std::to_string(axis) + ", not in [0, " + std::to_string(kMaxGrid[axis]) +
                           "]; use smaller inputs");
      bound.grid[axis] = static_cast<uint32_t>(extent);
      empty |= extent == 0;
    }
    if (empty)
      return Status::success();
    for (const artifact::Arg &arg : launch.args) {
      int64_t value = 0;
      if (arg.kind != ArgKind::kPointer) {
        HEDDLE_TRY_ASSIGN(value, sizes.at(arg.expr));
        if (arg.kind == ArgKind::kInt32 && value != static_cast<int32_t>(value))
          return unsupported("an argument of kernel \"" + variant.kernels[launch.kernel].name +
                             "\" is " + std::to_string(value) +
                             ", which does not fit 32 bits; use smaller inputs");
      }
      bound.values.push_back(value);
    }
    result.steps.emplace_back(std::move(bound));
    return Status::success();
  }

  Status add(const artifact::Copy &copy) {
    HEDDLE_TRY_ASSIGN(int64_t bytes, sizes.at(copy.size));
    if (bytes < 0 || bytes > result.bufferBytes[copy.dst] || bytes > result.bufferBytes[copy.src])
      return corrupt("it copies " + std::to_string(bytes) + " bytes from a buffer of " +
                     std::to_string(result.bufferBytes[copy.src]) + " to one of " +
                     std::to_string(result.bufferBytes[copy.dst]));
    if (bytes > 0)
      result.steps.emplace_back(BoundCopy{copy.dst, copy.src, bytes});
    return Status::success();
  }

  Status add(const artifact::Store &store) {
    BoundStore bound{store.dst, {}};
    size_t width = bits(store.dtype) / 8;
    for (artifact::ExprId id : store.values) {
      HEDDLE_TRY_ASSIGN(int64_t value, sizes.at(id));
      uint8_t bytes[8];
      float single = static_cast<float>(value);
      double real = static_cast<double>(value);
      if (store.dtype == DType::kF32)
        std::memcpy(bytes, &single, sizeof single);
      else if (store.dtype == DType::kF64)
        std::memcpy(bytes, &real, sizeof real);
      else {
        value = store.dtype == DType::kBool ? value != 0 : value;
        std::memcpy(bytes, &value, sizeof value); // little endian: the low bytes come first
      }
      bound.bytes.insert(bound.bytes.end(), bytes, bytes + width);
    }
    if (static_cast<int64_t>(bound.bytes.size()) > result.bufferBytes[store.dst])
      return corrupt("it stores " + std::to_string(bound.bytes.size()) + " bytes in a buffer of " +
                     std::to_string(result.bufferBytes[store.dst]));
    if (!bound.bytes.empty())
      result.steps.emplace_back(std::move(bound));
    return Status::success();
  }

  Status add(const artifact::Check &) { return Status::success(); }

  const Variant &variant;
  const Sizes &sizes;
  Binding result;
};

} // namespace

Status checkInputs(const Variant &variant, std::span<const TensorView> inputs) {
  if (inputs.size() != variant.inputs.size())
    return invalidArgument("got " + std::to_string(inputs.size()) + " inputs, expected " +
                           std::to_string(variant.inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value &value = variant.inputs[i];
    const TensorView &input = inputs[i];
    std::string expected = std::string(name(value.dtype)) + " " + describe(variant, value.dims);
    std::string where = quoted("input", value.name);
    if (input.dtype != value.dtype)
      return invalidArgument(where + " is " + std::string(name(input.dtype)) + ", expected " +
                             expected);
    if (input.dims.size() != value.dims.size())
      return invalidArgument(where + " has shape " + formatDims(input.dims) + ", expected " +
                             expected);
    Result<int64_t> bytes = tensorBytes(input.dtype, input.dims);
    if (!bytes.ok())
      return bytes.takeStatus().in(where);
    if (static_cast<uint64_t>(*bytes) != input.bytes.size())
      return invalidArgument(where + " has " + std::to_string(input.bytes.size()) +
                             " bytes, shape " + formatDims(input.dims) + " needs " +
                             std::to_string(*bytes));
  }
  return Status::success();
}

Result<Binding> bindShapes(const Variant &variant, const Evaluator &evaluator,
                           std::span<const TensorView> inputs) {
  Sizes sizes = evaluator.evaluate(inputs);
  return Binder(variant, sizes).bind(inputs);
}

} // namespace heddle::runtime
