// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of a device: limits from the target table, and what the emulated device can do.
// What is not in the table is a capability that is not there, and 0.
#include "runtime/emulator/driver/Device.h"
#include <algorithm>

namespace heddle::emulator {

namespace {

struct Row {
  CUdevice_attribute attribute;
  int64_t value;
};

constexpr Row kSame[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
    {CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT, 1},
    {CU_DEVICE_ATTRIBUTE_NUMA_CONFIG, CU_DEVICE_NUMA_CONFIG_NONE},
    {CU_DEVICE_ATTRIBUTE_NUMA_ID, -1},
    {CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, -1},
};

} // namespace

int EmulatedDevice::attribute(CUdevice_attribute attribute) const {
  const Row own[] = {
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, target->sharedPerBlockBytes},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, gpu->sharedPerSmBytes},
      {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, target->sharedReservedBytes},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, target->registersPerSm},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, int64_t(gpu->boostMHz) * 1000},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, gpu->sms},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, target->threadsPerSm},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, target->blocksPerSm},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu->major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu->minor},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, gpu->l2Bytes},
      {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, ordinal + 1},
      {CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID, ordinal},
      {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, target->hasCluster},
      {CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, target->hasTma},
      // The rate of a memory clock and a bus that give the stated bandwidth.
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 4096},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
       static_cast<int64_t>(gpu->bandwidthGBs * 1e6 / (2 * 4096 / 8))},
  };
  auto value = [&](const Row &row) {
    return static_cast<int>(std::min<int64_t>(row.value, 2147483647));
  };
  for (const Row &row : own)
    if (row.attribute == attribute)
      return value(row);
  for (const Row &row : kSame)
    if (row.attribute == attribute)
      return value(row);
  return 0;
}

} // namespace heddle::emulator
