// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of bulk copies that came with sm_100, through PTX: byte masks, four rows, im2col::w, pairs
// of blocks.
#include "runtime/emulator/async/TensorMap.h"
#include "test/emulator/BulkRig.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace heddle::emulator::test;

namespace {

Bytes pattern(size_t bytes) {
  Bytes result(bytes);
  for (size_t i = 0; i < bytes; ++i)
    result[i] = static_cast<uint8_t>(i * 13 + i / 256 + 1);
  return result;
}

#define EXPECT_RAN(result) EXPECT_EQ(result.code, 0) << result.report

constexpr uint32_t kBoxAddress = 4096; // aligned to every pattern, as the box is

/// A tensor of 16-bit elements, 40 x 12, of which rows of 32 are seen.
Tensor rowsOf32() {
  Tensor tensor;
  tensor.sizes = {40, 12};
  tensor.box = {32, 1};
  tensor.steps = {1, 1};
  tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
  tensor.allocate(16);
  return tensor;
}

BulkResult runOn(const Tensor &tensor, const BulkCase &test) {
  return runBulk(test, tensor.memory, [&](const void *base) { return tensor.map(base); });
}

} // namespace

// The i-th bit of the mask says whether the i-th byte of each 16 is copied.
TEST(BulkCopy100, StoresBytesOfAMask) {
  BulkCase test;
  test.target = "sm_100a";
  test.fillsWithNumbers = true;
  test.body = "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%in], [%box], 64, %h0;\n"
              "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;";
  test.numbers = {0x8421};
  Bytes memory = pattern(64), expected = memory;
  BulkResult result = runBulk(test, memory);
  EXPECT_RAN(result);
  for (uint32_t i = 0; i < 64; ++i)
    if (i % 16 % 5 == 0)
      expected[i] = numberAt(i, 0);
  EXPECT_EQ(result.memory, expected);
}

// st.bulk writes zeros.
TEST(BulkCopy100, FillsWithZeros) {
  for (const char *form : {"st.bulk.weak.shared::cta [%r1], %d1, 0;", "st.bulk [%d2], 64, 0;"}) {
    BulkCase test;
    test.target = "sm_100a";
    test.body = std::string("add.u32 %r1, %box, 8;\nmov.u64 %d1, 64;\ncvt.u64.u32 %d2, %r1;\n"
                            "cvta.shared.u64 %d2, %d2;\n") +
                form;
    BulkResult result = runBulk(test, pattern(16));
    EXPECT_RAN(result);
    Bytes expected(1024, kUntouched);
    std::fill_n(expected.begin() + 8, 64, uint8_t(0));
    EXPECT_EQ(result.boxes, expected) << form;
  }
}

// PTX ISA 9.0, 5.5.3.4: four rows anywhere; a row outside is filled.
TEST(TensorCopy100, GathersFourRows) {
  for (const char *space : {"shared::cta", "shared::cluster"}) {
    Tensor tensor = rowsOf32();
    BulkCase test;
    test.target = "sm_100a";
    test.body = std::string("cp.async.bulk.tensor.2d.") + space +
                ".global.tile::gather4.mbarrier::complete_tx::bytes [%box], [%map, {%n0, %n1, %n2, "
                "%n3, %n4}], [%bar];";
    test.numbers = {16, 9, -1, 0, 12};
    test.expected = {256};
    BulkResult result = runOn(tensor, test);
    EXPECT_RAN(result);
    auto fourRows = [&](const auto &visit) {
      for (int r = 0; r < 4; ++r)
        for (int x = 0; x < 32; ++x)
          visit({16 + x, test.numbers[1 + r]}, uint32_t(r * 64 + x * 2));
    };
    EXPECT_EQ(result.boxes, imageOf(tensor, fourRows, 1024, kBoxAddress)) << space;
  }
}

TEST(TensorCopy100, ScattersFourRows) {
  Tensor tensor = rowsOf32();
  BulkCase test;
  test.target = "sm_100a";
  test.fillsWithNumbers = true;
  test.body = "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%map, {%n0, "
              "%n1, %n2, %n3, %n4}], [%box];\ncp.async.bulk.commit_group;\n"
              "cp.async.bulk.wait_group 0;";
  test.numbers = {16, 9, 3, 0, 12};
  BulkResult result = runOn(tensor, test);
  EXPECT_RAN(result);
  auto fourRows = [&](const auto &visit) {
    for (int r = 0; r < 4; ++r)
      for (int x = 0; x < 32; ++x)
        visit({16 + x, test.numbers[1 + r]}, uint32_t(r * 64 + x * 2));
  };
  Bytes shared(1024);
  for (uint32_t i = 0; i < 1024; ++i)
    shared[i] = numberAt(i, 0);
  EXPECT_EQ(result.memory, memoryAfterStore(tensor, fourRows, shared, kBoxAddress));
}

// PTX ISA 9.0, 5.5.5: 128 pixels along W and the images, wHalo more after every 32.
TEST(TensorCopy100, Im2colWide) {
  Tensor tensor;
  tensor.sizes = {32, 9, 7, 16};
  tensor.steps = {1, 1, 1, 1};
  tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
  tensor.allocate(0);
  auto makeMap = [&](const void *base) {
    CUtensorMap map;
    EXPECT_EQ(heddle::emulator::encodeIm2colWideMap(
                  &map, tensor.type, 4, const_cast<void *>(base), tensor.sizes.data(),
                  tensor.strides.data(), -1, 0, 32, 1, tensor.steps.data(),
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128,
                  tensor.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
              "");
    return map;
  };
  BulkCase test;
  test.target = "sm_100a";
  test.boxBytes = 16384;
  test.body = "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w::128."
              "mbarrier::complete_tx::bytes [%box], [%map, {%n4, %n5, %n6, %n7}], [%bar], {%h0, "
              "%h1};";
  test.numbers = {2, 1, 0, 0, 0, 5, 3, 1};
  test.expected = {136 * 64};
  BulkResult result = runBulk(test, tensor.memory, makeMap);
  EXPECT_RAN(result);
  auto walk = [&](const auto &visit) {
    int64_t w = 5, n = 1;
    uint32_t p = 0;
    auto pixel = [&](int64_t at) {
      for (int64_t c = 0; c < 32; ++c)
        visit({c, at + 1, 3, n}, p * 64 + uint32_t(c) * 2);
      ++p;
    };
    for (int i = 1; i <= 128; ++i) {
      pixel(w);
      for (int64_t k = 1; i % 32 == 0 && k <= 2; ++k)
        pixel(w + k);
      if (++w > 8)
        w = -1, ++n;
    }
  };
  EXPECT_EQ(result.boxes, imageOf(tensor, walk, 16384, kBoxAddress));
}

// .cta_group::2: the mbarrier of the pair's even block is told of what comes to both.
TEST(TensorCopy100, PairsOfBlocksShareABarrier) {
  Tensor tensor;
  tensor.sizes = {32, 16};
  tensor.box = {32, 4};
  tensor.steps = {1, 1};
  tensor.allocate(0);
  BulkCase test;
  test.target = "sm_100a";
  test.blocks = 2;
  // Rank 1 loads rows 4 to 7 into its own box, rank 0 rows 0 to 3; rank 0 waits for both.
  test.body = "mov.u32 %r3, 0;\nmapa.shared::cluster.u32 %r2, %bar, %r3;\n"
              "mapa.shared::cluster.u32 %r4, %box, %rank;\nshl.b32 %r5, %rank, 2;\n"
              "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
              "cta_group::2 [%r4], [%map, {%n0, %r5}], [%r2];";
  test.numbers = {0};
  test.expected = {512, 0};
  BulkResult result = runOn(tensor, test);
  EXPECT_RAN(result);
  ASSERT_EQ(result.boxes.size(), 2048u);
  for (uint32_t r = 0; r < 2; ++r)
    EXPECT_TRUE(std::equal(tensor.memory.begin() + r * 256, tensor.memory.begin() + r * 256 + 256,
                           result.boxes.begin() + r * 1024))
        << r;
}

// A multicast of a pair: both boxes are filled, and the mbarriers of even blocks told twice.
TEST(TensorCopy100, MulticastToPairs) {
  Tensor tensor;
  tensor.sizes = {32, 4};
  tensor.box = {32, 4};
  tensor.steps = {1, 1};
  tensor.allocate(0);
  BulkCase test;
  test.target = "sm_100a";
  test.blocks = 4;
  test.body = "setp.ne.u32 %p1, %rank, 0;\n@%p1 bra $wait;\n"
              "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
              "multicast::cluster.cta_group::2 [%box], [%map, {%n4, %n5}], [%bar], %h0;";
  test.numbers = {15, 0, 0, 0, 0, 0};
  test.expected = {512, 0, 512, 0};
  BulkResult result = runOn(tensor, test);
  EXPECT_RAN(result);
  ASSERT_EQ(result.boxes.size(), 4096u);
  for (uint32_t r = 0; r < 4; ++r)
    EXPECT_TRUE(std::equal(tensor.memory.begin(), tensor.memory.begin() + 256,
                           result.boxes.begin() + r * 1024))
        << r;
}
