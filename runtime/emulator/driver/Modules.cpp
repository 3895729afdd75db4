// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules from PTX text, their functions and variables, and launches.
#include "runtime/emulator/driver/State.h"
#include "runtime/emulator/exec/Cluster.h"
#include "runtime/emulator/exec/Launch.h"
#include "runtime/emulator/lower/Lower.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include "runtime/emulator/ptx/Parser.h"
#include "runtime/emulator/ptx/Verify.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace heddle::emulator {

Kernel *kernelOf(CUfunction function) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  auto found = driver.functions.find(function);
  return found == driver.functions.end() ? nullptr : reinterpret_cast<Kernel *>(function);
}

namespace {

/// Memory and contents of .global and .const variables.
bool placeGlobals(const ptx::Module &text, LoadedModule &module, GlobalAddresses &addresses,
                  std::string &error) {
  auto isGlobal = [](const ptx::Variable &v) {
    return v.space == ptx::Space::kGlobal || v.space == ptx::Space::kConst;
  };
  for (const ptx::Variable &variable : text.variables) {
    if (!isGlobal(variable) || addresses.count(variable.name))
      continue;
    if (variable.isExternal || variable.bytes == 0) {
      error = "line " + std::to_string(variable.line) + ": variable \"" + variable.name +
              "\" is not defined in this module";
      return false;
    }
    uint64_t address = DeviceMemory::get().allocate(variable.bytes, variable.name);
    if (address == 0) {
      error = "out of memory for variable \"" + variable.name + "\"";
      return false;
    }
    addresses[variable.name] = address;
    module.globals[variable.name] = {address, variable.bytes};
    auto *to = reinterpret_cast<uint8_t *>(address);
    std::memset(to, 0, variable.bytes);
    if (!variable.init.empty())
      std::memcpy(to, variable.init.data(),
                  std::min<uint64_t>(variable.init.size(), variable.bytes));
  }
  for (const ptx::Variable &variable : text.variables) {
    for (const ptx::Variable::Reference &reference : variable.references) {
      auto target = addresses.find(reference.symbol);
      if (!isGlobal(variable) || target == addresses.end() ||
          reference.offset + reference.bytes > variable.bytes) {
        error = "line " + std::to_string(variable.line) + ": \"" + reference.symbol +
                "\" cannot be used as an initialiser";
        return false;
      }
      uint64_t value = target->second + static_cast<uint64_t>(reference.addend);
      value = (value & reference.mask) >> std::countr_zero(reference.mask | 1ull << 63);
      std::memcpy(reinterpret_cast<uint8_t *>(addresses[variable.name]) + reference.offset, &value,
                  std::min(reference.bytes, 8u));
    }
  }
  return true;
}

void releaseGlobals(LoadedModule &module) {
  for (const auto &[name, global] : module.globals)
    DeviceMemory::get().free(global.address);
}

/// "sm_90a" runs on that GPU only, "sm_80" on it and on later ones.
bool runsHere(const std::string &target, const Gpu &gpu, std::string &error) {
  int number = 0;
  char suffix = '\0';
  if (std::sscanf(target.c_str(), "sm_%d%c", &number, &suffix) < 1) {
    error = ".target \"" + target + "\" is not known; expected sm_NN";
    return false;
  }
  int here = gpu.major * 10 + gpu.minor;
  bool fits = suffix == 'a'   ? number == here
              : suffix == 'f' ? number <= here && number / 10 == here / 10
                              : number <= here;
  if (!fits)
    error = ".target " + target + " does not run on the emulated " + std::string(gpu.display) +
            " (sm_" + std::to_string(here) + "); choose another GPU with HEDDLE_EMU_GPU";
  return fits;
}

CUresult loadModule(LoadedModule &module, const char *text, std::string &error) {
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(text);
  if (bytes[0] == 0x7f || bytes[0] == 0x50) {
    error = "the emulated device executes PTX text, but this is a cubin or a fatbin";
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  ptx::Module parsed;
  if (!ptx::parse(text, parsed, error))
    return CUDA_ERROR_INVALID_PTX;
  if (parsed.target.empty() && parsed.functions.empty()) {
    error = "the text has no .target";
    return CUDA_ERROR_INVALID_PTX;
  }
  if (!runsHere(parsed.target, *Driver::get().gpu, error))
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (!ptx::verify(parsed, error))
    return CUDA_ERROR_INVALID_PTX;
  GlobalAddresses addresses;
  if (!placeGlobals(parsed, module, addresses, error))
    return CUDA_ERROR_INVALID_PTX;
  for (const auto &function : parsed.functions) {
    if (!function->isEntry || !function->hasBody)
      continue;
    auto kernel = std::make_unique<Kernel>();
    if (!lowerKernel(parsed, *function, addresses, *kernel, error))
      return CUDA_ERROR_INVALID_PTX;
    module.kernels[function->name] = std::move(kernel);
  }
  return CUDA_SUCCESS;
}

void writeLog(const std::string &log, unsigned count, CUjit_option *options, void **values) {
  char *buffer = nullptr;
  size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      buffer = static_cast<char *>(values[i]);
    else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      bytes = reinterpret_cast<size_t>(values[i]);
  }
  if (!buffer || bytes == 0)
    return;
  size_t length = std::min(log.size(), bytes - 1);
  std::memcpy(buffer, log.data(), length);
  buffer[length] = '\0';
}

CUresult codeOf(Fault fault) {
  switch (fault) {
  case Fault::kAddress:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case Fault::kAlignment:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case Fault::kTrap:
    return CUDA_ERROR_ASSERT;
  case Fault::kTimeout:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  case Fault::kDivergence:
  case Fault::kInvalid:
    return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  default:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
}

/// Empty: the launch may start.
std::string whyNot(const Kernel &kernel, const LaunchState &launch, uint32_t dynamicBytes) {
  uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (launch.grid[i] == 0 || launch.threads[i] == 0)
      return "a dimension of the grid or the block is 0";
    threads *= launch.threads[i];
    if (kernel.requiredThreads[i] && kernel.requiredThreads[i] != launch.threads[i])
      return "the kernel's .reqntid asks for another block size";
  }
  if (launch.threads[0] > 1024 || launch.threads[1] > 1024 || launch.threads[2] > 64 ||
      threads > 1024)
    return "a block of more than 1024 threads (x, y <= 1024, z <= 64)";
  if (kernel.maxThreads && threads > kernel.maxThreads)
    return "a block of " + std::to_string(threads) + " threads, the kernel allows " +
           std::to_string(kernel.maxThreads);
  if (launch.grid[0] > 2147483647u || launch.grid[1] > 65535 || launch.grid[2] > 65535)
    return "a grid that is too large (x < 2^31, y, z < 2^16)";
  uint64_t blocks = 1;
  for (int i = 0; i < 3; ++i) {
    if (kernel.cluster[i] && launch.cluster[i] != kernel.cluster[i])
      return "clusters of another size than the kernel's .reqnctapercluster";
    if (launch.cluster[i] == 0 || launch.grid[i] % launch.cluster[i] != 0)
      return "a grid that is no multiple of the cluster";
    blocks *= launch.cluster[i];
  }
  if (blocks > 1 && Driver::get().gpu->major < 9)
    return "clusters, which need compute capability 9.0; choose another GPU with HEDDLE_EMU_GPU";
  if (blocks > kMaxClusterBlocks)
    return "a cluster of " + std::to_string(blocks) + " blocks, at most 16 are allowed";
  const Target &target = *Driver::get().target;
  uint64_t shared = uint64_t(kernel.sharedBytes) + dynamicBytes;
  if (dynamicBytes > kernel.maxDynamicShared)
    return std::to_string(dynamicBytes) + " bytes of dynamic shared memory, the function allows " +
           std::to_string(kernel.maxDynamicShared) +
           "; raise CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES";
  if (shared > static_cast<uint64_t>(target.sharedPerBlockBytes))
    return std::to_string(shared) + " bytes of shared memory, a block has " +
           std::to_string(target.sharedPerBlockBytes);
  return "";
}

CUresult launchKernel(Kernel &kernel, LaunchState &launch, uint32_t dynamicBytes, void **params,
                      void **extra) {
  Driver &driver = Driver::get();
  if (std::string why = whyNot(kernel, launch, dynamicBytes); !why.empty()) {
    std::lock_guard lock(driver.mutex);
    bool isSize = why.find("shared memory") != std::string::npos;
    return driver.refuse(isSize ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES : CUDA_ERROR_INVALID_VALUE,
                         "kernel \"" + kernel.name + "\": launch with " + why);
  }
  std::vector<uint8_t> bytes(kernel.paramBytes + 16);
  if (params) {
    for (size_t i = 0; i < kernel.params.size(); ++i) {
      if (!params[i])
        return CUDA_ERROR_INVALID_VALUE;
      std::memcpy(bytes.data() + kernel.params[i].offset, params[i], kernel.params[i].bytes);
    }
  } else if (extra) {
    const void *buffer = nullptr;
    size_t size = 0;
    for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
      if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
        buffer = extra[i + 1];
      else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
        size = *static_cast<size_t *>(extra[i + 1]);
      else
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!buffer || size < kernel.paramBytes)
      return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(bytes.data(), buffer, kernel.paramBytes);
  } else if (!kernel.params.empty()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  launch.kernel = &kernel;
  launch.params = bytes.data();
  launch.sharedBytes = kernel.sharedBytes + dynamicBytes;
  if (runLaunch(launch))
    return CUDA_SUCCESS;
  std::lock_guard lock(driver.mutex);
  driver.sticky = codeOf(launch.finding.fault);
  return driver.refuse(driver.sticky, launch.finding.text);
}

} // namespace

} // namespace heddle::emulator

using namespace heddle::emulator;

HEDDLE_EMU_API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                                           CUjit_option *options, void **values) {
  Driver &driver = Driver::get();
  driver.forgetReport();
  if (CUresult code = driver.check(); code != CUDA_SUCCESS)
    return code;
  if (!module || !image || (count && (!options || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  auto loaded = std::make_unique<LoadedModule>();
  std::string error;
  CUresult code = loadModule(*loaded, static_cast<const char *>(image), error);
  if (code != CUDA_SUCCESS) {
    releaseGlobals(*loaded);
    writeLog(error, count, options, values);
    std::lock_guard lock(driver.mutex);
    return driver.refuse(code, error);
  }
  std::lock_guard lock(driver.mutex);
  for (const auto &[name, kernel] : loaded->kernels)
    driver.functions[kernel.get()] = loaded.get();
  *module = reinterpret_cast<CUmodule>(loaded.get());
  driver.modules.insert(loaded.release());
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

HEDDLE_EMU_API CUresult cuModuleUnload(CUmodule module) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  auto *loaded = reinterpret_cast<LoadedModule *>(module);
  if (driver.modules.erase(loaded) == 0)
    return CUDA_ERROR_INVALID_HANDLE;
  for (const auto &[name, kernel] : loaded->kernels)
    driver.functions.erase(kernel.get());
  releaseGlobals(*loaded);
  delete loaded;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                                            const char *name) {
  Driver &driver = Driver::get();
  driver.forgetReport();
  std::lock_guard lock(driver.mutex);
  auto *loaded = reinterpret_cast<LoadedModule *>(module);
  if (!function || !name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!driver.modules.count(loaded))
    return CUDA_ERROR_INVALID_HANDLE;
  auto found = loaded->kernels.find(name);
  if (found == loaded->kernels.end())
    return driver.refuse(CUDA_ERROR_NOT_FOUND,
                         "the module has no kernel \"" + std::string(name) + "\"");
  *function = reinterpret_cast<CUfunction>(found->second.get());
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module,
                                          const char *name) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  auto *loaded = reinterpret_cast<LoadedModule *>(module);
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!driver.modules.count(loaded))
    return CUDA_ERROR_INVALID_HANDLE;
  auto found = loaded->globals.find(name);
  if (found == loaded->globals.end())
    return CUDA_ERROR_NOT_FOUND;
  if (address)
    *address = found->second.address;
  if (bytes)
    *bytes = found->second.bytes;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                                           int value) {
  Kernel *kernel = kernelOf(function);
  if (!kernel)
    return CUDA_ERROR_INVALID_HANDLE;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    return attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
  int64_t limit = Driver::get().target->sharedPerBlockBytes - kernel->sharedBytes;
  if (value < 0 || value > limit)
    return CUDA_ERROR_INVALID_VALUE;
  kernel->maxDynamicShared = static_cast<uint32_t>(value);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                                           CUfunction function) {
  Kernel *kernel = kernelOf(function);
  if (!kernel)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = kernel->maxThreads ? static_cast<int>(kernel->maxThreads) : 1024;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = static_cast<int>(kernel->sharedBytes);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = static_cast<int>(kernel->localBytes);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = static_cast<int>(kernel->maxDynamicShared);
    return CUDA_SUCCESS;
  default:
    *value = 0;
    return CUDA_SUCCESS;
  }
}

HEDDLE_EMU_API CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                                           size_t *bytes) {
  Kernel *kernel = kernelOf(function);
  if (!kernel)
    return CUDA_ERROR_INVALID_HANDLE;
  if (index >= kernel->params.size() || !offset)
    return CUDA_ERROR_INVALID_VALUE;
  *offset = kernel->params[index].offset;
  if (bytes)
    *bytes = kernel->params[index].bytes;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                                       unsigned gridZ, unsigned blockX, unsigned blockY,
                                       unsigned blockZ, unsigned sharedBytes, CUstream,
                                       void **params, void **extra) {
  Driver::get().forgetReport();
  if (CUresult code = Driver::get().check(); code != CUDA_SUCCESS)
    return code;
  Kernel *kernel = kernelOf(function);
  if (!kernel)
    return CUDA_ERROR_INVALID_HANDLE;
  LaunchState launch;
  const uint32_t grid[] = {gridX, gridY, gridZ}, threads[] = {blockX, blockY, blockZ};
  std::copy(grid, grid + 3, launch.grid);
  std::copy(threads, threads + 3, launch.threads);
  for (int i = 0; i < 3; ++i)
    launch.cluster[i] = kernel->cluster[i] ? kernel->cluster[i] : 1;
  return launchKernel(*kernel, launch, sharedBytes, params, extra);
}

HEDDLE_EMU_API CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                                         void **params, void **extra) {
  Driver::get().forgetReport();
  if (CUresult code = Driver::get().check(); code != CUDA_SUCCESS)
    return code;
  Kernel *kernel = kernelOf(function);
  if (!kernel)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!config || (config->numAttrs && !config->attrs))
    return CUDA_ERROR_INVALID_VALUE;
  LaunchState launch;
  const uint32_t grid[] = {config->gridDimX, config->gridDimY, config->gridDimZ};
  const uint32_t threads[] = {config->blockDimX, config->blockDimY, config->blockDimZ};
  std::copy(grid, grid + 3, launch.grid);
  std::copy(threads, threads + 3, launch.threads);
  for (int i = 0; i < 3; ++i)
    launch.cluster[i] = kernel->cluster[i] ? kernel->cluster[i] : 1;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttributeValue &value = config->attrs[i].value;
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      launch.cluster[0] = value.clusterDim.x;
      launch.cluster[1] = value.clusterDim.y;
      launch.cluster[2] = value.clusterDim.z;
    } else if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
      launch.isCooperative = value.cooperative != 0;
    }
  }
  return launchKernel(*kernel, launch, config->sharedMemBytes, params, extra);
}
