// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps: which arguments the encoding accepts and refuses, by the rules that cuda.h states at
// cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide.
#include "runtime/emulator/async/TensorMap.h"
#include <cstring>
#include <functional>
#include <gtest/gtest.h>

using namespace heddle::emulator;

namespace {

/// Arguments of a sound tiled map of f16, 64 x 32 x 8, box 32 x 16 x 2.
struct Tiled {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  uint32_t rank = 3;
  uint64_t address = 0x10000;
  uint64_t sizes[5] = {64, 32, 8, 1, 1};
  uint64_t strides[4] = {128, 4096, 32768, 32768};
  uint32_t box[5] = {32, 16, 2, 1, 1};
  uint32_t steps[5] = {1, 1, 1, 1, 1};
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;

  std::string encode(CUtensorMap &map) const {
    return encodeTiledMap(&map, type, rank, reinterpret_cast<void *>(address), sizes, strides, box,
                          steps, interleave, swizzle, promotion, fill);
  }
};

void expectRefused(const char *word, const std::function<void(Tiled &)> &change) {
  Tiled arguments;
  change(arguments);
  CUtensorMap map;
  std::string error = arguments.encode(map);
  EXPECT_NE(error.find(word), std::string::npos)
      << "expected a text about " << word << ", got \"" << error << "\"";
}

} // namespace

TEST(TensorMap, KeepsWhatWasEncoded) {
  CUtensorMap encoded;
  ASSERT_EQ(Tiled{}.encode(encoded), "");
  // A copy elsewhere, as a kernel parameter makes one, is the same map.
  TensorMap map;
  std::memcpy(&map, &encoded, sizeof map);
  EXPECT_TRUE(map.isMap());
  EXPECT_EQ(whyUnsound(map), "");
  EXPECT_EQ(map.address, 0x10000u);
  EXPECT_EQ(map.rank, 3);
  EXPECT_EQ(map.type, TensorType::kF16);
  EXPECT_EQ(map.sizes[1], 32u);
  EXPECT_EQ(map.strides[1], 4096u);
  EXPECT_EQ(map.box[2], 2u);
  EXPECT_EQ(map.swizzleBytes, 64);
  EXPECT_EQ(map.atom, SwizzleAtom::k16Bytes);
}

TEST(TensorMap, TiledArgumentsAreChecked) {
  expectRefused("tensorDataType", [](Tiled &a) { a.type = CUtensorMapDataType(16); });
  expectRefused("tensorRank", [](Tiled &a) { a.rank = 0; });
  expectRefused("tensorRank", [](Tiled &a) { a.rank = 6; });
  expectRefused("globalAddress", [](Tiled &a) { a.address += 8; });
  expectRefused("globalAddress", [](Tiled &a) { a.address = 0; });
  expectRefused("globalDim[1]", [](Tiled &a) { a.sizes[1] = 0; });
  expectRefused("globalDim[2]", [](Tiled &a) { a.sizes[2] = (1ull << 32) + 1; });
  expectRefused("globalStrides[0]", [](Tiled &a) { a.strides[0] = 136; });
  expectRefused("globalStrides[1]", [](Tiled &a) { a.strides[1] = 1ull << 40; });
  expectRefused("boxDim[1]", [](Tiled &a) { a.box[1] = 0; });
  expectRefused("boxDim[1]", [](Tiled &a) { a.box[1] = 257; });
  expectRefused("boxDim[1]", [](Tiled &a) { a.box[1] = 65537; });
  expectRefused("multiple of 16 bytes", [](Tiled &a) { a.box[0] = 12; });
  expectRefused("swizzle's 64 bytes", [](Tiled &a) { a.box[0] = 64; });
  expectRefused("swizzle's 32 bytes", [](Tiled &a) { a.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; });
  expectRefused("elementStrides[1]", [](Tiled &a) { a.steps[1] = 0; });
  expectRefused("elementStrides[2]", [](Tiled &a) { a.steps[2] = 9; });
  expectRefused("interleave", [](Tiled &a) { a.interleave = CUtensorMapInterleave(3); });
  expectRefused("swizzle", [](Tiled &a) { a.swizzle = CUtensorMapSwizzle(7); });
  expectRefused("l2Promotion", [](Tiled &a) { a.promotion = CUtensorMapL2promotion(4); });
  expectRefused("oobFill", [](Tiled &a) { a.fill = CUtensorMapFloatOOBfill(2); });
  expectRefused("oobFill", [](Tiled &a) {
    a.type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
    a.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  });
  expectRefused("tensorRank", [](Tiled &a) {
    a.rank = 2;
    a.interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
  });
  expectRefused("SWIZZLE_32B", [](Tiled &a) { a.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; });
  expectRefused("globalAddress", [](Tiled &a) {
    a.interleave = CU_TENSOR_MAP_INTERLEAVE_32B;
    a.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
    a.address += 16;
  });
  CUtensorMap maps[2];
  Tiled sound;
  EXPECT_NE(encodeTiledMap(reinterpret_cast<CUtensorMap *>(reinterpret_cast<char *>(maps) + 32),
                           sound.type, 3, reinterpret_cast<void *>(sound.address), sound.sizes,
                           sound.strides, sound.box, sound.steps, sound.interleave, sound.swizzle,
                           sound.promotion, sound.fill),
            "");
}

TEST(TensorMap, WhatTheRulesAllowIsAccepted) {
  CUtensorMap map;
  Tiled strange;
  strange.steps[0] = 100; // ignored without interleaving
  EXPECT_EQ(strange.encode(map), "");
  Tiled large;
  large.sizes[2] = 1ull << 32;
  EXPECT_EQ(large.encode(map), "");
  Tiled fine;
  fine.interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
  fine.box[0] = 3; // no rule about the inner box with interleaving
  EXPECT_EQ(fine.encode(map), "");
  Tiled plain;
  plain.rank = 1;
  plain.box[0] = 256;
  plain.sizes[0] = 1000;
  plain.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  EXPECT_EQ(encodeTiledMap(&map, plain.type, 1, reinterpret_cast<void *>(plain.address),
                           plain.sizes, nullptr, plain.box, plain.steps, plain.interleave,
                           plain.swizzle, plain.promotion, plain.fill),
            "");
}

TEST(TensorMap, TypesNarrowerThanAByte) {
  auto packed = [](CUtensorMapDataType type) {
    Tiled a;
    a.type = type;
    a.sizes[0] = 256;
    a.box[0] = 128;
    a.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
    a.strides[0] = 192;
    a.strides[1] = 8192;
    return a;
  };
  CUtensorMap map;
  for (auto type : {CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B,
                    CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B}) {
    EXPECT_EQ(packed(type).encode(map), "");
    bool widens = type != CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B;
    Tiled narrow = packed(type);
    narrow.box[0] = 64;
    EXPECT_EQ(narrow.encode(map).empty(), !widens);
    Tiled odd = packed(type);
    odd.sizes[0] = 130;
    EXPECT_EQ(odd.encode(map).empty(), !widens);
    Tiled half = packed(type);
    half.address += 16;
    EXPECT_EQ(half.encode(map).empty(), !widens);
    Tiled stride = packed(type);
    stride.strides[0] = 208;
    EXPECT_EQ(stride.encode(map).empty(), !widens);
    Tiled swizzled = packed(type);
    swizzled.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B;
    EXPECT_EQ(swizzled.encode(map).empty(), !widens);
    swizzled.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B;
    EXPECT_EQ(swizzled.encode(map).empty(), type != CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B);
    Tiled nan = packed(type);
    nan.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    EXPECT_NE(nan.encode(map), "");
  }
}

TEST(TensorMap, Im2colArgumentsAreChecked) {
  CUtensorMap map;
  const uint64_t sizes[5] = {64, 20, 10, 4, 2}, strides[4] = {128, 2560, 25600, 102400};
  const uint32_t steps[5] = {1, 1, 1, 1, 1};
  auto encode = [&](uint32_t rank, std::vector<int> lower, std::vector<int> upper,
                    uint32_t channels, uint32_t pixels) {
    return encodeIm2colMap(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, rank,
                           reinterpret_cast<void *>(0x10000), sizes, strides, lower.data(),
                           upper.data(), channels, pixels, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                           CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  EXPECT_EQ(encode(4, {-1, -2}, {1, 2}, 64, 1024), "");
  TensorMap ours;
  std::memcpy(&ours, &map, sizeof ours);
  EXPECT_EQ(ours.lower[0], -2) << "the driver's corners have H before W";
  EXPECT_EQ(ours.lower[1], -1);
  EXPECT_EQ(ours.upper[0], 2);
  EXPECT_NE(encode(2, {0}, {0}, 64, 1), "");
  EXPECT_EQ(encode(3, {-32768}, {32767}, 64, 1), "");
  EXPECT_NE(encode(3, {-32769}, {0}, 64, 1), "");
  EXPECT_EQ(encode(4, {-128, 0}, {127, 0}, 64, 1), "");
  EXPECT_NE(encode(4, {0, 0}, {128, 0}, 64, 1), "");
  EXPECT_EQ(encode(5, {-16, 0, 0}, {15, 0, 0}, 64, 1), "");
  EXPECT_NE(encode(5, {0, -17, 0}, {0, 0, 0}, 64, 1), "");
  EXPECT_NE(encode(4, {0, 10}, {0, -10}, 64, 1), "") << "an empty bounding box";
  EXPECT_EQ(encode(4, {0, 10}, {0, -9}, 64, 1), "") << "a bounding box of one column";
  EXPECT_NE(encode(4, {0, 0}, {0, 0}, 257, 1), "");
  EXPECT_NE(encode(4, {0, 0}, {0, 0}, 0, 1), "");
  EXPECT_NE(encode(4, {0, 0}, {0, 0}, 64, 1025), "");
  EXPECT_NE(encode(4, {0, 0}, {0, 0}, 64, 0), "");

  auto wide = [&](CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle, uint32_t pixels) {
    return encodeIm2colWideMap(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4,
                               reinterpret_cast<void *>(0x10000), sizes, strides, -1, 1, 32, pixels,
                               steps, CU_TENSOR_MAP_INTERLEAVE_NONE, mode, swizzle,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  auto w = CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, w128 = CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128;
  EXPECT_EQ(wide(w, CU_TENSOR_MAP_SWIZZLE_64B, 8), "");
  EXPECT_EQ(wide(w, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, 8), "");
  EXPECT_NE(wide(w, CU_TENSOR_MAP_SWIZZLE_NONE, 8), "");
  EXPECT_NE(wide(w, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, 8), "");
  EXPECT_NE(wide(w, CU_TENSOR_MAP_SWIZZLE_128B, 2000), "");
  EXPECT_EQ(wide(w128, CU_TENSOR_MAP_SWIZZLE_128B, 2000), "") << "pixelsPerColumn is ignored";
}

TEST(TensorMap, FieldsCanBeReplaced) {
  CUtensorMap encoded;
  ASSERT_EQ(Tiled{}.encode(encoded), "");
  EXPECT_NE(replaceMapAddress(&encoded, reinterpret_cast<void *>(0x20008)), "");
  EXPECT_EQ(replaceMapAddress(&encoded, reinterpret_cast<void *>(0x20000)), "");
  TensorMap map;
  std::memcpy(&map, &encoded, sizeof map);
  EXPECT_EQ(map.address, 0x20000u);
  // PTX ISA 9.0, tensormap.replace: the rank counts from 0; element types by number.
  EXPECT_EQ(replaceField(map, TensorField::kRank, 0, 1), "");
  EXPECT_EQ(map.rank, 2);
  EXPECT_EQ(replaceField(map, TensorField::kElemtype, 0, 10), "");
  EXPECT_EQ(map.type, TensorType::kBF16);
  EXPECT_EQ(replaceField(map, TensorField::kBoxDim, 1, 8), "");
  EXPECT_EQ(replaceField(map, TensorField::kGlobalDim, 0, 77), "");
  EXPECT_EQ(replaceField(map, TensorField::kGlobalStride, 0, 160), "");
  EXPECT_EQ(replaceField(map, TensorField::kElementStride, 1, 2), "");
  EXPECT_EQ(replaceField(map, TensorField::kSwizzleMode, 0, 3), "");
  EXPECT_EQ(replaceField(map, TensorField::kSwizzleAtomicity, 0, 1), "");
  EXPECT_EQ(replaceField(map, TensorField::kFillMode, 0, 1), "");
  EXPECT_EQ(whyUnsound(map), "");
  EXPECT_EQ(map.swizzleBytes, 128);
  EXPECT_EQ(map.atom, SwizzleAtom::k32Bytes);
  EXPECT_EQ(map.strides[0], 160u);
  EXPECT_EQ(map.steps[1], 2);
  EXPECT_NE(replaceField(map, TensorField::kRank, 0, 5), "");
  EXPECT_NE(replaceField(map, TensorField::kBoxDim, 5, 8), "");
  EXPECT_NE(replaceField(map, TensorField::kGlobalStride, 4, 16), "");
  EXPECT_NE(replaceField(map, TensorField::kElemtype, 0, 16), "");
  // A change may make the whole unsound, which shows where the map is used.
  EXPECT_EQ(replaceField(map, TensorField::kSwizzleMode, 0, 1), "");
  EXPECT_NE(whyUnsound(map), "");
  TensorMap none = {};
  EXPECT_NE(replaceField(none, TensorField::kRank, 0, 1), "");
}

// Bytes that a program wrote over a map by mistake are found out, whatever they are.
TEST(TensorMap, DamageIsFound) {
  CUtensorMap encoded;
  ASSERT_EQ(Tiled{}.encode(encoded), "");
  TensorMap sound;
  std::memcpy(static_cast<void *>(&sound), &encoded, sizeof sound);
  ASSERT_TRUE(sound.isSealed());
  for (size_t byte = 0; byte < sizeof sound; ++byte)
    for (uint8_t value : {0x01, 0x80, 0xff}) {
      TensorMap damaged = sound;
      reinterpret_cast<uint8_t *>(&damaged)[byte] ^= value;
      EXPECT_FALSE(damaged.isSealed()) << "byte " << byte;
    }
  // Fields that no encoding makes.
  for (size_t byte = 8; byte < sizeof sound; ++byte) {
    TensorMap damaged = sound;
    reinterpret_cast<uint8_t *>(&damaged)[byte] = 0xfd;
    if (whyUnsound(damaged).empty()) {
      EXPECT_LE(damaged.rank, TensorMap::kMaxRank);
      EXPECT_LE(damaged.box[0], 256);
    }
  }
}
