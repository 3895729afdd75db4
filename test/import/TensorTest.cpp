// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every way in which ONNX stores a tensor, and every way in which one can be damaged.
#include "test/import/ModelText.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::import {

using testing::ElementsAre;
using testing::HasSubstr;

static Imported importTensor(const std::string &tensor, const std::string &folder = "") {
  return importBytes(serialize(output("y") +
                                   "node { op_type: 'Identity' name: 'i' input: 'w' output: 'y' }"
                                   "initializer { name: 'w' " +
                                   tensor + " }",
                               25),
                     folder);
}

static std::string contents(const std::string &tensor) {
  auto model = importTensor(tensor);
  EXPECT_THAT(model.errors, ElementsAre());
  size_t begin = model.text.find("dense<");
  return begin == std::string::npos ? "" : model.text.substr(begin, model.text.find(" : ") - begin);
}

static std::string problem(const std::string &tensor, const std::string &folder = "") {
  auto model = importTensor(tensor, folder);
  EXPECT_EQ(model.errors.size(), 1u);
  return model.errors.empty() ? "" : model.errors[0];
}

TEST(Tensor, TypedFields) {
  EXPECT_EQ(contents("data_type: 7 dims: 2 int64_data: -1 int64_data: 2"), "dense<[-1, 2]>");
  EXPECT_EQ(contents("data_type: 6 dims: 2 int32_data: -1 int32_data: 2"), "dense<[-1, 2]>");
  EXPECT_EQ(contents("data_type: 3 dims: 2 int32_data: -1 int32_data: 2"), "dense<[-1, 2]>");
  EXPECT_EQ(contents("data_type: 2 dims: 2 int32_data: 255 int32_data: 2"), "dense<[255, 2]>");
  EXPECT_EQ(contents("data_type: 12 dims: 2 uint64_data: 4294967295 uint64_data: 2"),
            "dense<[4294967295, 2]>");
  EXPECT_EQ(contents("data_type: 9 dims: 2 int32_data: 1 int32_data: 0"), "dense<[true, false]>");
  EXPECT_EQ(contents("data_type: 11 dims: 2 double_data: 0.5 double_data: 2"),
            "dense<[5.000000e-01, 2.000000e+00]>");
  // 0x3C00 and 0xC000 are 1 and -2 in f16; 0x3F80 and 0xC000 are 1 and -2 in bf16.
  EXPECT_EQ(contents("data_type: 10 dims: 2 int32_data: 0x3C00 int32_data: 0xC000"),
            "dense<[1.000000e+00, -2.000000e+00]>");
  EXPECT_EQ(contents("data_type: 16 dims: 2 int32_data: 0x3F80 int32_data: 0xC000"),
            "dense<[1.000000e+00, -2.000000e+00]>");
}

TEST(Tensor, RawBytes) {
  EXPECT_EQ(contents("data_type: 6 dims: 2 raw_data: '\\001\\000\\000\\000\\377\\377\\377\\377'"),
            "dense<[1, -1]>");
  EXPECT_EQ(contents("data_type: 9 dims: 2 raw_data: '\\001\\000'"), "dense<[true, false]>");
  EXPECT_EQ(contents("data_type: 1 dims: 0 raw_data: ''"), "dense<>");
}

// Two elements of 4 bits a byte, the first one in the low half; an odd one leaves half a byte.
TEST(Tensor, PackedElements) {
  EXPECT_EQ(contents("data_type: 22 dims: 3 raw_data: '\\361\\002'"), "dense<[1, -1, 2]>");
  EXPECT_EQ(contents("data_type: 21 dims: 3 int32_data: 0xF1 int32_data: 2"), "dense<[1, 15, 2]>");
  EXPECT_EQ(contents("data_type: 25 dims: 4 raw_data: '\\344'"), "dense<[0, 1, 2, 3]>");
}

TEST(Tensor, Damaged) {
  EXPECT_EQ(problem("data_type: 1 dims: 2 raw_data: '\\000\\000\\000'"),
            "w: initializer 'w': its data has 3 bytes, its shape and type need 8");
  EXPECT_EQ(problem("data_type: 1 dims: 2 float_data: 1"),
            "w: initializer 'w': its data has 4 bytes, its shape and type need 8");
  EXPECT_EQ(problem("data_type: 1 dims: -2"),
            "w: initializer 'w': its sizes are negative or too large");
  EXPECT_EQ(problem("data_type: 1 dims: 4611686018427387904 dims: 4"),
            "w: initializer 'w': its sizes are negative or too large");
  EXPECT_EQ(problem("data_type: 8 dims: 1 string_data: 'a'"),
            "w: initializer 'w': its element type string is unsupported");
  EXPECT_EQ(problem("data_type: 77 dims: 1"),
            "w: initializer 'w': its element type type 77 is unsupported");
}

class ExternalTensor : public testing::Test {
protected:
  void SetUp() override {
    // Tests run side by side, so each has a folder of its own.
    std::string pattern = testing::TempDir() + "heddle-external-tensor-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    std::filesystem::create_directories(folder / "model");
    std::ofstream(folder / "model" / "w.bin", std::ios::binary)
        << std::string("xxxx\1\0\0\0\2\0\0\0", 12);
    std::ofstream(folder / "secret.bin", std::ios::binary) << std::string(8, '\0');
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string tensor(const std::string &location, const std::string &offset,
                     const std::string &length) {
    auto entry = [](const std::string &key, const std::string &value) {
      return " external_data { key: '" + key + "' value: '" + value + "' }";
    };
    return "data_type: 6 dims: 2 data_location: EXTERNAL" + entry("location", location) +
           entry("offset", offset) + entry("length", length);
  }
  std::string modelFolder() const { return (folder / "model").string(); }

  std::filesystem::path folder;
};

TEST_F(ExternalTensor, Read) {
  auto model = importTensor(tensor("w.bin", "4", "8"), modelFolder());
  EXPECT_THAT(model.text, HasSubstr("dense<[1, 2]> : tensor<2xi32>"));
}

TEST_F(ExternalTensor, OutsideOfTheFile) {
  EXPECT_EQ(problem(tensor("w.bin", "4", "9"), modelFolder()),
            "w: initializer 'w': the length of its data is outside of 'w.bin'");
  EXPECT_EQ(problem(tensor("w.bin", "13", "0"), modelFolder()),
            "w: initializer 'w': the offset of its data is outside of 'w.bin'");
  EXPECT_EQ(problem(tensor("w.bin", "-1", "8"), modelFolder()),
            "w: initializer 'w': the offset of its data is outside of 'w.bin'");
  EXPECT_EQ(problem(tensor("none.bin", "0", "8"), modelFolder()),
            "w: initializer 'w': its data file 'none.bin' does not exist beside the model");
}

// No model may read files that are not its own.
TEST_F(ExternalTensor, OutsideOfTheFolder) {
  EXPECT_EQ(problem(tensor("../secret.bin", "0", "8"), modelFolder()),
            "w: initializer 'w': its data is in '../secret.bin', outside of the model's folder");
  std::string absolute = (folder / "secret.bin").string();
  EXPECT_EQ(problem(tensor(absolute, "0", "8"), modelFolder()),
            "w: initializer 'w': its data is in '" + absolute + "', outside of the model's folder");
  std::filesystem::create_symlink(folder / "secret.bin", folder / "model" / "link.bin");
  EXPECT_EQ(problem(tensor("link.bin", "0", "8"), modelFolder()),
            "w: initializer 'w': its data file 'link.bin' leads outside of the model's folder");
  EXPECT_EQ(problem(tensor("w.bin", "4", "8")),
            "w: initializer 'w': its data is in 'w.bin', which a model without a file cannot find");
}

} // namespace heddle::import
