// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulated device as a driver: loading, launching, refusing, and what it says when a kernel
// does what it must not. A fault stays, as on a GPU, so each of those runs in a process of its own.
#include "test/emulator/EmulatedDevice.h"
#include <gtest/gtest.h>
#include <random>

namespace heddle::emulator::test {
namespace {

const char *const kThreadIndex = "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, "
                                 "%tid.x;\nmad.lo.s32 %r4, %r1, %r2, %r3;\n";

/// d[i] = a[i] + b[i] where i < n.
std::string vectorAdd() {
  return kernelText(
      ".param .u64 a, .param .u64 b, .param .u64 d, .param .u32 n",
      std::string(kThreadIndex) +
          "ld.param.b32 %r5, [n];\nsetp.ge.s32 %p1, %r4, %r5;\n@%p1 bra DONE;\n"
          "ld.param.b64 %d1, [a];\nld.param.b64 %d2, [b];\nld.param.b64 %d3, [d];\n"
          "mul.wide.s32 %d4, %r4, 4;\nadd.s64 %d5, %d1, %d4;\nadd.s64 %d6, %d2, %d4;\n"
          "add.s64 %d7, %d3, %d4;\nld.global.b32 %r6, [%d5];\n"
          "ld.global.nc.b32 %r7, [%d6];\nadd.rn.f32 %r8, %r6, %r7;\n"
          "st.global.b32 [%d7], %r8;\nDONE:\n");
}

/// Runs `body`, which has the thread's index in %r4 and the buffer in %d1, on one block; exits with
/// 0 if the launch failed with the code and the report has the text.
void runFaulty(const std::string &body, unsigned threads, CUresult expected,
               const std::string &expectedText) {
  Buffer<uint32_t> buffer(64);
  Module module(
      kernelText(".param .u64 a", std::string(kThreadIndex) + "ld.param.b64 %d1, [a];\n" + body));
  CUresult code = module.launch("k", 1, threads, 0, buffer.address());
  std::string report = heddle_emu_last_report();
  bool isRight = code == expected && report.find(expectedText) != std::string::npos &&
                 cuCtxSynchronize() == expected;
  std::fprintf(stderr, "code %d, load \"%s\", report \"%s\"\n", code, module.error.c_str(),
               report.c_str());
  std::exit(isRight ? 0 : 1);
}

#define EXPECT_FAULT(body, threads, code, text)                                                    \
  EXPECT_EXIT(runFaulty(body, threads, code, text), ::testing::ExitedWithCode(0), "")

class EmulatorAlone : public ::testing::Test {
protected:
  // Worker threads of this process would be missing in a child that is only forked.
  EmulatorAlone() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// Every element is added, the ones behind n are left alone.
TEST(EmulatorDriver, AddsVectors) {
  std::vector<float> x(1000), y(1000);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i);
    y[i] = 0.5f;
  }
  Buffer<float> a(x), b(y), d(std::vector<float>(1000, -1.0f));
  Module module(vectorAdd());
  ASSERT_EQ(module.code, CUDA_SUCCESS) << module.error;
  int n = 900;
  ASSERT_EQ(module.launch("k", 8, 128, 0, a.address(), b.address(), d.address(), n), CUDA_SUCCESS);
  const std::vector<float> &result = d.read();
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(result[i], i < n ? i + 0.5f : -1.0f) << i;
}

// Parameters have the offsets and sizes that the runtime compares with.
TEST(EmulatorDriver, TellsParameters) {
  initialise();
  CUmodule module;
  ASSERT_EQ(cuModuleLoadDataEx(&module, vectorAdd().c_str(), 0, nullptr, nullptr), CUDA_SUCCESS);
  CUfunction function;
  ASSERT_EQ(cuModuleGetFunction(&function, module, "k"), CUDA_SUCCESS);
  size_t offset = 0, bytes = 0;
  ASSERT_EQ(cuFuncGetParamInfo(function, 3, &offset, &bytes), CUDA_SUCCESS);
  EXPECT_EQ(offset, 24u);
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(cuFuncGetParamInfo(function, 4, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "missing"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
}

// Lanes that part in a loop meet again: Collatz steps of 1 to 64.
TEST(EmulatorDriver, LanesMeetAfterLoops) {
  Module module(kernelText(
      ".param .u64 a", std::string(kThreadIndex) +
                           "ld.param.b64 %d1, [a];\nadd.s32 %r5, %r4, 1;\nmov.b32 %r6, 0;\n"
                           "LOOP:\nsetp.eq.s32 %p1, %r5, 1;\n@%p1 bra END;\n"
                           "and.b32 %r7, %r5, 1;\nsetp.eq.s32 %p2, %r7, 0;\n@%p2 bra EVEN;\n"
                           "mad.lo.s32 %r5, %r5, 3, 1;\nbra JOIN;\nEVEN:\nshr.s32 %r5, %r5, 1;\n"
                           "JOIN:\nadd.s32 %r6, %r6, 1;\nbra LOOP;\nEND:\n"
                           "vote.sync.ballot.b32 %r8, %p1, -1;\n"
                           "mul.wide.s32 %d2, %r4, 8;\nadd.s64 %d3, %d1, %d2;\n"
                           "st.global.v2.b32 [%d3], {%r6, %r8};\n"));
  ASSERT_EQ(module.code, CUDA_SUCCESS) << module.error;
  Buffer<uint32_t> out(128);
  ASSERT_EQ(module.launch("k", 1, 64, 0, out.address()), CUDA_SUCCESS) << heddle_emu_last_report();
  const std::vector<uint32_t> &result = out.read();
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t steps = 0;
    for (uint32_t v = i + 1; v != 1; v = v & 1 ? 3 * v + 1 : v / 2)
      ++steps;
    EXPECT_EQ(result[2 * i], steps) << i;
    EXPECT_EQ(result[2 * i + 1], 0xffffffffu) << "the lanes are together again";
  }
}

// A called function, a table of constants, local memory and a branch through a table.
TEST(EmulatorDriver, CallsTablesAndLocals) {
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".const .align 4 .u32 table[4] = {10, 20, 30, 40};\n"
      ".func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [x];\n"
      "add.s32 %r2, %r1, %r1;\nst.param.b32 [r], %r2;\nret;\n}\n"
      ".visible .entry k(.param .u64 a)\n{\n.local .align 8 .b8 depot[16];\n"
      ".reg .b32 %r<16>;\n.reg .b64 %d<16>;\nld.param.b64 %d1, [a];\nmov.u32 %r1, %tid.x;\n"
      "and.b32 %r2, %r1, 3;\nmul.wide.u32 %d2, %r2, 4;\nmov.b64 %d3, table;\n"
      "add.s64 %d4, %d3, %d2;\nld.const.b32 %r3, [%d4];\n"
      "{\n.param .b32 param0;\nst.param.b32 [param0], %r3;\n.param .b32 retval0;\n"
      "call.uni (retval0), twice, (param0);\nld.param.b32 %r4, [retval0];\n}\n"
      "mov.b64 %d5, depot;\ncvta.local.u64 %d6, %d5;\nst.b32 [%d6+4], %r4;\n"
      "ld.local.b32 %r5, [%d5+4];\nts: .branchtargets L0, L1, L0, L2;\nbrx.idx %r2, ts;\n"
      "L0:\nadd.s32 %r5, %r5, 1;\nbra STORE;\nL1:\nadd.s32 %r5, %r5, 2;\nbra STORE;\n"
      "L2:\nadd.s32 %r5, %r5, 3;\nSTORE:\nmul.wide.u32 %d7, %r1, 4;\nadd.s64 %d8, %d1, %d7;\n"
      "st.global.b32 [%d8], %r5;\nret;\n}\n";
  Module module(text);
  ASSERT_EQ(module.code, CUDA_SUCCESS) << module.error;
  Buffer<uint32_t> out(32);
  ASSERT_EQ(module.launch("k", 1, 32, 0, out.address()), CUDA_SUCCESS) << heddle_emu_last_report();
  const uint32_t expected[] = {21, 42, 61, 83};
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(out.read()[i], expected[i % 4]) << i;
}

// Scoped registers and labels of inline assembly do not collide.
TEST(EmulatorDriver, ScopesOfInlineAssembly) {
  std::string scope = "{ .reg .b32 t; .reg .pred q; setp.lt.u32 q, %r4, 16; mov.b32 t, 5; "
                      "@q bra OUT; mov.b32 t, 7; OUT: add.s32 %r6, %r6, t; }\n";
  Module module(
      kernelText(".param .u64 a", std::string(kThreadIndex) + "mov.b32 %r6, 0;\n" + scope + scope +
                                      "ld.param.b64 %d1, [a];\nmul.wide.u32 %d2, %r4, 4;\n"
                                      "add.s64 %d3, %d1, %d2;\nst.global.b32 [%d3], %r6;\n"));
  ASSERT_EQ(module.code, CUDA_SUCCESS) << module.error;
  Buffer<uint32_t> out(32);
  ASSERT_EQ(module.launch("k", 1, 32, 0, out.address()), CUDA_SUCCESS) << heddle_emu_last_report();
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(out.read()[i], i < 16 ? 10u : 14u) << i;
}

// Warps exchange through shared memory, static and dynamic, and wait at the barrier.
TEST(EmulatorDriver, SharedMemoryAndBarriers) {
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 dyn[];\n"
      ".visible .entry k(.param .u64 a)\n{\n.shared .align 4 .b8 fixed[512];\n.reg .b32 %r<16>;\n"
      ".reg .b64 %d<16>;\nld.param.b64 %d1, [a];\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\n"
      "mov.u32 %r3, fixed;\nadd.s32 %r4, %r3, %r2;\nst.shared.b32 [%r4], %r1;\n"
      "mov.b64 %d2, dyn;\ncvt.u64.u32 %d3, %r2;\nadd.s64 %d4, %d2, %d3;\nmul.lo.s32 %r5, %r1, 10;\n"
      "st.shared.b32 [%d4], %r5;\nbar.sync 0;\nxor.b32 %r6, %r2, 508;\nadd.s32 %r7, %r3, %r6;\n"
      "ld.shared.b32 %r8, [%r7];\ncvt.u64.u32 %d5, %r6;\nadd.s64 %d6, %d2, %d5;\n"
      "cvta.shared.u64 %d7, %d6;\nld.b32 %r9, [%d7];\nadd.s32 %r10, %r8, %r9;\n"
      "mul.wide.u32 %d8, %r1, 4;\nadd.s64 %d9, %d1, %d8;\nst.global.b32 [%d9], %r10;\nret;\n}\n";
  Module module(text);
  ASSERT_EQ(module.code, CUDA_SUCCESS) << module.error;
  Buffer<uint32_t> out(128);
  ASSERT_EQ(module.launch("k", 1, 128, 512, out.address()), CUDA_SUCCESS)
      << heddle_emu_last_report();
  for (uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(out.read()[i], (127 - i) * 11) << i;
}

// Blocks add to one counter from several threads.
TEST(EmulatorDriver, AtomicsOfManyBlocks) {
  Module module(kernelText(".param .u64 a",
                           "ld.param.b64 %d1, [a];\natom.global.add.u32 %r1, [%d1], 1;\n"
                           "red.global.max.u32 [%d1+4], %r1;\nmov.b32 %r2, 0f3F800000;\n"
                           "red.global.add.f32 [%d1+8], %r2;\n"));
  ASSERT_EQ(module.code, CUDA_SUCCESS) << module.error;
  Buffer<uint32_t> out(std::vector<uint32_t>{0, 0, 0});
  ASSERT_EQ(module.launch("k", 100, 96, 0, out.address()), CUDA_SUCCESS);
  float sum;
  std::memcpy(&sum, &out.read()[2], 4);
  EXPECT_EQ(out.read()[0], 9600u);
  EXPECT_EQ(out.read()[1], 9599u);
  EXPECT_EQ(sum, 9600.0f);
}

// Copies and launches that cannot be are refused with the reason, and do not break the device.
TEST(EmulatorDriver, RefusesWithReasons) {
  Buffer<uint32_t> buffer(16);
  std::vector<uint32_t> host(32);
  EXPECT_EQ(cuMemcpyDtoH(host.data(), buffer.address(), 128), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(std::string(heddle_emu_last_report()).find("not inside of one allocation"),
            std::string::npos);
  Module module(kernelText(".param .u64 a", ""));
  EXPECT_EQ(module.launch("k", 1, 2048, 0, buffer.address()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(std::string(heddle_emu_last_report()).find("more than 1024 threads"),
            std::string::npos);
  EXPECT_EQ(module.launch("k", 1, 32, 60000, buffer.address()), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(module.launch("k", 1, 32, 0, buffer.address()), CUDA_SUCCESS);
  EXPECT_STREQ(heddle_emu_last_report(), "");
}

// What the device does not know is refused by name and line when the module is loaded.
TEST(EmulatorDriver, NamesUnknownInstructions) {
  Module module(kernelText("", "mov.b32 %r1, 0;\nfrobnicate.b32 %r2, %r1;\n"));
  EXPECT_EQ(module.code, CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(module.error.find("line 11: \"frobnicate.b32\""), std::string::npos) << module.error;
  EXPECT_NE(Module(kernelText("", "add.s32 %r1, %d1, %r2;\n")).error.find("64 bits"),
            std::string::npos);
  EXPECT_NE(Module(kernelText("", "add.s32 %r1, %x1, %r2;\n")).error.find("\"%x1\""),
            std::string::npos);
  EXPECT_NE(Module(kernelText("", "bra NOWHERE;\n")).error.find("NOWHERE"), std::string::npos);
  EXPECT_EQ(Module(kernelText("", "", "sm_100a")).code, CUDA_ERROR_NO_BINARY_FOR_GPU);
}

// Damaged text is refused or accepted, but nothing crashes.
TEST(EmulatorDriver, SurvivesDamagedText) {
  std::string good = vectorAdd();
  std::mt19937 random(20261201);
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (int i = 0; i < 1 + round % 4 && !text.empty(); ++i) {
      size_t at = random() % text.size();
      switch (random() % 4) {
      case 0:
        text.resize(at + 1);
        break;
      case 1:
        text[at] = static_cast<char>(32 + random() % 95);
        break;
      case 2:
        text.erase(at, 1 + random() % 8);
        break;
      default:
        text.insert(at, text.substr(random() % text.size(), 1 + random() % 30));
        break;
      }
    }
    Module module(text);
    EXPECT_TRUE(module.code == CUDA_SUCCESS || !module.error.empty());
  }
  EXPECT_NE(Module(std::string(100000, '{')).code, CUDA_SUCCESS);
  EXPECT_NE(Module(kernelText("", "mov.b32 %r1, " + std::string(100000, '['))).code, CUDA_SUCCESS);
}

TEST_F(EmulatorAlone, AccessBehindTheEnd) {
  EXPECT_FAULT("mul.wide.u32 %d2, %r4, 4;\nadd.s64 %d3, %d1, %d2;\nst.global.b32 [%d3+4], %r4;\n",
               64, CUDA_ERROR_ILLEGAL_ADDRESS,
               "kernel \"k\", PTX line 17, block (0, 0, 0), warp 1, lane 31, thread (63, 0, 0): "
               "global access of 4 bytes");
}

TEST_F(EmulatorAlone, NullPointer) {
  EXPECT_FAULT("mov.b64 %d2, 0;\nld.global.b32 %r5, [%d2];\n", 1, CUDA_ERROR_ILLEGAL_ADDRESS,
               "0x0 is outside of every allocation");
}

TEST_F(EmulatorAlone, MisalignedVector) {
  EXPECT_FAULT("ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%d1+8];\n", 32,
               CUDA_ERROR_MISALIGNED_ADDRESS, "access of 16 bytes");
}

TEST_F(EmulatorAlone, SharedBehindTheEnd) {
  EXPECT_FAULT(".shared .align 4 .b8 s[64];\nmov.u32 %r5, s;\nst.shared.b32 [%r5+64], %r4;\n", 1,
               CUDA_ERROR_ILLEGAL_ADDRESS, "shared access of 4 bytes");
}

TEST_F(EmulatorAlone, LocalBehindTheEnd) {
  EXPECT_FAULT(".local .align 4 .b8 s[16];\nmov.b64 %d5, s;\nst.local.b32 [%d5+16], %r4;\n", 1,
               CUDA_ERROR_ILLEGAL_ADDRESS, "local access of 4 bytes");
}

TEST_F(EmulatorAlone, PartOfAWarpAtTheBarrier) {
  EXPECT_FAULT("setp.lt.u32 %p1, %r4, 16;\n@%p1 bra SKIP;\nbar.sync 0;\nSKIP:\n", 32,
               CUDA_ERROR_ILLEGAL_INSTRUCTION, "every lane must arrive together");
}

TEST_F(EmulatorAlone, BarrierThatNobodyOpens) {
  EXPECT_FAULT("setp.lt.u32 %p1, %r4, 32;\n@%p1 bra ONE;\nbar.sync 1;\nbra SKIP;\nONE:\n"
               "bar.sync 2;\nSKIP:\n",
               64, CUDA_ERROR_LAUNCH_FAILED, "waits at barrier 2");
}

TEST_F(EmulatorAlone, LanesNamedButAbsent) {
  EXPECT_FAULT("setp.lt.u32 %p1, %r4, 8;\n@%p1 bra SKIP;\n"
               "shfl.sync.bfly.b32 %r5, %r4, 1, 31, -1;\nSKIP:\n",
               32, CUDA_ERROR_ILLEGAL_INSTRUCTION, "names lanes that do not take part");
}

/// Exits with 0 if the counters are those of 2 launches of 2 blocks of 2 warps.
void countVectorAdd() {
  Buffer<float> a(128), b(128), d(128);
  Module module(vectorAdd());
  int n = 128;
  for (int i = 0; i < 2; ++i)
    module.launch("k", 2, 64, 0, a.address(), b.address(), d.address(), n);
  std::string json = heddle_emu_counters_json();
  std::fprintf(stderr, "%s\n", json.c_str());
  // A warp reads and writes 3 * 32 * 4 bytes, which are 3 * 4 sectors.
  for (const char *part : {"\"kernel\": \"k\"", "\"launches\": 2", "\"blocks\": 4",
                           "\"global\": 24", "\"globalBytes\": 3072", "\"globalSectors\": 96"})
    if (json.find(part) == std::string::npos)
      std::exit(1);
  heddle_emu_reset_counters();
  std::exit(std::string(heddle_emu_counters_json()) == "{\"kernels\": []}" ? 0 : 1);
}

// Counters are chosen when the process starts.
TEST_F(EmulatorAlone, Counters) {
  ::setenv("HEDDLE_EMU_COUNTERS", "1", 1);
  EXPECT_EXIT(countVectorAdd(), ::testing::ExitedWithCode(0), "");
  ::unsetenv("HEDDLE_EMU_COUNTERS");
}

TEST_F(EmulatorAlone, Trap) { EXPECT_FAULT("trap;\n", 32, CUDA_ERROR_ASSERT, "trap"); }

TEST_F(EmulatorAlone, EndlessLoop) {
  ::setenv("HEDDLE_EMU_TIMEOUT", "1", 1);
  EXPECT_FAULT("LOOP:\nbra LOOP;\n", 32, CUDA_ERROR_LAUNCH_TIMEOUT, "HEDDLE_EMU_TIMEOUT");
  ::unsetenv("HEDDLE_EMU_TIMEOUT");
}

} // namespace
} // namespace heddle::emulator::test
