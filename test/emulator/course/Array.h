// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in device memory, and numbers to fill them with.
#ifndef HEDDLE_TEST_EMULATOR_COURSE_ARRAY_H
#define HEDDLE_TEST_EMULATOR_COURSE_ARRAY_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <vector>

namespace course {

inline void require(CUresult code, const char *what) {
  if (code == CUDA_SUCCESS)
    return;
  const char *name = nullptr;
  cuGetErrorName(code, &name);
  std::printf("%s: %s\n", what, name ? name : "unknown error");
  std::exit(1);
}

/// An array in device memory.
template <typename T> class Array {
public:
  explicit Array(const std::vector<T> &values) : count(values.size()) {
    require(cuMemAlloc(&address, count * sizeof(T)), "cuMemAlloc");
    require(cuMemcpyHtoD(address, values.data(), count * sizeof(T)), "cuMemcpyHtoD");
  }
  explicit Array(size_t count) : Array(std::vector<T>(count)) {}
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() { cuMemFree(address); }
  std::vector<T> read() const {
    std::vector<T> values(count);
    require(cuMemcpyDtoH(values.data(), address, count * sizeof(T)), "cuMemcpyDtoH");
    return values;
  }
  CUdeviceptr address = 0;

private:
  size_t count;
};

/// Numbers that look random and are the same in every run (a 64-bit linear congruence, upper bits).
struct Random {
  uint64_t state = 20261201;
  uint32_t bits() {
    return uint32_t((state = state * 6364136223846793005u + 1442695040888963407u) >> 32);
  }
  float real(float low, float high) { return low + (high - low) * float(bits() >> 8) * 0x1p-24f; }
  std::vector<float> reals(size_t count, float low, float high) {
    std::vector<float> values(count);
    for (float &value : values)
      value = real(low, high);
    return values;
  }
};

} // namespace course

#endif // HEDDLE_TEST_EMULATOR_COURSE_ARRAY_H
