// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with a planted fault and their sound twins, under every check: each fault is found, in
// the right line, and the twin is silent. A fault breaks the process's context, as on a GPU, so
// each kernel runs in a process of its own.
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <gtest/gtest.h>
#include <string>

extern "C" const char *heddle_emu_last_report();

namespace {

/// Runs a body with %in and %out of 4096 bytes each (only %in is filled), two warps.
void runAndExit(const std::string &body) {
  setenv("HEDDLE_EMU_CHECK", "all", 1);
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".visible .entry k(.param .b64 in, .param .b64 out)\n{\n"
                     ".reg .b64 %in, %out, %x, %y;\n.reg .b32 %t, %r<9>;\n.reg .pred %p, %q;\n"
                     ".shared .align 16 .b8 s[1024];\n"
                     "ld.param.b64 %in, [in]; ld.param.b64 %out, [out]; mov.u32 %t, %tid.x;\n" +
                     body + "ret;\n}\n";
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr in, out;
  void *arguments[] = {&in, &out};
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
      cuMemAlloc(&in, 4096) || cuMemAlloc(&out, 4096) || cuMemsetD8(in, 1, 4096) ||
      cuModuleLoadData(&module, text.c_str()) || cuModuleGetFunction(&function, module, "k")) {
    std::fprintf(stderr, "set-up: %s\n", heddle_emu_last_report());
    std::exit(3);
  }
  CUresult status = cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
  if (status == CUDA_SUCCESS)
    status = cuCtxSynchronize();
  std::fprintf(stderr, "%s\n", status == CUDA_SUCCESS ? "silent" : heddle_emu_last_report());
  std::exit(status == CUDA_SUCCESS ? 0 : 1);
}

void expectFinding(const std::string &body, const char *pattern) {
  EXPECT_EXIT(runAndExit(body), testing::ExitedWithCode(1), pattern) << body;
}
void expectSilence(const std::string &body) {
  EXPECT_EXIT(runAndExit(body), testing::ExitedWithCode(0), "silent") << body;
}

/// The thread's own word of shared memory in %r2, and its neighbour's in the other warp in %r3.
const char *const kWords = "mov.u32 %r1, s; shl.b32 %r2, %t, 2; add.s32 %r2, %r2, %r1;\n"
                           "xor.b32 %r3, %t, 32; shl.b32 %r3, %r3, 2; add.s32 %r3, %r3, %r1;\n";

} // namespace

TEST(EmulatorCheck, ReadOfAnotherWarpsWordNeedsABarrier) {
  // The second warp reads what the first one wrote.
  std::string write = std::string(kWords) + "setp.lt.u32 %p, %t, 32;\n"
                                            "@%p st.shared.b32 [%r2], %t;\n";
  std::string read = "@!%p ld.shared.b32 %r4, [%r3];\n";
  expectFinding(write + read, "PTX line 15.*race: read.*written by warp 0, lane 0 in PTX line 14");
  expectSilence(write + "bar.sync 0;\n" + read);
}

TEST(EmulatorCheck, OverwritingWhatOthersReadNeedsABarrier) {
  std::string head = std::string(kWords) + "st.shared.b32 [%r2], %t;\nbar.sync 0;\n"
                                           "ld.shared.b32 %r4, [%r3];\n";
  expectFinding(head + "st.shared.b32 [%r2], %r4;\n",
                "race: read.*written by warp 0, lane 0 in PTX line 16");
  expectSilence(head + "bar.sync 0;\nst.shared.b32 [%r2], %r4;\n");
}

// All threads store the same value to one word: no race. Different values: one.
TEST(EmulatorCheck, EqualWritesAreNoRace) {
  expectSilence("mov.u32 %r1, s; mov.b32 %r2, 7; st.shared.b32 [%r1], %r2;\n");
  expectFinding("mov.u32 %r1, s; shr.u32 %r2, %t, 5; st.shared.b32 [%r1], %r2;\n",
                "race: write of 4 bytes of shared memory at offset 0");
}

TEST(EmulatorCheck, SharedMemoryMustBeWritten) {
  expectFinding("mov.u32 %r1, s; ld.shared.b32 %r2, [%r1+64];\n",
                "read of 4 bytes of shared memory at offset 64, which nobody has written");
  expectSilence("mov.u32 %r1, s; mov.b32 %r3, 0; st.shared.b32 [%r1+64], %r3; bar.sync 0;\n"
                "ld.shared.b32 %r2, [%r1+64];\n");
}

TEST(EmulatorCheck, GlobalMemoryMustBeWritten) {
  expectFinding("ld.global.b32 %r1, [%out+128];\n",
                "read of 4 bytes of global memory.*which nobody has written");
  expectSilence("mul.wide.u32 %x, %t, 4; add.s64 %y, %out, %x;\n"
                "st.global.b32 [%y], %t; ld.global.b32 %r1, [%y]; ld.global.b32 %r2, [%in+4];\n");
}

TEST(EmulatorCheck, CopiesThatDoNotWaitForOthers) {
  std::string copy = "mul.wide.u32 %x, %t, 4; add.s64 %x, %in, %x; setp.lt.u32 %p, %t, 32;\n" +
                     std::string(kWords) +
                     "@%p cp.async.ca.shared.global [%r2], [%x], 4; cp.async.wait_all;\n";
  expectFinding(copy + "@!%p ld.shared.b32 %r4, [%r3];\n", "race: read");
  expectSilence(copy + "bar.sync 0; @!%p ld.shared.b32 %r4, [%r3];\n");
}

// A named barrier of one warp does not order the other one.
TEST(EmulatorCheck, ProducersArriveConsumersWait) {
  std::string head = std::string(kWords) +
                     "setp.lt.u32 %p, %t, 32;\n@!%p bra consume;\nst.shared.b32 [%r2], %t;\n";
  expectSilence(head + "bar.arrive 1, 64;\nbra done;\nconsume:\nbar.sync 1, 64;\n"
                       "ld.shared.b32 %r4, [%r3];\ndone:\n");
  expectFinding(head + "bar.arrive 1, 64;\nst.shared.b32 [%r2], %r3;\nbra done;\nconsume:\n"
                       "bar.sync 1, 64;\nld.shared.b32 %r4, [%r3];\ndone:\n",
                "race");
}
