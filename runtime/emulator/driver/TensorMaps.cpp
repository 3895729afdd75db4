// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuTensorMap*: tensor maps are made on the host, by the rules of async/TensorMap.h.
#include "runtime/emulator/async/TensorMap.h"
#include "runtime/emulator/driver/Context.h"

using namespace heddle::emulator;

namespace {

/// Runs an encoding, whose text says what is wrong with the arguments.
template <typename F> CUresult encode(const char *name, F make) {
  Call call(name);
  if (!call)
    return call.code;
  const heddle::Target &target = *call.context->device.target;
  if (!target.hasTma)
    return call.refuse(CUDA_ERROR_NOT_SUPPORTED,
                       "the emulated GPU has no tensor maps; choose one of compute capability 9.0 "
                       "or higher with HEDDLE_EMU_GPU");
  std::string error = make(target);
  return error.empty() ? CUDA_SUCCESS : call.refuse(CUDA_ERROR_INVALID_VALUE, error);
}

} // namespace

HEDDLE_EMU_API CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  return encode("cuTensorMapEncodeTiled", [&](const heddle::Target &) {
    return encodeTiledMap(map, type, rank, address, sizes, strides, box, steps, interleave, swizzle,
                          promotion, fill);
  });
}

HEDDLE_EMU_API CUresult cuTensorMapEncodeIm2col(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *sizes, const cuuint64_t *strides, const int *lower, const int *upper,
    cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *steps,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  return encode("cuTensorMapEncodeIm2col", [&](const heddle::Target &) {
    return encodeIm2colMap(map, type, rank, address, sizes, strides, lower, upper, channels, pixels,
                           steps, interleave, swizzle, promotion, fill);
  });
}

HEDDLE_EMU_API CUresult cuTensorMapEncodeIm2colWide(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *sizes, const cuuint64_t *strides, int lower, int upper, cuuint32_t channels,
    cuuint32_t pixels, const cuuint32_t *steps, CUtensorMapInterleave interleave,
    CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  return encode("cuTensorMapEncodeIm2colWide", [&](const heddle::Target &target) -> std::string {
    if (target.major < 10)
      return "im2col::w needs an emulated GPU of compute capability 10.0 or higher";
    return encodeIm2colWideMap(map, type, rank, address, sizes, strides, lower, upper, channels,
                               pixels, steps, interleave, mode, swizzle, promotion, fill);
  });
}

HEDDLE_EMU_API CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
  return encode("cuTensorMapReplaceAddress",
                [&](const heddle::Target &) { return replaceMapAddress(map, address); });
}
