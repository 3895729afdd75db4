// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands cubins and PTX to the driver.
#include "runtime/Module.h"
#include <algorithm>

namespace heddle::runtime {

namespace {

/// Kernels have this much dynamic shared memory without asking.
constexpr uint32_t kDefaultSharedBytes = 48 * 1024;
constexpr size_t kLogBytes = 8192;

Status loadCode(const Driver &driver, const void *code, const char *what, CUmodule &module) {
  std::string log(kLogBytes, '\0');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log.data(), reinterpret_cast<void *>(kLogBytes - 1)};
  CUresult result = driver.cuModuleLoadDataEx(&module, code, std::size(options), options, values);
  if (result == CUDA_SUCCESS)
    return Status::success();
  module = nullptr;
  Status status = driver.failure(result, std::string("cuModuleLoadDataEx(") + what + ")");
  log.resize(log.find('\0'));
  if (log.empty() || status.text().find(log) != std::string::npos)
    return status;
  return {status.code(), status.text() + "\n" + log};
}

std::string versionText(uint32_t version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

} // namespace

Result<Module> Module::load(std::shared_ptr<const Device> device, const CodeChoice &choice) {
  const artifact::Variant &variant = *choice.variant;
  const Driver &driver = device->driver();
  Module result;
  result.device = device;
  if (variant.kernels.empty()) {
    result.text = "no kernels";
    return result;
  }
  std::string refused;
  if (choice.form == CodeForm::kCubin) {
    Status status = loadCode(driver, variant.cubin.data(), "cubin", result.module);
    if (!status.ok() && variant.ptx.empty())
      return status;
    if (status.ok())
      result.text = "cubin for " + variant.target;
    else
      refused = "; its cubin was refused: " + status.text();
  }
  if (!result.module) {
    // The driver wants the text to end with a zero, which it does not in the file.
    std::string ptx(variant.ptx);
    HEDDLE_TRY(loadCode(driver, ptx.c_str(), "PTX", result.module)
                   .in("PTX " + versionText(variant.ptxVersion) + " for " + variant.target));
    result.text = "PTX " + versionText(variant.ptxVersion) + " for " + variant.target +
                  (device->emulated() ? "" : ", compiled by the driver") + refused;
  }
  HEDDLE_TRY(result.findKernels(variant));
  HEDDLE_TRY(result.compareParameters(variant));
  return result;
}

Status Module::findKernels(const artifact::Variant &variant) {
  const Driver &driver = device->driver();
  std::vector<uint32_t> sharedBytes(variant.kernels.size());
  for (const artifact::Step &step : variant.steps)
    if (const auto *launch = std::get_if<artifact::Launch>(&step))
      sharedBytes[launch->kernel] = std::max(sharedBytes[launch->kernel], launch->sharedBytes);

  for (size_t i = 0; i < variant.kernels.size(); ++i) {
    const std::string &name = variant.kernels[i].name;
    CUfunction function = nullptr;
    CUresult code = driver.cuModuleGetFunction(&function, module, name.c_str());
    if (code != CUDA_SUCCESS)
      return driver.failure(code, "cuModuleGetFunction(\"" + name + "\")");
    functions.push_back(function);
    if (sharedBytes[i] <= kDefaultSharedBytes)
      continue;
    code = driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                     static_cast<int>(sharedBytes[i]));
    if (code != CUDA_SUCCESS)
      return driver.failure(code, "cuFuncSetAttribute(\"" + name +
                                      "\", MAX_DYNAMIC_SHARED_SIZE_BYTES, " +
                                      std::to_string(sharedBytes[i]) + ")");
  }
  return Status::success();
}

// cuLaunchKernel reads as many arguments as the kernel has parameters, however many it is given.
Status Module::compareParameters(const artifact::Variant &variant) const {
  const Driver &driver = device->driver();
  if (!driver.cuFuncGetParamInfo)
    return Status::success();
  std::vector<std::vector<size_t>> parameters(functions.size());
  for (size_t i = 0; i < functions.size(); ++i) {
    size_t offset = 0, size = 0;
    while (driver.cuFuncGetParamInfo(functions[i], parameters[i].size(), &offset, &size) ==
           CUDA_SUCCESS)
      parameters[i].push_back(size);
  }
  for (size_t i = 0; i < variant.steps.size(); ++i) {
    const auto *launch = std::get_if<artifact::Launch>(&variant.steps[i]);
    if (!launch)
      continue;
    std::vector<size_t> given;
    for (const artifact::Arg &arg : launch->args)
      given.push_back(arg.kind == artifact::ArgKind::kInt32 ? 4 : 8);
    if (given != parameters[launch->kernel])
      return corrupt("step " + std::to_string(i) + " launches \"" +
                     variant.kernels[launch->kernel].name +
                     "\" with arguments that are not the kernel's parameters (" +
                     std::to_string(given.size()) + " given, " +
                     std::to_string(parameters[launch->kernel].size()) + " expected)");
  }
  return Status::success();
}

Module::~Module() {
  if (module && device->makeCurrent().ok())
    device->driver().cuModuleUnload(module);
}

Module::Module(Module &&other) noexcept { *this = std::move(other); }

Module &Module::operator=(Module &&other) noexcept {
  std::swap(device, other.device);
  std::swap(module, other.module);
  std::swap(functions, other.functions);
  std::swap(text, other.text);
  return *this;
}

} // namespace heddle::runtime
