// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk of tensor copies against models that are written another way: element by element, with
// the swizzle tables as the PTX ISA prints them, and with all positions of an im2col walk listed
// beforehand.
#include "runtime/emulator/async/TensorCopy.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace heddle::emulator;

namespace {

using Bytes = std::vector<uint8_t>;

/// PTX ISA 9.0, 5.5.7: which 16-byte unit of the source stands where in the lines of a pattern.
const std::vector<std::array<int, 8>> kLines32 = {{0, 1, 2, 3, 4, 5, 6, 7},
                                                  {1, 0, 3, 2, 5, 4, 7, 6}};
const std::vector<std::array<int, 8>> kLines64 = {{0, 1, 2, 3, 4, 5, 6, 7},
                                                  {1, 0, 3, 2, 5, 4, 7, 6},
                                                  {2, 3, 0, 1, 6, 7, 4, 5},
                                                  {3, 2, 1, 0, 7, 6, 5, 4}};
const std::vector<std::array<int, 8>> kLines128 = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5},
    {3, 2, 1, 0, 7, 6, 5, 4}, {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2},
    {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};
const std::vector<std::array<int, 8>> kLinesAtom32 = {{0, 1, 2, 3, 4, 5, 6, 7},
                                                      {2, 3, 0, 1, 6, 7, 4, 5},
                                                      {4, 5, 6, 7, 0, 1, 2, 3},
                                                      {6, 7, 4, 5, 2, 3, 0, 1}};
const std::vector<std::array<int, 8>> kLinesAtom64 = {{0, 1, 2, 3, 4, 5, 6, 7},
                                                      {4, 5, 6, 7, 0, 1, 2, 3}};

/// Where byte `at` of shared memory goes in a swizzled layout.
uint32_t placeOf(CUtensorMapSwizzle mode, uint32_t at) {
  const std::vector<std::array<int, 8>> *lines = nullptr;
  switch (mode) {
  case CU_TENSOR_MAP_SWIZZLE_NONE:
    return at;
  case CU_TENSOR_MAP_SWIZZLE_32B:
    lines = &kLines32;
    break;
  case CU_TENSOR_MAP_SWIZZLE_64B:
    lines = &kLines64;
    break;
  case CU_TENSOR_MAP_SWIZZLE_128B:
    lines = &kLines128;
    break;
  case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B:
  case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B:
    lines = &kLinesAtom32;
    break;
  case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B:
    lines = &kLinesAtom64;
    break;
  }
  uint32_t line = at / 128, unit = at % 128 / 16, byte = at % 16;
  const auto &row = (*lines)[line % lines->size()];
  uint32_t place =
      static_cast<uint32_t>(std::find(row.begin(), row.end(), int(unit)) - row.begin());
  if (mode == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B && line % 2 == 1)
    byte = (byte + 8) % 16;
  return line * 128 + place * 16 + byte;
}

uint32_t spanOf(CUtensorMapSwizzle mode) {
  static const uint32_t kSpans[] = {0, 32, 64, 128, 128, 128, 128};
  return kSpans[mode];
}

/// A tensor in global memory and how it is seen.
struct Tensor {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
  uint32_t elementBytes = 2;
  std::vector<uint64_t> sizes;
  std::vector<uint64_t> strides; ///< of dimensions 1 on
  std::vector<uint32_t> box, steps;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  Bytes memory;
  size_t start = 0; ///< of the tensor in memory, so that it is aligned

  void allocate(uint64_t padding) {
    strides.clear();
    uint64_t row = sizes[0] * elementBytes;
    for (size_t i = 1; i < sizes.size(); ++i) {
      row = (row + 15) / 16 * 16 + padding;
      strides.push_back(row);
      row *= sizes[i];
    }
    memory.resize(row + 64);
    for (size_t i = 0; i < memory.size(); ++i)
      memory[i] = static_cast<uint8_t>(i * 7 + i / 251 + 1);
    start = (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64;
  }
  uint8_t *base() { return memory.data() + start; }
  TensorMap map() {
    alignas(64) CUtensorMap encoded;
    std::string error =
        encodeTiledMap(&encoded, type, static_cast<uint32_t>(sizes.size()), base(), sizes.data(),
                       strides.data(), box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
                       swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
    EXPECT_EQ(error, "");
    TensorMap map;
    std::memcpy(&map, &encoded, sizeof map);
    return map;
  }
  /// Address of an element; null: outside of the tensor.
  uint8_t *element(const std::vector<int64_t> &at) {
    uint64_t offset = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (at[i] < 0 || at[i] >= int64_t(sizes[i]))
        return nullptr;
      offset += uint64_t(at[i]) * (i == 0 ? elementBytes : strides[i - 1]);
    }
    return base() + offset;
  }
};

TensorPlace placeAt(const std::vector<int64_t> &coordinates) {
  TensorPlace place;
  place.rank = static_cast<uint8_t>(coordinates.size());
  for (size_t i = 0; i < coordinates.size(); ++i)
    place.coordinates[i] = static_cast<int32_t>(coordinates[i]);
  return place;
}

/// Calls visit(coordinates in the tensor, byte offset in the box before swizzling).
template <typename F>
void visitBox(const Tensor &tensor, const std::vector<int64_t> &corner, F visit) {
  size_t rank = tensor.sizes.size();
  std::vector<uint32_t> counts(rank);
  uint64_t total = 1;
  for (size_t i = 0; i < rank; ++i) {
    uint32_t step = i == 0 ? 1 : tensor.steps[i];
    counts[i] = uint32_t(std::ceil(double(tensor.box[i]) / step));
    total *= counts[i];
  }
  uint32_t pitch = std::max(counts[0] * tensor.elementBytes, spanOf(tensor.swizzle));
  for (uint64_t n = 0; n < total; ++n) {
    uint64_t rest = n;
    std::vector<int64_t> at(rank);
    for (size_t i = 0; i < rank; ++i) {
      at[i] = corner[i] + int64_t(rest % counts[i]) * (i == 0 ? 1 : tensor.steps[i]);
      rest /= counts[i];
    }
    visit(at, uint32_t(n / counts[0]) * pitch + uint32_t(n % counts[0]) * tensor.elementBytes);
  }
}

constexpr uint32_t kBoxAddress = 1024 + 128 * 3; // aligned to 128, not to the pattern
constexpr uint8_t kUntouched = 0xa5;

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

Bytes modelLoad(Tensor &tensor, const std::vector<int64_t> &corner, size_t bytes) {
  Bytes shared(bytes, kUntouched);
  static const uint8_t kNaN[8] = {0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f};
  visitBox(tensor, corner, [&](const std::vector<int64_t> &at, uint32_t offset) {
    const uint8_t *from = tensor.element(at);
    for (uint32_t i = 0; i < tensor.elementBytes; ++i) {
      uint8_t outside = tensor.fill ? kNaN[i] : 0;
      shared.at(placeOf(tensor.swizzle, kBoxAddress + offset + i) - kBoxAddress) =
          from ? from[i] : outside;
    }
  });
  return shared;
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
      std::vector<int64_t> corner;
      for (uint32_t i = 0; i < rank; ++i) {
        tensor.sizes.push_back(1 + random() % (i == 0 ? 90 : 7));
        uint32_t most = i == 0 ? span / 16 : 5;
        uint32_t box = 1 + random() % most;
        tensor.box.push_back(i == 0 ? std::min(box * 16 / tensor.elementBytes, 256u) : box);
        tensor.steps.push_back(1 + random() % 3);
        corner.push_back(int64_t(random() % (tensor.sizes[i] + 8)) - 4);
      }
      tensor.allocate(random() % 2 * 32);
      TensorMap map = tensor.map();
      TensorPlace place = placeAt(corner);
      ASSERT_EQ(whyNotCopied(map, place, false), "");
      Bytes got = load(map, place);
      ASSERT_EQ(got, modelLoad(tensor, corner, got.size()))
          << "rank " << rank << " round " << round << " swizzle " << tensor.swizzle;
      uint64_t elements = tensor.box[0];
      for (uint32_t i = 1; i < rank; ++i)
        elements *= (tensor.box[i] + tensor.steps[i] - 1) / tensor.steps[i];
      ASSERT_EQ(TensorWalk(map, place).completedBytes(), elements * tensor.elementBytes)
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
      std::vector<int64_t> corner;
      for (uint32_t i = 0; i < rank; ++i) {
        tensor.sizes.push_back(1 + random() % (i == 0 ? 60 : 6));
        tensor.box.push_back(i == 0 ? (1 + random() % (span / 16)) * 8 : 1 + random() % 4);
        tensor.steps.push_back(1 + random() % 2);
        corner.push_back(int64_t(random() % (tensor.sizes[i] + 2)));
      }
      tensor.allocate(16);
      TensorMap map = tensor.map();
      TensorPlace place = placeAt(corner);
      ASSERT_EQ(whyNotCopied(map, place, true), "");
      Bytes shared(TensorWalk(map, place).sharedBytes());
      for (size_t i = 0; i < shared.size(); ++i)
        shared[i] = static_cast<uint8_t>(i * 3 + 5);
      Bytes expected = tensor.memory;
      visitBox(tensor, corner, [&](const std::vector<int64_t> &at, uint32_t offset) {
        uint8_t *to = tensor.element(at);
        for (uint32_t i = 0; to && i < 2; ++i)
          expected[size_t(to - tensor.memory.data()) + i] =
              shared.at(placeOf(tensor.swizzle, kBoxAddress + offset + i) - kBoxAddress);
      });
      store(map, place, shared);
      ASSERT_EQ(tensor.memory, expected) << "rank " << rank << " round " << round;
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
  TensorMap map = tensor.map();
  Reduction reduction;
  ASSERT_TRUE(tensorReduction(map, ReduceOp::kMax, reduction));
  std::vector<int32_t> values(32);
  for (int i = 0; i < 32; ++i)
    values[i] = (i % 2 ? 1 : -1) * 1000000007 * (i % 3);
  Bytes shared(128);
  std::memcpy(shared.data(), values.data(), 128);
  Bytes before = tensor.memory, expected = before;
  visitBox(tensor, {6, 1}, [&](const std::vector<int64_t> &at, uint32_t offset) {
    if (uint8_t *to = tensor.element(at)) {
      int32_t old, source;
      std::memcpy(&old, to, 4);
      std::memcpy(&source, &shared[placeOf(tensor.swizzle, kBoxAddress + offset) - kBoxAddress], 4);
      old = std::max(old, source);
      std::memcpy(&expected[size_t(to - tensor.memory.data())], &old, 4);
    }
  });
  TensorPlace place = placeAt({6, 1});
  TensorWalk walk(map, place);
  TensorRow row;
  while (walk.next(row))
    reduceRow(map, reduction, row, walk.rowBytes(), shared.data(), kBoxAddress);
  EXPECT_EQ(tensor.memory, expected);
  EXPECT_NE(tensor.memory, before);
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
  TensorMap map = tensor.map();
  TensorPlace place;
  place.access = TensorAccess::kFourRows;
  place.rank = 2;
  const int32_t coordinates[5] = {16, 9, -1, 0, 12};
  std::copy(std::begin(coordinates), std::end(coordinates), place.coordinates);
  ASSERT_EQ(whyNotCopied(map, place, false), "");
  Bytes got = load(map, place), expected(got.size());
  for (int r = 0; r < 4; ++r)
    for (int x = 0; x < 32; ++x)
      for (int b = 0; b < 2; ++b) {
        uint8_t *from = tensor.element({16 + x, coordinates[1 + r]});
        uint32_t at = kBoxAddress + r * 64 + x * 2 + b;
        expected[placeOf(tensor.swizzle, at) - kBoxAddress] = from ? from[b] : 0;
      }
  EXPECT_EQ(got, expected);
  place.coordinates[2] = 3;
  ASSERT_EQ(whyNotCopied(map, place, true), "");
  Bytes memory = tensor.memory;
  store(map, place, load(map, place));
  EXPECT_EQ(tensor.memory, memory) << "what was gathered goes back where it was";
  tensor.box = {32, 2};
  EXPECT_NE(whyNotCopied(tensor.map(), place, false), "");
}

namespace {

/// An im2col map over NHWC-like tensors of 16-bit elements.
struct Im2col {
  Tensor tensor;
  std::vector<int> lower, upper; ///< the driver's order: D, H, W
  uint32_t channels = 8, pixels = 16;

  TensorMap map() {
    alignas(64) CUtensorMap encoded;
    std::string error =
        encodeIm2colMap(&encoded, tensor.type, uint32_t(tensor.sizes.size()), tensor.base(),
                        tensor.sizes.data(), tensor.strides.data(), lower.data(), upper.data(),
                        channels, pixels, tensor.steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
                        tensor.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, tensor.fill);
    EXPECT_EQ(error, "");
    TensorMap map;
    std::memcpy(&map, &encoded, sizeof map);
    return map;
  }
};

/// All positions of the bounding box in the order of the walk, from the one at `corner` on.
std::vector<std::vector<int64_t>> positionsFrom(const Im2col &im2col,
                                                const std::vector<int64_t> &corner, size_t count) {
  size_t spatial = im2col.lower.size();
  std::vector<std::vector<int64_t>> axes(3, {0});
  for (size_t i = 0; i < spatial; ++i) {
    int64_t low = im2col.lower[spatial - 1 - i];
    int64_t high = int64_t(im2col.tensor.sizes[1 + i]) - 1 + im2col.upper[spatial - 1 - i];
    axes[i].clear();
    for (int64_t at = low; at <= high; at += im2col.tensor.steps[1 + i])
      axes[i].push_back(at);
  }
  std::vector<std::vector<int64_t>> result;
  bool started = false;
  for (int64_t n = corner.back(); result.size() < count; ++n)
    for (int64_t d : axes[2])
      for (int64_t h : axes[1])
        for (int64_t w : axes[0]) {
          const int64_t at[3] = {w, h, d};
          started |= std::equal(at, at + spatial, corner.begin() + 1);
          if (!started || result.size() == count)
            continue;
          std::vector<int64_t> position(at, at + spatial);
          position.push_back(n);
          result.push_back(position);
        }
  return result;
}

void checkIm2col(Im2col &im2col, const std::vector<int64_t> &corner,
                 const std::vector<uint16_t> &offsets) {
  TensorMap map = im2col.map();
  TensorPlace place = placeAt(corner);
  place.access = TensorAccess::kIm2col;
  std::copy(offsets.begin(), offsets.end(), place.offsets);
  ASSERT_EQ(whyNotCopied(map, place, false), "");
  Bytes got = load(map, place), expected(got.size(), kUntouched);
  auto positions = positionsFrom(im2col, corner, im2col.pixels);
  uint32_t pitch = std::max(im2col.channels * 2, spanOf(im2col.tensor.swizzle));
  for (size_t p = 0; p < positions.size(); ++p)
    for (uint32_t c = 0; c < im2col.channels; ++c) {
      std::vector<int64_t> at{corner[0] + c};
      for (size_t i = 0; i < offsets.size(); ++i)
        at.push_back(positions[p][i] + offsets[i]);
      at.push_back(positions[p].back());
      const uint8_t *from = im2col.tensor.element(at);
      for (uint32_t b = 0; b < 2; ++b)
        expected.at(placeOf(im2col.tensor.swizzle, kBoxAddress + uint32_t(p) * pitch + c * 2 + b) -
                    kBoxAddress) = from ? from[b] : 0;
    }
  ASSERT_EQ(got, expected);
  EXPECT_EQ(TensorWalk(map, place).completedBytes(), im2col.pixels * im2col.channels * 2);
}

} // namespace

// PTX ISA 9.0, 5.5.4: the three examples of figures 13 to 15, with fewer images.
TEST(TensorCopy, Im2colExamplesOfTheISA) {
  Im2col first;
  first.tensor.sizes = {64, 9, 14, 8};
  first.tensor.steps = {1, 1, 1, 1};
  first.tensor.allocate(0);
  first.lower = {-1, -1};
  first.upper = {-1, -1};
  first.pixels = 64;
  checkIm2col(first, {7, 7, 4, 0}, {0, 0});
  first.lower = {0, 0};
  first.upper = {-2, -2};
  checkIm2col(first, {7, 6, 4, 0}, {2, 2});
  Im2col strided;
  strided.tensor.sizes = {64, 8, 14, 8};
  strided.tensor.steps = {1, 2, 2, 1};
  strided.tensor.allocate(0);
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
      Im2col im2col;
      im2col.tensor.sizes = {1 + random() % 40};
      im2col.tensor.steps = {1};
      std::vector<int64_t> corner{int64_t(random() % 40) - 4};
      std::vector<uint16_t> offsets;
      for (uint32_t i = 0; i + 2 < rank; ++i) {
        im2col.tensor.sizes.push_back(3 + random() % 6);
        im2col.tensor.steps.push_back(1 + random() % 3);
        im2col.lower.insert(im2col.lower.begin(), int(random() % 4) - 2);
        im2col.upper.insert(im2col.upper.begin(), int(random() % 3) - 2);
        if (int64_t(im2col.tensor.sizes.back()) + im2col.upper[0] - im2col.lower[0] < 1)
          im2col.upper[0] = 1;
        int64_t count =
            (int64_t(im2col.tensor.sizes.back()) - 1 + im2col.upper[0] - im2col.lower[0]) /
                im2col.tensor.steps.back() +
            1;
        corner.push_back(im2col.lower[0] +
                         int64_t(random() % uint64_t(count)) * im2col.tensor.steps.back());
        offsets.push_back(uint16_t(random() % 3));
      }
      im2col.tensor.sizes.push_back(1 + random() % 4);
      im2col.tensor.steps.push_back(1);
      corner.push_back(int64_t(random() % 2));
      im2col.tensor.swizzle = static_cast<CUtensorMapSwizzle>(random() % 4);
      uint32_t span = spanOf(im2col.tensor.swizzle) ? spanOf(im2col.tensor.swizzle) : 64;
      im2col.channels = 8 * (1 + random() % (span / 16));
      im2col.pixels = 1 + random() % 40;
      im2col.tensor.allocate(16);
      checkIm2col(im2col, corner, offsets);
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
  const uint32_t steps[] = {1, 1, 1, 1};
  for (bool is128 : {false, true})
    for (uint16_t halo : {0, 2}) {
      alignas(64) CUtensorMap encoded;
      ASSERT_EQ(encodeIm2colWideMap(
                    &encoded, tensor.type, 4, tensor.base(), tensor.sizes.data(),
                    tensor.strides.data(), -1, 0, 32, 50, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                    is128 ? CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 : CU_TENSOR_MAP_IM2COL_WIDE_MODE_W,
                    CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                "");
      TensorMap map;
      std::memcpy(&map, &encoded, sizeof map);
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
      Bytes got = load(map, place), expected(got.size(), kUntouched);
      for (size_t p = 0; p < pixels.size(); ++p)
        for (uint32_t b = 0; b < 64; ++b) {
          const uint8_t *from =
              tensor.element({int64_t(b / 2), pixels[p].first, 3, pixels[p].second});
          expected.at(placeOf(CU_TENSOR_MAP_SWIZZLE_64B, kBoxAddress + uint32_t(p) * 64 + b) -
                      kBoxAddress) = from ? from[b % 2] : 0;
        }
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
    TensorMap map;
    std::memcpy(&map, &encoded, sizeof map);
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
      TensorMap map;
      std::memcpy(&map, &encoded, sizeof map);
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
  TensorMap map;
  std::memcpy(&map, &encoded, sizeof map);
  Bytes got = load(map, placeAt({0}));
  EXPECT_EQ(std::memcmp(got.data(), expected, sizeof expected), 0);
}

TEST(TensorCopy, InstructionsThatDoNotFitTheMapAreRefused) {
  Tensor tensor;
  tensor.sizes = {64, 8, 8};
  tensor.box = {32, 2, 2};
  tensor.steps = {1, 1, 1};
  tensor.allocate(0);
  TensorMap map = tensor.map();
  EXPECT_EQ(whyNotCopied(map, placeAt({0, 0, 0}), false), "");
  EXPECT_NE(whyNotCopied(TensorMap{}, placeAt({0, 0, 0}), false), "");
  EXPECT_NE(whyNotCopied(map, placeAt({0, 0}), false), "") << "another rank";
  EXPECT_NE(whyNotCopied(map, placeAt({0, -1, 0}), true), "") << "a negative store";
  TensorPlace im2col = placeAt({0, 0, 0});
  im2col.access = TensorAccess::kIm2col;
  EXPECT_NE(whyNotCopied(map, im2col, false), "") << "another mode";
  tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B;
  EXPECT_NE(whyNotCopied(tensor.map(), placeAt({0, 0, 0}), true), "");
  Im2col box;
  box.tensor.sizes = {64, 9, 8};
  box.tensor.steps = {1, 1, 1};
  box.tensor.allocate(0);
  box.lower = {-1};
  box.upper = {-1};
  TensorMap columns = box.map();
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
