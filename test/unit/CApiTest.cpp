// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API through its shared library, on the fake driver.
#include "heddle-c/runtime.h"
#include "test/unit/SampleProgram.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace heddle::test;

extern "C" const char *heddleVersionFromC(void);

static std::string samplePath() {
  ::setenv("HEDDLE_EMU_LIB", HEDDLE_FAKE_DRIVER, 1);
  std::string path = temporaryPath("capi.heddle");
  EXPECT_TRUE(heddle::artifact::write(sampleProgram(), path).ok());
  return path;
}

// A program is opened, asked for its signature, and run.
TEST(CApi, Runs) {
  heddle_program *program = nullptr;
  ASSERT_EQ(heddle_program_open(samplePath().c_str(), "emu", &program), HEDDLE_OK)
      << heddle_last_error();
  EXPECT_EQ(heddle_program_input_count(program), 2u);
  EXPECT_EQ(heddle_program_output_count(program), 4u);
  EXPECT_STREQ(heddle_program_input_name(program, 1), "y");
  EXPECT_STREQ(heddle_dtype_name(heddle_program_output_dtype(program, 2)), "i64");
  EXPECT_EQ(heddle_program_input_rank(program, 0), 2);
  EXPECT_EQ(heddle_program_input_dim(program, 0, 0), -1);
  EXPECT_EQ(heddle_program_input_dim(program, 0, 1), 4);
  EXPECT_STREQ(heddle_program_device(program), "emu:a100");
  EXPECT_STREQ(heddle_program_code(program), "PTX 8.0 for sm_80");

  const int64_t dims[] = {1, 4};
  const float x[] = {1, 2, 3, 4}, y[] = {10, 20, 30, 40};
  heddle_dtype f32 = heddle_dtype_from_name("f32");
  heddle_tensor *inputs[2] = {}, *outputs[4] = {};
  ASSERT_EQ(heddle_tensor_create(f32, dims, 2, x, &inputs[0]), HEDDLE_OK);
  ASSERT_EQ(heddle_tensor_create(f32, dims, 2, y, &inputs[1]), HEDDLE_OK);
  ASSERT_EQ(heddle_program_run(program, inputs, 2, outputs, 4), HEDDLE_OK) << heddle_last_error();
  EXPECT_EQ(heddle_program_launch_count(program), 2);
  EXPECT_GT(heddle_program_arena_bytes(program), 0);
  EXPECT_EQ(heddle_tensor_rank(outputs[0]), 2);
  EXPECT_EQ(heddle_tensor_dims(outputs[0])[1], 4);
  EXPECT_EQ(heddle_tensor_bytes(outputs[0]), 16u);
  const float *z = static_cast<const float *>(heddle_tensor_data(outputs[0]));
  EXPECT_EQ(z[3], 84.0f); // 4 + 2 * 40
  EXPECT_NE(std::string(heddle_program_counters(program)).find("add"), std::string::npos);
  for (heddle_tensor *tensor : outputs)
    heddle_tensor_destroy(tensor);
  for (heddle_tensor *tensor : inputs)
    heddle_tensor_destroy(tensor);
  heddle_program_destroy(program);
}

// Mistakes are codes with a text, never a crash.
TEST(CApi, Mistakes) {
  heddle_program *program = nullptr;
  EXPECT_EQ(heddle_program_open(nullptr, "emu", &program), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(heddle_last_error(), "path is NULL");
  EXPECT_EQ(heddle_program_open("/no/such.heddle", "emu", &program), HEDDLE_NOT_FOUND);
  EXPECT_EQ(heddle_program_load("garbage garbage", 15, "emu", &program), HEDDLE_CORRUPT);
  EXPECT_EQ(heddle_program_open(samplePath().c_str(), "tpu", &program), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(program, nullptr);
  heddle_tensor *tensor = nullptr;
  const int64_t huge[] = {INT64_MAX, INT64_MAX}, large[] = {int64_t{1} << 58};
  EXPECT_EQ(heddle_tensor_create(999, huge, 1, nullptr, &tensor), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_tensor_create(11, huge, 2, nullptr, &tensor), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_tensor_create(11, huge, -1, nullptr, &tensor), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_tensor_create(11, large, 1, nullptr, &tensor), HEDDLE_OUT_OF_MEMORY);
  EXPECT_EQ(heddle_program_run(nullptr, nullptr, 0, nullptr, 0), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_program_input_name(nullptr, 0), nullptr);
  EXPECT_EQ(heddle_dtype_name(-1), nullptr);
  heddle_program_destroy(nullptr);
  heddle_tensor_destroy(nullptr);
  EXPECT_STREQ(heddleVersionFromC(), heddle_runtime_version());

  ASSERT_EQ(heddle_program_open(samplePath().c_str(), "emu", &program), HEDDLE_OK);
  EXPECT_EQ(heddle_program_run(program, nullptr, 2, nullptr, 4), HEDDLE_INVALID_ARGUMENT);
  heddle_tensor *outputs[4] = {};
  EXPECT_EQ(heddle_program_run(program, nullptr, 0, outputs, 4), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(heddle_last_error(), "got 0 inputs, expected 2");
  EXPECT_EQ(outputs[0], nullptr);
  heddle_program_destroy(program);
}
