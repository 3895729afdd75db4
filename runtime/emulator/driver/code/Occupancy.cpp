// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many blocks a multiprocessor holds: by warps, blocks, shared memory, and registers where the
// text bounds them (.maxnreg; what ptxas would take is not known here). Rules: CUDA C++ Programming
// Guide, "Hardware Multithreading", and the occupancy calculator.
#include "runtime/emulator/driver/code/Launch.h"
#include <algorithm>

namespace heddle::emulator {

namespace {

constexpr int64_t kRegisterUnit = 256, kSharedUnit = 128, kWarpsAtATime = 4;

int64_t roundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

} // namespace

int blocksPerSm(const Function &function, uint32_t threads, uint64_t dynamicBytes) {
  const Context &context = *function.module->context;
  const Target &target = *context.device.target;
  const Kernel &kernel = function.kernel;
  if (threads == 0 || threads > (kernel.maxThreads ? kernel.maxThreads : 1024) ||
      dynamicBytes > static_cast<uint64_t>(target.sharedPerBlockBytes))
    return 0;
  int64_t warps = (int64_t(threads) + 31) / 32;
  int64_t shared = int64_t(kernel.sharedBytes) + static_cast<int64_t>(dynamicBytes);
  if (shared > target.sharedPerBlockBytes)
    return 0;
  int64_t blocks = std::min<int64_t>(target.blocksPerSm, target.threadsPerSm / 32 / warps);
  if (int64_t bytes = roundUp(shared + target.sharedReservedBytes, kSharedUnit); bytes > 0)
    blocks = std::min(blocks, context.device.gpu->sharedPerSmBytes / bytes);
  if (function.maxRegisters) {
    int64_t ofWarp = roundUp(int64_t(function.maxRegisters) * 32, kRegisterUnit);
    int64_t warpsThatFit = target.registersPerSm / ofWarp / kWarpsAtATime * kWarpsAtATime;
    blocks = std::min(blocks, warpsThatFit / warps);
  }
  return static_cast<int>(blocks);
}

namespace {

/// Clusters of these blocks that the device holds together, a graphics processing cluster of 16
/// multiprocessors at a time.
int clustersThatFit(const Function &function, const CUlaunchConfig &config, uint64_t size) {
  constexpr int kSmsTogether = 16;
  uint64_t threads = uint64_t(config.blockDimX) * config.blockDimY * config.blockDimZ;
  if (threads == 0 || threads > 1024)
    return 0;
  int blocks = blocksPerSm(function, static_cast<uint32_t>(threads), config.sharedMemBytes);
  int sms = function.module->context->device.gpu->sms;
  uint64_t inOne = static_cast<uint64_t>(blocks) * kSmsTogether / size;
  uint64_t inRest =
      static_cast<uint64_t>(blocks) * static_cast<uint64_t>(sms % kSmsTogether) / size;
  return static_cast<int>(inOne * static_cast<uint64_t>(sms / kSmsTogether) + inRest);
}

uint64_t clusterOf(const Function &function, const CUlaunchConfig &config) {
  KernelWork work;
  for (unsigned i = 0; config.attrs && i < config.numAttrs; ++i)
    work.attributes[config.attrs[i].id] = config.attrs[i].value;
  applyAttributes(function, work);
  return uint64_t(work.cluster[0]) * work.cluster[1] * work.cluster[2];
}

struct BlockSizeChoice {
  int blockSize = 0, blocks = 0;
};

/// The block size that fills a multiprocessor best, the largest among equals.
BlockSizeChoice chooseBlockSize(const Function &function, CUoccupancyB2DSize sharedOf,
                                size_t dynamicBytes, int limit) {
  BlockSizeChoice best;
  int most = function.kernel.maxThreads ? static_cast<int>(function.kernel.maxThreads) : 1024;
  if (limit > 0)
    most = std::min(most, limit);
  for (int size = most; size > 0; size = (size - 1) / 32 * 32) {
    int blocks = blocksPerSm(function, static_cast<uint32_t>(size),
                             sharedOf ? sharedOf(size) : dynamicBytes);
    if (blocks * size > best.blocks * best.blockSize)
      best = {size, blocks};
  }
  return best;
}

} // namespace

} // namespace heddle::emulator

using namespace heddle::emulator;

HEDDLE_EMU_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, CUfunction handle, int blockSize, size_t dynamicBytes, unsigned flags) {
  Call call("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  if (!call)
    return call.code;
  Function *function = functionOf(call.context, handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!blocks || blockSize <= 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
    return CUDA_ERROR_INVALID_VALUE;
  *blocks = blocksPerSm(*function, static_cast<uint32_t>(blockSize), dynamicBytes);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                                    CUfunction function,
                                                                    int blockSize,
                                                                    size_t dynamicBytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, blockSize,
                                                              dynamicBytes, 0);
}

HEDDLE_EMU_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGrid, int *blockSize,
                                                                  CUfunction handle,
                                                                  CUoccupancyB2DSize sharedOf,
                                                                  size_t dynamicBytes, int limit,
                                                                  unsigned flags) {
  Call call("cuOccupancyMaxPotentialBlockSize");
  if (!call)
    return call.code;
  Function *function = functionOf(call.context, handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!minGrid || !blockSize || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
    return CUDA_ERROR_INVALID_VALUE;
  BlockSizeChoice best = chooseBlockSize(*function, sharedOf, dynamicBytes, limit);
  if (best.blocks == 0)
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "no block size fits on a multiprocessor");
  *blockSize = best.blockSize;
  *minGrid = best.blocks * function->module->context->device.gpu->sms;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuOccupancyMaxPotentialBlockSize(int *minGrid, int *blockSize,
                                                         CUfunction function,
                                                         CUoccupancyB2DSize sharedOf,
                                                         size_t dynamicBytes, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(minGrid, blockSize, function, sharedOf,
                                                   dynamicBytes, limit, 0);
}

HEDDLE_EMU_API CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction handle,
                                                                int blocks, int blockSize) {
  Call call("cuOccupancyAvailableDynamicSMemPerBlock");
  if (!call)
    return call.code;
  Function *function = functionOf(call.context, handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!bytes || blocks <= 0 || blockSize <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (blocksPerSm(*function, static_cast<uint32_t>(blockSize), 0) < blocks)
    return call.refuse(CUDA_ERROR_INVALID_VALUE,
                       "so many blocks of that size do not fit on a multiprocessor");
  const EmulatedDevice &device = function->module->context->device;
  int64_t share = device.gpu->sharedPerSmBytes / blocks / kSharedUnit * kSharedUnit -
                  device.target->sharedReservedBytes;
  share = std::min(share, device.target->sharedPerBlockBytes);
  *bytes = static_cast<size_t>(std::max<int64_t>(0, share - function->kernel.sharedBytes));
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction handle,
                                                           const CUlaunchConfig *config) {
  Call call("cuOccupancyMaxPotentialClusterSize");
  if (!call)
    return call.code;
  Function *function = functionOf(call.context, handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!size || !config)
    return CUDA_ERROR_INVALID_VALUE;
  if (!function->module->context->device.target->hasCluster)
    return call.refuse(CUDA_ERROR_NOT_SUPPORTED, "the emulated GPU has no clusters");
  uint64_t limit = function->allowsLargeClusters ? 16 : 8;
  if (function->kernel.maxClusterRank)
    limit = std::min<uint64_t>(limit, function->kernel.maxClusterRank);
  *size = 0;
  for (uint64_t n = limit; n > 0 && *size == 0; n /= 2)
    if (clustersThatFit(*function, *config, n) > 0)
      *size = static_cast<int>(n);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction handle,
                                                     const CUlaunchConfig *config) {
  Call call("cuOccupancyMaxActiveClusters");
  if (!call)
    return call.code;
  Function *function = functionOf(call.context, handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!clusters || !config)
    return CUDA_ERROR_INVALID_VALUE;
  if (!function->module->context->device.target->hasCluster)
    return call.refuse(CUDA_ERROR_NOT_SUPPORTED, "the emulated GPU has no clusters");
  uint64_t size = clusterOf(*function, *config);
  if (size == 0 || size > 16)
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  *clusters = clustersThatFit(*function, *config, size);
  return CUDA_SUCCESS;
}
