// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that wait for each other: lanes of a warp, warps, blocks of a cluster, blocks of a grid.
// Every kernel runs in every order of warps, with asynchronous work done early and late, in a
// process of its own, because these choices hold for a process.
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

extern "C" const char *heddle_emu_last_report();

namespace {

struct Mode {
  const char *order, *async;
};
constexpr Mode kModes[] = {{"round-robin", "eager"}, {"reverse", "eager"}, {"random", "eager"},
                           {"interleave", "eager"},  {"random", "lazy"},   {"interleave", "lazy"}};

struct Shape {
  unsigned blocks = 1, threads = 64, cluster = 1;
  bool isCooperative = false;
};

/// Runs a body with %out, filled with zeros, and %t, the thread, and prints what is wrong.
int run(const Mode &mode, const std::string &body, const Shape &shape,
        const std::function<uint32_t(uint32_t)> &expected, uint32_t count) {
  setenv("HEDDLE_EMU_GPU", "h100", 1);
  setenv("HEDDLE_EMU_SCHEDULE", mode.order, 1);
  setenv("HEDDLE_EMU_ASYNC", mode.async, 1);
  setenv("HEDDLE_EMU_TIMEOUT", "20", 1);
  std::string text = ".version 8.6\n.target sm_90a\n.address_size 64\n"
                     ".visible .entry k(.param .b64 out)\n{\n"
                     ".reg .b64 %out, %d<20>;\n.reg .b32 %t, %r<30>;\n.reg .pred %p<9>;\n"
                     ".shared .align 16 .b8 s[4096];\n.shared .align 8 .b64 bar[4];\n"
                     "ld.param.b64 %out, [out]; mov.u32 %t, %tid.x;\n" +
                     body + "\nret;\n}\n";
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr out;
  void *arguments[] = {&out};
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
      cuMemAlloc(&out, count * 4) || cuMemsetD8(out, 0, count * 4) ||
      cuModuleLoadData(&module, text.c_str()) || cuModuleGetFunction(&function, module, "k")) {
    std::fprintf(stderr, "set-up: %s\n", heddle_emu_last_report());
    return 3;
  }
  CUlaunchAttribute attributes[2] = {};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[0].value.clusterDim = {shape.cluster, 1, 1};
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[1].value.cooperative = shape.isCooperative;
  CUlaunchConfig config = {};
  config.gridDimX = shape.blocks;
  config.blockDimX = shape.threads;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.attrs = attributes;
  config.numAttrs = 2;
  CUresult status = cuLaunchKernelEx(&config, function, arguments, nullptr);
  if (status == CUDA_SUCCESS)
    status = cuCtxSynchronize();
  if (status != CUDA_SUCCESS) {
    std::fprintf(stderr, "launch: %s\n", heddle_emu_last_report());
    return 2;
  }
  std::vector<uint32_t> result(count);
  cuMemcpyDtoH(result.data(), out, count * 4);
  for (uint32_t i = 0; i < count; ++i)
    if (result[i] != expected(i)) {
      std::fprintf(stderr, "element %u is %u, expected %u\n", i, result[i], expected(i));
      return 1;
    }
  return 0;
}

void expectInAllModes(const std::string &body, const Shape &shape,
                      const std::function<uint32_t(uint32_t)> &expected, uint32_t count) {
  for (const Mode &mode : kModes) {
    SCOPED_TRACE(std::string(mode.order) + ", " + mode.async);
    EXPECT_EXIT(std::exit(run(mode, body, shape, expected, count)), testing::ExitedWithCode(0), "");
  }
}

/// Stores %r1 at out[block * threads + thread].
const char *const kStore = "mov.u32 %r28, %ctaid.x; mov.u32 %r29, %ntid.x;\n"
                           "mad.lo.u32 %r28, %r28, %r29, %t; mul.wide.u32 %d19, %r28, 4;\n"
                           "add.u64 %d19, %d19, %out; st.global.b32 [%d19], %r1;\n";

} // namespace

// Two halves of a warp in different branches exchange words (PTX ISA 9.7.13.2, bar.warp.sync).
TEST(Engine, HalvesOfAWarpMeetAtBarWarpSync) {
  expectInAllModes(
      R"(
    mov.u32 %r2, s; shl.b32 %r3, %t, 2; add.u32 %r3, %r3, %r2; xor.b32 %r4, %t, 16;
    shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r2; setp.lt.u32 %p1, %t, 16;
    @%p1 bra LOW;
    add.u32 %r5, %t, 100; st.shared.b32 [%r3], %r5; bar.warp.sync 0xffffffff;
    ld.shared.b32 %r1, [%r4]; bra DONE;
    LOW: add.u32 %r5, %t, 200; st.shared.b32 [%r3], %r5; bar.warp.sync 0xffffffff;
    ld.shared.b32 %r1, [%r4];
    DONE:)" +
          std::string(kStore),
      {1, 32}, [](uint32_t i) { return i < 16 ? i + 16 + 100 : i - 16 + 200; }, 32);
}

// Lanes of one warp take a lock in turns: those that have it must go on while the others spin.
TEST(Engine, LanesOfAWarpTakeALockInTurns) {
  expectInAllModes(
      R"(
    mov.u32 %r2, s; mov.u32 %r9, 0; setp.eq.u32 %p1, %t, 0;
    @%p1 st.shared.b32 [%r2], %r9; @%p1 st.shared.b32 [%r2+4], %r9; bar.sync 0;
    SPIN: atom.shared.cas.b32 %r3, [%r2], 0, 1; setp.ne.u32 %p2, %r3, 0; @%p2 bra SPIN;
    ld.volatile.shared.b32 %r4, [%r2+4]; add.u32 %r4, %r4, 1; st.volatile.shared.b32 [%r2+4], %r4;
    atom.shared.exch.b32 %r5, [%r2], 0;
    bar.sync 0; ld.shared.b32 %r1, [%r2+4];)" +
          std::string(kStore),
      {1, 64}, [](uint32_t) { return 64u; }, 64);
}

// One warp fills, the other reads, ten times through one word (PTX ISA 9.7.13.15).
TEST(Engine, WarpsPassAWordThroughMbarriers) {
  expectInAllModes(
      R"(
    mov.u32 %r2, s; mov.u32 %r3, bar; setp.ne.u32 %p1, %t, 0; @%p1 bra READY;
    mbarrier.init.shared.b64 [%r3], 32; mbarrier.init.shared.b64 [%r3+8], 32;
    READY: bar.sync 0; mov.u32 %r4, 0; mov.u32 %r1, 0; setp.lt.u32 %p2, %t, 32;
    and.b32 %r5, %t, 31; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r2; @%p2 bra FILL;
    READ: and.b32 %r6, %r4, 1;
    W1: mbarrier.try_wait.parity.shared.b64 %p3, [%r3], %r6; @!%p3 bra W1;
    ld.shared.b32 %r7, [%r5]; add.u32 %r1, %r1, %r7; mbarrier.arrive.shared.b64 %d1, [%r3+8];
    add.u32 %r4, %r4, 1; setp.lt.u32 %p4, %r4, 10; @%p4 bra READ; bra DONE;
    FILL: and.b32 %r6, %r4, 1; xor.b32 %r6, %r6, 1;
    W2: mbarrier.test_wait.parity.shared.b64 %p3, [%r3+8], %r6; @!%p3 bra W2;
    mad.lo.u32 %r7, %r4, 100, %t; st.shared.b32 [%r5], %r7; mbarrier.arrive.shared.b64 _, [%r3];
    add.u32 %r4, %r4, 1; setp.lt.u32 %p4, %r4, 10; @%p4 bra FILL;
    DONE:)" +
          std::string(kStore),
      {1, 64}, [](uint32_t i) { return i < 32 ? 0 : 4500 + 10 * (i - 32); }, 64);
}

// A lane waits for an mbarrier at which the others of its warp arrive later in the program.
TEST(Engine, ALaneWaitsForTheOthersOfItsWarp) {
  expectInAllModes(
      R"(
    mov.u32 %r3, bar; setp.ne.u32 %p1, %t, 0; mov.u32 %r1, 7; @%p1 bra READY;
    mbarrier.init.shared.b64 [%r3], 31; READY: bar.warp.sync 0xffffffff; @%p1 bra ARRIVE;
    W1: mbarrier.try_wait.parity.shared.b64 %p3, [%r3], 0; @!%p3 bra W1; mov.u32 %r1, 8;
    ARRIVE: @%p1 mbarrier.arrive.shared.b64 _, [%r3];)" +
          std::string(kStore),
      {1, 32}, [](uint32_t i) { return i == 0 ? 8u : 7u; }, 32);
}

// Votes over a block (PTX ISA 9.7.13.1, bar.red).
TEST(Engine, BarRedCountsAndCombines) {
  expectInAllModes(
      R"(
    setp.lt.u32 %p1, %t, 40; setp.ge.u32 %p2, %t, 0; bar.red.popc.u32 %r1, 1, %p1;
    bar.red.and.pred %p3, 1, %p2; bar.red.or.pred %p4, 1, !%p2; bar.red.popc.u32 %r2, 2, 64, !%p1;
    @%p3 add.u32 %r1, %r1, 1000; @%p4 add.u32 %r1, %r1, 5000; mad.lo.u32 %r1, %r2, 100000, %r1;)" +
          std::string(kStore),
      {1, 64}, [](uint32_t) { return 24u * 100000 + 1040; }, 64);
}

// Blocks of a cluster read each other's shared memory (PTX ISA 9.7.9, mapa, and 9.7.13.4).
TEST(Engine, BlocksOfAClusterReadEachOther) {
  expectInAllModes(
      R"(
    mov.u32 %r2, s; shl.b32 %r3, %t, 2; add.u32 %r3, %r3, %r2; mov.u32 %r4, %cluster_ctarank;
    mad.lo.u32 %r5, %r4, 1000, %t; st.shared.b32 [%r3], %r5;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    mov.u32 %r6, %cluster_nctarank; add.u32 %r7, %r4, 1; rem.u32 %r7, %r7, %r6;
    mapa.shared::cluster.u32 %r8, %r3, %r7; ld.shared::cluster.b32 %r1, [%r8];
    cvt.u64.u32 %d1, %r3; cvta.shared.u64 %d2, %d1;
    mapa.u64 %d3, %d2, %r7; ld.b32 %r10, [%d3]; sub.u32 %r10, %r10, %r1; add.u32 %r1, %r1, %r10;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;)" +
          std::string(kStore),
      {8, 64, 4}, [](uint32_t i) { return (i / 64 + 1) % 4 * 1000 + i % 64; }, 512);
}

// A block arrives at another's mbarrier and stores there asynchronously (PTX ISA 9.7.9, st.async).
TEST(Engine, BlocksArriveAtEachOthersMbarriers) {
  expectInAllModes(
      R"(
    mov.u32 %r2, s; mov.u32 %r3, bar; mov.u32 %r4, %cluster_ctarank; setp.ne.u32 %p1, %t, 0;
    @%p1 bra READY; mbarrier.init.shared.b64 [%r3], 33;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 128;
    READY: barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
    xor.b32 %r5, %r4, 1; shl.b32 %r6, %t, 2; add.u32 %r6, %r6, %r2;
    mapa.shared::cluster.u32 %r7, %r6, %r5; mapa.shared::cluster.u32 %r8, %r3, %r5;
    mad.lo.u32 %r9, %r4, 1000, %t;
    st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r7], %r9, [%r8];
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];
    W1: mbarrier.try_wait.parity.shared.b64 %p3, [%r3], 0; @!%p3 bra W1; ld.shared.b32 %r1, [%r6];
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;)" +
          std::string(kStore),
      {4, 32, 2}, [](uint32_t i) { return (i / 32 % 2 ^ 1) * 1000 + i % 32; }, 128);
}

// Copies are there after the thread's wait_group and a barrier (PTX ISA 9.7.9.25, cp.async).
TEST(Engine, CopiesComeWithWaitGroupAndWithMbarriers) {
  expectInAllModes(
      R"(
    mov.u32 %r2, s; mov.u32 %r3, bar; shl.b32 %r4, %t, 2; add.u32 %r5, %r4, %r2;
    cvt.u64.u32 %d1, %r4; add.u64 %d1, %d1, %out; add.u32 %r6, %t, 10; st.global.b32 [%d1], %r6;
    setp.ne.u32 %p1, %t, 0; @%p1 bra READY; mbarrier.init.shared.b64 [%r3], 64;
    READY: bar.sync 0; cp.async.ca.shared.global [%r5], [%d1], 4; cp.async.commit_group;
    cp.async.ca.shared.global [%r5+256], [%d1], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];
    cp.async.wait_group 0;
    W1: mbarrier.try_wait.parity.shared.b64 %p3, [%r3], 0; @!%p3 bra W1; bar.sync 0;
    xor.b32 %r7, %r4, 128; add.u32 %r7, %r7, %r2; ld.shared.b32 %r8, [%r7]; ld.shared.b32 %r9, [%r7+256];
    add.u32 %r1, %r8, %r9;)" +
          std::string(kStore),
      {1, 64}, [](uint32_t i) { return 2 * ((i ^ 32) + 10); }, 64);
}

// All blocks of a cooperative launch are there together: they wait for each other in a loop.
TEST(Engine, BlocksOfACooperativeLaunchWaitForEachOther) {
  expectInAllModes(
      R"(
    setp.ne.u32 %p1, %t, 0; @%p1 bra WAIT; atom.global.add.u32 %r2, [%out+4096], 1;
    SPIN: ld.acquire.gpu.global.b32 %r3, [%out+4096]; setp.lt.u32 %p2, %r3, 8; @%p2 bra SPIN;
    WAIT: bar.sync 0; ld.volatile.global.b32 %r1, [%out+4096];)" +
          std::string(kStore),
      {8, 64, 1, true},
      [](uint32_t i) { return i <= 512 || i == 1024 ? (i < 512 || i == 1024 ? 8u : 0u) : 0u; },
      1025);
}

// A copy that is not waited for is not there in lazy mode: 0xffffffff is what was there before.
TEST(Engine, LateCopiesAreLate) {
  std::string body = std::string(R"(
    mov.u32 %r2, s; shl.b32 %r4, %t, 2; add.u32 %r5, %r4, %r2; cvt.u64.u32 %d1, %r4;
    add.u64 %d1, %d1, %out; cp.async.ca.shared.global [%r5], [%d1], 4; cp.async.commit_group;
    cp.async.wait_group 1; ld.shared.b32 %r1, [%r5];)") +
                     kStore;
  EXPECT_EXIT(std::exit(run(
                  {"round-robin", "lazy"}, body, {1, 32}, [](uint32_t) { return ~0u; }, 32)),
              testing::ExitedWithCode(0), "");
  EXPECT_EXIT(std::exit(run(
                  {"round-robin", "eager"}, body, {1, 32}, [](uint32_t) { return 0u; }, 32)),
              testing::ExitedWithCode(0), "");
}

// Misuse of an mbarrier and a wait that never ends are reported with their lines.
TEST(Engine, MisuseIsReported) {
  auto expect = [](const std::string &body, const char *pattern) {
    EXPECT_EXIT(std::exit(run(
                    kModes[0], body, {1, 32}, [](uint32_t) { return 0u; }, 32)),
                testing::ExitedWithCode(2), pattern);
  };
  expect("mov.u32 %r3, bar; mbarrier.arrive.shared.b64 _, [%r3];", "used before mbarrier.init");
  expect("mov.u32 %r3, bar; setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [%r3], 8; "
         "bar.warp.sync 0xffffffff; mbarrier.arrive.shared.b64 _, [%r3];\n"
         "mbarrier.arrive.noComplete.shared.b64 %d1, [%r3], 9;",
         "more threads arrive");
  expect("mov.u32 %r3, bar; setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared.b64 [%r3], 33; "
         "bar.warp.sync 0xffffffff; mbarrier.arrive.shared.b64 _, [%r3];\n"
         "W1: mbarrier.try_wait.parity.shared.b64 %p3, [%r3], 0; @!%p3 bra W1;",
         "no warp can go on: warp 0 waits for an mbarrier in line 13");
}
