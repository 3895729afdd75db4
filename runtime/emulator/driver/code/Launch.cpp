// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches: shapes and parameters are checked, then the kernel runs or becomes a node of a graph.
#include "runtime/emulator/driver/code/Launch.h"
#include "runtime/emulator/count/Counters.h"
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/memory/Allocate.h"
#include "runtime/emulator/driver/stream/Stream.h"
#include "runtime/emulator/exec/Cluster.h"
#include "runtime/emulator/exec/Launch.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <algorithm>
#include <cstring>

namespace heddle::emulator {

namespace {

constexpr uint64_t kPortableCluster = 8;
constexpr int kLastAttribute = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;

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

std::string whyNotThreads(const Kernel &kernel, const KernelWork &work) {
  uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (work.grid[i] == 0 || work.threads[i] == 0)
      return "a dimension of the grid or the block is 0";
    threads *= work.threads[i];
    if (kernel.requiredThreads[i] && kernel.requiredThreads[i] != work.threads[i])
      return "the kernel's .reqntid asks for another block size";
  }
  if (work.threads[0] > 1024 || work.threads[1] > 1024 || work.threads[2] > 64 || threads > 1024)
    return "a block of more than 1024 threads (x, y <= 1024, z <= 64)";
  if (kernel.maxThreads && threads > kernel.maxThreads)
    return "a block of " + std::to_string(threads) + " threads, the kernel allows " +
           std::to_string(kernel.maxThreads);
  if (work.grid[0] > 2147483647u || work.grid[1] > 65535 || work.grid[2] > 65535)
    return "a grid that is too large (x < 2^31, y, z < 2^16)";
  return "";
}

std::string whyNotCluster(const Function &function, const KernelWork &work, const Target &target) {
  const Kernel &kernel = function.kernel;
  uint64_t blocks = 1;
  for (int i = 0; i < 3; ++i) {
    if (kernel.cluster[i] && work.cluster[i] != kernel.cluster[i])
      return "clusters of another size than the kernel's .reqnctapercluster";
    if (work.cluster[i] == 0 || work.grid[i] % work.cluster[i] != 0)
      return "a grid that is no multiple of the cluster";
    blocks *= work.cluster[i];
  }
  if (blocks > 1 && !target.hasCluster)
    return "clusters, which need compute capability 9.0; choose another GPU with HEDDLE_EMU_GPU";
  if (blocks > kMaxClusterBlocks)
    return "a cluster of " + std::to_string(blocks) + " blocks, at most 16 are allowed";
  if (kernel.maxClusterRank && blocks > kernel.maxClusterRank)
    return "a cluster of " + std::to_string(blocks) + " blocks, the kernel's .maxclusterrank is " +
           std::to_string(kernel.maxClusterRank);
  if (blocks > kPortableCluster && !function.allowsLargeClusters && !kernel.cluster[0])
    return "a cluster of " + std::to_string(blocks) +
           " blocks; more than 8 need CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED";
  return "";
}

std::string whyNotShared(const Kernel &kernel, const KernelWork &work, const Target &target) {
  uint64_t shared = uint64_t(kernel.sharedBytes) + work.dynamicBytes;
  if (work.dynamicBytes > kernel.maxDynamicShared)
    return std::to_string(work.dynamicBytes) +
           " bytes of dynamic shared memory, the function allows " +
           std::to_string(kernel.maxDynamicShared) +
           "; raise CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES";
  if (shared > static_cast<uint64_t>(target.sharedPerBlockBytes))
    return std::to_string(shared) + " bytes of shared memory, a block has " +
           std::to_string(target.sharedPerBlockBytes);
  return "";
}

CUresult check(const Call &call, const Function &function, const KernelWork &work) {
  const Target &target = *function.module->context->device.target;
  std::string prefix = "kernel \"" + function.kernel.name + "\": launch with ";
  if (std::string why = whyNotThreads(function.kernel, work); !why.empty())
    return call.refuse(CUDA_ERROR_INVALID_VALUE, prefix + why);
  if (std::string why = whyNotCluster(function, work, target); !why.empty())
    return call.refuse(target.hasCluster ? CUDA_ERROR_INVALID_CLUSTER_SIZE
                                         : CUDA_ERROR_INVALID_VALUE,
                       prefix + why);
  if (std::string why = whyNotShared(function.kernel, work, target); !why.empty())
    return call.refuse(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, prefix + why);
  if (!work.isCooperative)
    return CUDA_SUCCESS;
  uint64_t blocks = uint64_t(work.grid[0]) * work.grid[1] * work.grid[2];
  uint32_t threads = work.threads[0] * work.threads[1] * work.threads[2];
  uint64_t room = uint64_t(blocksPerSm(function, threads, work.dynamicBytes)) *
                  static_cast<uint64_t>(function.module->context->device.gpu->sms);
  return blocks <= room
             ? CUDA_SUCCESS
             : call.refuse(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                           prefix + std::to_string(blocks) + " cooperative blocks, of which " +
                               std::to_string(room) + " fit on the device together");
}

} // namespace

CUresult readParams(const Call &call, const Function &function, void **params, void **extra,
                    KernelWork &work) {
  const Kernel &kernel = function.kernel;
  work.params.assign(kernel.paramBytes + 16, 0);
  if (params) {
    for (size_t i = 0; i < kernel.params.size(); ++i) {
      if (!params[i])
        return call.refuse(CUDA_ERROR_INVALID_VALUE, "parameter " + std::to_string(i) +
                                                         " of kernel \"" + kernel.name +
                                                         "\" is a null pointer");
      std::memcpy(work.params.data() + kernel.params[i].offset, params[i], kernel.params[i].bytes);
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
        return call.refuse(CUDA_ERROR_INVALID_VALUE, "an unknown entry in `extra`");
    }
    if (!buffer || size < kernel.paramBytes)
      return call.refuse(CUDA_ERROR_INVALID_VALUE,
                         "the parameters of kernel \"" + kernel.name + "\" are " +
                             std::to_string(kernel.paramBytes) + " bytes, the buffer has " +
                             std::to_string(size));
    std::memcpy(work.params.data(), buffer, kernel.paramBytes);
  } else if (!kernel.params.empty()) {
    return call.refuse(CUDA_ERROR_INVALID_VALUE,
                       "kernel \"" + kernel.name + "\" has parameters, but none are given");
  }
  return CUDA_SUCCESS;
}

void applyAttributes(const Function &function, KernelWork &work) {
  for (int i = 0; i < 3; ++i)
    work.cluster[i] = function.kernel.cluster[i]  ? function.kernel.cluster[i]
                      : function.wantedCluster[i] ? function.wantedCluster[i]
                                                  : 1;
  if (auto found = work.attributes.find(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
      found != work.attributes.end() && found->second.clusterDim.x) {
    work.cluster[0] = found->second.clusterDim.x;
    work.cluster[1] = found->second.clusterDim.y;
    work.cluster[2] = found->second.clusterDim.z;
  }
  if (auto found = work.attributes.find(CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
      found != work.attributes.end())
    work.isCooperative = found->second.cooperative != 0;
}

CUresult makeKernelWork(const Call &call, CUfunction handle, const CUlaunchConfig &config,
                        void **params, void **extra, KernelWork &work) {
  Function *function = functionOf(call.context, handle);
  if (!function)
    return call.refuse(CUDA_ERROR_INVALID_HANDLE, "the function is none, or was unloaded");
  if (config.numAttrs && !config.attrs)
    return CUDA_ERROR_INVALID_VALUE;
  work.function = reinterpret_cast<CUfunction>(function);
  const uint32_t grid[] = {config.gridDimX, config.gridDimY, config.gridDimZ};
  const uint32_t threads[] = {config.blockDimX, config.blockDimY, config.blockDimZ};
  std::copy(grid, grid + 3, work.grid);
  std::copy(threads, threads + 3, work.threads);
  work.dynamicBytes = config.sharedMemBytes;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    CUlaunchAttributeID id = config.attrs[i].id;
    if (id < CU_LAUNCH_ATTRIBUTE_IGNORE || id > kLastAttribute)
      return call.refuse(CUDA_ERROR_INVALID_VALUE,
                         "launch attribute " + std::to_string(id) + " is not known");
    if (id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
      return call.refuse(CUDA_ERROR_NOT_SUPPORTED, "nodes that a kernel may change");
    if (id != CU_LAUNCH_ATTRIBUTE_IGNORE)
      work.attributes[id] = config.attrs[i].value;
  }
  applyAttributes(*function, work);
  if (CUresult code = check(call, *function, work); code != CUDA_SUCCESS)
    return code;
  return readParams(call, *function, params, extra, work);
}

/// Events that a launch records when it begins or ends.
static void recordEvents(const KernelWork &work) {
  auto record = [](CUevent handle) {
    if (Event *event = Handles<Event>::get().find(handle))
      event->record();
  };
  if (auto found = work.attributes.find(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT);
      found != work.attributes.end())
    record(found->second.programmaticEvent.event);
  if (auto found = work.attributes.find(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT);
      found != work.attributes.end())
    record(found->second.launchCompletionEvent.event);
}

/// The devices whose memory kernels of the context may touch: its own, peers, and those that opened
/// a pool to it.
static uint64_t reachableFrom(Context &context) {
  uint64_t devices = 1ull << context.device.ordinal;
  for (const MemoryPool *pool : Handles<MemoryPool>::get().all()) {
    auto found = pool->access.find(context.device.ordinal);
    if (found != pool->access.end() && found->second != CU_MEM_ACCESS_FLAGS_PROT_NONE)
      devices |= 1ull << pool->device->ordinal;
  }
  std::lock_guard lock(context.mutex);
  for (int peer : context.peers)
    devices |= 1ull << peer;
  return devices;
}

/// What cooperative groups find by %envreg1 and %envreg2: the size of the workspace and the word of
/// the grid's barrier, 0 at first. 0: no memory left, and a barrier of the grid finds none.
static uint64_t makeWorkspace() {
  const uint32_t words[2] = {8, 0};
  uint64_t address =
      DeviceMemory::get().allocate(sizeof words, "workspace of a cooperative launch");
  if (address) {
    std::memcpy(reinterpret_cast<void *>(address), words, sizeof words);
    DeviceMemory::get().markWritten(address, sizeof words);
  }
  return address;
}

CUresult runKernel(const Call &call, Context &context, const KernelWork &work) {
  Function *function = functionOf(&context, work.function);
  if (!function)
    return call.refuse(CUDA_ERROR_INVALID_HANDLE, "the kernel's module was unloaded");
  if (CUresult code = check(call, *function, work); code != CUDA_SUCCESS)
    return code;
  LaunchState launch;
  std::copy(work.grid, work.grid + 3, launch.grid);
  std::copy(work.threads, work.threads + 3, launch.threads);
  std::copy(work.cluster, work.cluster + 3, launch.cluster);
  launch.isCooperative = work.isCooperative;
  launch.kernel = &function->kernel;
  launch.params = work.params.data();
  launch.sharedBytes = function->kernel.sharedBytes + work.dynamicBytes;
  Context &own = *function->module->context;
  if (countersWanted())
    countPlaces(function->kernel.name, *own.device.gpu,
                uint64_t(work.grid[0]) * work.grid[1] * work.grid[2],
                blocksPerSm(*function, work.threads[0] * work.threads[1] * work.threads[2],
                            work.dynamicBytes));
  uint64_t reachable = Driver::get().deviceCount() == 1 ? ~0ull : reachableFrom(own);
  // One kernel at a time, so that what it may touch is one setting of the memory.
  static std::mutex oneKernel;
  std::lock_guard lock(oneKernel);
  DeviceMemory::get().setReachable(reachable);
  launch.workspace = work.isCooperative ? makeWorkspace() : 0;
  bool isDone = runLaunch(launch);
  if (launch.workspace)
    DeviceMemory::get().free(launch.workspace);
  DeviceMemory::get().setReachable(~0ull);
  if (!isDone)
    return own.breakWith(codeOf(launch.finding.fault), launch.finding.text);
  recordEvents(work);
  return CUDA_SUCCESS;
}

} // namespace heddle::emulator

using namespace heddle::emulator;

static CUresult launch(const Call &call, CUfunction function, const CUlaunchConfig &config,
                       void **params, void **extra) {
  KernelWork work;
  if (CUresult code = makeKernelWork(call, function, config, params, extra, work);
      code != CUDA_SUCCESS)
    return code;
  return submit(call, config.hStream, std::move(work));
}

HEDDLE_EMU_API CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                                       unsigned gridZ, unsigned blockX, unsigned blockY,
                                       unsigned blockZ, unsigned sharedBytes, CUstream stream,
                                       void **params, void **extra) {
  Call call("cuLaunchKernel");
  if (!call)
    return call.code;
  return launch(call, function,
                {gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, nullptr, 0},
                params, extra);
}

HEDDLE_EMU_API CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                                         void **params, void **extra) {
  Call call("cuLaunchKernelEx");
  if (!call)
    return call.code;
  return config ? launch(call, function, *config, params, extra) : CUDA_ERROR_INVALID_VALUE;
}

HEDDLE_EMU_API CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gridX,
                                                  unsigned gridY, unsigned gridZ, unsigned blockX,
                                                  unsigned blockY, unsigned blockZ,
                                                  unsigned sharedBytes, CUstream stream,
                                                  void **params) {
  Call call("cuLaunchCooperativeKernel");
  if (!call)
    return call.code;
  CUlaunchAttribute cooperative = {};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  return launch(call, function,
                {gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, &cooperative, 1},
                params, nullptr);
}
