// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA Driver API as a table of function pointers, filled from a library that is opened at run
// time: NVIDIA's libcuda.so.1 or the emulated device's libheddle-emu.so. Nothing else in the
// runtime knows which of them it is.
#ifndef HEDDLE_RUNTIME_DRIVER_H
#define HEDDLE_RUNTIME_DRIVER_H

#include "heddle/Status.h"
#include <cuda.h>
#include <memory>
#include <string>

namespace heddle::runtime {

class Driver {
public:
  /// Which GPU the emulated device is; it reads it once, when it is opened.
  static constexpr const char *kEmulatedGpuVariable = "HEDDLE_EMU_GPU";

  /// NVIDIA's driver.
  /// Errors:  kNotFound if it is not installed; kDevice if it finds no GPU.
  static Result<std::shared_ptr<const Driver>> openReal();
  /// The emulated device as the GPU of that name ("h200"; empty: the library's default). It is
  /// looked for at $HEDDLE_EMU_LIB, else beside this program or library, in ../lib, and where the
  /// system looks for libraries.
  /// Errors:  kNotFound with the places; kUnsupported if this process already emulates another GPU.
  static Result<std::shared_ptr<const Driver>> openEmulated(const std::string &gpu);

  bool emulated() const { return isEmulated; }
  const std::string &libraryPath() const { return path; }

  /// A failed call as "cuMemAlloc(1024): CUDA_ERROR_OUT_OF_MEMORY (2): out of memory", with what
  /// the emulated device found, if it was that.
  Status failure(CUresult code, const std::string &call) const;
  /// The emulated device's counters as JSON; empty for a real GPU.
  std::string emulatedCounters() const;
  void resetEmulatedCounters() const;

  // A name like cuMemAlloc is a macro of cuda.h for the versioned name that the library exports.
#define HEDDLE_DRIVER_CALL(call) decltype(&::call) call = nullptr;
#define HEDDLE_DRIVER_OPTIONAL(call) decltype(&::call) call = nullptr;
#include "runtime/Driver.def"

private:
  static Result<std::shared_ptr<const Driver>> load(const std::string &path, bool isEmulated);

  bool isEmulated = false;
  std::string path;
  const char *(*lastReport)() = nullptr;
  const char *(*countersJson)() = nullptr;
  void (*resetCounters)() = nullptr;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVER_H
