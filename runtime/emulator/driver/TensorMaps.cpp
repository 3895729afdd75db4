// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuTensorMap*: tensor maps are made on the host, by the rules of async/TensorMap.h.
#include "runtime/emulator/async/TensorMap.h"
#include "runtime/emulator/driver/State.h"

using namespace heddle::emulator;

namespace {

/// Runs an encoding, whose text says what is wrong with the arguments.
template <typename F> CUresult encode(const char *call, F make) {
  Driver &driver = Driver::get();
  if (CUresult code = driver.check(); code != CUDA_SUCCESS)
    return code;
  driver.forgetReport();
  std::string error;
  if (!driver.target || !driver.target->hasTma)
    error = "the emulated GPU has no tensor maps; choose one of compute capability 9.0 or higher "
            "with HEDDLE_EMU_GPU";
  else
    error = make();
  if (error.empty())
    return CUDA_SUCCESS;
  std::lock_guard lock(driver.mutex);
  return driver.refuse(driver.target && driver.target->hasTma ? CUDA_ERROR_INVALID_VALUE
                                                              : CUDA_ERROR_NOT_SUPPORTED,
                       std::string(call) + ": " + error);
}

} // namespace

HEDDLE_EMU_API CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  return encode("cuTensorMapEncodeTiled", [&] {
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
  return encode("cuTensorMapEncodeIm2col", [&] {
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
  return encode("cuTensorMapEncodeIm2colWide", [&]() -> std::string {
    if (Driver::get().target->major < 10)
      return "im2col::w needs an emulated GPU of compute capability 10.0 or higher";
    return encodeIm2colWideMap(map, type, rank, address, sizes, strides, lower, upper, channels,
                               pixels, steps, interleave, mode, swizzle, promotion, fill);
  });
}

HEDDLE_EMU_API CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
  return encode("cuTensorMapReplaceAddress", [&] { return replaceMapAddress(map, address); });
}
