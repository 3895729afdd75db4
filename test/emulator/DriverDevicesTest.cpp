// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two devices in one process: their contexts, their memory, and access to each other's.
#include "test/emulator/DriverRig.h"
#include <thread>

namespace heddle::emulator::test {
namespace {

// Before the library reads them.
const bool hasEnvironment = [] {
  ::setenv("HEDDLE_EMU_GPU", "h100,h100", 1);
  ::setenv("HEDDLE_EMU_CHECK", "init", 1);
  return true;
}();

TEST(DriverDevices, TwoOfThem) {
  ASSERT_TRUE(hasEnvironment);
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS) << report();
  int count = 0, value = 0;
  ASSERT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2);
  CUdevice device;
  EXPECT_EQ(cuDeviceGet(&device, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGet(&device, 2), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_NE(report().find("there are 2"), std::string::npos) << report();
  // H100 SXM: 132 multiprocessors, compute capability 9.0, 227 KiB for a block.
  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1),
            CUDA_SUCCESS);
  EXPECT_EQ(value, 132);
  cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0);
  EXPECT_EQ(value, 227 * 1024);
  for (CUdevice_attribute there :
       {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED,
        CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH}) {
    cuDeviceGetAttribute(&value, there, 0);
    EXPECT_EQ(value, 1) << there;
  }
  cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 0);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(100000), 0),
            CUDA_ERROR_INVALID_VALUE);
  CUuuid first, second;
  EXPECT_EQ(cuDeviceGetUuid(&first, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGetUuid(&second, 1), CUDA_SUCCESS);
  EXPECT_NE(std::memcmp(&first, &second, sizeof first), 0);
  char bus[32];
  ASSERT_EQ(cuDeviceGetPCIBusId(bus, sizeof bus, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuDeviceGetByPCIBusId(&device, bus), CUDA_SUCCESS);
  EXPECT_EQ(device, 1);
}

TEST(DriverDevices, ContextsAreAStack) {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  std::thread([] {
    CUcontext current = nullptr, a, b;
    EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
    EXPECT_EQ(current, nullptr) << "a new thread has none";
    CUdeviceptr address;
    EXPECT_EQ(cuMemAlloc(&address, 16), CUDA_ERROR_INVALID_CONTEXT);
    ASSERT_EQ(cuCtxCreate(&a, nullptr, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate(&b, nullptr, CU_CTX_SCHED_SPIN, 1), CUDA_SUCCESS);
    CUdevice device;
    unsigned flags = 0;
    cuCtxGetDevice(&device);
    EXPECT_EQ(device, 1);
    cuCtxGetFlags(&flags);
    EXPECT_EQ(flags, unsigned(CU_CTX_SCHED_SPIN));
    EXPECT_EQ(cuCtxPopCurrent(&current), CUDA_SUCCESS);
    EXPECT_EQ(current, b);
    cuCtxGetCurrent(&current);
    EXPECT_EQ(current, a);
    EXPECT_EQ(cuCtxDestroy(b), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxPushCurrent(b), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuCtxDestroy(a), CUDA_SUCCESS);
    size_t limit = 0;
    EXPECT_EQ(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
  useDevice(0);
  size_t limit = 0;
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(limit, 4096u);
}

TEST(DriverDevices, CopiesBetweenDevices) {
  CUcontext second = useDevice(1);
  CUdeviceptr there, here;
  ASSERT_EQ(cuMemAlloc(&there, 64), CUDA_SUCCESS);
  CUcontext first = useDevice(0);
  ASSERT_EQ(cuMemAlloc(&here, 64), CUDA_SUCCESS);
  int can = 0, ordinal = -1;
  EXPECT_EQ(cuDeviceCanAccessPeer(&can, 0, 1), CUDA_SUCCESS);
  EXPECT_EQ(can, 1);
  cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, there);
  EXPECT_EQ(ordinal, 1);
  ASSERT_EQ(cuMemsetD32(here, 77, 16), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyPeer(there, second, here, first, 64), CUDA_SUCCESS);
  int value = 0;
  cuMemcpyDtoH(&value, there + 60, 4);
  EXPECT_EQ(value, 77);
  size_t freeHere = 0, freeThere = 0, total = 0;
  cuMemGetInfo(&freeHere, &total);
  cuCtxSetCurrent(second);
  cuMemGetInfo(&freeThere, &total);
  cuMemFree(there);
  size_t after = 0;
  cuMemGetInfo(&after, &total);
  EXPECT_EQ(after, freeThere + 64) << "each device counts its own";
  cuCtxSetCurrent(first);
  cuMemGetInfo(&after, &total);
  EXPECT_EQ(after, freeHere);
  cuMemFree(here);
}

/// Exits with 0 if a kernel faults on the other device's memory without access, the fault breaks
/// that context only, and the kernel works with access.
void touchPeerMemory() {
  CUcontext second = useDevice(1);
  CUdeviceptr there;
  cuMemAlloc(&there, 128);
  cuMemsetD32(there, 1, 32);
  CUcontext own, broken;
  cuCtxCreate(&own, nullptr, 0, 0);
  Loaded good(adder());
  unsigned value = 5;
  void *params[] = {&there, &value};
  bool isRight =
      cuCtxEnablePeerAccess(second, 0) == CUDA_SUCCESS &&
      cuCtxEnablePeerAccess(second, 0) == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED &&
      cuLaunchKernel(good.function, 1, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr) == CUDA_SUCCESS;
  cuCtxCreate(&broken, nullptr, 0, 0);
  Loaded bad(adder());
  CUresult code = cuLaunchKernel(bad.function, 1, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr);
  isRight = isRight && code == CUDA_ERROR_ILLEGAL_ADDRESS && report().find("device 1") < 1000 &&
            cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS;
  cuCtxSetCurrent(own);
  isRight = isRight && cuCtxSynchronize() == CUDA_SUCCESS;
  unsigned result = 0;
  cuMemcpyDtoH(&result, there, 4);
  std::fprintf(stderr, "%d %u %s\n", static_cast<int>(code), result, report().c_str());
  std::exit(isRight && result == 6 ? 0 : 1);
}

TEST(DriverDevicesAlone, PeerAccess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(touchPeerMemory(), ::testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace heddle::emulator::test
