// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuMemcpy*: every call is a box of rows, put into a stream.
#include "runtime/emulator/driver/Handles.h"
#include "runtime/emulator/driver/stream/Stream.h"
#include <cstring>

using namespace heddle::emulator;

namespace {

CUDA_MEMCPY3D box(CUmemorytype toType, uint64_t to, CUmemorytype fromType, uint64_t from,
                  size_t bytes) {
  CUDA_MEMCPY3D shape = {};
  shape.srcMemoryType = fromType;
  shape.srcHost = reinterpret_cast<const void *>(from);
  shape.srcDevice = from;
  shape.dstMemoryType = toType;
  shape.dstHost = reinterpret_cast<void *>(to);
  shape.dstDevice = to;
  shape.srcPitch = shape.dstPitch = shape.WidthInBytes = bytes;
  shape.srcHeight = shape.dstHeight = shape.Height = shape.Depth = 1;
  return shape;
}

CUDA_MEMCPY3D box(const CUDA_MEMCPY2D &copy) {
  CUDA_MEMCPY3D shape = {};
  shape.srcXInBytes = copy.srcXInBytes;
  shape.srcY = copy.srcY;
  shape.srcMemoryType = copy.srcMemoryType;
  shape.srcHost = copy.srcHost;
  shape.srcDevice = copy.srcDevice;
  shape.srcArray = copy.srcArray;
  shape.srcPitch = copy.srcPitch;
  shape.dstXInBytes = copy.dstXInBytes;
  shape.dstY = copy.dstY;
  shape.dstMemoryType = copy.dstMemoryType;
  shape.dstHost = copy.dstHost;
  shape.dstDevice = copy.dstDevice;
  shape.dstArray = copy.dstArray;
  shape.dstPitch = copy.dstPitch;
  shape.WidthInBytes = copy.WidthInBytes;
  shape.Height = copy.Height;
  shape.Depth = 1;
  return shape;
}

CUDA_MEMCPY3D box(const CUDA_MEMCPY3D_PEER &copy) {
  static_assert(sizeof(CUDA_MEMCPY3D) == sizeof(CUDA_MEMCPY3D_PEER));
  CUDA_MEMCPY3D shape;
  std::memcpy(&shape, &copy, sizeof shape); // the same but for contexts in the place of zeros
  shape.reserved0 = shape.reserved1 = nullptr;
  return shape;
}

/// A copy in a stream, or one that the host waits for, which no capture can hold.
CUresult copyIn(const Call &call, CUstream stream, const CUDA_MEMCPY3D &shape) {
  return call ? submit(call, stream, CopyWork{shape}) : call.code;
}

CUresult copyNow(const Call &call, const CUDA_MEMCPY3D &shape) {
  return copyIn(call, CU_STREAM_LEGACY, shape);
}

constexpr CUmemorytype kHost = CU_MEMORYTYPE_HOST, kDevice = CU_MEMORYTYPE_DEVICE,
                       kUnified = CU_MEMORYTYPE_UNIFIED;

uint64_t numberOf(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

CUresult checkContexts(CUcontext to, CUcontext from) {
  return Context::find(to) && Context::find(from) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

} // namespace

HEDDLE_EMU_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copyNow(Call("cuMemcpy"), box(kUnified, to, kUnified, from, bytes));
}
HEDDLE_EMU_API CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  return copyNow(Call("cuMemcpyHtoD"), box(kDevice, to, kHost, numberOf(from), bytes));
}
HEDDLE_EMU_API CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  return copyNow(Call("cuMemcpyDtoH"), box(kHost, numberOf(to), kDevice, from, bytes));
}
HEDDLE_EMU_API CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copyNow(Call("cuMemcpyDtoD"), box(kDevice, to, kDevice, from, bytes));
}
HEDDLE_EMU_API CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext toContext, CUdeviceptr from,
                                     CUcontext fromContext, size_t bytes) {
  if (CUresult code = checkContexts(toContext, fromContext); code != CUDA_SUCCESS)
    return code;
  return copyNow(Call("cuMemcpyPeer"), box(kDevice, to, kDevice, from, bytes));
}

HEDDLE_EMU_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                      CUstream stream) {
  return copyIn(Call("cuMemcpyAsync"), stream, box(kUnified, to, kUnified, from, bytes));
}
HEDDLE_EMU_API CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes,
                                          CUstream stream) {
  return copyIn(Call("cuMemcpyHtoDAsync"), stream, box(kDevice, to, kHost, numberOf(from), bytes));
}
HEDDLE_EMU_API CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes,
                                          CUstream stream) {
  return copyIn(Call("cuMemcpyDtoHAsync"), stream, box(kHost, numberOf(to), kDevice, from, bytes));
}
HEDDLE_EMU_API CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                          CUstream stream) {
  return copyIn(Call("cuMemcpyDtoDAsync"), stream, box(kDevice, to, kDevice, from, bytes));
}
HEDDLE_EMU_API CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext toContext, CUdeviceptr from,
                                          CUcontext fromContext, size_t bytes, CUstream stream) {
  if (CUresult code = checkContexts(toContext, fromContext); code != CUDA_SUCCESS)
    return code;
  return copyIn(Call("cuMemcpyPeerAsync"), stream, box(kDevice, to, kDevice, from, bytes));
}

HEDDLE_EMU_API CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy) {
  return copy ? copyNow(Call("cuMemcpy2D"), box(*copy)) : CUDA_ERROR_INVALID_VALUE;
}
HEDDLE_EMU_API CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy) {
  return copy ? copyNow(Call("cuMemcpy2DUnaligned"), box(*copy)) : CUDA_ERROR_INVALID_VALUE;
}
HEDDLE_EMU_API CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return copy ? copyIn(Call("cuMemcpy2DAsync"), stream, box(*copy)) : CUDA_ERROR_INVALID_VALUE;
}
HEDDLE_EMU_API CUresult cuMemcpy3D(const CUDA_MEMCPY3D *copy) {
  return copy ? copyNow(Call("cuMemcpy3D"), *copy) : CUDA_ERROR_INVALID_VALUE;
}
HEDDLE_EMU_API CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream) {
  return copy ? copyIn(Call("cuMemcpy3DAsync"), stream, *copy) : CUDA_ERROR_INVALID_VALUE;
}
HEDDLE_EMU_API CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy) {
  return copy ? copyNow(Call("cuMemcpy3DPeer"), box(*copy)) : CUDA_ERROR_INVALID_VALUE;
}
HEDDLE_EMU_API CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream) {
  return copy ? copyIn(Call("cuMemcpy3DPeerAsync"), stream, box(*copy)) : CUDA_ERROR_INVALID_VALUE;
}

HEDDLE_EMU_API CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes,
                                           size_t count, CUmemcpyAttributes *, size_t *, size_t,
                                           CUstream stream) {
  Call call("cuMemcpyBatchAsync");
  if (!call)
    return call.code;
  if (count == 0 || !to || !from || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i)
    if (CUresult code = copyIn(call, stream, box(kUnified, to[i], kUnified, from[i], bytes[i]));
        code != CUDA_SUCCESS)
      return code;
  return CUDA_SUCCESS;
}
