// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How fast the emulated device runs kernels, checks them and loads them. The checks and the number
// of threads hold for a process: HEDDLE_EMU_CHECK=all and HEDDLE_EMU_THREADS=1, see run.sh. Every
// product is compared with sums in f64 once before it is timed.
#include "test/bench/KernelTexts.h"
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <random>
#include <vector>

extern "C" const char *heddle_emu_last_report();

namespace {

using namespace heddle::bench;

void check(CUresult code, const char *what) {
  if (code == CUDA_SUCCESS)
    return;
  std::fprintf(stderr, "%s: CUDA error %d: %s\n", what, static_cast<int>(code),
               heddle_emu_last_report());
  std::exit(1);
}

void initialise() {
  CUcontext context;
  check(cuInit(0), "cuInit");
  check(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

CUfunction load(const std::string &text, const char *name, int sharedBytes, CUmodule &module) {
  CUfunction function;
  check(cuModuleLoadData(&module, text.c_str()), "cuModuleLoadData");
  check(cuModuleGetFunction(&function, module, name), "cuModuleGetFunction");
  if (sharedBytes > 48 * 1024)
    check(
        cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, sharedBytes),
        "cuFuncSetAttribute");
  return function;
}

template <typename T> CUdeviceptr upload(const std::vector<T> &values) {
  CUdeviceptr address;
  check(cuMemAlloc(&address, values.size() * sizeof(T)), "cuMemAlloc");
  check(cuMemcpyHtoD(address, values.data(), values.size() * sizeof(T)), "cuMemcpyHtoD");
  return address;
}

/// Small multiples of 1/8: exact in f16.
std::vector<uint16_t> halves(size_t count, std::vector<double> &wide, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<uint16_t> result(count);
  wide.resize(count);
  for (size_t i = 0; i < count; ++i) {
    int eighths = static_cast<int>(random() % 17) - 8;
    wide[i] = eighths / 8.0;
    _Float16 half = static_cast<_Float16>(wide[i]);
    std::memcpy(&result[i], &half, 2);
  }
  return result;
}

void elementwise(benchmark::State &state) {
  initialise();
  CUmodule module;
  CUfunction function = load(elementwiseText(), "k", 0, module);
  unsigned n = 1 << 16, blocks = 16; // both arrays stay in the cache: the interpreter is timed
  CUdeviceptr x = upload(std::vector<float>(n, 1.0f)), y = upload(std::vector<float>(n, 2.0f));
  float a = 0.5f;
  unsigned passes = 32; // so that the start of blocks does not count
  void *arguments[] = {&x, &y, &a, &n, &passes};
  for (auto _ : state)
    check(cuLaunchKernel(function, blocks, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr),
          "cuLaunchKernel");
  state.counters["warp_instructions/s"] =
      benchmark::Counter(double(n) / 32 * kStepInstructions * passes * double(state.iterations()),
                         benchmark::Counter::kIsRate);
  cuMemFree(x);
  cuMemFree(y);
  cuModuleUnload(module);
}

/// C at sampled places against sums in f64; `strideB` 1: B[N, K], else B[K, N].
void compare(const std::vector<double> &a, const std::vector<double> &b, CUdeviceptr c, int size,
             bool isTransposed) {
  std::vector<float> got(size_t(size) * size);
  check(cuMemcpyDtoH(got.data(), c, got.size() * 4), "cuMemcpyDtoH");
  for (size_t place = 0; place < got.size(); place += 37) {
    size_t row = place / size_t(size), column = place % size_t(size);
    double sum = 0;
    for (size_t k = 0; k < size_t(size); ++k)
      sum += a[row * size + k] * (isTransposed ? b[column * size + k] : b[k * size + column]);
    if (sum == got[place]) // multiples of 1/64 below 2^9 are exact in f32
      continue;
    std::fprintf(stderr, "element (%zu, %zu) is %g, expected %g\n", row, column, got[place], sum);
    std::exit(1);
  }
}

void countProduct(benchmark::State &state, int size) {
  state.counters["FLOP/s"] = benchmark::Counter(
      2.0 * size * size * size * double(state.iterations()), benchmark::Counter::kIsRate);
}

/// Times a product of 512 x 512 x 512 after it was compared once. `launch(function, a, b, c,
/// size)`.
template <typename Launch>
void timeProduct(benchmark::State &state, const std::string &text, int sharedBytes,
                 bool isTransposed, Launch &&launch) {
  initialise();
  int size = 512;
  CUmodule module;
  CUfunction function = load(text, "gemm", sharedBytes, module);
  std::vector<double> a, b;
  CUdeviceptr da = upload(halves(size_t(size) * size, a, 1));
  CUdeviceptr db = upload(halves(size_t(size) * size, b, 2));
  CUdeviceptr dc = upload(std::vector<float>(size_t(size) * size, NAN));
  launch(function, da, db, dc, size);
  compare(a, b, dc, size, isTransposed);
  for (auto _ : state)
    launch(function, da, db, dc, size);
  countProduct(state, size);
  for (CUdeviceptr address : {da, db, dc})
    cuMemFree(address);
  cuModuleUnload(module);
}

void gemmMmaSync(benchmark::State &state) {
  timeProduct(state, gemmSm80Text(), kSm80Shared, false,
              [](CUfunction function, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c, int size) {
                void *arguments[] = {&a, &b, &c, &size, &size};
                check(cuLaunchKernel(function, size / 128, size / 128, 1, 128, 1, 1, kSm80Shared,
                                     nullptr, arguments, nullptr),
                      "cuLaunchKernel");
              });
}

CUtensorMap mapOf(CUdeviceptr address, int size, unsigned rows) {
  alignas(64) CUtensorMap map;
  cuuint64_t dims[] = {cuuint64_t(size), cuuint64_t(size)}, strides[] = {cuuint64_t(size) * 2};
  cuuint32_t box[] = {64, rows}, steps[] = {1, 1};
  check(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2,
                               reinterpret_cast<void *>(address), dims, strides, box, steps,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        "cuTensorMapEncodeTiled");
  return map;
}

void gemmWgmma(benchmark::State &state) {
  timeProduct(state, gemmSm90Text(), kSm90Shared, true,
              [](CUfunction function, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c, int size) {
                CUtensorMap mapA = mapOf(a, size, 64), mapB = mapOf(b, size, 256);
                void *arguments[] = {&mapA, &mapB, &c, &size, &size};
                check(cuLaunchKernel(function, size / 256, size / 64, 1, 128, 1, 1, kSm90Shared,
                                     nullptr, arguments, nullptr),
                      "cuLaunchKernel");
              });
}

void loadModule(benchmark::State &state) {
  initialise();
  std::string text = longText(500);
  for (auto _ : state) {
    CUmodule module;
    check(cuModuleLoadData(&module, text.c_str()), "cuModuleLoadData");
    cuModuleUnload(module);
  }
}

BENCHMARK(elementwise)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(gemmMmaSync)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(gemmWgmma)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(loadModule)->Unit(benchmark::kMicrosecond)->UseRealTime();

} // namespace

int main(int argc, char **argv) {
  setenv("HEDDLE_EMU_GPU", "h100", 0);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
