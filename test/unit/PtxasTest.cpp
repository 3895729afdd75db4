// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptxas as a child process: its report, its refusals, and children that misbehave.
#include "lib/ptxas/Ptxas.h"
#include "test/unit/SampleProgram.h"
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::ptxas;
using namespace heddle::test;

static constexpr const char *kKernel = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 p)
{
  .reg .b64 %a;
  .reg .f32 %x;
  .shared .align 4 .b8 room[512];
  .reg .b32 %s;
  ld.param.u64 %a, [p];
  cvta.to.global.u64 %a, %a;
  ld.global.f32 %x, [%a];
  mov.u32 %s, room;
  st.shared.f32 [%s], %x;
  bar.sync 0;
  ld.shared.f32 %x, [%s];
  add.f32 %x, %x, %x;
  st.global.f32 [%a], %x;
  ret;
}
)";

class ChosenPtxas : public testing::Test {
protected:
  void TearDown() override { ::unsetenv("HEDDLE_PTXAS"); }

  /// Makes $HEDDLE_PTXAS a shell script.
  void choose(const std::string &script) {
    std::string path = temporaryPath("ptxas-stand-in");
    std::string text = "#!/bin/sh\n" + script + "\n";
    writeBytes(path, {text.begin(), text.end()});
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    ::setenv("HEDDLE_PTXAS", path.c_str(), 1);
  }
};

// A kernel is assembled and its report read.
TEST_F(ChosenPtxas, Assembles) {
  if (!findPtxas().ok())
    GTEST_SKIP() << findPtxas().status().text();
  Result<Assembly> assembly = assemble(kKernel, "sm_80");
  ASSERT_TRUE(assembly.ok()) << assembly.status().text();
  EXPECT_EQ(std::string(assembly->cubin.begin() + 1, assembly->cubin.begin() + 4), "ELF");
  ASSERT_EQ(assembly->kernels.size(), 1u);
  EXPECT_EQ(assembly->kernels[0].name, "scale");
  EXPECT_GT(assembly->kernels[0].registers, 0u);
  EXPECT_EQ(assembly->kernels[0].sharedBytes, 512u);
  EXPECT_EQ(assembly->kernels[0].spillStoreBytes, 0u);
  EXPECT_TRUE(assembly->warnings.empty());
}

// A refusal has ptxas' own lines and no path of ours.
TEST_F(ChosenPtxas, Refuses) {
  if (!findPtxas().ok())
    GTEST_SKIP() << findPtxas().status().text();
  Result<Assembly> assembly = assemble("no PTX", "sm_80");
  ASSERT_FALSE(assembly.ok());
  EXPECT_EQ(assembly.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(assembly.status().text().find(".version"), std::string::npos);
  EXPECT_EQ(assembly.status().text().find("heddle-ptxas-"), std::string::npos);
}

// The report of spills and performance advice, as ptxas 13.0 prints it.
TEST_F(ChosenPtxas, ReadsReports) {
  Assembly assembly;
  assembly.log =
      "ptxas info    : (C7519) Potential Performance Loss: wgmma.mma_async instructions\n"
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'k1' for 'sm_90a'\n"
      "ptxas info    : Function properties for k1\n"
      "    24 bytes stack frame, 20 bytes spill stores, 28 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 9 barriers, 24 bytes cumulative stack size, "
      "1024 bytes smem\n"
      "ptxas info    : Compiling entry function 'k2' for 'sm_90a'\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n"
      "ptxas warning : something odd\n";
  parseLog(assembly);
  ASSERT_EQ(assembly.kernels.size(), 2u);
  EXPECT_EQ(assembly.kernels[0].registers, 168u);
  EXPECT_EQ(assembly.kernels[0].stackBytes, 24u);
  EXPECT_EQ(assembly.kernels[0].spillStoreBytes, 20u);
  EXPECT_EQ(assembly.kernels[0].spillLoadBytes, 28u);
  EXPECT_EQ(assembly.kernels[0].sharedBytes, 1024u);
  EXPECT_EQ(assembly.kernels[0].barriers, 9u);
  EXPECT_EQ(assembly.kernels[1].name, "k2");
  EXPECT_EQ(assembly.kernels[1].registers, 8u);
  EXPECT_EQ(assembly.warnings.size(), 2u);
}

// A missing, failing, dying, silent or endless assembler is an error that says so.
TEST_F(ChosenPtxas, Misbehaves) {
  auto text = [](const Options &options = {}) {
    return assemble(kKernel, "sm_80", options).status().text();
  };
  ::setenv("HEDDLE_PTXAS", "/no/such/ptxas", 1);
  EXPECT_NE(text().find("HEDDLE_PTXAS is \"/no/such/ptxas\""), std::string::npos);
  choose("echo broken; exit 3");
  EXPECT_NE(text().find("(exit status 3):\nbroken"), std::string::npos);
  choose("kill -SEGV $$");
  EXPECT_NE(text().find("ended by signal 11"), std::string::npos);
  choose("exit 0");
  EXPECT_NE(text().find("left no cubin"), std::string::npos);
  choose("exec sleep 60");
  EXPECT_NE(text({.timeoutSeconds = 1}).find("longer than 1 seconds"), std::string::npos);
}
