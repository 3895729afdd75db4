// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API: checks pointers, turns Status into a code and a text for this thread, and lets no
// exception out (only memory that runs out throws one).
#include "heddle-c/runtime.h"
#include "runtime/Executor.h"
#include <algorithm>
#include <new>
#include <stdexcept>

using namespace heddle;
using namespace heddle::runtime;

struct heddle_program {
  std::shared_ptr<const Program> program;
  std::unique_ptr<Executor> executor;
  std::string counters;
};
struct heddle_tensor {
  Tensor tensor;
};

static_assert(static_cast<int>(StatusCode::kFailedCheck) == HEDDLE_FAILED_CHECK);
static_assert(static_cast<int>(StatusCode::kDevice) == HEDDLE_DEVICE);

static std::string &lastError() {
  thread_local std::string text;
  return text;
}

/// Runs `body`, which returns Status, and reports as C does.
template <typename Body> static heddle_status guarded(Body body) {
  try {
    Status status = body();
    lastError() = status.text();
    return static_cast<heddle_status>(status.code());
  } catch (const std::length_error &) {
    lastError() = "an object is larger than memory can hold";
  } catch (const std::bad_alloc &) {
    lastError() = "the host is out of memory";
  }
  return HEDDLE_OUT_OF_MEMORY;
}

static Status needs(const void *pointer, const char *name) {
  if (pointer)
    return Status::success();
  return invalidArgument(std::string(name) + " is NULL");
}

const char *heddle_last_error(void) { return lastError().c_str(); }
const char *heddle_runtime_version(void) { return HEDDLE_VERSION; }

const char *heddle_dtype_name(heddle_dtype dtype) {
  // The table's names are literals, so they end with a zero.
  return dtype >= 0 && dtype < static_cast<int>(kDTypeCount) ? kDTypes[dtype].name.data() : nullptr;
}
heddle_dtype heddle_dtype_from_name(const char *name) {
  std::optional<DType> dtype = name ? dtypeFromName(name) : std::nullopt;
  return dtype ? static_cast<int>(*dtype) : -1;
}

static Status makeProgram(Result<artifact::ArtifactFile> file, const char *device,
                          heddle_program **result) {
  if (!file.ok())
    return file.takeStatus();
  auto made = std::make_unique<heddle_program>();
  HEDDLE_TRY_ASSIGN(made->program, Program::load(std::move(*file), device ? device : "auto"));
  HEDDLE_TRY_ASSIGN(made->executor, Executor::create(made->program));
  *result = made.release();
  return Status::success();
}

heddle_status heddle_program_open(const char *path, const char *device, heddle_program **program) {
  return guarded([&]() -> Status {
    HEDDLE_TRY(needs(path, "path"));
    HEDDLE_TRY(needs(program, "program"));
    return makeProgram(artifact::ArtifactFile::open(path), device, program);
  });
}

heddle_status heddle_program_load(const void *bytes, size_t size, const char *device,
                                  heddle_program **program) {
  return guarded([&]() -> Status {
    HEDDLE_TRY(needs(bytes, "bytes"));
    HEDDLE_TRY(needs(program, "program"));
    const uint8_t *begin = static_cast<const uint8_t *>(bytes);
    return makeProgram(artifact::ArtifactFile::fromBytes({begin, begin + size}, "memory"), device,
                       program);
  });
}

void heddle_program_destroy(heddle_program *program) { delete program; }

const char *heddle_program_device(const heddle_program *program) {
  return program ? program->program->device()->spec().c_str() : nullptr;
}
const char *heddle_program_code(const heddle_program *program) {
  return program ? program->program->module().description().c_str() : nullptr;
}

using Values = std::vector<artifact::Value>;

static const Values *inputsOf(const heddle_program *program) {
  return program ? &program->program->variant().inputs : nullptr;
}
static const Values *outputsOf(const heddle_program *program) {
  return program ? &program->program->variant().outputs : nullptr;
}
static const artifact::Value *valueAt(const Values *values, size_t index) {
  return values && index < values->size() ? &(*values)[index] : nullptr;
}
static const char *nameAt(const Values *values, size_t index) {
  const artifact::Value *value = valueAt(values, index);
  return value ? value->name.c_str() : nullptr;
}
static int dtypeAt(const Values *values, size_t index) {
  const artifact::Value *value = valueAt(values, index);
  return value ? static_cast<int>(value->dtype) : -1;
}
static int rankAt(const Values *values, size_t index) {
  const artifact::Value *value = valueAt(values, index);
  return value ? static_cast<int>(value->dims.size()) : -1;
}
static int64_t dimAt(const heddle_program *program, const Values *values, size_t index, int dim) {
  const artifact::Value *value = valueAt(values, index);
  if (!value || dim < 0 || dim >= static_cast<int>(value->dims.size()))
    return -1;
  const artifact::Expr &size =
      program->program->variant().exprs[value->dims[static_cast<size_t>(dim)]];
  return size.kind == artifact::ExprKind::kConstant ? size.value : -1;
}

size_t heddle_program_input_count(const heddle_program *program) {
  return program ? inputsOf(program)->size() : 0;
}
size_t heddle_program_output_count(const heddle_program *program) {
  return program ? outputsOf(program)->size() : 0;
}
const char *heddle_program_input_name(const heddle_program *program, size_t index) {
  return nameAt(inputsOf(program), index);
}
const char *heddle_program_output_name(const heddle_program *program, size_t index) {
  return nameAt(outputsOf(program), index);
}
heddle_dtype heddle_program_input_dtype(const heddle_program *program, size_t index) {
  return dtypeAt(inputsOf(program), index);
}
heddle_dtype heddle_program_output_dtype(const heddle_program *program, size_t index) {
  return dtypeAt(outputsOf(program), index);
}
int heddle_program_input_rank(const heddle_program *program, size_t index) {
  return rankAt(inputsOf(program), index);
}
int heddle_program_output_rank(const heddle_program *program, size_t index) {
  return rankAt(outputsOf(program), index);
}
int64_t heddle_program_input_dim(const heddle_program *program, size_t index, int dim) {
  return dimAt(program, inputsOf(program), index, dim);
}
int64_t heddle_program_output_dim(const heddle_program *program, size_t index, int dim) {
  return dimAt(program, outputsOf(program), index, dim);
}

heddle_status heddle_program_run(heddle_program *program, const heddle_tensor *const *inputs,
                                 size_t input_count, heddle_tensor **outputs, size_t output_count) {
  return guarded([&]() -> Status {
    HEDDLE_TRY(needs(program, "program"));
    if (input_count > 0)
      HEDDLE_TRY(needs(inputs, "inputs"));
    if (output_count > 0)
      HEDDLE_TRY(needs(outputs, "outputs"));
    size_t expected = heddle_program_output_count(program);
    if (output_count != expected)
      return invalidArgument("there is room for " + std::to_string(output_count) +
                             " outputs, the program has " + std::to_string(expected));
    std::vector<TensorView> views;
    for (size_t i = 0; i < input_count; ++i) {
      HEDDLE_TRY(needs(inputs[i], "an input"));
      views.emplace_back(inputs[i]->tensor);
    }
    std::vector<Tensor> results;
    HEDDLE_TRY(program->executor->run(views, results));
    std::vector<std::unique_ptr<heddle_tensor>> made;
    for (Tensor &result : results)
      made.push_back(std::make_unique<heddle_tensor>(heddle_tensor{std::move(result)}));
    for (size_t i = 0; i < made.size(); ++i)
      outputs[i] = made[i].release();
    return Status::success();
  });
}

int64_t heddle_program_launch_count(const heddle_program *program) {
  return program ? program->executor->launchCount() : -1;
}
int64_t heddle_program_arena_bytes(const heddle_program *program) {
  return program ? program->executor->arenaBytes() : -1;
}

const char *heddle_program_counters(heddle_program *program) {
  if (!program)
    return nullptr;
  if (guarded([&] {
        program->counters = program->program->device()->driver().emulatedCounters();
        return Status::success();
      }) != HEDDLE_OK)
    return nullptr;
  return program->counters.c_str();
}

heddle_status heddle_tensor_create(heddle_dtype dtype, const int64_t *dims, int rank,
                                   const void *data, heddle_tensor **tensor) {
  return guarded([&]() -> Status {
    HEDDLE_TRY(needs(tensor, "tensor"));
    if (rank < 0)
      return invalidArgument("the rank is " + std::to_string(rank));
    if (rank > 0)
      HEDDLE_TRY(needs(dims, "dims"));
    if (dtype < 0 || dtype >= static_cast<int>(kDTypeCount))
      return invalidArgument(std::to_string(dtype) + " is no element type");
    auto made = std::make_unique<heddle_tensor>();
    made->tensor.dtype = static_cast<DType>(dtype);
    made->tensor.dims.assign(dims, dims + rank);
    HEDDLE_TRY_ASSIGN(int64_t bytes, tensorBytes(made->tensor.dtype, made->tensor.dims));
    made->tensor.bytes.resize(static_cast<size_t>(bytes));
    if (data)
      std::copy_n(static_cast<const uint8_t *>(data), bytes, made->tensor.bytes.data());
    *tensor = made.release();
    return Status::success();
  });
}

void heddle_tensor_destroy(heddle_tensor *tensor) { delete tensor; }
heddle_dtype heddle_tensor_dtype(const heddle_tensor *tensor) {
  return tensor ? static_cast<int>(tensor->tensor.dtype) : -1;
}
int heddle_tensor_rank(const heddle_tensor *tensor) {
  return tensor ? static_cast<int>(tensor->tensor.dims.size()) : -1;
}
const int64_t *heddle_tensor_dims(const heddle_tensor *tensor) {
  return tensor ? tensor->tensor.dims.data() : nullptr;
}
void *heddle_tensor_data(heddle_tensor *tensor) {
  return tensor ? tensor->tensor.bytes.data() : nullptr;
}
size_t heddle_tensor_bytes(const heddle_tensor *tensor) {
  return tensor ? tensor->tensor.bytes.size() : 0;
}
