// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs run on the fake driver: answers, shapes that change, memory, failures.
#include "runtime/Executor.h"
#include "test/unit/SampleProgram.h"
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::artifact;
using namespace heddle::runtime;
using namespace heddle::test;

namespace {

class ExecutorTest : public testing::TestWithParam<MemoryMode> {
protected:
  void SetUp() override { ::setenv("HEDDLE_EMU_LIB", HEDDLE_FAKE_DRIVER, 1); }

  /// Runs the sample program with these numbers of rows and compares every element.
  static void expectAnswers(std::shared_ptr<const Program> program, const Dims &rowCounts);

  static Result<std::shared_ptr<const Program>> load(const ArtifactData &data,
                                                     MemoryMode mode = MemoryMode::kArena) {
    std::string path = temporaryPath("executor.heddle");
    HEDDLE_TRY(artifact::write(data, path));
    return Program::open(path, "emu", mode);
  }

  static int allocationCount() {
    void *library = ::dlopen(HEDDLE_FAKE_DRIVER, RTLD_NOW);
    auto count = reinterpret_cast<int (*)()>(::dlsym(library, "heddleFakeAllocationCount"));
    return count();
  }
};

Tensor rows(int64_t n, float start) {
  std::vector<float> values;
  for (int64_t i = 0; i < n * 4; ++i)
    values.push_back(start + static_cast<float>(i));
  return tensorOf<float>(DType::kF32, {n, 4}, values);
}

void ExecutorTest::expectAnswers(std::shared_ptr<const Program> program, const Dims &rowCounts) {
  Result<std::unique_ptr<Executor>> executor = Executor::create(program);
  ASSERT_TRUE(executor.ok());
  for (int64_t n : rowCounts) {
    Tensor x = rows(n, 1), y = rows(n, 1000);
    std::vector<TensorView> inputs = {x, y};
    std::vector<Tensor> outputs;
    Status status = (*executor)->run(inputs, outputs);
    ASSERT_TRUE(status.ok()) << status.text();
    ASSERT_EQ(outputs.size(), 4u);
    EXPECT_EQ(outputs[0].dims, (Dims{n, 4}));
    std::vector<float> z = valuesOf<float>(outputs[0]);
    for (int64_t i = 0; i < n * 4; ++i) {
      float k = static_cast<float>(i);
      EXPECT_EQ(z[static_cast<size_t>(i)], (1 + k) + 2 * (1000 + k));
    }
    EXPECT_EQ(outputs[1].bytes, x.bytes);
    EXPECT_EQ(valuesOf<int64_t>(outputs[2]), (std::vector<int64_t>{n, 4}));
    EXPECT_EQ(valuesOf<float>(outputs[3]), (std::vector<float>{1, 2, 3, 4}));
    EXPECT_EQ((*executor)->launchCount(), n == 0 ? 0 : 2);
  }
}

} // namespace

// The answers are right for every number of rows, also when it shrinks and grows again.
TEST_P(ExecutorTest, Runs) {
  int before = allocationCount();
  {
    Result<std::shared_ptr<const Program>> program = load(sampleProgram(), GetParam());
    ASSERT_TRUE(program.ok()) << program.status().text();
    expectAnswers(*program, {1, 100, 0, 7, 100, 1});
  }
  EXPECT_EQ(allocationCount(), before); // nothing leaks
}
INSTANTIATE_TEST_SUITE_P(Memory, ExecutorTest,
                         testing::Values(MemoryMode::kArena, MemoryMode::kSeparate));

// Inputs that do not fit are refused, and the executor still works afterwards.
TEST_F(ExecutorTest, RefusesAndGoesOn) {
  Result<std::shared_ptr<const Program>> program = load(sampleProgram());
  ASSERT_TRUE(program.ok());
  std::unique_ptr<Executor> executor = std::move(*Executor::create(*program));
  Tensor x = rows(2, 0), y = rows(3, 0), z = rows(1000, 0);
  std::vector<Tensor> outputs;
  std::vector<TensorView> unequal = {x, y}, tooMany = {z, z}, good = {x, x};
  EXPECT_EQ(executor->run(unequal, outputs).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(executor->run(tooMany, outputs).code(), StatusCode::kFailedCheck);
  EXPECT_TRUE(executor->run(good, outputs).ok());
}

// Driver failures keep the call, the code and the text.
TEST_F(ExecutorTest, DriverFailures) {
  ArtifactData data = sampleProgram();
  data.variants[0].kernels[0].name = "fail";
  Result<std::shared_ptr<const Program>> program = load(data);
  ASSERT_TRUE(program.ok());
  std::unique_ptr<Executor> executor = std::move(*Executor::create(*program));
  Tensor x = rows(2, 0);
  std::vector<TensorView> inputs = {x, x};
  std::vector<Tensor> outputs;
  Status status = executor->run(inputs, outputs);
  EXPECT_EQ(status.code(), StatusCode::kDevice);
  EXPECT_EQ(status.text(), "cuLaunchKernel(\"fail\", grid (1, 1, 1), block (256, 1, 1), 0 bytes "
                           "shared) for sum of two: CUDA_ERROR_FAKE (719): fake failure");

  data.variants[0].kernels[0].name = "absent";
  EXPECT_NE(load(data).status().text().find("cuModuleGetFunction(\"absent\")"), std::string::npos);
  data.variants[0].ptx = "broken";
  EXPECT_NE(load(data).status().text().find("line 1: the text is broken"), std::string::npos);

  data = sampleProgram();
  std::get<Launch>(data.variants[0].steps[1]).args.pop_back();
  EXPECT_NE(load(data).status().text().find("not the kernel's parameters (3 given, 4 expected)"),
            std::string::npos);

  data = sampleProgram();
  Variant &v = data.variants[0];
  v.buffers[6].size = constant(v, int64_t{1} << 40);
  program = load(data);
  ASSERT_TRUE(program.ok());
  executor = std::move(*Executor::create(*program));
  status = executor->run(inputs, outputs);
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
  EXPECT_NE(status.text().find("cuMemAlloc(10995"), std::string::npos) << status.text();
}

// Devices that do not exist are answered with those that do.
TEST_F(ExecutorTest, Devices) {
  std::string path = temporaryPath("devices.heddle");
  ASSERT_TRUE(artifact::write(sampleProgram(), path).ok());
  ASSERT_TRUE(Program::open(path, "emu").ok()); // as an A100, which runs sm_80 code
  auto text = [&](const char *spec) { return Program::open(path, spec).status().text(); };
  EXPECT_NE(text("tpu").find("expected auto, cuda, cuda:N, emu or emu:GPU"), std::string::npos);
  EXPECT_NE(text("cuda:x").find("not known"), std::string::npos);
  EXPECT_NE(text("emu:gtx9000").find("known GPUs: t4"), std::string::npos);
  EXPECT_NE(text("emu:h200").find("already emulates"), std::string::npos);
  ::setenv("HEDDLE_EMU_LIB", "/no/such/library.so", 1);
  EXPECT_NE(text("emu").find("set HEDDLE_EMU_LIB"), std::string::npos);

  ::setenv("HEDDLE_EMU_LIB", HEDDLE_FAKE_DRIVER, 1);
  ArtifactData data = sampleProgram();
  data.variants[0].target = "sm_75";
  EXPECT_TRUE(load(data).ok() || load(data).status().code() == StatusCode::kUnsupported);
  data.variants[0].target = "sm_86"; // newer than the fake GPU's 8.0
  Status status = load(data).status();
  EXPECT_TRUE(status.code() == StatusCode::kUnsupported) << status.text();
}

#ifdef HEDDLE_EMULATOR
// The emulated device gives the same answers as the fake driver, from the PTX.
TEST_F(ExecutorTest, EmulatedDevice) {
  ::setenv("HEDDLE_EMU_LIB", HEDDLE_EMULATOR, 1);
  for (MemoryMode mode : {MemoryMode::kArena, MemoryMode::kSeparate}) {
    Result<std::shared_ptr<const Program>> program = load(sampleProgram(), mode);
    ASSERT_TRUE(program.ok()) << program.status().text();
    EXPECT_EQ((*program)->device()->major(), 8);
    expectAnswers(*program, {1, 100, 0, 7, 999});
  }
}
#endif
