// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pinned memory of the host, which kernels see at the same address.
#include "runtime/emulator/driver/Context.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <cstring>

using namespace heddle::emulator;

namespace {

/// Flags that programs may ask for again, by address.
struct HostFlags {
  std::mutex mutex;
  std::map<uint64_t, unsigned> flags;
  static HostFlags &get() {
    static HostFlags *all = new HostFlags();
    return *all;
  }
};

uint64_t numberOf(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

CUresult allocate(const Call &call, void **pointer, size_t bytes, unsigned flags) {
  if (!pointer || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t address = DeviceMemory::get().allocate(bytes, "", kHostOwner);
  if (!address)
    return call.refuse(CUDA_ERROR_OUT_OF_MEMORY,
                       std::to_string(bytes) + " bytes of host memory cannot be had");
  std::lock_guard lock(HostFlags::get().mutex);
  HostFlags::get().flags[address] = flags;
  *pointer = reinterpret_cast<void *>(address);
  return CUDA_SUCCESS;
}

/// The flags of the pinned memory that the address lies in; false: it is none.
bool findFlags(const void *pointer, unsigned &flags) {
  AllocationFacts facts;
  if (!DeviceMemory::get().facts(numberOf(pointer), facts) || facts.owner != kHostOwner)
    return false;
  std::lock_guard lock(HostFlags::get().mutex);
  flags = HostFlags::get().flags[facts.begin];
  return true;
}

} // namespace

HEDDLE_EMU_API CUresult cuMemAllocHost(void **pointer, size_t bytes) {
  Call call("cuMemAllocHost");
  return call ? allocate(call, pointer, bytes, CU_MEMHOSTALLOC_DEVICEMAP) : call.code;
}

HEDDLE_EMU_API CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  Call call("cuMemHostAlloc");
  if (!call)
    return call.code;
  constexpr unsigned known =
      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  if (flags & ~known)
    return CUDA_ERROR_INVALID_VALUE;
  // With unified addressing all pinned memory is portable and mapped.
  return allocate(call, pointer, bytes, flags | CU_MEMHOSTALLOC_DEVICEMAP);
}

HEDDLE_EMU_API CUresult cuMemFreeHost(void *pointer) {
  Call call("cuMemFreeHost", Call::kDriver);
  if (!call)
    return call.code;
  if (!pointer)
    return CUDA_SUCCESS;
  AllocationFacts facts;
  if (!DeviceMemory::get().facts(numberOf(pointer), facts) || facts.owner != kHostOwner ||
      facts.isRegistered || facts.begin != numberOf(pointer))
    return call.refuse(CUDA_ERROR_INVALID_VALUE,
                       "the pointer is none that cuMemAllocHost or cuMemHostAlloc gave");
  DeviceMemory::get().free(facts.begin);
  std::lock_guard lock(HostFlags::get().mutex);
  HostFlags::get().flags.erase(facts.begin);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemHostRegister(void *pointer, size_t bytes, unsigned flags) {
  Call call("cuMemHostRegister");
  if (!call)
    return call.code;
  constexpr unsigned known =
      CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;
  if (flags & CU_MEMHOSTREGISTER_IOMEMORY)
    return call.refuse(CUDA_ERROR_NOT_SUPPORTED, "memory of devices cannot be registered");
  if (!pointer || bytes == 0 || flags & ~known)
    return CUDA_ERROR_INVALID_VALUE;
  if (!DeviceMemory::get().registerHost(numberOf(pointer), bytes))
    return call.refuse(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                       "a part of the range is registered or allocated already");
  std::lock_guard lock(HostFlags::get().mutex);
  HostFlags::get().flags[numberOf(pointer)] = flags;
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemHostUnregister(void *pointer) {
  Call call("cuMemHostUnregister", Call::kDriver);
  if (!call)
    return call.code;
  if (!DeviceMemory::get().unregisterHost(numberOf(pointer)))
    return call.refuse(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "no registered range begins there");
  std::lock_guard lock(HostFlags::get().mutex);
  HostFlags::get().flags.erase(numberOf(pointer));
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *pointer,
                                                  unsigned flags) {
  Call call("cuMemHostGetDevicePointer");
  if (!call)
    return call.code;
  unsigned found;
  if (!address || flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (!findFlags(pointer, found))
    return call.refuse(CUDA_ERROR_INVALID_VALUE,
                       "the pointer is in no pinned memory; cuMemHostRegister makes it such");
  *address = numberOf(pointer);
  return CUDA_SUCCESS;
}

HEDDLE_EMU_API CUresult cuMemHostGetFlags(unsigned *flags, void *pointer) {
  Call call("cuMemHostGetFlags");
  if (!call)
    return call.code;
  return flags && findFlags(pointer, *flags) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
