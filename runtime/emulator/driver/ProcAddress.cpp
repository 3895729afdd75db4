// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuGetProcAddress: functions by name and version; and what the functions that are not there do.
#include "runtime/emulator/driver/Driver.h"
#include "runtime/emulator/driver/Names.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace heddle::emulator {

namespace {

/// Names that mean functions of other parameters for programs of older toolkits. All others mean
/// the newest version to everybody: the versions before it are of 32-bit addresses.
struct Version {
  const char *name;
  int since;
  const char *symbol;
};
constexpr Version kVersions[] = {
    {"cuCtxCreate", 2000, "cuCtxCreate_v2"},
    {"cuCtxCreate", 11040, "cuCtxCreate_v3"},
    {"cuCtxCreate", 12050, "cuCtxCreate_v4"},
    {"cuGetProcAddress", 11030, "cuGetProcAddress"},
    {"cuGetProcAddress", 12000, "cuGetProcAddress_v2"},
    {"cuGraphAddDependencies", 10000, "cuGraphAddDependencies"},
    {"cuGraphAddDependencies", 12030, "cuGraphAddDependencies_v2"},
    {"cuGraphAddKernelNode", 10000, "cuGraphAddKernelNode"},
    {"cuGraphAddKernelNode", 12000, "cuGraphAddKernelNode_v2"},
    {"cuGraphAddNode", 12020, "cuGraphAddNode"},
    {"cuGraphAddNode", 12030, "cuGraphAddNode_v2"},
    {"cuGraphExecKernelNodeSetParams", 10010, "cuGraphExecKernelNodeSetParams"},
    {"cuGraphExecKernelNodeSetParams", 12000, "cuGraphExecKernelNodeSetParams_v2"},
    {"cuGraphExecUpdate", 10020, "cuGraphExecUpdate"},
    {"cuGraphExecUpdate", 12000, "cuGraphExecUpdate_v2"},
    {"cuGraphGetEdges", 10000, "cuGraphGetEdges"},
    {"cuGraphGetEdges", 12030, "cuGraphGetEdges_v2"},
    {"cuGraphInstantiate", 10000, "cuGraphInstantiate"},
    {"cuGraphInstantiate", 11000, "cuGraphInstantiate_v2"},
    {"cuGraphInstantiate", 12000, "cuGraphInstantiateWithFlags"},
    {"cuGraphKernelNodeGetParams", 10000, "cuGraphKernelNodeGetParams"},
    {"cuGraphKernelNodeGetParams", 12000, "cuGraphKernelNodeGetParams_v2"},
    {"cuGraphKernelNodeSetParams", 10000, "cuGraphKernelNodeSetParams"},
    {"cuGraphKernelNodeSetParams", 12000, "cuGraphKernelNodeSetParams_v2"},
    {"cuGraphNodeGetDependencies", 10000, "cuGraphNodeGetDependencies"},
    {"cuGraphNodeGetDependencies", 12030, "cuGraphNodeGetDependencies_v2"},
    {"cuGraphNodeGetDependentNodes", 10000, "cuGraphNodeGetDependentNodes"},
    {"cuGraphNodeGetDependentNodes", 12030, "cuGraphNodeGetDependentNodes_v2"},
    {"cuGraphRemoveDependencies", 10000, "cuGraphRemoveDependencies"},
    {"cuGraphRemoveDependencies", 12030, "cuGraphRemoveDependencies_v2"},
    {"cuMemAdvise", 8000, "cuMemAdvise"},
    {"cuMemAdvise", 12020, "cuMemAdvise_v2"},
    {"cuMemPrefetchAsync", 8000, "cuMemPrefetchAsync"},
    {"cuMemPrefetchAsync", 12020, "cuMemPrefetchAsync_v2"},
    {"cuMemcpyBatchAsync", 12080, "cuMemcpyBatchAsync"},
    {"cuMemcpyBatchAsync", 13000, "cuMemcpyBatchAsync_v2"},
    {"cuStreamBeginCapture", 10000, "cuStreamBeginCapture"},
    {"cuStreamBeginCapture", 10010, "cuStreamBeginCapture_v2"},
    {"cuStreamGetCaptureInfo", 10010, "cuStreamGetCaptureInfo"},
    {"cuStreamGetCaptureInfo", 11030, "cuStreamGetCaptureInfo_v2"},
    {"cuStreamGetCaptureInfo", 12030, "cuStreamGetCaptureInfo_v3"},
    {"cuStreamUpdateCaptureDependencies", 11030, "cuStreamUpdateCaptureDependencies"},
    {"cuStreamUpdateCaptureDependencies", 12030, "cuStreamUpdateCaptureDependencies_v2"},
};

void (*findName(const std::string &name))() {
  std::span<const DriverName> names = driverNames();
  for (const DriverName &row : names)
    if (name == row.name)
      return row.function;
  return nullptr;
}

} // namespace

/// Null and the status say why there is none.
static void *findFunction(const char *name, int version, CUdriverProcAddressQueryResult &status) {
  status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  std::string symbol = name;
  bool hasVersions = false, isOldEnough = false;
  for (const Version &row : kVersions) {
    if (std::strcmp(row.name, name) != 0)
      continue;
    hasVersions = true;
    if (row.since <= version) {
      isOldEnough = true;
      symbol = row.symbol;
    }
  }
  void (*function)() = findName(symbol);
  if (function && hasVersions && !isOldEnough) {
    status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    return nullptr;
  }
  if (function)
    status = CU_GET_PROC_ADDRESS_SUCCESS;
  return reinterpret_cast<void *>(function);
}

} // namespace heddle::emulator

using namespace heddle::emulator;

HEDDLE_EMU_API CUresult cuGetProcAddress(const char *name, void **function, int version,
                                         cuuint64_t flags, CUdriverProcAddressQueryResult *status) {
  constexpr cuuint64_t known =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (!name || !function || flags & ~known)
    return CUDA_ERROR_INVALID_VALUE;
  if (version > kDriverVersion)
    return CUDA_ERROR_INVALID_VALUE;
  CUdriverProcAddressQueryResult found;
  *function = findFunction(name, version, found);
  if (status)
    *status = found;
  return CUDA_SUCCESS;
}

/// Where the functions end that cuda.h declares and the emulated device has not.
extern "C" __attribute__((visibility("hidden"), used)) CUresult
heddleEmuNotSupported(const char *name) {
  static const char *log = std::getenv("HEDDLE_EMU_LOG");
  if (log && *log && std::strcmp(log, "0") != 0)
    std::fprintf(stderr, "heddle-emu: %s is not supported by the emulated device\n", name);
  Driver::get().setReport(std::string(name) + " is not supported by the emulated device");
  return CUDA_ERROR_NOT_SUPPORTED;
}
