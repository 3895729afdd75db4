// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX .pb tensors, byte by byte as protobuf encodes them.
#include "runtime/cli/TensorProto.h"
#include "test/unit/SampleProgram.h"
#include <gtest/gtest.h>
#include <random>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::runtime::cli;
using namespace heddle::test;

using Bytes = std::vector<uint8_t>;

// Field n of wire type w begins with the byte n * 8 + w. dims = 1, data_type = 2, float_data = 4,
// int32_data = 5, string_data = 6, int64_data = 7, name = 8, raw_data = 9, double_data = 10,
// uint64_data = 11, data_location = 14.
static Tensor parsed(const Bytes &file) {
  Result<Tensor> tensor = parseTensorProto(file);
  EXPECT_TRUE(tensor.ok()) << tensor.status().text();
  return tensor.ok() ? *tensor : Tensor();
}

static std::string failure(const Bytes &file) {
  Result<Tensor> tensor = parseTensorProto(file);
  return tensor.ok() ? "read" : tensor.status().text();
}

// raw_data, dims one by one and packed, unknown fields skipped.
TEST(TensorProto, RawData) {
  Bytes separate = {0x08, 2, 0x08, 1, 0x10, 1, 0x42, 1, 'x', 0x4a, 8, 0, 0, 128, 63, 0, 0, 0, 64};
  Tensor tensor = parsed(separate);
  EXPECT_EQ(tensor.dtype, DType::kF32);
  EXPECT_EQ(tensor.dims, (Dims{2, 1}));
  EXPECT_EQ(valuesOf<float>(tensor), (std::vector<float>{1, 2}));
  Bytes packed = {0x0a, 2, 2, 1, 0x10, 1, 0x4a, 8, 0, 0, 128, 63, 0, 0, 0, 64};
  EXPECT_EQ(parsed(packed).dims, (Dims{2, 1}));
}

// The typed fields, packed and not.
TEST(TensorProto, TypedData) {
  EXPECT_EQ(valuesOf<float>(parsed({0x08, 1, 0x10, 1, 0x22, 4, 0, 0, 128, 63})),
            (std::vector<float>{1}));
  EXPECT_EQ(valuesOf<float>(parsed({0x08, 1, 0x10, 1, 0x25, 0, 0, 128, 63})),
            (std::vector<float>{1}));
  EXPECT_EQ(valuesOf<double>(parsed({0x08, 1, 0x10, 11, 0x52, 8, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f})),
            (std::vector<double>{1}));
  // -1 is ten bytes as a varint, in int32_data too.
  Bytes minusOne = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1};
  Bytes i64 = {0x08, 1, 0x10, 7, 0x38};
  i64.insert(i64.end(), minusOne.begin(), minusOne.end());
  EXPECT_EQ(valuesOf<int64_t>(parsed(i64)), (std::vector<int64_t>{-1}));
  Bytes i8 = {0x08, 2, 0x10, 3, 0x2a, 11, 5};
  i8.insert(i8.end(), minusOne.begin(), minusOne.end());
  EXPECT_EQ(valuesOf<int8_t>(parsed(i8)), (std::vector<int8_t>{5, -1}));
  // f16 1.0 is 0x3c00 = 15360 = 0x80 0x78 as a varint.
  EXPECT_EQ(valuesOf<uint16_t>(parsed({0x08, 1, 0x10, 10, 0x2a, 2, 0x80, 0x78})),
            (std::vector<uint16_t>{0x3c00}));
  EXPECT_EQ(valuesOf<uint32_t>(parsed({0x08, 1, 0x10, 12, 0x5a, 1, 9})),
            (std::vector<uint32_t>{9}));
  EXPECT_EQ(valuesOf<uint8_t>(parsed({0x08, 2, 0x10, 9, 0x2a, 2, 1, 0})),
            (std::vector<uint8_t>{1, 0}));
  // Two elements of four bits are one byte, the first in the low half.
  Tensor u4 = parsed({0x08, 3, 0x10, 21, 0x2a, 3, 0xa1, 0x01, 0x03});
  EXPECT_EQ(u4.bytes, (Bytes{0xa1, 0x03}));
}

// Scalars have no dims, empty tensors no elements.
TEST(TensorProto, ScalarAndEmpty) {
  EXPECT_EQ(parsed({0x10, 2, 0x4a, 1, 7}).dims, Dims());
  EXPECT_EQ(parsed({0x08, 0, 0x10, 1}).bytes.size(), 0u);
}

// What cannot be read has a reason.
TEST(TensorProto, Refuses) {
  EXPECT_NE(failure({}).find("type 0 is not known"), std::string::npos);
  EXPECT_NE(failure({0x08, 1, 0x10, 8, 0x32, 1, 'a'}).find("strings"), std::string::npos);
  EXPECT_NE(failure({0x10, 1, 0x70, 1}).find("another file"), std::string::npos);
  EXPECT_NE(failure({0x08, 2, 0x10, 1, 0x4a, 4, 0, 0, 0, 0}).find("needs 8"), std::string::npos);
  EXPECT_NE(failure({'h', 'e', 'l', 'l', 'o'}).find("no ONNX tensor"), std::string::npos);
}

// Random bytes and every damaged file are read or refused; they never crash.
TEST(TensorProto, DamagedAnywhere) {
  Bytes file = {0x0a, 2, 2, 1, 0x10, 1, 0x42, 1, 'x', 0x4a, 8, 0, 0, 128, 63, 0, 0, 0, 64};
  for (size_t i = 0; i < file.size(); ++i) {
    (void)parseTensorProto(std::span(file).first(i));
    for (int value = 0; value < 256; ++value) {
      Bytes damaged = file;
      damaged[i] = static_cast<uint8_t>(value);
      (void)parseTensorProto(damaged);
    }
  }
  constexpr unsigned kSeed = 3;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  for (int round = 0; round < 20000; ++round) {
    Bytes noise(random() % 64);
    for (uint8_t &byte : noise)
      byte = static_cast<uint8_t>(random());
    (void)parseTensorProto(noise);
  }
}
