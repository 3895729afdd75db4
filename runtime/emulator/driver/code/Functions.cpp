// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuFunc*: what is known of a kernel, and what a program may set.
#include "runtime/emulator/driver/code/Modules.h"

namespace heddle::emulator {

/// Registers are ptxas' work and not known here; where the text bounds them that is said, else
/// this.
static constexpr int kUnknownRegisters = 32;

CUresult getAttribute(const Call &call, const Function &function, CUfunction_attribute attribute,
                      int *value) {
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  const Kernel &kernel = function.kernel;
  const Gpu &gpu = *function.module->context->device.gpu;
  auto cluster = [&](int i) {
    return static_cast<int>(kernel.cluster[i] ? kernel.cluster[i] : function.wantedCluster[i]);
  };
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = kernel.maxThreads ? static_cast<int>(kernel.maxThreads) : 1024;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = static_cast<int>(kernel.sharedBytes);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    *value = 0; // constants of the module are not counted as the function's
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = static_cast<int>(kernel.localBytes);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = function.maxRegisters ? static_cast<int>(function.maxRegisters) : kUnknownRegisters;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    *value = static_cast<int>(function.ptxVersion);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = gpu.major * 10 + gpu.minor;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    *value = 0;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = static_cast<int>(kernel.maxDynamicShared);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *value = function.carveout;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    *value = function.needsCluster;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    *value = cluster(attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    *value = function.allowsLargeClusters;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    *value = function.schedulingPolicy;
    return CUDA_SUCCESS;
  default:
    return call.refuse(CUDA_ERROR_INVALID_VALUE,
                       "attribute " + std::to_string(attribute) + " is not known");
  }
}

static CUresult setMaxDynamicShared(const Call &call, Function &function, int value) {
  int64_t limit = function.module->context->device.target->sharedPerBlockBytes -
                  int64_t(function.kernel.sharedBytes);
  if (value < 0 || value > limit)
    return call.refuse(CUDA_ERROR_INVALID_VALUE,
                       std::to_string(value) + " bytes of dynamic shared memory for kernel \"" +
                           function.kernel.name + "\", at most " + std::to_string(limit) +
                           " are left beside its static " +
                           std::to_string(function.kernel.sharedBytes));
  function.kernel.maxDynamicShared = static_cast<uint32_t>(value);
  return CUDA_SUCCESS;
}

CUresult setAttribute(const Call &call, Function &function, CUfunction_attribute attribute,
                      int value) {
  bool hasCluster = function.module->context->device.target->hasCluster;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    return setMaxDynamicShared(call, function, value);
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    if (value < -1 || value > 100)
      return call.refuse(CUDA_ERROR_INVALID_VALUE, "a carveout is -1 or a percentage");
    function.carveout = value;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: {
    int i = attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
    if (!hasCluster)
      return call.refuse(CUDA_ERROR_NOT_SUPPORTED, "the emulated GPU has no clusters");
    if (function.kernel.cluster[i])
      return call.refuse(CUDA_ERROR_INVALID_VALUE,
                         "the kernel's .reqnctapercluster says the size of its clusters");
    if (value < 0 || value > 16)
      return CUDA_ERROR_INVALID_VALUE;
    function.wantedCluster[i] = static_cast<uint32_t>(value);
    return CUDA_SUCCESS;
  }
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    if (!hasCluster)
      return call.refuse(CUDA_ERROR_NOT_SUPPORTED, "the emulated GPU has no clusters");
    function.allowsLargeClusters = value != 0;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    function.schedulingPolicy = value;
    return CUDA_SUCCESS;
  default:
    return call.refuse(CUDA_ERROR_INVALID_VALUE,
                       "attribute " + std::to_string(attribute) + " cannot be set");
  }
}

} // namespace heddle::emulator

using namespace heddle::emulator;

HEDDLE_EMU_API CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                                           CUfunction handle) {
  Call call("cuFuncGetAttribute", Call::kDriver);
  if (!call)
    return call.code;
  Function *function = functionOf(call.context, handle);
  return function ? getAttribute(call, *function, attribute, value) : CUDA_ERROR_INVALID_HANDLE;
}

HEDDLE_EMU_API CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute,
                                           int value) {
  Call call("cuFuncSetAttribute", Call::kDriver);
  if (!call)
    return call.code;
  Function *function = functionOf(call.context, handle);
  return function ? setAttribute(call, *function, attribute, value) : CUDA_ERROR_INVALID_HANDLE;
}

HEDDLE_EMU_API CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache) {
  Call call("cuFuncSetCacheConfig", Call::kDriver);
  if (!call)
    return call.code;
  return functionOf(call.context, handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

HEDDLE_EMU_API CUresult cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig) {
  Call call("cuFuncSetSharedMemConfig", Call::kDriver);
  if (!call)
    return call.code;
  return functionOf(call.context, handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

HEDDLE_EMU_API CUresult cuFuncGetModule(CUmodule *module, CUfunction handle) {
  Call call("cuFuncGetModule", Call::kDriver);
  if (!call)
    return call.code;
  Function *function = functionOf(call.context, handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!module)
    return CUDA_ERROR_INVALID_VALUE;
  *module = reinterpret_cast<CUmodule>(function->module);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuFuncGetName(const char **name, CUfunction handle) {
  Call call("cuFuncGetName", Call::kDriver);
  if (!call)
    return call.code;
  Function *function = functionOf(call.context, handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  *name = function->kernel.name.c_str();
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset,
                                           size_t *bytes) {
  Call call("cuFuncGetParamInfo", Call::kDriver);
  if (!call)
    return call.code;
  Function *function = functionOf(call.context, handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (index >= function->kernel.params.size() || !offset)
    return CUDA_ERROR_INVALID_VALUE;
  *offset = function->kernel.params[index].offset;
  if (bytes)
    *bytes = function->kernel.params[index].bytes;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction handle) {
  Call call("cuFuncIsLoaded", Call::kDriver);
  if (!call)
    return call.code;
  if (!functionOf(call.context, handle))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!state)
    return CUDA_ERROR_INVALID_VALUE;
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuFuncLoad(CUfunction handle) {
  Call call("cuFuncLoad", Call::kDriver);
  if (!call)
    return call.code;
  return functionOf(call.context, handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
