// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk of tensor copies against models that are written another way (TensorModel.h).
#include "runtime/emulator/async/TensorCopy.h"
#include "test/emulator/TensorModel.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <iostream>
#include <random>

using namespace heddle::emulator;
using namespace heddle::emulator::test;

namespace {

TensorPlace placeAt(const Coordinates &coordinates) {
  TensorPlace place;
  place.rank = static_cast<uint8_t>(coordinates.size());
  for (size_t i = 0; i < coordinates.size(); ++i)
    place.coordinates[i] = static_cast<int32_t>(coordinates[i]);
  return place;
}

/// Memory that is aligned as tensors must be.
struct Aligned {
  Bytes storage;
  uint8_t *base;
  explicit Aligned(const Bytes &bytes) : storage(bytes.size() + 64) {
    base = storage.data() + (64 - reinterpret_cast<uintptr_t>(storage.data()) % 64) % 64;
    std::copy(bytes.begin(), bytes.end(), base);
  }
  Bytes bytes() const { return Bytes(base, base + storage.size() - 64); }
};

TensorMap ours(const CUtensorMap &encoded) {
  TensorMap map;
  std::memcpy(static_cast<void *>(&map), &encoded, sizeof map);
  return map;
}

constexpr uint32_t kBoxAddress = 1024 + 128 * 3; // aligned to 128, not to the pattern

Bytes load(const TensorMap &map, const TensorPlace &place) {
  TensorWalk walk(map, place);
  Bytes shared(walk.sharedBytes(), kUntouched);
  TensorRow row;
  while (walk.next(row))
    loadRow(map, row, walk.rowBytes(), shared.data(), kBoxAddress);
  return shared;
}

void store(const TensorMap &map, const TensorPlace &place, const Bytes &shared) {
  TensorWalk walk(map, place);
  TensorRow row;
  while (walk.next(row))
    storeRow(map, row, walk.rowBytes(), shared.data(), kBoxAddress);
}

Visit boxAt(const Tensor &tensor, const Coordinates &corner) {
  return [&tensor, corner](const auto &visit) { visitBox(tensor, corner, visit); };
}

} // namespace

// PTX ISA 9.0, 5.5.3: every rank, inside, across and beyond every edge, with and without steps.
TEST(TensorCopy, LoadsTiles) {
  std::mt19937 random(1);
  std::cout << "seed 1\n";
  for (uint32_t rank = 1; rank <= 5; ++rank)
    for (int round = 0; round < 60; ++round) {
      Tensor tensor;
      static const std::pair<CUtensorMapDataType, uint32_t> kTypes[] = {
          {CU_TENSOR_MAP_DATA_TYPE_UINT8, 1},
          {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2},
          {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4},
          {CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8}};
      std::tie(tensor.type, tensor.elementBytes) = kTypes[random() % 4];
      if (tensor.elementBytes > 1 && random() % 2)
        tensor.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
      tensor.swizzle = static_cast<CUtensorMapSwizzle>(random() % 7);
      uint32_t span = spanOf(tensor.swizzle) ? spanOf(tensor.swizzle) : 256;
      Coordinates corner;
      for (uint32_t i = 0; i < rank; ++i) {
        tensor.sizes.push_back(1 + random() % (i == 0 ? 90 : 7));
        uint32_t most = i == 0 ? span / 16 : 5;
        uint32_t box = 1 + random() % most;
        tensor.box.push_back(i == 0 ? std::min(box * 16 / tensor.elementBytes, 256u) : box);
        tensor.steps.push_back(1 + random() % 3);
        corner.push_back(int64_t(random() % (tensor.sizes[i] + 8)) - 4);
      }
      tensor.allocate(random() % 2 * 32);
      Aligned memory(tensor.memory);
      TensorMap map = ours(tensor.map(memory.base));
      TensorPlace place = placeAt(corner);
      ASSERT_EQ(whyNotCopied(map, place, false), "");
      Bytes got = load(map, place);
      ASSERT_EQ(got, imageOf(tensor, boxAt(tensor, corner), got.size(), kBoxAddress))
          << "rank " << rank << " round " << round << " swizzle " << tensor.swizzle;
      ASSERT_EQ(TensorWalk(map, place).completedBytes(), tensor.boxElements() * tensor.elementBytes)
          << "what is outside counts too";
    }
}

// Stores drop what lies outside and write nothing between rows.
TEST(TensorCopy, StoresTiles) {
  std::mt19937 random(2);
  std::cout << "seed 2\n";
  for (uint32_t rank = 1; rank <= 5; ++rank)
    for (int round = 0; round < 40; ++round) {
      Tensor tensor;
      tensor.swizzle = static_cast<CUtensorMapSwizzle>(random() % 5);
      uint32_t span = spanOf(tensor.swizzle) ? spanOf(tensor.swizzle) : 64;
      Coordinates corner;
      for (uint32_t i = 0; i < rank; ++i) {
        tensor.sizes.push_back(1 + random() % (i == 0 ? 60 : 6));
        tensor.box.push_back(i == 0 ? (1 + random() % (span / 16)) * 8 : 1 + random() % 4);
        tensor.steps.push_back(1 + random() % 2);
        corner.push_back(int64_t(random() % (tensor.sizes[i] + 2)));
      }
      tensor.allocate(16);
      Aligned memory(tensor.memory);
      TensorMap map = ours(tensor.map(memory.base));
      TensorPlace place = placeAt(corner);
      ASSERT_EQ(whyNotCopied(map, place, true), "");
      Bytes shared(TensorWalk(map, place).sharedBytes());
      for (size_t i = 0; i < shared.size(); ++i)
        shared[i] = static_cast<uint8_t>(i * 3 + 5);
      store(map, place, shared);
      ASSERT_EQ(memory.bytes(),
                memoryAfterStore(tensor, boxAt(tensor, corner), shared, kBoxAddress))
          << "rank " << rank << " round " << round;
    }
}

TEST(TensorCopy, ReducesInsideAlone) {
  Tensor tensor;
  tensor.type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  tensor.elementBytes = 4;
  tensor.sizes = {10, 3};
  tensor.box = {8, 4};
  tensor.steps = {1, 1};
  tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
  tensor.allocate(16);
  Aligned memory(tensor.memory);
  TensorMap map = ours(tensor.map(memory.base));
  Reduction reduction;
  ASSERT_TRUE(tensorReduction(map, ReduceOp::kMax, reduction));
  std::vector<int32_t> values(32);
  for (int i = 0; i < 32; ++i)
    values[i] = (i % 2 ? 1 : -1) * 1000000007 * (i % 3);
  Bytes shared(128);
  std::memcpy(shared.data(), values.data(), 128);
  Bytes expected = tensor.memory;
  visitBox(tensor, {6, 1}, [&](const Coordinates &at, uint32_t offset) {
    int64_t to = tensor.element(at);
    if (to < 0)
      return;
    int32_t old, source;
    std::memcpy(&old, &expected[size_t(to)], 4);
    std::memcpy(&source, &shared[placeOf(tensor.swizzle, kBoxAddress + offset) - kBoxAddress], 4);
    old = std::max(old, source);
    std::memcpy(&expected[size_t(to)], &old, 4);
  });
  TensorPlace place = placeAt({6, 1});
  TensorWalk walk(map, place);
  TensorRow row;
  while (walk.next(row))
    reduceRow(map, reduction, row, walk.rowBytes(), shared.data(), kBoxAddress);
  EXPECT_EQ(memory.bytes(), expected);
  EXPECT_NE(memory.bytes(), tensor.memory);
  EXPECT_FALSE(tensorReduction(map, ReduceOp::kInc, reduction)) << "inc takes u32";
}

// PTX ISA 9.0, 5.5.3.4: four rows anywhere, also outside.
TEST(TensorCopy, GathersAndScattersFourRows) {
  Tensor tensor;
  tensor.sizes = {40, 12};
  tensor.box = {32, 1};
  tensor.steps = {1, 1};
  tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
  tensor.allocate(16);
  Aligned memory(tensor.memory);
  TensorMap map = ours(tensor.map(memory.base));
  TensorPlace place;
  place.access = TensorAccess::kFourRows;
  place.rank = 2;
  const int32_t coordinates[5] = {16, 9, -1, 0, 12};
  std::copy(std::begin(coordinates), std::end(coordinates), place.coordinates);
  ASSERT_EQ(whyNotCopied(map, place, false), "");
  auto fourRows = [&](const auto &visit) {
    for (int r = 0; r < 4; ++r)
      for (int x = 0; x < 32; ++x)
        visit({16 + x, coordinates[1 + r]}, uint32_t(r * 64 + x * 2));
  };
  Bytes got = load(map, place);
  EXPECT_EQ(got, imageOf(tensor, fourRows, got.size(), kBoxAddress));
  place.coordinates[2] = 3;
  ASSERT_EQ(whyNotCopied(map, place, true), "");
  store(map, place, load(map, place));
  EXPECT_EQ(memory.bytes(), tensor.memory) << "what was gathered goes back where it was";
  tensor.box = {32, 2};
  EXPECT_NE(whyNotCopied(ours(tensor.map(memory.base)), place, false), "");
}

namespace {

void checkIm2col(const Tensor &tensor, const Coordinates &corner,
                 const std::vector<uint16_t> &offsets) {
  Aligned memory(tensor.memory);
  TensorMap map = ours(tensor.map(memory.base));
  TensorPlace place = placeAt(corner);
  place.access = TensorAccess::kIm2col;
  std::copy(offsets.begin(), offsets.end(), place.offsets);
  ASSERT_EQ(whyNotCopied(map, place, false), "");
  Bytes got = load(map, place);
  auto walk = [&](const auto &visit) { visitIm2col(tensor, corner, offsets, visit); };
  ASSERT_EQ(got, imageOf(tensor, walk, got.size(), kBoxAddress));
  EXPECT_EQ(TensorWalk(map, place).completedBytes(), tensor.pixels * tensor.channels * 2);
}

} // namespace

// PTX ISA 9.0, 5.5.4: the three examples of figures 13 to 15, with fewer images.
TEST(TensorCopy, Im2colExamplesOfTheISA) {
  Tensor first;
  first.sizes = {64, 9, 14, 8};
  first.steps = {1, 1, 1, 1};
  first.allocate(0);
  first.lower = {-1, -1};
  first.upper = {-1, -1};
  first.pixels = 64;
  checkIm2col(first, {7, 7, 4, 0}, {0, 0});
  first.lower = {0, 0};
  first.upper = {-2, -2};
  checkIm2col(first, {7, 6, 4, 0}, {2, 2});
  Tensor strided;
  strided.sizes = {64, 8, 14, 8};
  strided.steps = {1, 2, 2, 1};
  strided.allocate(0);
  strided.lower = {-1, -1};
  strided.upper = {-1, -1};
  strided.pixels = 32;
  strided.channels = 16;
  checkIm2col(strided, {7, 5, 5, 0}, {1, 1});
}

TEST(TensorCopy, Im2colOfEveryRank) {
  std::mt19937 random(3);
  std::cout << "seed 3\n";
  for (uint32_t rank = 3; rank <= 5; ++rank)
    for (int round = 0; round < 40; ++round) {
      Tensor tensor;
      tensor.sizes = {1 + random() % 40};
      tensor.steps = {1};
      Coordinates corner{int64_t(random() % 40) - 4};
      std::vector<uint16_t> offsets;
      for (uint32_t i = 0; i + 2 < rank; ++i) {
        tensor.sizes.push_back(3 + random() % 6);
        tensor.steps.push_back(1 + random() % 3);
        tensor.lower.insert(tensor.lower.begin(), int(random() % 4) - 2);
        tensor.upper.insert(tensor.upper.begin(), int(random() % 3) - 2);
        if (int64_t(tensor.sizes.back()) + tensor.upper[0] - tensor.lower[0] < 1)
          tensor.upper[0] = 1;
        int64_t count = (int64_t(tensor.sizes.back()) - 1 + tensor.upper[0] - tensor.lower[0]) /
                            tensor.steps.back() +
                        1;
        corner.push_back(tensor.lower[0] +
                         int64_t(random() % uint64_t(count)) * tensor.steps.back());
        offsets.push_back(uint16_t(random() % 3));
      }
      tensor.sizes.push_back(1 + random() % 4);
      tensor.steps.push_back(1);
      corner.push_back(int64_t(random() % 2));
      tensor.swizzle = static_cast<CUtensorMapSwizzle>(random() % 4);
      uint32_t span = spanOf(tensor.swizzle) ? spanOf(tensor.swizzle) : 64;
      tensor.channels = 8 * (1 + random() % (span / 16));
      tensor.pixels = 1 + random() % 40;
      tensor.allocate(16);
      checkIm2col(tensor, corner, offsets);
      if (HasFatalFailure())
        FAIL() << "rank " << rank << " round " << round;
    }
}

// PTX ISA 9.0, 5.5.5: along W and from image to image; H stays. Halo pixels follow along W.
TEST(TensorCopy, Im2colWide) {
  Tensor tensor;
  tensor.sizes = {32, 9, 7, 16};
  tensor.steps = {1, 1, 1, 1};
  tensor.allocate(0);
  Aligned memory(tensor.memory);
  const uint32_t steps[] = {1, 1, 1, 1};
  for (bool is128 : {false, true})
    for (uint16_t halo : {0, 2}) {
      alignas(64) CUtensorMap encoded;
      ASSERT_EQ(encodeIm2colWideMap(
                    &encoded, tensor.type, 4, memory.base, tensor.sizes.data(),
                    tensor.strides.data(), -1, 0, 32, 50, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                    is128 ? CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 : CU_TENSOR_MAP_IM2COL_WIDE_MODE_W,
                    CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                "");
      TensorMap map = ours(encoded);
      TensorPlace place = placeAt({0, 5, 3, 1});
      place.access = is128 ? TensorAccess::kIm2colW128 : TensorAccess::kIm2colW;
      place.offsets[0] = halo;
      place.offsets[1] = 1;
      ASSERT_EQ(whyNotCopied(map, place, false), "");
      // Positions without the offset: 5 to 8 of image 1, then -1 to 8 of each.
      std::vector<std::pair<int64_t, int64_t>> pixels; // w, n
      uint32_t count = is128 ? 128 : 50, every = is128 ? 32 : 50;
      int64_t w = 5, n = 1;
      for (uint32_t i = 1; i <= count; ++i) {
        pixels.push_back({w + 1, n});
        for (int64_t k = 1; i % every == 0 && k <= halo; ++k)
          pixels.push_back({w + 1 + k, n});
        if (++w > 8)
          w = -1, ++n;
      }
      tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
      auto walk = [&](const auto &visit) {
        for (size_t p = 0; p < pixels.size(); ++p)
          for (int64_t c = 0; c < 32; ++c)
            visit({c, pixels[p].first, 3, pixels[p].second}, uint32_t(p) * 64 + uint32_t(c) * 2);
      };
      Bytes got = load(map, place), expected = imageOf(tensor, walk, got.size(), kBoxAddress);
      ASSERT_EQ(got, expected) << is128 << " " << halo;
    }
}

// PTX ISA 9.0, 5.5.1.1: sixteen values are followed by a gap in shared memory.
TEST(TensorCopy, TypesNarrowerThanAByte) {
  for (auto type : {CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B,
                    CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B}) {
    bool isSix = type == CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;
    bool isWide = type != CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B;
    uint32_t data = isSix ? 12 : 8, unit = isWide ? 16 : 8; // bytes for sixteen values
    alignas(64) uint8_t memory[4 * 192];
    for (size_t i = 0; i < sizeof memory; ++i)
      memory[i] = static_cast<uint8_t>(i * 5 + 3);
    const uint64_t sizes[] = {256, 4}, strides[] = {192};
    const uint32_t box[] = {128, 3}, steps[] = {1, 1};
    alignas(64) CUtensorMap encoded;
    ASSERT_EQ(encodeTiledMap(&encoded, type, 2, memory, sizes, strides, box, steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
              "");
    TensorMap map = ours(encoded);
    TensorPlace place = placeAt({128, 2}); // the third row is outside
    ASSERT_EQ(whyNotCopied(map, place, false), "");
    EXPECT_EQ(TensorWalk(map, place).completedBytes(), 3 * 8 * data) << "gaps do not count";
    Bytes got = load(map, place);
    for (uint32_t row = 0; row < 3; ++row)
      for (uint32_t group = 0; group < 8; ++group)
        for (uint32_t b = 0; b < unit; ++b) {
          uint32_t at = kBoxAddress + row * 128 + group * unit + b;
          uint8_t expected =
              row == 2 || b >= data ? 0 : memory[(2 + row) * 192 + (8 + group) * data + b];
          ASSERT_EQ(got[placeOf(CU_TENSOR_MAP_SWIZZLE_128B, at) - kBoxAddress], expected)
              << type << " row " << row << " group " << group << " byte " << b;
        }
    EXPECT_EQ(whyNotCopied(map, placeAt({64, 0}), false).empty(), !isWide);
    EXPECT_EQ(whyNotCopied(map, placeAt({2, 0}), false).empty(), !isWide);
    EXPECT_NE(whyNotCopied(map, placeAt({1, 0}), false), "");
    EXPECT_EQ(whyNotCopied(map, placeAt({0, 0}), true).empty(),
              type != CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B);
    if (!isSix)
      continue;
    // b6p2x16: a store takes the low six bits of each byte.
    Bytes shared(3 * 128);
    std::vector<uint32_t> values;
    for (uint32_t i = 0; i < 384; ++i) {
      values.push_back(i * 11 % 64);
      shared[placeOf(CU_TENSOR_MAP_SWIZZLE_128B, kBoxAddress + i) - kBoxAddress] =
          uint8_t(values[i] | 0xc0);
    }
    store(map, placeAt({128, 1}), shared);
    for (uint32_t i = 0; i < 384; ++i) {
      uint32_t bit = 128 * 6 + i % 128 * 6, value = 0;
      for (uint32_t k = 0; k < 6; ++k)
        value |= uint32_t(memory[(1 + i / 128) * 192 + (bit + k) / 8] >> (bit + k) % 8 & 1) << k;
      ASSERT_EQ(value, values[i]);
    }
  }
}

// Slices of 16 and 32 bytes: dimension 0 is W, then H, slices of channels, images.
TEST(TensorCopy, InterleavedLayouts) {
  for (uint32_t slice : {16u, 32u})
    for (uint32_t step : {1u, 2u}) {
      alignas(64) static uint8_t memory[32 * 6 * 5 * 3 * 2];
      for (size_t i = 0; i < sizeof memory; ++i)
        memory[i] = static_cast<uint8_t>(i * 3 + i / 256);
      const uint64_t sizes[] = {6, 5, 3, 2};
      const uint64_t strides[] = {slice * 6, slice * 30, slice * 90};
      const uint32_t box[] = {4, 3, 1, 2}, steps[] = {step, 1, 1, 1};
      auto swizzle = slice == 32 ? CU_TENSOR_MAP_SWIZZLE_32B : CU_TENSOR_MAP_SWIZZLE_NONE;
      alignas(64) CUtensorMap encoded;
      ASSERT_EQ(encodeTiledMap(
                    &encoded, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, memory, sizes, strides, box,
                    steps,
                    slice == 32 ? CU_TENSOR_MAP_INTERLEAVE_32B : CU_TENSOR_MAP_INTERLEAVE_16B,
                    swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                "");
      TensorMap map = ours(encoded);
      TensorPlace place = placeAt({3, -1, 2, 0});
      Bytes got = load(map, place), expected(got.size(), kUntouched);
      uint32_t across = 4 / step, at = 0;
      for (int n = 0; n < 2; ++n)
        for (int h = -1; h < 2; ++h)
          for (uint32_t i = 0; i < across; ++i)
            for (uint32_t b = 0; b < slice; ++b, ++at) {
              uint32_t w = 3 + i * step;
              bool isInside = h >= 0 && w < 6;
              expected.at(placeOf(swizzle, kBoxAddress + at) - kBoxAddress) =
                  isInside
                      ? memory[n * strides[2] + 2 * strides[1] + h * strides[0] + w * slice + b]
                      : 0;
            }
      ASSERT_EQ(got, expected) << slice << " " << step;
    }
}

// A tf32 map rounds what it loads to 10 bits of fraction, ties to even.
TEST(TensorCopy, TF32Rounds) {
  alignas(64) uint32_t memory[8] = {0x3f800000, 0x3f801000, 0x3f801001, 0x3f803000,
                                    0xbf80ffff, 0x7f800000, 0x7f800001, 0x00000fff};
  const uint32_t expected[8] = {0x3f800000, 0x3f800000, 0x3f802000, 0x3f804000,
                                0xbf810000, 0x7f800000, 0x7fffffff, 0x00000000};
  const uint64_t sizes[] = {8};
  const uint32_t box[] = {8}, steps[] = {1};
  alignas(64) CUtensorMap encoded;
  ASSERT_EQ(encodeTiledMap(&encoded, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 1, memory, sizes, nullptr,
                           box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
            "");
  TensorMap map = ours(encoded);
  Bytes got = load(map, placeAt({0}));
  EXPECT_EQ(std::memcmp(got.data(), expected, sizeof expected), 0);
}

TEST(TensorCopy, InstructionsThatDoNotFitTheMapAreRefused) {
  Tensor tensor;
  tensor.sizes = {64, 8, 8};
  tensor.box = {32, 2, 2};
  tensor.steps = {1, 1, 1};
  tensor.allocate(0);
  Aligned memory(tensor.memory);
  TensorMap map = ours(tensor.map(memory.base));
  EXPECT_EQ(whyNotCopied(map, placeAt({0, 0, 0}), false), "");
  EXPECT_NE(whyNotCopied(TensorMap{}, placeAt({0, 0, 0}), false), "");
  EXPECT_NE(whyNotCopied(map, placeAt({0, 0}), false), "") << "another rank";
  EXPECT_NE(whyNotCopied(map, placeAt({0, -1, 0}), true), "") << "a negative store";
  TensorPlace im2col = placeAt({0, 0, 0});
  im2col.access = TensorAccess::kIm2col;
  EXPECT_NE(whyNotCopied(map, im2col, false), "") << "another mode";
  tensor.box = {32, 256, 256};
  EXPECT_NE(whyNotCopied(ours(tensor.map(memory.base)), placeAt({0, 0, 0}), false), "")
      << "a box that fits nowhere";
  tensor.box = {32, 2, 2};
  tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B;
  EXPECT_NE(whyNotCopied(ours(tensor.map(memory.base)), placeAt({0, 0, 0}), true), "");
  Tensor box;
  box.sizes = {64, 9, 8};
  box.steps = {1, 1, 1};
  box.allocate(0);
  box.lower = {-1};
  box.upper = {-1};
  Aligned pixels(box.memory);
  TensorMap columns = ours(box.map(pixels.base));
  auto refused = [&](int64_t w, uint16_t offset, bool isStore) {
    TensorPlace place = placeAt({0, w, 0});
    place.access = TensorAccess::kIm2col;
    place.offsets[0] = offset;
    return !whyNotCopied(columns, place, isStore).empty();
  };
  EXPECT_FALSE(refused(-1, 65535, false));
  EXPECT_FALSE(refused(7, 0, false));
  EXPECT_TRUE(refused(8, 0, false)) << "behind the bounding box";
  EXPECT_TRUE(refused(-2, 0, false));
  EXPECT_TRUE(refused(0, 0, true)) << "a store needs the box inside of the tensor";
}
