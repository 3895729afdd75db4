// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-run from its arguments to its files, on the fake driver.
#include "runtime/cli/Session.h"
#include "runtime/cli/Options.h"
#include "runtime/cli/TensorFile.h"
#include "test/unit/SampleProgram.h"
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::runtime::cli;
using namespace heddle::test;

namespace {

class SessionTest : public testing::Test {
protected:
  void SetUp() override {
    ::setenv("HEDDLE_EMU_LIB", HEDDLE_FAKE_DRIVER, 1);
    model = temporaryPath("session.heddle");
    ASSERT_TRUE(artifact::write(sampleProgram(), model).ok());
    x = temporaryPath("x.npy");
    ASSERT_TRUE(writeNpyFile(x, tensorOf<float>(DType::kF32, {1, 4}, {1, 2, 3, 4})).ok());
  }

  /// What it printed, with the error at the end.
  std::string run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {model, "--device=emu"});
    testing::internal::CaptureStdout();
    Status status = runSession(arguments);
    std::fflush(stdout);
    std::string text = testing::internal::GetCapturedStdout();
    return status.ok() ? text : text + "error: " + status.text();
  }

  std::string model, x;
};

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

// Files in, files out, and a comparison that agrees.
TEST_F(SessionTest, FilesInAndOut) {
  std::string folder = temporaryPath("out/deep");
  std::string text = run({"--input", "x=" + x, "--input=y=" + x, "--output-dir=" + folder});
  EXPECT_TRUE(contains(text, "output    z  f32  [1, 4]  3 6 9 12")) << text;
  EXPECT_TRUE(contains(text, "kernels   2 launched, 1 different")) << text;
  Result<Tensor> z = readTensorFile(folder + "/z.npy", DType::kF32);
  ASSERT_TRUE(z.ok()) << z.status().text();
  EXPECT_EQ(valuesOf<float>(*z), (std::vector<float>{3, 6, 9, 12}));
  std::string agrees = run({"--input", "x=" + x, "--input", "y=" + x, "--expect",
                            "z=" + folder + "/z.npy", "--benchmark=3"});
  EXPECT_TRUE(contains(agrees, "agrees with")) << agrees;
  EXPECT_TRUE(contains(agrees, "of 3 runs")) << agrees;
  std::string differs = run({"--input", "x=" + x, "--input", "y=" + x, "--expect", "z=" + x});
  EXPECT_TRUE(contains(differs, "error: output \"z\" differs in 4 of 4 elements")) << differs;
  std::string within =
      run({"--input", "x=" + x, "--input", "y=" + x, "--expect", "z=" + x, "--rtol=2"});
  EXPECT_TRUE(contains(within, "agrees")) << within;
}

// Without inputs the signature is shown; with some it is an error that lists the others.
TEST_F(SessionTest, MissingInputs) {
  std::string text = run({});
  EXPECT_TRUE(contains(text, "input     x  f32  [n, 4]")) << text;
  EXPECT_TRUE(contains(text, "--input \"x=FILE\" --input \"y=FILE\"")) << text;
  EXPECT_FALSE(contains(text, "error")) << text;
  EXPECT_TRUE(contains(run({"--input", "x=" + x}),
                       "error: input \"y\" is missing: pass --input \"y=FILE\" or --random"));
}

// Made-up inputs have the asked shape.
TEST_F(SessionTest, RandomInputs) {
  std::string text = run({"--random=3", "--shape", "x=5x4", "--shape=y=5x4"});
  EXPECT_TRUE(contains(text, "output    z  f32  [5, 4]")) << text;
  EXPECT_TRUE(contains(run({"--random=3"}), "output    z  f32  [1, 4]"));
  EXPECT_TRUE(
      contains(run({"--random=3", "--shape=x=2x4"}), "error: input \"y\" has shape [1, 4]"));
  EXPECT_TRUE(contains(run({"--random=3", "--shape=x=0x4", "--shape=y=0x4"}), "[0, 4]"));
  EXPECT_TRUE(contains(run({"--random=3", "--shape=x=99999999999999x4"}), "error: input \"x\""));
}

// Every mistake is one clear error.
TEST_F(SessionTest, Mistakes) {
  EXPECT_TRUE(contains(run({"--input", "q=" + x}),
                       "error: the program has no input \"q\"; it has \"x\", \"y\""));
  EXPECT_TRUE(contains(run({"--input", "x=/no/such.npy"}), "No such file"));
  EXPECT_TRUE(contains(run({"--input", "x=" + model}), "neither .npy nor a readable ONNX .pb"));
  EXPECT_TRUE(contains(run({"--input", "x=" + x, "--input", "x=" + x}), "given twice"));
  EXPECT_TRUE(
      contains(run({"--random=1", "--output-dir=/proc/none"}), "error: cannot make folder"));
  EXPECT_TRUE(contains(run({"--random=1", "--expect", "q=" + x}), "has no output \"q\""));
  EXPECT_TRUE(contains(run({"--random=1", "--check", "--device=cuda:0"}), "use --device=emu"));
  EXPECT_TRUE(contains(run({"second.heddle"}), "one file too many"));
  EXPECT_TRUE(contains(run({"--random=1", "--counters"}), "add"));
  EXPECT_TRUE(contains(run({"--random=1", "--check"}), "no error found"));
}

// Flags are checked before anything is opened.
TEST(Options, Mistakes) {
  auto text = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "m.heddle");
    return parseOptions(arguments).status().text();
  };
  EXPECT_EQ(text({"--frobnicate"}), "flag \"--frobnicate\" is not known; --help shows all");
  EXPECT_EQ(text({"--check=yes"}), "flag \"--check\" takes no value");
  EXPECT_TRUE(contains(text({"--input"}), "needs a value"));
  EXPECT_TRUE(contains(text({"--input", "x.npy"}), "not of the form NAME="));
  EXPECT_TRUE(contains(text({"--random=-1"}), "not a whole number"));
  EXPECT_TRUE(contains(text({"--random=99999999999999999999"}), "not a whole number"));
  EXPECT_TRUE(contains(text({"--benchmark=0"}), "at least 1"));
  EXPECT_TRUE(contains(text({"--rtol=-1"}), "at least 0"));
  EXPECT_TRUE(contains(text({"--shape=x=1"}), "add --random=SEED"));
  EXPECT_TRUE(contains(text({"--rtol=nan"}), "at least 0"));
  EXPECT_TRUE(contains(parseOptions({}).status().text(), "which model?"));
  EXPECT_TRUE(parseOptions({"--help"}).ok());
}

// The forms of a shape.
TEST(Options, Shapes) {
  EXPECT_EQ(*parseShape("1x3x224"), (Dims{1, 3, 224}));
  EXPECT_EQ(*parseShape("1,3"), (Dims{1, 3}));
  EXPECT_EQ(*parseShape(""), Dims());
  EXPECT_EQ(*parseShape("scalar"), Dims());
  for (const char *bad : {"1x", "x1", "1xx2", "-1", "a", "1 2", "99999999999999999999"})
    EXPECT_FALSE(parseShape(bad).ok()) << bad;
}
