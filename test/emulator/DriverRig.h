// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of the driver share. Their process has two devices, h100 each, and marks memory
// that nobody wrote.
#ifndef HEDDLE_TEST_EMULATOR_DRIVERRIG_H
#define HEDDLE_TEST_EMULATOR_DRIVERRIG_H

#include "test/emulator/EmulatedDevice.h"
#include <gtest/gtest.h>

namespace heddle::emulator::test {

inline std::string report() { return heddle_emu_last_report(); }

/// Makes the primary context of a device current.
inline CUcontext useDevice(int ordinal) {
  cuInit(0);
  CUcontext context = nullptr;
  cuDevicePrimaryCtxRetain(&context, ordinal);
  cuCtxSetCurrent(context);
  return context;
}

/// "k(a, value)": a[thread] += value.
inline std::string adder() {
  return kernelText(".param .u64 a, .param .u32 value",
                    "ld.param.b64 %d1, [a];\nld.param.b32 %r1, [value];\nmov.u32 %r2, %tid.x;\n"
                    "mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\n"
                    "ld.global.b32 %r3, [%d3];\nadd.s32 %r4, %r3, %r1;\n"
                    "st.global.b32 [%d3], %r4;\n");
}

/// A module's kernel "k".
struct Loaded {
  explicit Loaded(const std::string &text) {
    code = cuModuleLoadData(&module, text.c_str());
    if (code == CUDA_SUCCESS)
      cuModuleGetFunction(&function, module, "k");
  }
  Loaded(const Loaded &) = delete;
  Loaded &operator=(const Loaded &) = delete;
  ~Loaded() {
    if (module)
      cuModuleUnload(module);
  }
  CUresult code;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
};

} // namespace heddle::emulator::test

#endif // HEDDLE_TEST_EMULATOR_DRIVERRIG_H
