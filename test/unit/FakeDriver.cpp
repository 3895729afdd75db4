// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA driver of one GPU whose device memory is host memory and which knows two kernels by name:
// `add` (c[i] = a[i] + b[i], n elements) and `fail`. It shows the runtime's own work: what it
// uploads, where it places buffers, which arguments it passes. It keeps a count of live
// allocations, so that tests see leaks.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <map>
#include <string>

static std::map<CUdeviceptr, size_t> &allocations() {
  static std::map<CUdeviceptr, size_t> table;
  return table;
}

struct Function {
  std::string name;
};

static bool isInside(CUdeviceptr address, size_t bytes) {
  auto next = allocations().upper_bound(address);
  if (next == allocations().begin())
    return false;
  auto [base, size] = *std::prev(next);
  return address - base <= size && bytes <= size - (address - base);
}

extern "C" {

int heddleFakeAllocationCount(void) { return static_cast<int>(allocations().size()); }
const char *heddle_emu_last_report(void) { return ""; }
const char *heddle_emu_counters_json(void) { return "{\"kernels\": [{\"name\": \"add\"}]}"; }

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int *version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult code, const char **text) {
  *text = code == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult code, const char **text) {
  *text = code == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "fake failure";
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *device, int) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int length, CUdevice) {
  std::strncpy(name, "Fake GPU", static_cast<size_t>(length));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 8 : 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice) {
  *bytes = size_t{1} << 30;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  *context = reinterpret_cast<CUcontext>(1);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned, CUjit_option *,
                            void **values) {
  if (std::strstr(static_cast<const char *>(image), "broken")) {
    std::strcpy(static_cast<char *>(values[0]), "line 1: the text is broken");
    return CUDA_ERROR_INVALID_PTX;
  }
  *module = reinterpret_cast<CUmodule>(1);
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction *function, CUmodule, const char *name) {
  static Function add{"add"}, fail{"fail"};
  for (Function *known : {&add, &fail})
    if (known->name == name) {
      *function = reinterpret_cast<CUfunction>(known);
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuFuncGetParamInfo(CUfunction, size_t index, size_t *offset, size_t *size) {
  if (index > 3)
    return CUDA_ERROR_INVALID_VALUE;
  *offset = 8 * index;
  *size = index < 3 ? 8 : 4;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (bytes > size_t{1} << 30)
    return CUDA_ERROR_OUT_OF_MEMORY;
  void *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(memory, 0xff, bytes); // NaN: nobody may rely on zeros
  *address = reinterpret_cast<CUdeviceptr>(memory);
  allocations()[*address] = bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
  if (allocations().erase(address) == 0)
    return CUDA_ERROR_INVALID_VALUE;
  std::free(reinterpret_cast<void *>(address));
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream) {
  if (!isInside(to, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream) {
  if (!isInside(from, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
  if (!isInside(to, bytes) || !isInside(from, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  std::memmove(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream *stream, unsigned) {
  *stream = reinterpret_cast<CUstream>(1);
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }

CUresult cuLaunchKernel(CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, unsigned, CUstream, void **parameters, void **) {
  if (reinterpret_cast<Function *>(function)->name == "fail")
    return CUDA_ERROR_LAUNCH_FAILED;
  CUdeviceptr addresses[3];
  for (int i = 0; i < 3; ++i)
    std::memcpy(&addresses[i], parameters[i], sizeof addresses[i]);
  int32_t count;
  std::memcpy(&count, parameters[3], sizeof count);
  for (CUdeviceptr address : addresses)
    if (!isInside(address, static_cast<size_t>(count) * sizeof(float)))
      return CUDA_ERROR_ILLEGAL_ADDRESS;
  const float *a = reinterpret_cast<float *>(addresses[0]);
  const float *b = reinterpret_cast<float *>(addresses[1]);
  float *c = reinterpret_cast<float *>(addresses[2]);
  for (int32_t i = 0; i < count; ++i)
    c[i] = a[i] + b[i];
  return CUDA_SUCCESS;
}

} // extern "C"
