// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libheddle as a C program sees it: options, errors with reasons, nothing that crashes. That models
// come out right is what test/e2e shows.
#include "heddle-c/heddle.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace {

/// A length-delimited protobuf field; short ones only.
std::string field(int number, const std::string &bytes) {
  return std::string{char(number << 3 | 2), char(bytes.size())} + bytes;
}
std::string number(int number, char value) { return {char(number << 3), value}; }

/// y[n] = -x[n] as an ONNX model; the field numbers are those of onnx.proto.
std::string makeModel() {
  std::string dim = field(1, field(2, "n"));
  std::string type = field(1, number(1, 1) + field(2, dim));
  auto value = [&](const char *name) { return field(1, name) + field(2, type); };
  std::string node = field(1, "x") + field(2, "y") + field(4, "Neg");
  std::string graph =
      field(1, node) + field(2, "g") + field(11, value("x")) + field(12, value("y"));
  return number(1, 8) + field(7, graph) + field(8, field(1, "") + number(2, 13));
}

struct Compiler {
  Compiler() { EXPECT_EQ(heddle_compiler_create(&handle), HEDDLE_OK); }
  ~Compiler() { heddle_compiler_destroy(handle); }
  std::string report() const { return heddle_compiler_report(handle); }
  heddle_compiler *handle = nullptr;
};

// NULL is an error, not a crash.
TEST(CompilerCApi, RefusesNull) {
  Compiler compiler;
  EXPECT_EQ(heddle_compiler_create(nullptr), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_compiler_set(compiler.handle, nullptr, "x"), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_compiler_run(nullptr, "a", "b"), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(heddle_compiler_report(nullptr), "");
  heddle_compiler_destroy(nullptr);
}

// Options that do not exist are named with those that do.
TEST(CompilerCApi, NamesOptions) {
  Compiler compiler;
  EXPECT_EQ(heddle_compiler_set(compiler.handle, "dim", "batch=8"), HEDDLE_OK);
  EXPECT_EQ(heddle_compiler_set(compiler.handle, "dim", "batch=many"), HEDDLE_INVALID_ARGUMENT);
  EXPECT_NE(compiler.report().find("batch=many"), std::string::npos);
  EXPECT_EQ(heddle_compiler_set(compiler.handle, "speed", "high"), HEDDLE_INVALID_ARGUMENT);
  EXPECT_NE(compiler.report().find("precision"), std::string::npos);
}

// A target that does not exist is refused by the compile, with the known ones.
TEST(CompilerCApi, RefusesTarget) {
  Compiler compiler;
  ASSERT_EQ(heddle_compiler_set(compiler.handle, "target", "sm_80,sm_7"), HEDDLE_OK);
  heddle_program *program = nullptr;
  EXPECT_EQ(heddle_compiler_jit(compiler.handle, "x", 1, "x.onnx", "emu", &program),
            HEDDLE_NOT_FOUND);
  EXPECT_NE(compiler.report().find("sm_90a"), std::string::npos);
}

// Bytes that are no model are an error that names the model.
TEST(CompilerCApi, RefusesDamagedModel) {
  Compiler compiler;
  heddle_program *program = nullptr;
  EXPECT_NE(heddle_compiler_jit(compiler.handle, "no model", 8, "letter.onnx", "emu", &program),
            HEDDLE_OK);
  EXPECT_NE(compiler.report().find("letter.onnx"), std::string::npos);
  EXPECT_EQ(program, nullptr);
}

#ifdef HEDDLE_EMULATOR
// A model in memory becomes a program that runs.
TEST(CompilerCApi, RunsWhatItCompiles) {
  ::setenv("HEDDLE_EMU_LIB", HEDDLE_EMULATOR, 0);
  Compiler compiler;
  std::string model = makeModel();
  heddle_program *program = nullptr;
  ASSERT_EQ(
      heddle_compiler_jit(compiler.handle, model.data(), model.size(), "neg.onnx", "emu", &program),
      HEDDLE_OK)
      << compiler.report();
  const int64_t dims[] = {3};
  const float numbers[] = {1, -2, 0.5f};
  heddle_tensor *x = nullptr, *y = nullptr;
  ASSERT_EQ(heddle_tensor_create(heddle_dtype_from_name("f32"), dims, 1, numbers, &x), HEDDLE_OK);
  const heddle_tensor *inputs[] = {x};
  ASSERT_EQ(heddle_program_run(program, inputs, 1, &y, 1), HEDDLE_OK) << heddle_last_error();
  ASSERT_EQ(heddle_tensor_bytes(y), sizeof numbers);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(static_cast<float *>(heddle_tensor_data(y))[i], -numbers[i]);
  heddle_tensor_destroy(x);
  heddle_tensor_destroy(y);
  heddle_program_destroy(program);
}
#endif

} // namespace
