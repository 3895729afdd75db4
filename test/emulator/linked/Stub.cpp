// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for the libcuda.so that a program is linked with where it is built: only names. A program
// that runs with this one gets errors from it.
#define STUB(name)                                                                                 \
  extern "C" int name() { return 999; }
STUB(cuInit)
STUB(cuDeviceGetName)
STUB(cuDevicePrimaryCtxRetain)
STUB(cuCtxSetCurrent)
STUB(cuModuleLoadData)
STUB(cuModuleGetFunction)
STUB(cuMemAlloc_v2)
STUB(cuMemcpyDtoH_v2)
STUB(cuMemFree_v2)
STUB(cuLaunchKernel)
STUB(cuCtxSynchronize)
