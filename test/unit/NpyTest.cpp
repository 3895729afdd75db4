// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .npy files against the bytes that NumPy writes, and damaged ones.
#include "runtime/cli/Npy.h"
#include "runtime/cli/TensorFile.h"
#include "test/unit/SampleProgram.h"
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::runtime::cli;
using namespace heddle::test;

/// As numpy.save writes it, version 1: the header is filled up to a multiple of 64 bytes.
static std::vector<uint8_t> npy(const std::string &descr, const std::string &order,
                                const std::string &shape, const std::vector<uint8_t> &data,
                                char version = 1) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  size_t prefix = version == 1 ? 10 : 12;
  header.resize((prefix + header.size() + 1 + 63) / 64 * 64 - prefix - 1, ' ');
  header += '\n';
  std::string file = "\x93NUMPY";
  file += {version, 0, static_cast<char>(header.size()), 0};
  if (version > 1)
    file += {0, 0};
  file += header;
  std::vector<uint8_t> bytes(file.begin(), file.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

static std::string failure(const std::vector<uint8_t> &file, DType dtype) {
  Result<Tensor> tensor = parseNpy(file, dtype);
  return tensor.ok() ? "read" : tensor.status().text();
}

// What is written are NumPy's own bytes, and all versions are read.
TEST(Npy, RoundTrip) {
  Tensor tensor{DType::kI16, {2, 2}, {1, 0, 2, 0, 3, 0, 4, 0}};
  std::vector<uint8_t> file = formatNpy(tensor);
  EXPECT_EQ(file, npy("<i2", "False", "(2, 2)", tensor.bytes));
  for (char version : {1, 2, 3}) {
    Result<Tensor> read =
        parseNpy(npy("<i2", "False", "(2, 2)", tensor.bytes, version), DType::kI16);
    ASSERT_TRUE(read.ok()) << read.status().text();
    EXPECT_EQ(read->dims, tensor.dims);
    EXPECT_EQ(read->bytes, tensor.bytes);
  }
}

// Scalars, one dimension and empty arrays have their own spelling of the shape.
TEST(Npy, Shapes) {
  EXPECT_EQ(formatNpy({DType::kU8, {}, {7}}), npy("|u1", "False", "()", {7}));
  EXPECT_EQ(formatNpy({DType::kU8, {2}, {7, 8}}), npy("|u1", "False", "(2,)", {7, 8}));
  EXPECT_EQ(formatNpy({DType::kU8, {0, 3}, {}}), npy("|u1", "False", "(0, 3)", {}));
  EXPECT_EQ(parseNpy(npy("|u1", "False", "()", {7}), DType::kU8)->dims, Dims());
  EXPECT_EQ(parseNpy(npy("|u1", "False", "(0, 3)", {}), DType::kU8)->dims, (Dims{0, 3}));
}

// Fortran order and big-endian numbers become row major and little-endian.
TEST(Npy, Representations) {
  // numpy: asfortranarray([[1, 2, 3], [4, 5, 6]]) is stored 1 4 2 5 3 6.
  Result<Tensor> fortran = parseNpy(npy("|u1", "True", "(2, 3)", {1, 4, 2, 5, 3, 6}), DType::kU8);
  ASSERT_TRUE(fortran.ok());
  EXPECT_EQ(fortran->bytes, (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
  Result<Tensor> big = parseNpy(npy(">i2", "False", "(2,)", {0, 1, 1, 0}), DType::kI16);
  ASSERT_TRUE(big.ok());
  EXPECT_EQ(valuesOf<int16_t>(*big), (std::vector<int16_t>{1, 256}));
}

// Types that NumPy lacks are bits; narrow ones are one element a byte.
TEST(Npy, RawTypes) {
  Result<Tensor> bf16 = parseNpy(npy("<u2", "False", "(1,)", {0x80, 0x3f}), DType::kBF16);
  ASSERT_TRUE(bf16.ok()) << bf16.status().text();
  EXPECT_EQ(bf16->bytes, (std::vector<uint8_t>{0x80, 0x3f}));
  EXPECT_TRUE(parseNpy(npy("|V2", "False", "(1,)", {0x80, 0x3f}), DType::kBF16).ok());
  Result<Tensor> i4 = parseNpy(npy("|i1", "False", "(3,)", {1, 0xff, 0xf8}), DType::kI4);
  ASSERT_TRUE(i4.ok()) << i4.status().text();
  EXPECT_EQ(i4->bytes, (std::vector<uint8_t>{0xf1, 0x08}));
  EXPECT_EQ(formatNpy(*i4), npy("|i1", "False", "(3,)", {1, 0xff, 0xf8}));
  Tensor u2{DType::kU2, {5}, {0xe4, 0x01}};
  EXPECT_EQ(formatNpy(u2), npy("|u1", "False", "(5,)", {0, 1, 2, 3, 1}));
  EXPECT_EQ(parseNpy(npy("|u1", "False", "(2,)", {0, 7}), DType::kBool)->bytes,
            (std::vector<uint8_t>{0, 1}));
}

// Each mistake has its own text.
TEST(Npy, Refuses) {
  EXPECT_EQ(failure({}, DType::kF32), "it is no .npy file");
  EXPECT_NE(failure(npy("<f8", "False", "(1,)", std::vector<uint8_t>(8)), DType::kF32)
                .find("its elements are \"<f8\", expected \"<f4\" (f32)"),
            std::string::npos);
  EXPECT_NE(failure(npy("<f4", "False", "(2,)", {1, 2, 3, 4}), DType::kF32).find("4 bytes"),
            std::string::npos);
  EXPECT_NE(failure(npy("<f4", "False", "(-1,)", {}), DType::kF32).find("shape"),
            std::string::npos);
  EXPECT_NE(failure(npy("<f4", "Maybe", "(1,)", {}), DType::kF32).find("fortran_order"),
            std::string::npos);
  EXPECT_FALSE(parseNpy(npy("<f4", "False", "(9223372036854775807, 2)", {}), DType::kF32).ok());
  EXPECT_NE(failure(npy("<f4", "False", "(1,)", {}, 9), DType::kF32).find("version 9"),
            std::string::npos);
}

// A file damaged anywhere is read or refused; it never crashes.
TEST(Npy, DamagedAnywhere) {
  std::vector<uint8_t> file = npy("<f4", "True", "(2, 1)", {0, 0, 0, 0, 0, 0, 128, 63});
  for (size_t i = 0; i < file.size(); ++i) {
    (void)parseNpy(std::span(file).first(i), DType::kF32);
    for (int value = 0; value < 256; ++value) {
      std::vector<uint8_t> damaged = file;
      damaged[i] = static_cast<uint8_t>(value);
      (void)parseNpy(damaged, DType::kF32);
    }
  }
}

// File names keep what they can bear.
TEST(TensorFile, Names) {
  EXPECT_EQ(fileNameFor("model/layer:0\\x\n"), "model_layer_0_x_");
  EXPECT_EQ(fileNameFor("a.b-c_d 1"), "a.b-c_d 1");
  EXPECT_EQ(fileNameFor(std::string(1000, 'a')).size(), 200u);
}
