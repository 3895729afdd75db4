// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and reductions through tensor maps, and changes of maps, through PTX (PTX ISA 9.0, 5.5 and
// 9.7.9.27.5).
#include "test/emulator/BulkRig.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <iostream>
#include <random>

extern "C" const char *heddle_emu_last_report();

using namespace heddle::emulator::test;

namespace {

#define EXPECT_RAN(result) EXPECT_EQ(result.code, 0) << result.report

constexpr uint32_t kBoxAddress = 4096; // aligned to every pattern, as the box is

BulkResult runOn(const Tensor &tensor, const BulkCase &test) {
  return runBulk(test, tensor.memory, [&](const void *base) { return tensor.map(base); });
}

Visit boxAt(const Tensor &tensor, const Coordinates &corner) {
  return [&tensor, corner](const auto &visit) { visitBox(tensor, corner, visit); };
}

/// "{%n4, %n5}" for a rank of 2.
std::string coordinates(size_t rank) {
  std::string text;
  for (size_t i = 0; i < rank; ++i)
    text += (i ? ", %n" : "{%n") + std::to_string(4 + i);
  return text + "}";
}

/// Coordinates are numbers 4 to 8.
std::vector<int32_t> numbersOf(const Coordinates &corner) {
  std::vector<int32_t> numbers(4);
  for (int64_t at : corner)
    numbers.push_back(int32_t(at));
  return numbers;
}

Bytes numbers(uint32_t bytes, uint32_t rank = 0) {
  Bytes result(bytes);
  for (uint32_t i = 0; i < bytes; ++i)
    result[i] = numberAt(i, rank);
  return result;
}

const std::string kWaitGroups = "\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;";

/// A tensor of a rank whose box fits 16 KB, and a corner near an edge.
Tensor someTensor(std::mt19937 &random, uint32_t rank, CUtensorMapSwizzle swizzle, bool isStore,
                  Coordinates &corner) {
  Tensor tensor;
  tensor.swizzle = swizzle;
  uint32_t span = spanOf(swizzle) ? spanOf(swizzle) : 128;
  for (uint32_t i = 0; i < rank; ++i) {
    tensor.sizes.push_back(2 + random() % (i == 0 ? 90 : 7));
    tensor.box.push_back(i == 0 ? span / 2 : 1 + random() % 3);
    tensor.steps.push_back(1 + random() % 2);
    corner.push_back(int64_t(random() % (tensor.sizes[i] + 3)) - (isStore ? 0 : 3));
  }
  tensor.allocate(16);
  return tensor;
}

} // namespace

// Every rank with every swizzle; the box's bytes complete on the mbarrier, filled ones included.
TEST(TensorLoad, EveryRankAndSwizzle) {
  std::mt19937 random(5);
  std::cout << "seed 5\n";
  for (uint32_t rank = 1; rank <= 5; ++rank)
    for (int swizzle = 0; swizzle < 7; ++swizzle) {
      Coordinates corner;
      Tensor tensor =
          someTensor(random, rank, static_cast<CUtensorMapSwizzle>(swizzle), false, corner);
      BulkCase test;
      test.boxBytes = 16384;
      test.body = "cp.async.bulk.tensor." + std::to_string(rank) +
                  "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%box], [%map, " +
                  coordinates(rank) + "], [%bar];";
      test.numbers = numbersOf(corner);
      test.expected = {uint32_t(tensor.boxElements() * 2)};
      BulkResult result = runOn(tensor, test);
      EXPECT_RAN(result);
      ASSERT_EQ(result.boxes, imageOf(tensor, boxAt(tensor, corner), 16384, kBoxAddress))
          << "rank " << rank << " swizzle " << swizzle;
    }
}

TEST(TensorLoad, IntoItsOwnBlockWithAPolicyAndNaN) {
  Tensor tensor;
  tensor.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  tensor.elementBytes = 4;
  tensor.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  tensor.sizes = {20, 5};
  tensor.box = {16, 4};
  tensor.steps = {1, 1};
  tensor.allocate(0);
  BulkCase test;
  // The box may begin anywhere that is aligned to 128; the pattern follows the address.
  test.body = "add.u32 %r1, %box, 128;\ncreatepolicy.fractional.L2::evict_last.b64 %d1, 1.0;\n"
              "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes."
              "L2::cache_hint [%r1], [%map, {%n4, 2}], [%bar], %d1;";
  test.numbers = numbersOf({-3});
  test.expected = {256};
  BulkResult result = runOn(tensor, test);
  EXPECT_RAN(result);
  ASSERT_EQ(result.boxes.size(), 1024u);
  Bytes image = imageOf(tensor, boxAt(tensor, {-3, 2}), 256, kBoxAddress + 128);
  EXPECT_TRUE(std::equal(image.begin(), image.end(), result.boxes.begin() + 128));
  EXPECT_EQ(std::count(result.boxes.begin() + 384, result.boxes.end(), kUntouched), 640);
}

TEST(TensorStore, EveryRankAndSwizzle) {
  std::mt19937 random(6);
  std::cout << "seed 6\n";
  for (uint32_t rank = 1; rank <= 5; ++rank)
    for (int swizzle : {0, 1, 2, 3, 4, 6}) {
      Coordinates corner;
      Tensor tensor =
          someTensor(random, rank, static_cast<CUtensorMapSwizzle>(swizzle), true, corner);
      BulkCase test;
      test.boxBytes = 16384;
      test.fillsWithNumbers = true;
      test.body = "cp.async.bulk.tensor." + std::to_string(rank) +
                  "d.global.shared::cta.tile.bulk_group [%map, " + coordinates(rank) +
                  "], [%box];" + kWaitGroups;
      test.numbers = numbersOf(corner);
      BulkResult result = runOn(tensor, test);
      EXPECT_RAN(result);
      ASSERT_EQ(result.memory,
                memoryAfterStore(tensor, boxAt(tensor, corner), numbers(16384), kBoxAddress))
          << "rank " << rank << " swizzle " << swizzle;
    }
}

namespace {

template <typename T, typename F>
void checkReduction(CUtensorMapDataType type, const std::string &operation, F model) {
  Tensor tensor;
  tensor.type = type;
  tensor.elementBytes = sizeof(T);
  tensor.sizes = {128 / sizeof(T), 6};
  tensor.box = {uint32_t(64 / sizeof(T)), 4};
  tensor.steps = {1, 1};
  tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
  tensor.allocate(0);
  BulkCase test;
  test.fillsWithNumbers = true;
  test.body = "cp.reduce.async.bulk.tensor.2d.global.shared::cta." + operation +
              ".tile.bulk_group [%map, {%n4, %n5}], [%box];" + kWaitGroups;
  Coordinates corner{int64_t(96 / sizeof(T)), 3}; // half of it is outside
  test.numbers = numbersOf(corner);
  BulkResult result = runOn(tensor, test);
  ASSERT_EQ(result.code, 0) << operation << ": " << result.report;
  Bytes expected = tensor.memory, box = numbers(1024);
  visitBox(tensor, corner, [&](const Coordinates &at, uint32_t offset) {
    int64_t to = tensor.element(at);
    if (to < 0)
      return;
    T old, source;
    std::memcpy(&old, &expected[size_t(to)], sizeof old);
    std::memcpy(&source, &box[placeOf(tensor.swizzle, kBoxAddress + offset) - kBoxAddress],
                sizeof source);
    T next = model(old, source);
    std::memcpy(&expected[size_t(to)], &next, sizeof next);
  });
  EXPECT_EQ(result.memory, expected) << operation;
}

} // namespace

// PTX ISA 9.0, cp.reduce.async.bulk.tensor: the type is the map's.
TEST(TensorReduce, OperationsAndTypes) {
  using u32 = uint32_t;
  using u64 = uint64_t;
  auto add = [](auto a, auto b) { return decltype(a)(a + b); };
  checkReduction<u32>(CU_TENSOR_MAP_DATA_TYPE_UINT32, "add", add);
  checkReduction<u32>(CU_TENSOR_MAP_DATA_TYPE_INT32, "add", add);
  checkReduction<u64>(CU_TENSOR_MAP_DATA_TYPE_UINT64, "add", add);
  checkReduction<float>(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, "add", add);
  checkReduction<u32>(CU_TENSOR_MAP_DATA_TYPE_UINT32, "min",
                      [](u32 a, u32 b) { return std::min(a, b); });
  checkReduction<int32_t>(CU_TENSOR_MAP_DATA_TYPE_INT32, "max",
                          [](int32_t a, int32_t b) { return std::max(a, b); });
  checkReduction<int64_t>(CU_TENSOR_MAP_DATA_TYPE_INT64, "min",
                          [](int64_t a, int64_t b) { return std::min(a, b); });
  checkReduction<u32>(CU_TENSOR_MAP_DATA_TYPE_UINT32, "inc",
                      [](u32 a, u32 b) { return a >= b ? 0 : a + 1; });
  checkReduction<u32>(CU_TENSOR_MAP_DATA_TYPE_UINT32, "dec",
                      [](u32 a, u32 b) { return a == 0 || a > b ? b : a - 1; });
  checkReduction<u32>(CU_TENSOR_MAP_DATA_TYPE_UINT32, "and", [](u32 a, u32 b) { return a & b; });
  checkReduction<u64>(CU_TENSOR_MAP_DATA_TYPE_UINT64, "or", [](u64 a, u64 b) { return a | b; });
  checkReduction<u64>(CU_TENSOR_MAP_DATA_TYPE_INT64, "xor", [](u64 a, u64 b) { return a ^ b; });
}

// Halves: with small whole numbers, whose sums are exact.
TEST(TensorReduce, Halves) {
  struct Kind {
    CUtensorMapDataType type;
    uint16_t one, two, three; // 1.0, 2.0, 3.0
  };
  for (auto [type, one, two, three] :
       {Kind{CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 0x3c00, 0x4000, 0x4200},
        Kind{CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 0x3f80, 0x4000, 0x4040}})
    for (auto [operation, expected] :
         {std::pair{"add", three}, std::pair{"min", one}, std::pair{"max", two}}) {
      Tensor tensor;
      tensor.type = type;
      tensor.sizes = {64, 2};
      tensor.box = {64, 2};
      tensor.steps = {1, 1};
      tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
      tensor.allocate(0);
      for (size_t i = 0; i < tensor.memory.size(); i += 2)
        std::memcpy(&tensor.memory[i], &one, 2);
      BulkCase test;
      uint32_t word = uint32_t(two) << 16 | two;
      test.body = "mov.u32 %r1, " + std::to_string(word) + ";\nmov.u32 %r2, %box;\n$put:\n" +
                  "st.shared.b32 [%r2], %r1;\nadd.u32 %r2, %r2, 4;\nadd.u32 %r3, %box, 256;\n"
                  "setp.lt.u32 %p1, %r2, %r3;\n@%p1 bra $put;\nfence.proxy.async;\n"
                  "cp.reduce.async.bulk.tensor.2d.global.shared::cta." +
                  operation + ".tile.bulk_group [%map, {0, 0}], [%box];" + kWaitGroups;
      BulkResult result = runOn(tensor, test);
      ASSERT_EQ(result.code, 0) << result.report;
      for (size_t i = 0; i < 256; i += 2) {
        uint16_t got;
        std::memcpy(&got, &result.memory[i], 2);
        ASSERT_EQ(got, expected) << operation << " " << i;
      }
    }
}

TEST(TensorReduce, Im2col) {
  Tensor tensor;
  tensor.type = CU_TENSOR_MAP_DATA_TYPE_UINT32;
  tensor.elementBytes = 4;
  tensor.sizes = {16, 6, 3};
  tensor.steps = {1, 2, 1};
  tensor.lower = {1};
  tensor.upper = {0};
  tensor.channels = 8;
  tensor.pixels = 5;
  tensor.allocate(0);
  Coordinates corner{4, 3, 1};
  BulkCase test;
  test.fillsWithNumbers = true;
  test.body = "cp.reduce.async.bulk.tensor.3d.global.shared::cta.xor.im2col_no_offs.bulk_group "
              "[%map, " +
              coordinates(3) + "], [%box];" + kWaitGroups;
  test.numbers = numbersOf(corner);
  BulkResult result = runOn(tensor, test);
  EXPECT_RAN(result);
  Bytes expected = tensor.memory, box = numbers(1024);
  visitIm2col(tensor, corner, {}, [&](const Coordinates &at, uint32_t offset) {
    int64_t to = tensor.element(at);
    for (uint32_t i = 0; to >= 0 && i < 4; ++i)
      expected[size_t(to) + i] ^= box[offset + i];
  });
  EXPECT_EQ(result.memory, expected);
  EXPECT_NE(result.memory, tensor.memory);
}

// Prefetches of every rank do nothing but look at the map.
TEST(TensorPrefetch, HasNoEffect) {
  std::mt19937 random(7);
  for (uint32_t rank = 1; rank <= 5; ++rank) {
    Coordinates corner;
    Tensor tensor = someTensor(random, rank, CU_TENSOR_MAP_SWIZZLE_NONE, false, corner);
    std::string dimension = std::to_string(rank) + "d";
    BulkCase test;
    test.body = "createpolicy.fractional.L2::evict_last.b64 %d1, 1.0;\n"
                "cp.async.bulk.prefetch.tensor." +
                dimension + ".L2.global.tile [%map, " + coordinates(rank) +
                "];\ncp.async.bulk.prefetch.tensor." + dimension +
                ".L2.global.tile.L2::cache_hint [%map, " + coordinates(rank) + "], %d1;";
    test.numbers = numbersOf(corner);
    BulkResult result = runOn(tensor, test);
    EXPECT_RAN(result);
    EXPECT_EQ(result.memory, tensor.memory);
    EXPECT_EQ(result.boxes, Bytes(1024, kUntouched));
  }
}

// A multicast fills the same place of each block that the mask names and tells each one's mbarrier.
TEST(TensorLoad, Multicast) {
  for (uint32_t blocks : {2u, 4u})
    for (uint32_t mask : {3u, blocks == 4 ? 14u : 2u}) {
      Coordinates corner{-8, 1};
      Tensor tensor;
      tensor.sizes = {60, 9};
      tensor.box = {64, 4};
      tensor.steps = {1, 2};
      tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
      tensor.allocate(16);
      BulkCase test;
      test.blocks = blocks;
      test.body = "setp.ne.u32 %p1, %rank, 1;\n@%p1 bra $wait;\n"
                  "cp.async.bulk.tensor.2d.shared::cluster.global.tile."
                  "mbarrier::complete_tx::bytes.multicast::cluster [%box], [%map, {%n4, %n5}], "
                  "[%bar], %h0;";
      test.numbers = numbersOf(corner);
      test.numbers[0] = int32_t(mask);
      for (uint32_t r = 0; r < blocks; ++r)
        test.expected.push_back(mask >> r & 1 ? 256 : 0);
      BulkResult result = runOn(tensor, test);
      EXPECT_RAN(result);
      Bytes image = imageOf(tensor, boxAt(tensor, corner), 1024, kBoxAddress);
      ASSERT_EQ(result.boxes.size(), 1024u * blocks);
      for (uint32_t r = 0; r < blocks; ++r)
        EXPECT_EQ(Bytes(result.boxes.begin() + r * 1024, result.boxes.begin() + r * 1024 + 1024),
                  mask >> r & 1 ? image : Bytes(1024, kUntouched))
            << blocks << " " << mask << " " << r;
    }
}

// Each block loads its part for all: as GEMMs share an operand.
TEST(TensorLoad, SlicesOfAMulticast) {
  Tensor tensor;
  tensor.sizes = {64, 16};
  tensor.box = {64, 2};
  tensor.steps = {1, 1};
  tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  tensor.allocate(0);
  BulkCase test;
  test.blocks = 4;
  test.body = "shl.b32 %r1, %rank, 8;\nadd.u32 %r1, %r1, %box;\nshl.b32 %r2, %rank, 1;\n"
              "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
              "multicast::cluster [%r1], [%map, {0, %r2}], [%bar], 15;";
  test.expected = {1024, 1024, 1024, 1024};
  BulkResult result = runOn(tensor, test);
  EXPECT_RAN(result);
  tensor.box = {64, 8};
  Bytes image = imageOf(tensor, boxAt(tensor, {0, 0}), 1024, kBoxAddress);
  ASSERT_EQ(result.boxes.size(), 4096u);
  for (uint32_t r = 0; r < 4; ++r)
    EXPECT_EQ(Bytes(result.boxes.begin() + r * 1024, result.boxes.begin() + r * 1024 + 1024),
              image);
}

// PTX ISA 9.0, 5.5.4.
TEST(TensorLoad, Im2col) {
  for (uint32_t rank = 3; rank <= 5; ++rank) {
    Tensor tensor;
    tensor.sizes = {40};
    tensor.steps = {1};
    Coordinates corner{8};
    std::vector<uint16_t> offsets;
    std::string halves;
    for (uint32_t i = 0; i + 2 < rank; ++i) {
      tensor.sizes.push_back(5 + i);
      tensor.steps.push_back(i == 0 ? 2 : 1);
      tensor.lower.push_back(-1);
      tensor.upper.push_back(-1);
      corner.push_back(i == 0 ? 1 : 0);
      offsets.push_back(uint16_t(i == 1 ? 2 : 1));
      halves += (i ? ", %h" : "{%h") + std::to_string(i);
    }
    tensor.sizes.push_back(3);
    tensor.steps.push_back(1);
    corner.push_back(1);
    tensor.channels = 32;
    tensor.pixels = 24;
    tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
    tensor.allocate(0);
    BulkCase test;
    test.boxBytes = 2048;
    test.body = "cp.async.bulk.tensor." + std::to_string(rank) +
                "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%box], [%map, " +
                coordinates(rank) + "], [%bar], " + halves + "};";
    test.numbers = numbersOf(corner);
    for (size_t i = 0; i < offsets.size(); ++i)
      test.numbers[i] = offsets[i];
    test.expected = {24 * 64};
    BulkResult result = runOn(tensor, test);
    EXPECT_RAN(result);
    auto walk = [&](const auto &visit) { visitIm2col(tensor, corner, offsets, visit); };
    EXPECT_EQ(result.boxes, imageOf(tensor, walk, 2048, kBoxAddress)) << rank;
  }
}

TEST(TensorStore, Im2col) {
  Tensor tensor;
  tensor.sizes = {32, 6, 5, 3};
  tensor.steps = {1, 1, 1, 1};
  tensor.lower = {0, 1};
  tensor.upper = {-1, 0};
  tensor.channels = 16;
  tensor.pixels = 12;
  tensor.allocate(0);
  Coordinates corner{8, 4, 2, 1};
  BulkCase test;
  test.fillsWithNumbers = true;
  test.body = "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%map, " +
              coordinates(4) + "], [%box];" + kWaitGroups;
  test.numbers = numbersOf(corner);
  BulkResult result = runOn(tensor, test);
  EXPECT_RAN(result);
  auto walk = [&](const auto &visit) { visitIm2col(tensor, corner, {}, visit); };
  EXPECT_EQ(result.memory, memoryAfterStore(tensor, walk, numbers(1024), kBoxAddress));
}

// A map is copied to shared memory, changed there, sent to global memory and used: the way of
// grouped products. The new tensor lies in the same allocation, behind the map.
TEST(TensorMapChange, ReplaceAndUse) {
  Tensor tensor;
  tensor.sizes = {32, 8};
  tensor.box = {32, 4};
  tensor.steps = {1, 1};
  tensor.allocate(0);
  Bytes memory(128 + tensor.memory.size());
  std::copy(tensor.memory.begin(), tensor.memory.end(), memory.begin() + 128);
  BulkCase test;
  test.boxBytes = 2048;
  std::string copy;
  for (int i = 0; i < 128; i += 16)
    copy += "ld.param.v4.b32 {%r1, %r2, %r3, %r4}, [map+" + std::to_string(i) +
            "];\nst.shared.v4.b32 [%r9+" + std::to_string(i) + "], {%r1, %r2, %r3, %r4};\n";
  test.body = "add.u32 %r9, %box, 1024;\n" + copy +
              "add.u64 %d1, %in, 128;\n"
              "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r9], %d1;\n"
              "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r9], 1;\n"
              "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r9], 0, 16;\n"
              "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r9], 1, %n0;\n"
              "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r9], 0, %d2;\n"
              "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r9], 1, 2;\n"
              "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r9], 6;\n"
              "tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r9], 0;\n"
              "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r9], 1;\n"
              "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r9], 1;\n";
  test.body = "mov.u64 %d2, 128;\n" + test.body;
  for (int i = 0; i < 128; i += 16)
    test.body += "ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%r9+" + std::to_string(i) +
                 "];\nst.global.v4.b32 [%in+" + std::to_string(i) + "], {%r1, %r2, %r3, %r4};\n";
  test.body += "fence.proxy.tensormap::generic.release.gpu;\n"
               "fence.proxy.tensormap::generic.acquire.gpu [%in], 128;\n"
               "prefetch.tensormap [%in];\nprefetch.param.tensormap [map];\n"
               "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%box], [%in, {%n4, %n5}], [%bar];";
  test.numbers = numbersOf({24, 1});
  test.numbers[0] = 3;
  test.expected = {16 * 2 * 2};
  BulkResult result = runBulk(test, memory, [&](const void *base) { return tensor.map(base); });
  EXPECT_RAN(result);
  ASSERT_EQ(result.boxes.size(), 2048u);
  // Every second row of rows of 128 bytes, of which there are 3; 16 elements, 32 bytes, swizzled.
  tensor.sizes = {32, 3};
  tensor.strides = {128};
  tensor.box = {16, 4};
  tensor.steps = {1, 2};
  tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
  tensor.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  Bytes image = imageOf(tensor, boxAt(tensor, {24, 1}), 64, kBoxAddress);
  EXPECT_EQ(Bytes(result.boxes.begin(), result.boxes.begin() + 64), image);
}

// tensormap.cp_fenceproxy: a whole warp copies a map from shared to global memory.
TEST(TensorMapChange, CopyWithAFence) {
  Tensor tensor;
  tensor.sizes = {32, 8};
  tensor.box = {32, 4};
  tensor.steps = {1, 1};
  tensor.allocate(0);
  Bytes memory = tensor.memory;
  memory.resize(1024);
  BulkCase test;
  std::string copy;
  for (int i = 0; i < 128; i += 16)
    copy += "ld.param.v4.b32 {%r1, %r2, %r3, %r4}, [map+" + std::to_string(i) +
            "];\nst.shared.v4.b32 [%r9+" + std::to_string(i) + "], {%r1, %r2, %r3, %r4};\n";
  test.body = "add.u32 %r9, %box, 512;\n" + copy;
  test.afterwards = "add.u64 %d5, %in, 512;\nadd.u32 %r9, %box, 512;\n"
                    "setp.ge.u32 %p3, %t, 32;\n@%p3 bra $others;\nbar.warp.sync 0xffffffff;\n"
                    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu."
                    "sync.aligned [%d5], [%r9], 128;\n@!%q2 bra $others;\n"
                    "fence.proxy.tensormap::generic.acquire.gpu [%d5], 128;\n"
                    "cp.async.bulk.tensor.2d.shared::cluster.global.tile."
                    "mbarrier::complete_tx::bytes [%box], [%d5, {%n4, %n5}], [%bar];\n$others:\n";
  test.numbers = numbersOf({0, 6});
  test.expected = {256};
  BulkResult result = runBulk(test, memory, [&](const void *base) { return tensor.map(base); });
  EXPECT_RAN(result);
  ASSERT_EQ(result.boxes.size(), 1024u);
  Bytes image = imageOf(tensor, boxAt(tensor, {0, 6}), 256, kBoxAddress);
  EXPECT_EQ(Bytes(result.boxes.begin(), result.boxes.begin() + 256), image);
}

// The driver's calls make the same maps, and say what is wrong with their arguments.
TEST(TensorMapDriver, EncodesAndRefuses) {
  Tensor tensor;
  tensor.sizes = {64, 8};
  tensor.box = {32, 4};
  tensor.steps = {1, 1};
  tensor.allocate(0);
  runOn(tensor, BulkCase{}); // the device is set up
  CUtensorMap map, other = tensor.map(reinterpret_cast<void *>(0x10000));
  auto encode = [&](uint64_t address) {
    return cuTensorMapEncodeTiled(&map, tensor.type, 2, reinterpret_cast<void *>(address),
                                  tensor.sizes.data(), tensor.strides.data(), tensor.box.data(),
                                  tensor.steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
                                  CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  EXPECT_EQ(encode(0x20000), CUDA_SUCCESS);
  EXPECT_NE(std::memcmp(&map, &other, sizeof map), 0);
  EXPECT_EQ(cuTensorMapReplaceAddress(&map, reinterpret_cast<void *>(0x10000)), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(&map, &other, sizeof map), 0);
  EXPECT_EQ(encode(0x20008), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(std::string(heddle_emu_last_report()).find("globalAddress"), std::string::npos);
  EXPECT_EQ(cuTensorMapReplaceAddress(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}
