// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuMemset*: every call is a box of elements, put into a stream.
#include "runtime/emulator/driver/stream/Stream.h"

using namespace heddle::emulator;

static CUresult fill(const Call &call, CUstream stream, CUdeviceptr to, size_t pitch,
                     unsigned value, unsigned elementBytes, size_t width, size_t height) {
  return call ? submit(call, stream, FillWork{{to, pitch, value, elementBytes, width, height}})
              : call.code;
}

static CUresult fillRow(const char *name, CUstream stream, CUdeviceptr to, unsigned value,
                        unsigned elementBytes, size_t count) {
  return fill(Call(name), stream, to, 0, value, elementBytes, count, 1);
}

HEDDLE_EMU_API CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fillRow("cuMemsetD8", CU_STREAM_LEGACY, to, value, 1, count);
}
HEDDLE_EMU_API CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fillRow("cuMemsetD16", CU_STREAM_LEGACY, to, value, 2, count);
}
HEDDLE_EMU_API CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return fillRow("cuMemsetD32", CU_STREAM_LEGACY, to, value, 4, count);
}
HEDDLE_EMU_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                                        CUstream stream) {
  return fillRow("cuMemsetD8Async", stream, to, value, 1, count);
}
HEDDLE_EMU_API CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                                         CUstream stream) {
  return fillRow("cuMemsetD16Async", stream, to, value, 2, count);
}
HEDDLE_EMU_API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                                         CUstream stream) {
  return fillRow("cuMemsetD32Async", stream, to, value, 4, count);
}

HEDDLE_EMU_API CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value,
                                     size_t width, size_t height) {
  return fill(Call("cuMemsetD2D8"), CU_STREAM_LEGACY, to, pitch, value, 1, width, height);
}
HEDDLE_EMU_API CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value,
                                      size_t width, size_t height) {
  return fill(Call("cuMemsetD2D16"), CU_STREAM_LEGACY, to, pitch, value, 2, width, height);
}
HEDDLE_EMU_API CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                                      size_t height) {
  return fill(Call("cuMemsetD2D32"), CU_STREAM_LEGACY, to, pitch, value, 4, width, height);
}
HEDDLE_EMU_API CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value,
                                          size_t width, size_t height, CUstream stream) {
  return fill(Call("cuMemsetD2D8Async"), stream, to, pitch, value, 1, width, height);
}
HEDDLE_EMU_API CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value,
                                           size_t width, size_t height, CUstream stream) {
  return fill(Call("cuMemsetD2D16Async"), stream, to, pitch, value, 2, width, height);
}
HEDDLE_EMU_API CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value,
                                           size_t width, size_t height, CUstream stream) {
  return fill(Call("cuMemsetD2D32Async"), stream, to, pitch, value, 4, width, height);
}
