// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs PTX text on the emulated device through the CUDA Driver API, as a program would.
#ifndef HEDDLE_TEST_EMULATOR_EMULATEDDEVICE_H
#define HEDDLE_TEST_EMULATOR_EMULATEDDEVICE_H

#include <cstdint>
#include <cstring>
#include <cuda.h>
#include <string>
#include <vector>

extern "C" const char *heddle_emu_last_report();
extern "C" const char *heddle_emu_counters_json();
extern "C" void heddle_emu_reset_counters();

namespace heddle::emulator::test {

inline void initialise() {
  cuInit(0);
  CUcontext context;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
}

/// Device memory with the host's view of it.
template <typename T> class Buffer {
public:
  explicit Buffer(std::vector<T> values) : host(std::move(values)) {
    initialise();
    cuMemAlloc(&device, host.size() * sizeof(T));
    cuMemcpyHtoD(device, host.data(), host.size() * sizeof(T));
  }
  explicit Buffer(size_t count) : Buffer(std::vector<T>(count)) {}
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() { cuMemFree(device); }
  const std::vector<T> &read() {
    cuMemcpyDtoH(host.data(), device, host.size() * sizeof(T));
    return host;
  }
  CUdeviceptr &address() { return device; }

private:
  CUdeviceptr device = 0;
  std::vector<T> host;
};

class Module {
public:
  explicit Module(const std::string &ptx) {
    initialise();
    char log[4096] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
    code = cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values);
    error = log;
  }
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;
  ~Module() {
    if (module)
      cuModuleUnload(module);
  }
  template <typename... Args>
  CUresult launch(const char *name, unsigned blocks, unsigned threads, unsigned shared,
                  Args &...args) {
    CUfunction function;
    if (CUresult result = cuModuleGetFunction(&function, module, name); result != CUDA_SUCCESS)
      return result;
    void *params[] = {&args..., nullptr};
    return cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared, nullptr, params, nullptr);
  }

  CUresult code = CUDA_SUCCESS;
  std::string error;

private:
  CUmodule module = nullptr;
};

/// A module with one kernel "k" around a body.
inline std::string kernelText(const std::string &params, const std::string &body,
                              const std::string &target = "sm_80") {
  return ".version 8.0\n.target " + target + "\n.address_size 64\n.visible .entry k(" + params +
         ")\n{\n.reg .pred %p<16>;\n.reg .b16 %h<32>;\n.reg .b32 %r<64>;\n.reg .b64 %d<64>;\n" +
         body + "\nret;\n}\n";
}

} // namespace heddle::emulator::test

#endif // HEDDLE_TEST_EMULATOR_EMULATEDDEVICE_H
