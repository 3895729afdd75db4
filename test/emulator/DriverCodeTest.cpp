// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules, libraries and links, attributes of functions, launches with attributes, occupancy.
#include "test/emulator/DriverRig.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace heddle::emulator::test {
namespace {

class DriverCode : public ::testing::Test {
protected:
  void SetUp() override { useDevice(0); }
};

TEST_F(DriverCode, Images) {
  CUmodule module;
  const unsigned char cubin[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  EXPECT_EQ(cuModuleLoadData(&module, cubin), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(report().find("cubin"), std::string::npos) << report();
  const unsigned char rubbish[64] = {0x01, 0x02, 0xff, 0x90};
  EXPECT_EQ(cuModuleLoadFatBinary(&module, rubbish), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(cuModuleLoad(&module, "/nowhere/at/all.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
  std::string path = ::testing::TempDir() + "driver-code-test.ptx";
  std::ofstream(path) << adder();
  ASSERT_EQ(cuModuleLoad(&module, path.c_str()), CUDA_SUCCESS) << report();
  std::remove(path.c_str());
  unsigned count = 0;
  CUfunction function;
  const char *name = nullptr;
  cuModuleGetFunctionCount(&count, module);
  EXPECT_EQ(count, 1u);
  ASSERT_EQ(cuModuleEnumerateFunctions(&function, 1, module), CUDA_SUCCESS);
  ASSERT_EQ(cuFuncGetName(&name, function), CUDA_SUCCESS);
  EXPECT_STREQ(name, "k");
  CUmodule of;
  cuFuncGetModule(&of, function);
  EXPECT_EQ(of, module);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuFuncGetName(&name, function), CUDA_ERROR_INVALID_HANDLE);
}

// What nvcc puts into a fatbin: PTX as it is, PTX compressed, machine code.
TEST_F(DriverCode, Fatbins) {
  if (std::string(HEDDLE_NVCC).empty())
    GTEST_SKIP() << "there is no nvcc to make fatbins";
  std::string folder = ::testing::TempDir(), source = folder + "driver-fatbin.cu";
  std::ofstream(source) << "extern \"C\" __global__ void k(unsigned *a, unsigned v) "
                           "{ a[threadIdx.x] += v; }\n";
  std::string path = folder + "driver-fatbin.bin";
  auto build = [&](const std::string &options) {
    std::string command =
        std::string(HEDDLE_NVCC) + " -fatbin " + options + " " + source + " -o " + path;
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  };
  CUmodule module;
  build("--no-compress -gencode arch=compute_80,code=compute_80 "
        "-gencode arch=compute_100,code=compute_100 -gencode arch=compute_90,code=compute_90");
  ASSERT_EQ(cuModuleLoad(&module, path.c_str()), CUDA_SUCCESS) << report();
  CUfunction function;
  ASSERT_EQ(cuModuleGetFunction(&function, module, "k"), CUDA_SUCCESS);
  cuModuleUnload(module);
  build("-gencode arch=compute_80,code=compute_80");
  EXPECT_EQ(cuModuleLoad(&module, path.c_str()), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(report().find("--no-compress"), std::string::npos) << report();
  build("-gencode arch=compute_80,code=sm_80");
  EXPECT_EQ(cuModuleLoad(&module, path.c_str()), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(report().find("machine code"), std::string::npos) << report();
  std::remove(source.c_str());
  std::remove(path.c_str());
}

// One library in the contexts of both devices; the kernel handle launches in either.
TEST_F(DriverCode, Libraries) {
  CUlibrary library;
  ASSERT_EQ(cuLibraryLoadData(&library, adder().c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_SUCCESS)
      << report();
  CUkernel kernel;
  ASSERT_EQ(cuLibraryGetKernel(&kernel, library, "k"), CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryGetKernel(&kernel, library, "none"), CUDA_ERROR_NOT_FOUND);
  ASSERT_EQ(
      cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000, kernel, 1),
      CUDA_SUCCESS)
      << report();
  for (int device : {0, 1}) {
    useDevice(device);
    CUdeviceptr memory;
    cuMemAlloc(&memory, 128);
    cuMemsetD32(memory, 0, 32);
    unsigned value = 9, result = 0;
    void *params[] = {&memory, &value};
    auto launch = [&](unsigned shared) {
      return cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 32, 1, 1, shared,
                            nullptr, params, nullptr);
    };
    ASSERT_EQ(launch(0), CUDA_SUCCESS) << report();
    EXPECT_EQ(launch(100000), device ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    cuMemcpyDtoH(&result, memory, 4);
    EXPECT_EQ(result, device ? 18u : 9u);
    CUfunction function;
    EXPECT_EQ(cuKernelGetFunction(&function, kernel), CUDA_SUCCESS);
    cuMemFree(memory);
  }
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
  EXPECT_EQ(cuKernelGetLibrary(&library, kernel), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(DriverCode, Links) {
  CUlinkState link;
  void *image;
  size_t bytes;
  std::string text = adder();
  ASSERT_EQ(cuLinkCreate(0, nullptr, nullptr, &link), CUDA_SUCCESS);
  EXPECT_EQ(cuLinkComplete(link, &image, &bytes), CUDA_ERROR_INVALID_IMAGE);
  ASSERT_EQ(
      cuLinkAddData(link, CU_JIT_INPUT_PTX, text.data(), text.size() + 1, "a", 0, nullptr, nullptr),
      CUDA_SUCCESS)
      << report();
  EXPECT_EQ(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, text.data(), 8, "b", 0, nullptr, nullptr),
            CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(cuLinkComplete(link, &image, &bytes), CUDA_SUCCESS);
  CUmodule module;
  EXPECT_EQ(cuModuleLoadData(&module, image), CUDA_SUCCESS) << report();
  cuModuleUnload(module);
  EXPECT_EQ(cuLinkDestroy(link), CUDA_SUCCESS);
}

TEST_F(DriverCode, Attributes) {
  Loaded kernel(kernelText("", ".shared .align 4 .b8 s[1008];\nmov.u32 %r1, s;\n"));
  ASSERT_EQ(kernel.code, CUDA_SUCCESS) << report();
  auto get = [&](CUfunction_attribute attribute) {
    int value = -77;
    EXPECT_EQ(cuFuncGetAttribute(&value, attribute, kernel.function), CUDA_SUCCESS) << attribute;
    return value;
  };
  EXPECT_EQ(get(CU_FUNC_ATTRIBUTE_PTX_VERSION), 80);
  EXPECT_EQ(get(CU_FUNC_ATTRIBUTE_BINARY_VERSION), 90);
  EXPECT_EQ(get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 1008);
  EXPECT_EQ(get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_GT(get(CU_FUNC_ATTRIBUTE_NUM_REGS), 0);
  EXPECT_EQ(get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH), 0);
  auto set = [&](CUfunction_attribute attribute, int value) {
    return cuFuncSetAttribute(kernel.function, attribute, value);
  };
  EXPECT_EQ(set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 * 1024 - 1008), CUDA_SUCCESS);
  EXPECT_EQ(set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 * 1024 - 1007),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(report().find("beside its static 1008"), std::string::npos) << report();
  EXPECT_EQ(set(CU_FUNC_ATTRIBUTE_NUM_REGS, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1), CUDA_SUCCESS);
  EXPECT_EQ(get(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED), 1);
}

TEST_F(DriverCode, LaunchAttributes) {
  Loaded kernel(adder());
  Buffer<unsigned> memory(std::vector<unsigned>(32, 0));
  CUevent event;
  cuEventCreate(&event, 0);
  unsigned value = 2;
  void *params[] = {&memory.address(), &value};
  CUlaunchAttribute attributes[4] = {};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attributes[0].value.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  attributes[2].id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
  attributes[2].value.launchCompletionEvent.event = event;
  attributes[3].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[3].value.clusterDim = {2, 1, 1};
  CUlaunchConfig config = {3, 1, 1, 32, 1, 1, 0, nullptr, attributes, 4};
  EXPECT_NE(cuLaunchKernelEx(&config, kernel.function, params, nullptr), CUDA_SUCCESS);
  EXPECT_NE(report().find("no multiple of the cluster"), std::string::npos) << report();
  config.numAttrs = 3;
  config.gridDimX = 1;
  ASSERT_EQ(cuLaunchKernelEx(&config, kernel.function, params, nullptr), CUDA_SUCCESS) << report();
  EXPECT_EQ(memory.read()[0], 2u);
  EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS);
  // 132 multiprocessors hold 64 warps each: 2 blocks of 1024 threads.
  EXPECT_EQ(cuLaunchCooperativeKernel(kernel.function, 265, 1, 1, 1024, 1, 1, 0, nullptr, params),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_NE(report().find("264 fit"), std::string::npos) << report();
  EXPECT_EQ(cuLaunchCooperativeKernel(kernel.function, 1, 1, 1, 32, 1, 1, 0, nullptr, params),
            CUDA_SUCCESS);
  params[1] = nullptr;
  EXPECT_EQ(cuLaunchKernel(kernel.function, 1, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(report().find("parameter 1"), std::string::npos) << report();
}

// H100: 2048 threads, 32 blocks and 228 KiB a multiprocessor, of which each block takes 1 KiB more.
TEST_F(DriverCode, Occupancy) {
  Loaded kernel(adder());
  auto blocks = [&](int threads, size_t shared) {
    int count = -1;
    EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel.function, threads, shared),
              CUDA_SUCCESS);
    return count;
  };
  EXPECT_EQ(blocks(32, 0), 32);
  EXPECT_EQ(blocks(256, 0), 8);
  EXPECT_EQ(blocks(257, 0), 7) << "9 warps a block, 64 on the multiprocessor";
  EXPECT_EQ(blocks(1024, 0), 2);
  EXPECT_EQ(blocks(128, 113 * 1024), 2);
  EXPECT_EQ(blocks(128, 114 * 1024), 1);
  EXPECT_EQ(blocks(128, 228 * 1024), 0);
  int grid = 0, size = 0;
  ASSERT_EQ(cuOccupancyMaxPotentialBlockSize(&grid, &size, kernel.function, nullptr, 0, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(size, 1024);
  EXPECT_EQ(grid, 264);
  size_t bytes = 0;
  ASSERT_EQ(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel.function, 2, 128), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 113u * 1024);
  CUlaunchConfig config = {16, 1, 1, 128, 1, 1, 0, nullptr, nullptr, 0};
  ASSERT_EQ(cuOccupancyMaxPotentialClusterSize(&size, kernel.function, &config), CUDA_SUCCESS);
  EXPECT_EQ(size, 8);
  cuFuncSetAttribute(kernel.function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  cuOccupancyMaxPotentialClusterSize(&size, kernel.function, &config);
  EXPECT_EQ(size, 16);
}

} // namespace
} // namespace heddle::emulator::test
