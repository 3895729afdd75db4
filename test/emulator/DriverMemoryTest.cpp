// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory through the driver: pitches, pools, pinned memory, pointers, copies and fills of boxes
// against loops over bytes.
#include "test/emulator/DriverRig.h"
#include <numeric>

namespace heddle::emulator::test {
namespace {

class DriverMemory : public ::testing::Test {
protected:
  void SetUp() override { useDevice(0); }
};

TEST_F(DriverMemory, Boxes) {
  // 5 rows of 12 bytes from (3, 2) of a host picture into (8, 1) of a pitched one.
  std::vector<uint8_t> host(40 * 10), back(512 * 8);
  std::iota(host.begin(), host.end(), uint8_t(0));
  CUdeviceptr image;
  size_t pitch = 0;
  ASSERT_EQ(cuMemAllocPitch(&image, &pitch, 100, 8, 4), CUDA_SUCCESS);
  ASSERT_EQ(pitch, 512u);
  ASSERT_EQ(cuMemsetD2D8(image, pitch, 0xee, 512, 8), CUDA_SUCCESS);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host.data();
  copy.srcPitch = 40;
  copy.srcXInBytes = 3;
  copy.srcY = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = image;
  copy.dstPitch = pitch;
  copy.dstXInBytes = 8;
  copy.dstY = 1;
  copy.WidthInBytes = 12;
  copy.Height = 5;
  ASSERT_EQ(cuMemcpy2D(&copy), CUDA_SUCCESS) << report();
  ASSERT_EQ(cuMemcpyDtoH(back.data(), image, back.size()), CUDA_SUCCESS);
  for (size_t row = 0; row < 8; ++row)
    for (size_t x = 0; x < 512; ++x) {
      bool isInside = row >= 1 && row < 6 && x >= 8 && x < 20;
      uint8_t expected = isInside ? host[(row - 1 + 2) * 40 + x - 8 + 3] : 0xee;
      ASSERT_EQ(back[row * 512 + x], expected) << row << " " << x;
    }
  copy.dstY = 4;
  EXPECT_EQ(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(report().find("not inside of one allocation"), std::string::npos) << report();
  copy.dstY = 0;
  copy.srcPitch = 14;
  EXPECT_EQ(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(report().find("pitch"), std::string::npos) << report();
  cuMemFree(image);
}

TEST_F(DriverMemory, BoxesOfThreeDimensions) {
  constexpr size_t X = 7, Y = 5, Z = 4;
  std::vector<uint8_t> host(X * Y * Z), back(3 * 2 * 2);
  std::iota(host.begin(), host.end(), uint8_t(0));
  Buffer<uint8_t> device(host);
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = device.address();
  copy.srcPitch = X;
  copy.srcHeight = Y;
  copy.srcXInBytes = 2;
  copy.srcY = 1;
  copy.srcZ = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = back.data();
  copy.dstPitch = 3;
  copy.dstHeight = 2;
  copy.WidthInBytes = 3;
  copy.Height = 2;
  copy.Depth = 2;
  ASSERT_EQ(cuMemcpy3D(&copy), CUDA_SUCCESS) << report();
  for (size_t z = 0; z < 2; ++z)
    for (size_t y = 0; y < 2; ++y)
      for (size_t x = 0; x < 3; ++x)
        EXPECT_EQ(back[(z * 2 + y) * 3 + x], host[((z + 2) * Y + y + 1) * X + x + 2]);
  copy.srcZ = 3;
  EXPECT_EQ(cuMemcpy3DAsync(&copy, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverMemory, Fills) {
  Buffer<uint16_t> memory(64);
  ASSERT_EQ(cuMemsetD16(memory.address(), 0xabcd, 64), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD2D32(memory.address() + 8, 16, 0x11223344, 2, 3), CUDA_SUCCESS) << report();
  const std::vector<uint16_t> &values = memory.read();
  for (size_t i = 0; i < 64; ++i) {
    size_t byte = i * 2;
    bool isInside = byte >= 8 && byte < 8 + 3 * 16 && (byte - 8) % 16 < 8;
    uint16_t expected = !isInside ? 0xabcd : i % 2 ? 0x1122 : 0x3344;
    EXPECT_EQ(values[i], expected) << i;
  }
  EXPECT_EQ(cuMemsetD32(memory.address() + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD8(memory.address() + 1, 0, 128), CUDA_ERROR_INVALID_VALUE);
}

// Every copy and fill counts as writing, a copy of what nobody wrote does not: the kernel that
// reads it is stopped in a context of its own.
TEST_F(DriverMemory, KernelsSeeWhatWasWritten) {
  CUcontext context;
  ASSERT_EQ(cuCtxCreate(&context, nullptr, 0, 0), CUDA_SUCCESS);
  Loaded kernel(adder());
  CUdeviceptr memory, fresh;
  cuMemAlloc(&memory, 128);
  cuMemAlloc(&fresh, 128);
  unsigned value = 1;
  void *params[] = {&memory, &value};
  auto launch = [&] {
    return cuLaunchKernel(kernel.function, 1, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr);
  };
  ASSERT_EQ(cuMemsetD2D8(memory, 16, 0, 16, 8), CUDA_SUCCESS);
  EXPECT_EQ(launch(), CUDA_SUCCESS) << report();
  ASSERT_EQ(cuMemcpy(memory, fresh, 128), CUDA_SUCCESS);
  EXPECT_EQ(launch(), CUDA_ERROR_LAUNCH_FAILED);
  CUcontext of = nullptr;
  cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, memory);
  EXPECT_EQ(of, context);
  EXPECT_EQ(cuCtxDestroy(context), CUDA_SUCCESS);
  useDevice(0);
  EXPECT_EQ(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE) << "it went with its context";
}

TEST_F(DriverMemory, Pools) {
  CUmemoryPool pool, standard, current;
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  properties.maxSize = 4096;
  ASSERT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_SUCCESS) << report();
  ASSERT_EQ(cuDeviceGetDefaultMemPool(&standard, 0), CUDA_SUCCESS);
  CUdeviceptr a, b;
  ASSERT_EQ(cuMemAllocFromPoolAsync(&a, 3000, pool, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAllocFromPoolAsync(&b, 3000, pool, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
  cuuint64_t used = 0, high = 0;
  cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used);
  EXPECT_EQ(used, 3000u);
  CUmemoryPool of = nullptr;
  cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, a + 5);
  EXPECT_EQ(of, pool);
  EXPECT_EQ(cuMemFreeAsync(a, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeAsync(a, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(report().find("freed"), std::string::npos) << report();
  cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used);
  cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high);
  EXPECT_EQ(used, 0u);
  EXPECT_EQ(high, 3000u);
  ASSERT_EQ(cuDeviceSetMemPool(0, pool), CUDA_SUCCESS);
  cuDeviceGetMemPool(&current, 0);
  EXPECT_EQ(current, pool);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
  cuDeviceGetMemPool(&current, 0);
  EXPECT_EQ(current, standard);
  EXPECT_EQ(cuMemPoolDestroy(standard), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverMemory, PinnedMemory) {
  void *pinned = nullptr;
  ASSERT_EQ(cuMemHostAlloc(&pinned, 128, CU_MEMHOSTALLOC_PORTABLE), CUDA_SUCCESS);
  std::vector<unsigned> own(32, 7);
  ASSERT_EQ(cuMemHostRegister(own.data(), 128, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostRegister(own.data() + 4, 16, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  std::memset(pinned, 0, 128);
  Loaded kernel(adder());
  unsigned value = 3, flags = 0, type = 0;
  for (void *memory : {pinned, static_cast<void *>(own.data())}) {
    CUdeviceptr address;
    ASSERT_EQ(cuMemHostGetDevicePointer(&address, memory, 0), CUDA_SUCCESS);
    void *params[] = {&address, &value};
    ASSERT_EQ(cuLaunchKernel(kernel.function, 1, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr),
              CUDA_SUCCESS)
        << report();
  }
  EXPECT_EQ(static_cast<unsigned *>(pinned)[31], 3u);
  EXPECT_EQ(own[31], 10u);
  EXPECT_EQ(cuMemHostGetFlags(&flags, pinned), CUDA_SUCCESS);
  EXPECT_EQ(flags, unsigned(CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                        reinterpret_cast<CUdeviceptr>(pinned));
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_HOST));
  EXPECT_EQ(cuMemHostUnregister(own.data()), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostUnregister(own.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(cuMemFreeHost(pinned), CUDA_SUCCESS);
  CUdeviceptr managed;
  EXPECT_EQ(cuMemAllocManaged(&managed, 16, CU_MEM_ATTACH_GLOBAL), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_NE(report().find("managed"), std::string::npos);
}

TEST_F(DriverMemory, Pointers) {
  Buffer<uint8_t> memory(1000);
  CUdeviceptr base = 0, start = 0;
  size_t bytes = 0;
  ASSERT_EQ(cuMemGetAddressRange(&base, &bytes, memory.address() + 999), CUDA_SUCCESS);
  EXPECT_EQ(base, memory.address());
  EXPECT_EQ(bytes, 1000u);
  EXPECT_EQ(cuMemGetAddressRange(&base, &bytes, memory.address() + 1000), CUDA_ERROR_NOT_FOUND);
  unsigned type = 9;
  int host = 0;
  CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 CU_POINTER_ATTRIBUTE_RANGE_START_ADDR};
  void *data[] = {&type, &start};
  ASSERT_EQ(cuPointerGetAttributes(2, which, data, memory.address() + 7), CUDA_SUCCESS);
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_DEVICE));
  EXPECT_EQ(start, memory.address());
  ASSERT_EQ(cuPointerGetAttributes(2, which, data, reinterpret_cast<CUdeviceptr>(&host)),
            CUDA_SUCCESS);
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  reinterpret_cast<CUdeviceptr>(&host)),
            CUDA_ERROR_INVALID_VALUE);
  // A device address as the host's end of a copy is told apart.
  EXPECT_EQ(cuMemcpyDtoH(reinterpret_cast<void *>(memory.address()), memory.address(), 4),
            CUDA_ERROR_INVALID_VALUE);
}

} // namespace
} // namespace heddle::emulator::test
