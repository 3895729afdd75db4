// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of tensor copies that share no code with the emulator, but for the encoding of the map.
#include "test/emulator/TensorModel.h"
#include "runtime/emulator/async/TensorMap.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace heddle::emulator::test {

namespace {

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

} // namespace

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

void Tensor::allocate(uint64_t padding) {
  strides.clear();
  uint64_t row = sizes[0] * elementBytes;
  for (size_t i = 1; i < sizes.size(); ++i) {
    row = (row + 15) / 16 * 16 + padding;
    strides.push_back(row);
    row *= sizes[i];
  }
  memory.resize(row);
  for (size_t i = 0; i < memory.size(); ++i)
    memory[i] = static_cast<uint8_t>(i * 7 + i / 251 + 1);
}

CUtensorMap Tensor::map(const void *base) const {
  CUtensorMap encoded;
  void *address = const_cast<void *>(base);
  uint32_t rank = static_cast<uint32_t>(sizes.size());
  std::string error =
      lower.empty() ? encodeTiledMap(&encoded, type, rank, address, sizes.data(), strides.data(),
                                     box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
                                     swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill)
                    : encodeIm2colMap(&encoded, type, rank, address, sizes.data(), strides.data(),
                                      lower.data(), upper.data(), channels, pixels, steps.data(),
                                      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                      CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
  EXPECT_EQ(error, "");
  return encoded;
}

int64_t Tensor::element(const Coordinates &at) const {
  uint64_t offset = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (at[i] < 0 || at[i] >= int64_t(sizes[i]))
      return -1;
    offset += uint64_t(at[i]) * (i == 0 ? elementBytes : strides[i - 1]);
  }
  return int64_t(offset);
}

uint64_t Tensor::boxElements() const {
  uint64_t elements = box[0];
  for (size_t i = 1; i < box.size(); ++i)
    elements *= (box[i] + steps[i] - 1) / steps[i];
  return elements;
}

void visitBox(const Tensor &tensor, const Coordinates &corner,
              const std::function<void(const Coordinates &, uint32_t)> &visit) {
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
    Coordinates at(rank);
    for (size_t i = 0; i < rank; ++i) {
      at[i] = corner[i] + int64_t(rest % counts[i]) * (i == 0 ? 1 : tensor.steps[i]);
      rest /= counts[i];
    }
    visit(at, uint32_t(n / counts[0]) * pitch + uint32_t(n % counts[0]) * tensor.elementBytes);
  }
}

/// All positions of the bounding box in the order of the walk, from the one at `corner` on.
static std::vector<Coordinates> positionsFrom(const Tensor &tensor, const Coordinates &corner) {
  size_t spatial = tensor.lower.size();
  std::vector<Coordinates> axes(3, {0});
  for (size_t i = 0; i < spatial; ++i) {
    int64_t low = tensor.lower[spatial - 1 - i];
    int64_t high = int64_t(tensor.sizes[1 + i]) - 1 + tensor.upper[spatial - 1 - i];
    axes[i].clear();
    for (int64_t at = low; at <= high; at += tensor.steps[1 + i])
      axes[i].push_back(at);
  }
  std::vector<Coordinates> result;
  bool started = false;
  for (int64_t n = corner.back(); result.size() < tensor.pixels; ++n)
    for (int64_t d : axes[2])
      for (int64_t h : axes[1])
        for (int64_t w : axes[0]) {
          const int64_t at[3] = {w, h, d};
          started |= std::equal(at, at + spatial, corner.begin() + 1);
          if (!started || result.size() == tensor.pixels)
            continue;
          Coordinates position(at, at + spatial);
          position.push_back(n);
          result.push_back(position);
        }
  return result;
}

void visitIm2col(const Tensor &tensor, const Coordinates &corner,
                 const std::vector<uint16_t> &offsets,
                 const std::function<void(const Coordinates &, uint32_t)> &visit) {
  std::vector<Coordinates> positions = positionsFrom(tensor, corner);
  uint32_t pitch = std::max(tensor.channels * tensor.elementBytes, spanOf(tensor.swizzle));
  for (size_t p = 0; p < positions.size(); ++p)
    for (uint32_t c = 0; c < tensor.channels; ++c) {
      Coordinates at{corner[0] + c};
      for (size_t i = 0; i < tensor.lower.size(); ++i)
        at.push_back(positions[p][i] + (i < offsets.size() ? offsets[i] : 0));
      at.push_back(positions[p].back());
      visit(at, uint32_t(p) * pitch + c * tensor.elementBytes);
    }
}

Bytes imageOf(const Tensor &tensor, const Visit &visit, size_t bytes, uint32_t address) {
  Bytes shared(bytes, kUntouched);
  static const uint8_t kNaN[8] = {0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f};
  visit([&](const Coordinates &at, uint32_t offset) {
    int64_t from = tensor.element(at);
    for (uint32_t i = 0; i < tensor.elementBytes; ++i)
      shared.at(placeOf(tensor.swizzle, address + offset + i) - address) =
          from >= 0     ? tensor.memory[size_t(from) + i]
          : tensor.fill ? kNaN[i]
                        : 0;
  });
  return shared;
}

Bytes memoryAfterStore(const Tensor &tensor, const Visit &visit, const Bytes &shared,
                       uint32_t address) {
  Bytes memory = tensor.memory;
  visit([&](const Coordinates &at, uint32_t offset) {
    int64_t to = tensor.element(at);
    for (uint32_t i = 0; to >= 0 && i < tensor.elementBytes; ++i)
      memory[size_t(to) + i] = shared.at(placeOf(tensor.swizzle, address + offset + i) - address);
  });
  return memory;
}

} // namespace heddle::emulator::test
