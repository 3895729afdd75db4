// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's state, cuInit and errors.
#include "runtime/emulator/driver/State.h"
#include "runtime/emulator/exec/Numerics.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <cstdlib>

namespace heddle::emulator {

static constexpr const char *kDefaultGpu = "a100";
static constexpr int kDriverVersion = 13000; // CUDA 13.0

Driver &Driver::get() {
  static Driver *driver = new Driver(); // calls may come until the process ends
  return *driver;
}

void Driver::forgetReport() {
  std::lock_guard lock(mutex);
  if (sticky == CUDA_SUCCESS)
    report.clear();
}

CUresult Driver::refuse(CUresult code, std::string why) {
  report = std::move(why);
  return code;
}

CUresult Driver::check() const { return isInitialised ? sticky : CUDA_ERROR_NOT_INITIALIZED; }

} // namespace heddle::emulator

using namespace heddle::emulator;

HEDDLE_EMU_API CUresult cuInit(unsigned flags) {
  if (flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  if (driver.isInitialised)
    return CUDA_SUCCESS;
  const char *wanted = std::getenv("HEDDLE_EMU_GPU");
  std::string name = wanted && *wanted ? wanted : kDefaultGpu;
  heddle::Result<const heddle::Gpu *> gpu = heddle::findGpu(name);
  if (!gpu.ok())
    return driver.refuse(CUDA_ERROR_NO_DEVICE, "HEDDLE_EMU_GPU: " + gpu.status().text());
  heddle::Result<const heddle::Target *> target = heddle::findTarget((*gpu)->target);
  if (!target.ok())
    return driver.refuse(CUDA_ERROR_NO_DEVICE, "HEDDLE_EMU_GPU: " + target.status().text());
  driver.gpu = *gpu;
  setCapability((*gpu)->major * 10 + (*gpu)->minor);
  driver.target = *target;
  DeviceMemory::get().setCapacity(static_cast<uint64_t>(driver.gpu->memoryBytes));
  driver.isInitialised = true;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = kDriverVersion;
  return CUDA_SUCCESS;
}

namespace {

struct ErrorText {
  CUresult code;
  const char *name;
  const char *text;
};

#define HEDDLE_ERROR(code, text) {code, #code, text}
const ErrorText kErrors[] = {
    HEDDLE_ERROR(CUDA_SUCCESS, "no error"),
    HEDDLE_ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    HEDDLE_ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    HEDDLE_ERROR(CUDA_ERROR_NOT_INITIALIZED, "cuInit was not called, or failed"),
    HEDDLE_ERROR(CUDA_ERROR_NO_DEVICE, "no such device"),
    HEDDLE_ERROR(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    HEDDLE_ERROR(CUDA_ERROR_INVALID_CONTEXT, "invalid context"),
    HEDDLE_ERROR(CUDA_ERROR_INVALID_IMAGE, "the code is no PTX text"),
    HEDDLE_ERROR(CUDA_ERROR_INVALID_PTX, "the PTX text was refused"),
    HEDDLE_ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU, "the code is for another GPU"),
    HEDDLE_ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid handle"),
    HEDDLE_ERROR(CUDA_ERROR_NOT_FOUND, "name not found"),
    HEDDLE_ERROR(CUDA_ERROR_NOT_SUPPORTED, "not supported by the emulated device"),
    HEDDLE_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, "a kernel accessed memory that it must not"),
    HEDDLE_ERROR(CUDA_ERROR_MISALIGNED_ADDRESS, "a kernel accessed a misaligned address"),
    HEDDLE_ERROR(CUDA_ERROR_ILLEGAL_INSTRUCTION, "a kernel used an instruction wrongly"),
    HEDDLE_ERROR(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "the launch needs too much of the device"),
    HEDDLE_ERROR(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch took too long"),
    HEDDLE_ERROR(CUDA_ERROR_LAUNCH_FAILED, "the launch failed"),
    HEDDLE_ERROR(CUDA_ERROR_ASSERT, "a kernel stopped with a trap"),
};
#undef HEDDLE_ERROR

const ErrorText *findError(CUresult code) {
  for (const ErrorText &error : kErrors)
    if (error.code == code)
      return &error;
  return nullptr;
}

} // namespace

HEDDLE_EMU_API CUresult cuGetErrorName(CUresult code, const char **name) {
  const ErrorText *error = findError(code);
  if (name)
    *name = error ? error->name : nullptr;
  return error && name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

HEDDLE_EMU_API CUresult cuGetErrorString(CUresult code, const char **text) {
  const ErrorText *error = findError(code);
  if (text)
    *text = error ? error->text : nullptr;
  return error && text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
