// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuPointer*: what is known of an address.
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/memory/Allocate.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <cstring>

using namespace heddle::emulator;

namespace {

template <typename T> CUresult put(void *data, T value) {
  std::memcpy(data, &value, sizeof value);
  return CUDA_SUCCESS;
}

/// An address of no allocation has only what "nothing" is for each attribute.
CUresult answer(const AllocationFacts *facts, CUpointer_attribute attribute, CUdeviceptr address,
                void *data) {
  bool isHost = facts && facts->owner == kHostOwner;
  auto *pool = facts ? Handles<MemoryPool>::get().find(facts->tag) : nullptr;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT: {
    Context *context = facts ? Handles<Context>::get().find(facts->tag) : nullptr;
    return put<CUcontext>(data, context ? context->handle() : nullptr);
  }
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    return facts ? put<unsigned>(data, isHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE)
                 : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    return facts ? put<CUdeviceptr>(data, address) : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    return isHost ? put<uint64_t>(data, address) : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    return facts ? put<unsigned>(data, 1) : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    return facts ? put<unsigned long long>(data, facts->serial) : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    return put<unsigned char>(data, 0);
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return put<int>(data, !facts ? -2 : isHost ? 0 : facts->owner);
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    return facts ? put<CUdeviceptr>(data, facts->begin) : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    return facts ? put<size_t>(data, facts->end - facts->begin) : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return put<unsigned char>(data, facts != nullptr);
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    return put<unsigned long long>(data, CU_MEM_HANDLE_TYPE_NONE);
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    return facts ? put<int>(data, CU_MEM_ACCESS_FLAGS_PROT_READWRITE) : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    return put<CUmemoryPool>(data, reinterpret_cast<CUmemoryPool>(pool));
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

} // namespace

HEDDLE_EMU_API CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
                                              CUdeviceptr address) {
  Call call("cuPointerGetAttribute", Call::kDriver);
  if (!call)
    return call.code;
  if (!data)
    return CUDA_ERROR_INVALID_VALUE;
  AllocationFacts facts;
  if (!DeviceMemory::get().facts(address, facts))
    return call.refuse(CUDA_ERROR_INVALID_VALUE,
                       "the address is in no allocation: " + DeviceMemory::get().describe(address));
  return answer(&facts, attribute, address, data);
}

HEDDLE_EMU_API CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes,
                                               void **data, CUdeviceptr address) {
  Call call("cuPointerGetAttributes", Call::kDriver);
  if (!call)
    return call.code;
  if (!attributes || !data)
    return CUDA_ERROR_INVALID_VALUE;
  AllocationFacts facts;
  bool isKnown = DeviceMemory::get().facts(address, facts);
  // Unlike the single form this one tells of unknown addresses that they are unknown.
  for (unsigned i = 0; i < count; ++i) {
    if (!data[i])
      return CUDA_ERROR_INVALID_VALUE;
    if (!isKnown && (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ||
                     attributes[i] == CU_POINTER_ATTRIBUTE_ACCESS_FLAGS ||
                     attributes[i] == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS))
      put<unsigned>(data[i], 0);
    else if (answer(isKnown ? &facts : nullptr, attributes[i], address, data[i]) != CUDA_SUCCESS)
      put<uint64_t>(data[i], 0);
  }
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                                              CUdeviceptr address) {
  Call call("cuPointerSetAttribute");
  if (!call)
    return call.code;
  AllocationFacts facts;
  return value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS &&
                 DeviceMemory::get().facts(address, facts)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}
