// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies boxes of rows, and fills them. Ranges are checked: a copy behind an allocation is an error
// here, not a crash later.
#include "runtime/emulator/driver/stream/Work.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <cstring>

namespace heddle::emulator {

namespace {

/// One end of a copy.
struct Side {
  const char *role;
  CUmemorytype type;
  uint64_t base, x, y, z, pitch, height;
  uint64_t at(uint64_t row, uint64_t slice) const {
    return base + ((z + slice) * height + y + row) * pitch + x;
  }
};

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// The range must lie in one allocation.
CUresult checkRange(const Call &call, uint64_t address, uint64_t bytes) {
  AllocationFacts facts;
  const DeviceMemory &memory = DeviceMemory::get();
  if (memory.facts(address, facts) && bytes <= facts.end - address)
    return CUDA_SUCCESS;
  return call.refuse(CUDA_ERROR_INVALID_VALUE,
                     std::to_string(bytes) + " bytes at " + hex(address) +
                         " are not inside of one allocation: " + memory.describe(address));
}

CUresult checkSide(const Call &call, Side &side, const CUDA_MEMCPY3D &shape) {
  uint64_t width = shape.WidthInBytes, rows = shape.Height, slices = shape.Depth;
  if (side.type == CU_MEMORYTYPE_ARRAY)
    return call.refuse(CUDA_ERROR_NOT_SUPPORTED, "the emulated device has no arrays");
  if (side.pitch == 0 && rows == 1 && slices == 1)
    side.pitch = side.x + width;
  if (side.height == 0)
    side.height = side.y + rows;
  bool isSmall = side.pitch < (1ull << 40) && side.height < (1ull << 40) && side.x < (1ull << 40) &&
                 side.y < (1ull << 40) && side.z < (1ull << 40);
  if (side.pitch < side.x + width || (slices > 1 && side.height < side.y + rows) || !isSmall)
    return call.refuse(CUDA_ERROR_INVALID_VALUE,
                       std::string("the ") + side.role +
                           "'s pitch or height is smaller than the box that is copied");
  if (static_cast<unsigned __int128>(side.z + slices) * side.height * side.pitch >> 62)
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "the box is larger than any memory");
  uint64_t first = side.at(0, 0), bytes = side.at(rows - 1, slices - 1) + width - first;
  AllocationFacts facts;
  const DeviceMemory &memory = DeviceMemory::get();
  bool isKnown = memory.facts(first, facts);
  if (side.type == CU_MEMORYTYPE_DEVICE ||
      (side.type == CU_MEMORYTYPE_UNIFIED && (isKnown || memory.isInArena(first))))
    return checkRange(call, first, bytes);
  if (side.type != CU_MEMORYTYPE_HOST && side.type != CU_MEMORYTYPE_UNIFIED)
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "an unknown type of memory");
  if (!side.base)
    return call.refuse(CUDA_ERROR_INVALID_VALUE,
                       std::string("the ") + side.role + " is a null pointer");
  if (isKnown && facts.owner != kHostOwner)
    return call.refuse(CUDA_ERROR_INVALID_VALUE,
                       std::string("the ") + side.role +
                           " is device memory, but said to be the host's");
  return isKnown || memory.isInArena(first) ? checkRange(call, first, bytes) : CUDA_SUCCESS;
}

void copyRow(uint64_t to, uint64_t from, uint64_t bytes) {
  std::memmove(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
  DeviceMemory::get().copyMarks(to, from, bytes);
}

} // namespace

CUresult runCopy(const Call &call, Context &, const CUDA_MEMCPY3D &shape) {
  if (shape.WidthInBytes == 0 || shape.Height == 0 || shape.Depth == 0)
    return CUDA_SUCCESS;
  auto baseOf = [](CUmemorytype type, const void *host, CUdeviceptr device) {
    return type == CU_MEMORYTYPE_HOST ? reinterpret_cast<uint64_t>(host) : device;
  };
  Side from = {"source",
               shape.srcMemoryType,
               baseOf(shape.srcMemoryType, shape.srcHost, shape.srcDevice),
               shape.srcXInBytes,
               shape.srcY,
               shape.srcZ,
               shape.srcPitch,
               shape.srcHeight};
  Side to = {"destination",
             shape.dstMemoryType,
             baseOf(shape.dstMemoryType, shape.dstHost, shape.dstDevice),
             shape.dstXInBytes,
             shape.dstY,
             shape.dstZ,
             shape.dstPitch,
             shape.dstHeight};
  for (Side *side : {&to, &from})
    if (CUresult code = checkSide(call, *side, shape); code != CUDA_SUCCESS)
      return code;
  for (uint64_t slice = 0; slice < shape.Depth; ++slice)
    for (uint64_t row = 0; row < shape.Height; ++row)
      copyRow(to.at(row, slice), from.at(row, slice), shape.WidthInBytes);
  return CUDA_SUCCESS;
}

CUresult runFill(const Call &call, Context &, const CUDA_MEMSET_NODE_PARAMS &shape) {
  uint64_t size = shape.elementSize;
  if (size != 1 && size != 2 && size != 4)
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "elements must have 1, 2 or 4 bytes");
  if (shape.width == 0 || shape.height == 0)
    return CUDA_SUCCESS;
  if (shape.width > (1ull << 40) || shape.height > (1ull << 40) || shape.pitch > (1ull << 40))
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "the box is larger than any memory");
  uint64_t width = shape.width * size, pitch = shape.height == 1 ? width : shape.pitch;
  if (shape.dst % size || (shape.height > 1 && pitch % size))
    return call.refuse(CUDA_ERROR_INVALID_VALUE,
                       "address or pitch is no multiple of the element's " + std::to_string(size) +
                           " bytes");
  if (pitch < width)
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "the pitch is smaller than a row");
  if (static_cast<unsigned __int128>(shape.height) * pitch >> 62)
    return call.refuse(CUDA_ERROR_INVALID_VALUE, "the box is larger than any memory");
  if (CUresult code = checkRange(call, shape.dst, (shape.height - 1) * pitch + width);
      code != CUDA_SUCCESS)
    return code;
  for (uint64_t row = 0; row < shape.height; ++row) {
    uint64_t at = shape.dst + row * pitch;
    if (size == 1)
      std::memset(reinterpret_cast<void *>(at), static_cast<int>(shape.value & 0xff), width);
    else if (size == 2)
      std::fill_n(reinterpret_cast<uint16_t *>(at), shape.width,
                  static_cast<uint16_t>(shape.value));
    else
      std::fill_n(reinterpret_cast<uint32_t *>(at), shape.width, shape.value);
    DeviceMemory::get().markWritten(at, width);
  }
  return CUDA_SUCCESS;
}

} // namespace heddle::emulator
