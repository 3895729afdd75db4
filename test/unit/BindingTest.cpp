// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binding a program to shapes: sizes, places, and every refusal.
#include "runtime/Binding.h"
#include "lib/artifact/ArtifactFile.h"
#include "test/unit/SampleProgram.h"
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::artifact;
using namespace heddle::runtime;
using namespace heddle::test;

static Tensor rows(int64_t n, DType dtype = DType::kF32) {
  return tensorOf<float>(dtype, {n, 4}, std::vector<float>(static_cast<size_t>(n) * 4));
}

static Result<Binding> bind(const Variant &variant, const Tensor &x, const Tensor &y) {
  std::vector<TensorView> inputs = {x, y};
  HEDDLE_TRY(checkInputs(variant, inputs));
  return bindShapes(variant, Evaluator(variant), inputs);
}

static std::string failure(const Variant &variant, const Tensor &x, const Tensor &y) {
  Result<Binding> binding = bind(variant, x, y);
  return binding.ok() ? "bound" : binding.status().text();
}

// Sizes follow the shape; buffers that live together are apart and aligned.
TEST(Binding, Sizes) {
  ArtifactData data = sampleProgram();
  Result<Binding> binding = bind(data.variants[0], rows(100), rows(100));
  ASSERT_TRUE(binding.ok()) << binding.status().text();
  EXPECT_EQ(binding->bufferBytes[0], 1600);
  EXPECT_EQ(binding->outputDims[0], (Dims{100, 4}));
  EXPECT_EQ(binding->steps.size(), 5u); // the check is done
  EXPECT_EQ(std::get<BoundLaunch>(binding->steps[0]).grid[0], 2u);
  EXPECT_EQ(std::get<BoundLaunch>(binding->steps[0]).values[3], 400);
  for (int64_t offset : binding->arenaOffsets)
    EXPECT_EQ(offset % kBufferAlignmentBytes, 0);
  // Five buffers of 1600 bytes and two of 16, each at a multiple of 256.
  EXPECT_LE(binding->arenaBytes, 5 * 1792 + 2 * 256);
}

// Zero rows: nothing is launched or copied but what does not depend on them.
TEST(Binding, EmptyShape) {
  ArtifactData data = sampleProgram();
  Result<Binding> binding = bind(data.variants[0], rows(0), rows(0));
  ASSERT_TRUE(binding.ok()) << binding.status().text();
  EXPECT_EQ(binding->steps.size(), 2u);
  EXPECT_EQ(binding->outputBytes[0], 0);
}

// Inputs that do not fit are refused with what was expected.
TEST(Binding, RefusesInputs) {
  ArtifactData data = sampleProgram();
  const Variant &v = data.variants[0];
  EXPECT_EQ(failure(v, rows(2), rows(3)),
            "input \"y\" has shape [3, 4], expected [n, 4]: dimension 0 must be 2");
  EXPECT_EQ(failure(v, rows(2, DType::kI32), rows(2)), "input \"x\" is i32, expected f32 [n, 4]");
  Tensor flat = rows(2);
  flat.dims = {8};
  EXPECT_EQ(failure(v, flat, rows(2)), "input \"x\" has shape [8], expected f32 [n, 4]");
  Tensor wide = rows(2);
  wide.dims = {1, 8};
  EXPECT_EQ(failure(v, wide, rows(1)),
            "input \"x\" has shape [1, 8], expected [n, 4]: dimension 1 must be 4");
  Tensor small = rows(2);
  small.dims = {3, 4};
  EXPECT_EQ(failure(v, small, rows(2)), "input \"x\" has 32 bytes, shape [3, 4] needs 48");
  Tensor negative = rows(0);
  negative.dims = {-1, 4};
  EXPECT_NE(failure(v, negative, rows(0)).find("a dimension is -1"), std::string::npos);
  Tensor huge = rows(0);
  huge.dims = {INT64_MAX, 4};
  EXPECT_NE(failure(v, huge, rows(0)).find("2^63"), std::string::npos);
  EXPECT_EQ(failure(v, rows(1000), rows(1000)), "at most 999 rows are supported: 1000");
  EXPECT_EQ(checkInputs(v, {}).text(), "got 0 inputs, expected 2");
}

// Steps that would leave their buffers are refused although the file is well formed.
TEST(Binding, RefusesSteps) {
  ArtifactData data = sampleProgram();
  Variant &v = data.variants[0];
  std::get<Copy>(v.steps[5]).size = constant(v, 17);
  EXPECT_NE(failure(v, rows(2), rows(2)).find("step 5: it copies 17 bytes"), std::string::npos);
  data = sampleProgram();
  Variant &w = data.variants[0];
  w.buffers[2].size = constant(w, 8);
  EXPECT_NE(failure(w, rows(2), rows(2)).find("output \"z\" has 32 bytes, its buffer 8"),
            std::string::npos);
  data = sampleProgram();
  Variant &g = data.variants[0];
  std::get<Launch>(g.steps[1]).grid[1] = constant(g, 70000);
  EXPECT_NE(failure(g, rows(2), rows(2)).find("70000 along axis 1"), std::string::npos);
  data = sampleProgram();
  Variant &a = data.variants[0];
  std::get<Launch>(a.steps[1]).args[3].expr = constant(a, int64_t{1} << 32);
  EXPECT_NE(failure(a, rows(2), rows(2)).find("does not fit 32 bits"), std::string::npos);
  data = sampleProgram();
  Variant &n = data.variants[0];
  n.buffers[6].size = constant(n, -1);
  EXPECT_NE(failure(n, rows(2), rows(2)).find("negative size"), std::string::npos);
}

// Whatever a damaged file says, binding it ends in a result or an error.
TEST(Binding, DamagedFilesBind) {
  std::string path = temporaryPath("bind.heddle");
  ASSERT_TRUE(write(sampleProgram(), path).ok());
  std::vector<uint8_t> bytes = readBytes(path);
  Tensor x = rows(2), y = rows(2);
  std::vector<TensorView> inputs = {x, y};
  for (size_t i = 0; i < bytes.size(); ++i)
    for (uint8_t mask : {0x01, 0x04, 0x80}) {
      std::vector<uint8_t> damaged = bytes;
      damaged[i] = static_cast<uint8_t>(damaged[i] ^ mask);
      Result<ArtifactFile> file = ArtifactFile::fromBytes(damaged, "t");
      if (!file.ok())
        continue;
      const Variant &variant = file->data().variants[0];
      if (checkInputs(variant, inputs).ok())
        (void)bindShapes(variant, Evaluator(variant), inputs);
    }
}
