// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs of the course share: the module named on the command line, launches, arrays on
// the device, and checks that print what differs. Nothing but the CUDA Driver API is used; that an
// emulated device stands behind it is not known.
#ifndef HEDDLE_TEST_EMULATOR_COURSE_PROGRAM_H
#define HEDDLE_TEST_EMULATOR_COURSE_PROGRAM_H

#include "test/emulator/course/Array.h"
#include <cmath>

namespace course {

struct Size {
  unsigned x, y, z;
  Size(unsigned x, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

/// A module and what has gone wrong so far. Usage of a program: PROGRAM file.ptx
class Program {
public:
  Program(int argc, char **argv) {
    CUcontext context;
    if (argc != 2) {
      std::printf("usage: %s file.ptx\n", argv[0]);
      std::exit(1);
    }
    require(cuInit(0), "cuInit");
    require(cuDeviceGet(&device, 0), "cuDeviceGet");
    require(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    require(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    std::vector<char> text;
    if (std::FILE *file = std::fopen(argv[1], "rb")) {
      for (int c; (c = std::fgetc(file)) != EOF;)
        text.push_back(static_cast<char>(c));
      std::fclose(file);
    }
    text.push_back(0);
    static char log[4096];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
    CUresult code = cuModuleLoadDataEx(&module, text.data(), 2, options, values);
    if (code != CUDA_SUCCESS)
      std::printf("%s: %s\n", argv[1], log);
    require(code, "cuModuleLoadDataEx");
  }

  CUfunction function(const char *name) const {
    CUfunction result;
    require(cuModuleGetFunction(&result, module, name), name);
    return result;
  }
  CUdeviceptr global(const char *name) const {
    CUdeviceptr result;
    require(cuModuleGetGlobal(&result, nullptr, module, name), name);
    return result;
  }
  /// Launches and waits. Arguments have the types that the kernel declares; `shared` counts bytes.
  template <typename... Args>
  void launch(const char *name, Size grid, Size block, unsigned shared, const Args &...args) const {
    void *params[] = {const_cast<Args *>(&args)..., nullptr};
    CUfunction kernel = function(name);
    if (shared > 48 * 1024)
      require(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 static_cast<int>(shared)),
              name);
    require(cuLaunchKernel(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared,
                           nullptr, params, nullptr),
            name);
    require(cuCtxSynchronize(), name);
  }

  void expect(bool isRight, const char *what, long long index = 0) {
    if (!isRight && ++wrong <= 10)
      std::printf("%s: wrong at %lld\n", what, index);
  }
  template <typename T>
  void equal(const std::vector<T> &got, const std::vector<T> &expected, const char *what) {
    for (size_t i = 0; i < expected.size(); ++i)
      if (i >= got.size() || !(got[i] == expected[i]))
        if (++wrong <= 10)
          std::printf("%s[%zu]: expected %.17g, got %.17g\n", what, i, double(expected[i]),
                      i < got.size() ? double(got[i]) : NAN);
  }
  /// |got - expected| <= absolute + relative * |expected|
  template <typename T>
  void near(const std::vector<T> &got, const std::vector<double> &expected, double relative,
            double absolute, const char *what) {
    for (size_t i = 0; i < expected.size(); ++i)
      if (!(std::fabs(got[i] - expected[i]) <= absolute + relative * std::fabs(expected[i])))
        if (++wrong <= 10)
          std::printf("%s[%zu]: expected %.9g, got %.9g\n", what, i, expected[i], double(got[i]));
  }
  /// The exit status: 0 if nothing was wrong.
  int result() const {
    if (wrong)
      std::printf("%lld values are wrong\n", wrong);
    return wrong != 0;
  }

  CUdevice device = 0;
  CUmodule module = nullptr;

private:
  long long wrong = 0;
};

} // namespace course

#endif // HEDDLE_TEST_EMULATOR_COURSE_PROGRAM_H
