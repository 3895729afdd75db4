// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tcgen05.ld, st, cp and shift in every shape, the allocator, and what is refused, through PTX
// kernels. The model of a shape is the figure of PTX ISA 9.0, 9.7.16.2.3, written as the lane and
// column of a register.
#include "runtime/emulator/tmem/Fragments.h"
#include "test/emulator/TmemRig.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace heddle::emulator::test {
namespace {

struct Place {
  uint32_t lane, column;
};
/// Figures 183 to 187.
Place placeOf(const std::string &shape, uint32_t thread, uint32_t reg, uint32_t split) {
  if (shape == "32x32b")
    return {thread, reg};
  if (shape == "16x64b")
    return {thread / 4 + thread % 2 * 8, 2 * reg + thread / 2 % 2};
  if (shape == "16x128b")
    return {thread / 4 + reg % 2 * 8, reg / 2 * 4 + thread % 4};
  if (shape == "16x256b")
    return {thread / 4 + reg / 2 % 2 * 8, reg / 4 * 8 + thread % 4 * 2 + reg % 2};
  return {thread % 16, reg + thread / 16 * split};
}

std::string vectorOf(uint32_t count) {
  std::string text = "{";
  for (uint32_t i = 0; i < count; ++i)
    text += (i ? ", %q" : "%q") + std::to_string(i);
  return text + "}";
}

/// One warp: registers are set to global words [thread][reg], stored in a shape, and everything is
/// read back in another.
std::string moveKernel(const std::string &store, const std::string &load, uint32_t stores,
                       uint32_t loads) {
  std::ostringstream text;
  text << ".version 8.8\n.target sm_100a\n.address_size 64\n"
       << ".visible .entry k(.param .b64 in, .param .b64 out)\n{\n.reg .pred %p<2>;\n"
       << ".reg .b32 %r<8>;\n.reg .b32 %q<128>;\n.reg .b32 %w;\n.reg .b64 %d<8>;\n"
       << ".shared .align 4 .b32 base;\n"
       << "ld.param.b64 %d0, [in];\nld.param.b64 %d1, [out];\nmov.u32 %r0, %tid.x;\n"
       << "mul.wide.u32 %d2, %r0, 512;\nadd.u64 %d0, %d0, %d2;\nadd.u64 %d1, %d1, %d2;\n"
       << "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 512;\n"
       << "ld.shared.b32 %r1, [base];\nmov.b32 %w, 0;\n";
  for (uint32_t i = 0; i < stores; ++i)
    text << "ld.global.b32 %q" << i << ", [%d0+" << 4 * i << "];\n";
  text << store << "\ntcgen05.wait::st.sync.aligned;\n"
       << load << "\ntcgen05.wait::ld.sync.aligned;\n";
  for (uint32_t i = 0; i < loads; ++i)
    text << "st.global.b32 [%d1+" << 4 * i << "], %q" << i << ";\n";
  text << "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 512;\nret;\n}\n";
  return text.str();
}

std::string runMove(const std::string &text, const std::vector<uint32_t> &in,
                    std::vector<uint32_t> &out) {
  useGpu("b200");
  Module module(text);
  if (module.code != CUDA_SUCCESS)
    return module.error;
  Buffer<uint32_t> inBuffer(in), outBuffer(out);
  CUresult result = module.launch("k", 1, 32, 0, inBuffer.address(), outBuffer.address());
  if (result == CUDA_SUCCESS)
    result = cuCtxSynchronize();
  if (result != CUDA_SUCCESS)
    return heddle_emu_last_report();
  out = outBuffer.read();
  return "";
}

std::vector<uint32_t> randomWords(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> words(count);
  for (uint32_t &word : words)
    word = uint32_t(random());
  return words;
}

constexpr uint32_t kPitch = 128; ///< words of a thread in `in` and `out`

// 9.7.16.8.3 and .4: a store in a shape and a load in .32x32b show where each register goes, and
// the other way round.
TEST(TmemMove, EveryShape) {
  struct Shape {
    const char *name;
    uint32_t each, largest;
  };
  for (const Shape &shape :
       {Shape{"32x32b", 1, 64}, Shape{"16x64b", 1, 32}, Shape{"16x128b", 2, 16},
        Shape{"16x256b", 4, 8}, Shape{"16x32bx2", 1, 32}})
    for (uint32_t times = 1; times <= shape.largest; times *= 2)
      for (bool isPacked : {false, true}) {
        SCOPED_TRACE(std::string(shape.name) + " x" + std::to_string(times) +
                     (isPacked ? " packed" : ""));
        bool isSplit = std::string(shape.name) == "16x32bx2";
        uint32_t count = shape.each * times, split = isSplit ? 64 : 0, factor = isPacked ? 2 : 1;
        std::string name =
            std::string(".sync.aligned.") + shape.name + ".x" + std::to_string(times);
        std::string offset = isSplit ? ", 64" : "";
        std::vector<uint32_t> in = randomWords(32 * kPitch, count), out(32 * kPitch);
        std::string zero = "tcgen05.ld.sync.aligned.32x32b.x128.b32 " + vectorOf(128) + ", [%r1];";
        std::string text = moveKernel("tcgen05.st" + name + (isPacked ? ".unpack::16b" : "") +
                                          ".b32 [%r1]" + offset + ", " + vectorOf(count) + ";",
                                      zero, count, 128);
        ASSERT_EQ(runMove(text, in, out), "");
        for (uint32_t thread = 0; thread < 32; ++thread)
          for (uint32_t reg = 0; reg < count; ++reg) {
            Place at = placeOf(shape.name, thread, reg, 0);
            uint32_t column = at.column * factor + (isSplit ? thread / 16 * split : 0);
            uint32_t value = in[thread * kPitch + reg];
            const uint32_t *got = &out[at.lane * kPitch + column];
            EXPECT_EQ(got[0], isPacked ? value & 0xffff : value) << thread << " " << reg;
            if (isPacked) {
              EXPECT_EQ(got[1], value >> 16);
            }
          }
        text = moveKernel("tcgen05.st.sync.aligned.32x32b.x128.b32 [%r1], " + vectorOf(128) + ";",
                          "tcgen05.ld" + name + (isPacked ? ".pack::16b" : "") + ".b32 " +
                              vectorOf(count) + ", [%r1]" + offset + ";",
                          128, count);
        ASSERT_EQ(runMove(text, in, out), "");
        for (uint32_t thread = 0; thread < 32; ++thread)
          for (uint32_t reg = 0; reg < count; ++reg) {
            Place at = placeOf(shape.name, thread, reg, 0);
            uint32_t column = at.column * factor + (isSplit ? thread / 16 * split : 0);
            const uint32_t *from = &in[at.lane * kPitch + column];
            EXPECT_EQ(out[thread * kPitch + reg],
                      isPacked ? (from[0] & 0xffff) | from[1] << 16 : from[0])
                << thread << " " << reg;
          }
      }
}

// 9.7.16.8.3: .red, which the emulated GPUs with tcgen05 do not have: the function alone.
TEST(TmemMove, Reductions) {
  std::vector<uint32_t> words = randomWords(8 * 32, 7);
  const uint32_t *registers[8];
  for (uint32_t r = 0; r < 8; ++r)
    registers[r] = &words[r * 32];
  auto each = [&](uint32_t flags, auto expected) {
    TmemMove move{};
    move.count = 8;
    move.reduction = kReduces | flags;
    uint32_t result[32];
    reduceFragment(move, registers, result);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      uint32_t row[8];
      for (uint32_t r = 0; r < 8; ++r)
        row[r] = registers[r][lane];
      EXPECT_EQ(result[lane], expected(row)) << lane;
    }
  };
  each(0, [](const uint32_t *row) { return *std::min_element(row, row + 8); });
  each(kReduceMax | kReduceSigned, [](const uint32_t *row) {
    int32_t best = int32_t(row[0]);
    for (int i = 1; i < 8; ++i)
      best = std::max(best, int32_t(row[i]));
    return uint32_t(best);
  });
  for (uint32_t &word : words)
    word = std::bit_cast<uint32_t>(float(int(word % 20001) - 10000) / 100);
  each(kReduceFloat | kReduceMax | kReduceAbs, [](const uint32_t *row) {
    float best = 0;
    for (int i = 0; i < 8; ++i)
      best = std::max(best, std::fabs(std::bit_cast<float>(row[i])));
    return std::bit_cast<uint32_t>(best);
  });
  words[3 * 32 + 5] = 0x7fc00000; // a NaN loses, but with .NaN
  each(kReduceFloat, [](const uint32_t *row) {
    float best = INFINITY;
    for (int i = 0; i < 8; ++i)
      best = std::fmin(best, std::bit_cast<float>(row[i]));
    return std::bit_cast<uint32_t>(best);
  });
  TmemMove move{};
  move.count = 8;
  move.reduction = kReduces | kReduceFloat | kReduceNan;
  uint32_t result[32];
  reduceFragment(move, registers, result);
  EXPECT_EQ(result[5], 0x7fffffffu);
}

/// Rows of the source are 16 or 32 bytes of core matrices of 8 rows.
uint64_t copyDescriptor() {
  return kTileStart >> 4 | uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32 | uint64_t(1) << 46;
}

void checkCopy(const std::string &shape, uint32_t rows, uint32_t pieces,
               const std::vector<std::vector<uint32_t>> &lanes, int bits = 0, int blocks = 1) {
  SCOPED_TRACE(shape + " " + std::to_string(bits) + " " + std::to_string(blocks));
  std::mt19937 random(rows + pieces);
  std::vector<uint8_t> image(size_t(blocks) * kTileBytes);
  for (uint8_t &byte : image)
    byte = uint8_t(random());
  std::vector<uint32_t> tensor = randomWords(size_t(blocks) * kTmemWords, 3), after = tensor;
  std::string format = bits == 4 ? ".b8x16.b4x16_p64" : bits == 6 ? ".b8x16.b6x16_p32" : "";
  std::string text = tmemKernel("tcgen05.cp.cta_group::" + std::to_string(blocks) + "." + shape +
                                    format + " [%r20+40], %d3;\n",
                                blocks, "sm_100a");
  ASSERT_EQ(runTmem(text, blocks, image, after, copyDescriptor(), 0, 0, 0), "");
  for (int block = 0; block < blocks; ++block)
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t piece = 0; piece < pieces; ++piece) {
        const uint8_t *from =
            &image[size_t(block) * kTileBytes + row % 8 * 16 + row / 8 * 256 + piece * 128];
        uint8_t to[16];
        for (int i = 0; i < 16; ++i) {
          uint32_t word = 0;
          for (int bit = 0; bit < bits; ++bit)
            word |= uint32_t(from[(i * bits + bit) / 8] >> ((i * bits + bit) % 8) & 1) << bit;
          to[i] = bits == 0 ? from[i] : uint8_t(bits == 4 ? word << 2 : word);
        }
        for (uint32_t lane : lanes[row])
          std::memcpy(&tensor[size_t(block) * kTmemWords + lane * kTmemColumns + 40 + 4 * piece],
                      to, 16);
      }
  EXPECT_TRUE(after == tensor);
}

// 9.7.16.9.2: shapes, multicasts and formats.
TEST(TmemMove, Copies) {
  std::vector<std::vector<uint32_t>> all(128), four(4), pairs02(64), pairs01(64), quads(32);
  for (uint32_t i = 0; i < 128; ++i)
    all[i] = {i};
  for (uint32_t i = 0; i < 4; ++i)
    four[i] = {32 * i};
  for (uint32_t i = 0; i < 64; ++i) {
    pairs02[i] = {i, i + 64};
    pairs01[i] = {i % 32 + i / 32 * 64, i % 32 + i / 32 * 64 + 32};
  }
  for (uint32_t i = 0; i < 32; ++i)
    quads[i] = {i, i + 32, i + 64, i + 96};
  for (int bits : {0, 4, 6}) {
    checkCopy("128x256b", 128, 2, all, bits);
    checkCopy("4x256b", 4, 2, four, bits);
    checkCopy("128x128b", 128, 1, all, bits);
    checkCopy("64x128b.warpx2::02_13", 64, 1, pairs02, bits);
    checkCopy("64x128b.warpx2::01_23", 64, 1, pairs01, bits);
    checkCopy("32x128b.warpx4", 32, 1, quads, bits);
  }
  checkCopy("128x256b", 128, 2, all, 0, 2);
}

// 9.7.16.9.1: rows of 32 bytes move down by one, but for the last of 32.
TEST(TmemMove, Shift) {
  std::vector<uint8_t> image(kTileBytes);
  std::vector<uint32_t> tensor = randomWords(kTmemWords, 5), after = tensor;
  std::string text = tmemKernel("add.u32 %r30, %r20, 2097152;\n" // lane 32
                                "tcgen05.shift.cta_group::1.down [%r30+16];\n",
                                1, "sm_100a");
  ASSERT_EQ(runTmem(text, 1, image, after, 0, 0, 0, 0), "");
  for (uint32_t lane = 32; lane < 63; ++lane)
    std::memcpy(&tensor[lane * kTmemColumns + 16], &tensor[(lane + 1) * kTmemColumns + 16], 32);
  EXPECT_TRUE(after == tensor);
}

/// A fault ends all use of the device, so each has a process.
void expectReport(const std::function<std::string()> &run, const std::string &what) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto report = [&run] {
    std::string text = run();
    std::fprintf(stderr, "%s\n", text.c_str());
    std::exit(text.empty() ? 0 : 1);
  };
  EXPECT_EXIT(report(), ::testing::ExitedWithCode(1), what);
}

void refuses(const std::string &body, const std::string &what, uint64_t da = copyDescriptor(),
             uint64_t db = copyDescriptor(), uint32_t number = 0) {
  SCOPED_TRACE(body);
  auto run = [&] {
    std::vector<uint8_t> image(kTileBytes);
    std::vector<uint32_t> tensor(kTmemWords);
    return runTmem(tmemKernel(body, 1, "sm_100a"), 1, image, tensor, da, db, number, 0);
  };
  expectReport(run, what);
}

// Every misuse has a text that says what to do.
TEST(TmemMove, Faults) {
  std::string mma = "setp.eq.u32 %p6, %r1, 0;\n"
                    "tcgen05.mma.cta_group::1.kind::f16 [%r20], %d3, %d4, %r21, %p6;\n";
  uint32_t shape = 1u << 4 | 8u << 17 | 8u << 24; // f16, N = 64, M = 128
  uint64_t good = copyDescriptor();
  refuses(mma, "bits 46-48 are 0", good & ~(uint64_t(7) << 46), good, shape);
  refuses(mma, "bits 61-63 .swizzling. are 3", good | uint64_t(3) << 61, good, shape);
  refuses(mma, "sparse", good, good, shape | 4);
  refuses(mma, "N is a multiple of 16", good, good, 1u << 4 | 1u << 17 | 8u << 24);
  refuses(mma, "M is 64 or 128", good, good, 1u << 4 | 8u << 17 | 2u << 24);
  refuses(mma, "outside of the block's shared memory", good | 0x3fff, good, shape);
  refuses("mov.u32 %r30, 500;\nsetp.eq.u32 %p6, %r1, 0;\n"
          "tcgen05.mma.cta_group::1.kind::f16 [%r30], %d3, %d4, %r21, %p6;\n",
          "tensor memory has 512 columns", good, good, shape);
  refuses("add.u32 %r30, %r20, 65536;\ntcgen05.shift.cta_group::1.down [%r30];\n",
          "must be a multiple of 32");
}

void refusesWarp(const std::string &store, const std::string &what) {
  SCOPED_TRACE(store);
  auto run = [&] {
    std::vector<uint32_t> in(32 * kPitch), out(32 * kPitch);
    return runMove(moveKernel(store, "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%q0}, [%r1];", 1, 1),
                   in, out);
  };
  expectReport(run, what);
}

// 9.7.16.7: allocation; 9.7.16.8.1: the lanes of a warp.
TEST(TmemMove, AllocatorFaults) {
  refusesWarp("add.u32 %r2, %r1, 2097152;\n"
              "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r2], {%q0};",
              "reaches the lanes 0 to 31");
  refusesWarp("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 512;\n"
              "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%q0};",
              "given back with tcgen05.dealloc");
  refusesWarp("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 256;", "are given back");
  refusesWarp("mov.u32 %r2, 48;\n"
              "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], %r2;",
              "must be 32, 64, 128, 256 or 512");
  refusesWarp("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
              "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 32;",
              "behind tcgen05.relinquish_alloc_permit");
  refusesWarp("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 32;",
              "no warp can go on");
  refusesWarp("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 512;\n"
              "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 64;\nret;",
              "ends with 64 columns");
}

} // namespace
} // namespace heddle::emulator::test
