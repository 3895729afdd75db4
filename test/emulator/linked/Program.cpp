// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that knows nothing of Heddle and was linked with -lcuda. With lib/emu in
// LD_LIBRARY_PATH it runs on the emulated device.
#include <cstdio>
#include <cstring>
#include <cuda.h>

static const char *const kText = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry squares(.param .u64 to)
{
  .reg .b32 %r<4>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [to];
  mov.u32 %r1, %tid.x;
  mul.lo.s32 %r2, %r1, %r1;
  mul.wide.u32 %d2, %r1, 4;
  add.s64 %d3, %d1, %d2;
  st.global.b32 [%d3], %r2;
  ret;
}
)";

#define TRY(call)                                                                                  \
  if (CUresult code = call; code != CUDA_SUCCESS) {                                                \
    std::printf("%s: %d\n", #call, static_cast<int>(code));                                        \
    return 1;                                                                                      \
  }

int main() {
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr memory;
  char name[100];
  TRY(cuInit(0));
  TRY(cuDeviceGetName(name, sizeof name, 0));
  TRY(cuDevicePrimaryCtxRetain(&context, 0));
  TRY(cuCtxSetCurrent(context));
  TRY(cuModuleLoadData(&module, kText));
  TRY(cuModuleGetFunction(&function, module, "squares"));
  TRY(cuMemAlloc(&memory, 256));
  void *params[] = {&memory};
  TRY(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, params, nullptr));
  TRY(cuCtxSynchronize());
  int squares[64];
  TRY(cuMemcpyDtoH(squares, memory, sizeof squares));
  TRY(cuMemFree(memory));
  for (int i = 0; i < 64; ++i)
    if (squares[i] != i * i)
      return 1;
  std::printf("64 squares on %s\n", name);
  return std::strstr(name, "emulated") ? 0 : 1;
}
