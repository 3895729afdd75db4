// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuLibrary* and cuKernel*: code without a context. A library is compiled when it is loaded, in the
// current context if there is one, and again in each context that uses it.
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/code/Modules.h"

namespace heddle::emulator {

LibraryKernel *findLibraryKernel(CUkernel handle) {
  for (Library *library : Handles<Library>::get().all())
    for (const auto &[name, kernel] : library->kernels)
      if (kernel.get() == reinterpret_cast<LibraryKernel *>(handle))
        return kernel.get();
  return nullptr;
}

namespace {

Library *libraryOf(CUlibrary handle) { return Handles<Library>::get().find(handle); }

/// The library's module in the current context; null: `code` says why.
LoadedModule *loadedIn(const Call &call, Library &library, CUresult &code) {
  if (!call.context) {
    code = call.refuse(CUDA_ERROR_INVALID_CONTEXT, "the thread has no current context");
    return nullptr;
  }
  std::string error;
  LoadedModule *module = moduleOf(*call.context, library, code, error);
  if (!module)
    call.refuse(code, error);
  return module;
}

CUresult load(const Call &call, CUlibrary *handle, const void *image, size_t bytes,
              CUjit_option *options, void **values, unsigned count) {
  auto library = std::make_unique<Library>();
  std::string error;
  CUresult code = CUDA_ERROR_NO_BINARY_FOR_GPU;
  // Without a context the primary one of device 0 is where the text is tried.
  bool hasRetained = !call.context;
  EmulatedDevice &first = *Driver::get().device(0);
  Context *context = call.context ? call.context : retainPrimary(first);
  LoadedModule *module = nullptr;
  if (textOf(image, *context->device.gpu, library->text, error, bytes))
    module = moduleOf(*context, *library, code, error);
  if (module) {
    library->order = module->order;
    for (const std::string &name : module->order) {
      auto kernel = std::make_unique<LibraryKernel>();
      kernel->library = library.get();
      kernel->name = name;
      library->kernels[name] = std::move(kernel);
    }
    *handle = reinterpret_cast<CUlibrary>(Handles<Library>::get().add(std::move(library)));
  }
  if (hasRetained)
    cuDevicePrimaryCtxRelease(first.ordinal);
  if (module)
    return CUDA_SUCCESS;
  writeLog(error, count, options, values);
  return call.refuse(code, error);
}

} // namespace

} // namespace heddle::emulator

using namespace heddle::emulator;

HEDDLE_EMU_API CUresult cuLibraryLoadData(CUlibrary *library, const void *code,
                                          CUjit_option *options, void **values, unsigned count,
                                          CUlibraryOption *, void **, unsigned) {
  Call call("cuLibraryLoadData", Call::kDriver);
  if (!call)
    return call.code;
  if (!library || !code || (count && (!options || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  return load(call, library, code, SIZE_MAX, options, values, count);
}

HEDDLE_EMU_API CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path,
                                              CUjit_option *options, void **values, unsigned count,
                                              CUlibraryOption *, void **, unsigned) {
  Call call("cuLibraryLoadFromFile", Call::kDriver);
  if (!call)
    return call.code;
  if (!library || !path || (count && (!options || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  std::string bytes;
  if (!readImage(path, bytes))
    return call.refuse(CUDA_ERROR_FILE_NOT_FOUND, "cannot read \"" + std::string(path) + "\"");
  return load(call, library, bytes.data(), bytes.size(), options, values, count);
}

HEDDLE_EMU_API CUresult cuLibraryUnload(CUlibrary handle) {
  Call call("cuLibraryUnload", Call::kDriver);
  if (!call)
    return call.code;
  std::unique_ptr<Library> library = Handles<Library>::get().take(handle);
  if (!library)
    return CUDA_ERROR_INVALID_HANDLE;
  std::map<Context *, LoadedModule *> modules = library->modules;
  for (const auto &[context, module] : modules)
    unloadModule(module);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary handle, const char *name) {
  Call call("cuLibraryGetKernel", Call::kDriver);
  if (!call)
    return call.code;
  Library *library = libraryOf(handle);
  if (!library)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!kernel || !name)
    return CUDA_ERROR_INVALID_VALUE;
  auto found = library->kernels.find(name);
  if (found == library->kernels.end())
    return call.refuse(CUDA_ERROR_NOT_FOUND,
                       "the library has no kernel \"" + std::string(name) + "\"");
  *kernel = reinterpret_cast<CUkernel>(found->second.get());
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary handle) {
  Call call("cuLibraryGetKernelCount", Call::kDriver);
  if (!call)
    return call.code;
  Library *library = libraryOf(handle);
  if (!library)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = static_cast<unsigned>(library->order.size());
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count,
                                                  CUlibrary handle) {
  Call call("cuLibraryEnumerateKernels", Call::kDriver);
  if (!call)
    return call.code;
  Library *library = libraryOf(handle);
  if (!library)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!kernels)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count && i < library->order.size(); ++i)
    kernels[i] = reinterpret_cast<CUkernel>(library->kernels.at(library->order[i]).get());
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuLibraryGetModule(CUmodule *module, CUlibrary handle) {
  Call call("cuLibraryGetModule");
  if (!call)
    return call.code;
  Library *library = libraryOf(handle);
  if (!library)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!module)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult code;
  *module = reinterpret_cast<CUmodule>(loadedIn(call, *library, code));
  return code;
}

HEDDLE_EMU_API CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary handle,
                                           const char *name) {
  CUmodule module;
  if (CUresult code = cuLibraryGetModule(&module, handle); code != CUDA_SUCCESS)
    return code;
  return cuModuleGetGlobal(address, bytes, module, name);
}

HEDDLE_EMU_API CUresult cuLibraryGetManaged(CUdeviceptr *, size_t *, CUlibrary, const char *) {
  Call call("cuLibraryGetManaged", Call::kDriver);
  return call ? call.refuse(CUDA_ERROR_NOT_FOUND, "the emulated device has no managed memory")
              : call.code;
}

HEDDLE_EMU_API CUresult cuKernelGetFunction(CUfunction *function, CUkernel handle) {
  Call call("cuKernelGetFunction");
  if (!call)
    return call.code;
  LibraryKernel *kernel = findLibraryKernel(handle);
  if (!kernel)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!function)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult code;
  LoadedModule *module = loadedIn(call, *kernel->library, code);
  if (module)
    *function = reinterpret_cast<CUfunction>(module->functions.at(kernel->name).get());
  return code;
}

HEDDLE_EMU_API CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel handle) {
  Call call("cuKernelGetLibrary", Call::kDriver);
  if (!call)
    return call.code;
  LibraryKernel *kernel = findLibraryKernel(handle);
  if (!kernel)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!library)
    return CUDA_ERROR_INVALID_VALUE;
  *library = reinterpret_cast<CUlibrary>(kernel->library);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuKernelGetName(const char **name, CUkernel handle) {
  Call call("cuKernelGetName", Call::kDriver);
  if (!call)
    return call.code;
  LibraryKernel *kernel = findLibraryKernel(handle);
  if (!kernel)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  *name = kernel->name.c_str();
  return CUDA_SUCCESS;
}

/// Does something with the kernel's function in the device's primary context, or the current one if
/// that is on the device.
template <typename F>
static CUresult onDevice(const Call &call, CUkernel handle, CUdevice ordinal, F what) {
  if (!call)
    return call.code;
  LibraryKernel *kernel = findLibraryKernel(handle);
  if (!kernel)
    return CUDA_ERROR_INVALID_HANDLE;
  EmulatedDevice *device = Driver::get().device(ordinal);
  if (!device)
    return CUDA_ERROR_INVALID_DEVICE;
  bool isHere = call.context && &call.context->device == device;
  Context *context = isHere ? call.context : retainPrimary(*device);
  CUresult code;
  std::string error;
  LoadedModule *module = moduleOf(*context, *kernel->library, code, error);
  code = module ? what(*kernel, *module->functions.at(kernel->name)) : call.refuse(code, error);
  if (!isHere)
    cuDevicePrimaryCtxRelease(ordinal);
  return code;
}

HEDDLE_EMU_API CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute,
                                             CUkernel kernel, CUdevice device) {
  Call call("cuKernelGetAttribute", Call::kDriver);
  return onDevice(call, kernel, device, [&](LibraryKernel &, Function &function) {
    return getAttribute(call, function, attribute, value);
  });
}

HEDDLE_EMU_API CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value,
                                             CUkernel kernel, CUdevice device) {
  Call call("cuKernelSetAttribute", Call::kDriver);
  return onDevice(call, kernel, device, [&](LibraryKernel &row, Function &function) {
    CUresult code = setAttribute(call, function, attribute, value);
    if (code == CUDA_SUCCESS)
      row.attributes[device][attribute] = value;
    return code;
  });
}

HEDDLE_EMU_API CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache, CUdevice device) {
  Call call("cuKernelSetCacheConfig", Call::kDriver);
  return onDevice(call, kernel, device, [](LibraryKernel &, Function &) { return CUDA_SUCCESS; });
}

HEDDLE_EMU_API CUresult cuKernelGetParamInfo(CUkernel handle, size_t index, size_t *offset,
                                             size_t *bytes) {
  CUfunction function;
  if (CUresult code = cuKernelGetFunction(&function, handle); code != CUDA_SUCCESS)
    return code;
  return cuFuncGetParamInfo(function, index, offset, bytes);
}
