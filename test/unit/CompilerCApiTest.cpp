// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libheddle as a C program sees it: options, errors with reasons, nothing that crashes. That models
// come out right is what test/e2e shows.
#include "heddle-c/heddle.h"
#include <gtest/gtest.h>
#include <string>

namespace {

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

} // namespace
