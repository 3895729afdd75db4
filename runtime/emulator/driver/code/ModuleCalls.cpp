// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuModule*.
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/code/Modules.h"

using namespace heddle::emulator;

static LoadedModule *moduleOf(CUmodule handle) { return Handles<LoadedModule>::get().find(handle); }

static CUresult load(const Call &call, CUmodule *module, const void *image, size_t bytes,
                     unsigned count, CUjit_option *options, void **values) {
  std::string text, error;
  CUresult code = CUDA_ERROR_NO_BINARY_FOR_GPU;
  LoadedModule *loaded = textOf(image, *call.context->device.gpu, text, error, bytes)
                             ? loadText(*call.context, text, code, error)
                             : nullptr;
  if (loaded) {
    *module = reinterpret_cast<CUmodule>(loaded);
    return CUDA_SUCCESS;
  }
  writeLog(error, count, options, values);
  return call.refuse(code, error);
}

HEDDLE_EMU_API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                                           CUjit_option *options, void **values) {
  Call call("cuModuleLoadDataEx");
  if (!call)
    return call.code;
  if (!module || !image || (count && (!options || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  return load(call, module, image, SIZE_MAX, count, options, values);
}

HEDDLE_EMU_API CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

HEDDLE_EMU_API CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

HEDDLE_EMU_API CUresult cuModuleLoad(CUmodule *module, const char *path) {
  Call call("cuModuleLoad");
  if (!call)
    return call.code;
  if (!module || !path)
    return CUDA_ERROR_INVALID_VALUE;
  std::string bytes;
  if (!readImage(path, bytes))
    return call.refuse(CUDA_ERROR_FILE_NOT_FOUND, "cannot read \"" + std::string(path) + "\"");
  return load(call, module, bytes.data(), bytes.size(), 0, nullptr, nullptr);
}

HEDDLE_EMU_API CUresult cuModuleUnload(CUmodule module) {
  Call call("cuModuleUnload", Call::kDriver);
  if (!call)
    return call.code;
  LoadedModule *loaded = moduleOf(module);
  if (!loaded)
    return CUDA_ERROR_INVALID_HANDLE;
  if (loaded->library)
    return call.refuse(CUDA_ERROR_NOT_PERMITTED, "the module is a library's; cuLibraryUnload it");
  unloadModule(loaded);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  if (!mode)
    return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_EAGER_LOADING; // all is checked when it is loaded
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                                            const char *name) {
  Call call("cuModuleGetFunction", Call::kDriver);
  if (!call)
    return call.code;
  if (!function || !name)
    return CUDA_ERROR_INVALID_VALUE;
  LoadedModule *loaded = moduleOf(module);
  if (!loaded)
    return CUDA_ERROR_INVALID_HANDLE;
  auto found = loaded->functions.find(name);
  if (found == loaded->functions.end())
    return call.refuse(CUDA_ERROR_NOT_FOUND,
                       "the module has no kernel \"" + std::string(name) + "\"");
  *function = reinterpret_cast<CUfunction>(found->second.get());
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
  Call call("cuModuleGetFunctionCount", Call::kDriver);
  if (!call)
    return call.code;
  LoadedModule *loaded = moduleOf(module);
  if (!loaded)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = static_cast<unsigned>(loaded->order.size());
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count,
                                                   CUmodule module) {
  Call call("cuModuleEnumerateFunctions", Call::kDriver);
  if (!call)
    return call.code;
  LoadedModule *loaded = moduleOf(module);
  if (!loaded)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!functions)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count && i < loaded->order.size(); ++i)
    functions[i] = reinterpret_cast<CUfunction>(loaded->functions.at(loaded->order[i]).get());
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module,
                                          const char *name) {
  Call call("cuModuleGetGlobal", Call::kDriver);
  if (!call)
    return call.code;
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  LoadedModule *loaded = moduleOf(module);
  if (!loaded)
    return CUDA_ERROR_INVALID_HANDLE;
  auto found = loaded->globals.find(name);
  if (found == loaded->globals.end())
    return call.refuse(CUDA_ERROR_NOT_FOUND,
                       "the module has no variable \"" + std::string(name) + "\"");
  if (address)
    *address = found->second.address;
  if (bytes)
    *bytes = found->second.bytes;
  return CUDA_SUCCESS;
}
