// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma through PTX kernels against sums over single elements. The model finds every element by the
// canonical layouts of PTX ISA 9.0, 9.7.15.5.1 ("Asynchronous Warpgroup Level Matrix Shared Memory
// Layout"), written as strides of elements, in shared memory full of random bits.
#include "test/emulator/EmulatedDevice.h"
#include "test/emulator/TensorArithmetic.h"
#include <sstream>

namespace heddle::emulator::test {
namespace {

constexpr uint32_t kSharedBytes = 49152, kThreads = 128;

struct Format {
  const char *a, *b;
  int bits;
  double (*readA)(uint32_t);
  double (*readB)(uint32_t);
  bool isInteger;
};

struct Layout {
  int swizzle; ///< bytes: 0, 32, 64, 128
  bool isTurned;
  uint32_t start, leading, stride; ///< bytes
  uint32_t base = 0;

  uint64_t descriptor() const {
    uint64_t code = swizzle == 0 ? 0 : swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
    return start >> 4 | uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32 |
           uint64_t(base) << 49 | code << 62;
  }
  /// Byte address of element (i along M or N, k); T elements are 16 bytes. 1024 is where the
  /// kernel's tile begins, a multiple of every pattern.
  uint32_t address(uint32_t i, uint32_t k, uint32_t bits) const {
    uint32_t t = 128 / bits, w = swizzle ? swizzle / 16 : 1, at;
    if (!isTurned) // ((8,m),(T,2)) : ((W*T, SBO),(1, LBO or T))
      at = i % 8 * w * 16 + i / 8 * stride + k % t * bits / 8 + k / t * (w == 1 ? leading : 16);
    else if (w == 1) // ((T,1,m),(8,k)) : ((1,T,SBO),(T,LBO))
      at = i % t * bits / 8 + i / t * stride + k % 8 * 16 + k / 8 * leading;
    else // ((T,W,m),(8,k)) : ((1,T,LBO),(W*T,SBO))
      at =
          i % t * bits / 8 + i / t % w * 16 + i / t / w * leading + k % 8 * w * 16 + k / 8 * stride;
    at += start;
    // Swizzle<3, 4, 3>, <2, 4, 3>, <1, 4, 3>, from where the pattern begins.
    return at ^ (((at >> 7) - base) & (w - 1)) << 4;
  }
};

struct Case {
  Format format;
  const char *sum; ///< "f32", "f16", "s32"
  int n;
  Layout a, b;
  bool hasRegisters = false;
  int scaleA = 1, scaleB = 1;
  bool accumulates = true;
  bool saturates = false;
  bool special = false;
};

std::string kernelOf(const Case &test) {
  int k = 256 / test.format.bits;
  bool isHalf = std::string(test.sum) == "f16", canTurn = test.format.bits == 16;
  int sums = test.n / (isHalf ? 4 : 2);
  std::ostringstream text;
  text
      << ".version 8.4\n.target sm_90a\n.address_size 64\n"
      << ".visible .entry k(.param .b64 image, .param .b64 sums, .param .b64 rows, .param .b64 da, "
         ".param .b64 db, .param .b32 scale)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<16>;\n"
      << ".reg .b64 %d<16>;\n.reg .b32 %s<128>;\n.shared .align 1024 .b8 tile[" << kSharedBytes
      << "];\nld.param.b64 %d0, [image];\nld.param.b64 %d1, [sums];\nld.param.b64 %d2, [rows];\n"
      << "ld.param.b64 %d3, [da];\nld.param.b64 %d4, [db];\nld.param.b32 %r0, [scale];\n"
      << "setp.ne.s32 %p0, %r0, 0;\nmov.u32 %r1, %tid.x;\nmul.lo.u32 %r2, %r1, 16;\n"
      << "cvt.u64.u32 %d5, %r2;\nadd.u64 %d0, %d0, %d5;\nadd.u64 %d2, %d2, %d5;\n"
      << "mov.u32 %r3, tile;\nadd.u32 %r3, %r3, %r2;\nmov.u32 %r4, 0;\nloop:\n"
      << "ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%d0];\n"
      << "st.shared.v4.b32 [%r3], {%r5, %r6, %r7, %r8};\nadd.u64 %d0, %d0, 2048;\n"
      << "add.u32 %r3, %r3, 2048;\nadd.u32 %r4, %r4, 2048;\nsetp.lt.u32 %p1, %r4, " << kSharedBytes
      << ";\n@%p1 bra loop;\nfence.proxy.async;\nbar.sync 0;\n"
      << "mul.wide.u32 %d6, %r1, " << 4 * sums << ";\nadd.u64 %d1, %d1, %d6;\n";
  for (int i = 0; i < sums; ++i)
    text << "ld.global.b32 %s" << i << ", [%d1+" << 4 * i << "];\n";
  text << "ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%d2];\nwgmma.fence.sync.aligned;\n"
       << "wgmma.mma_async.sync.aligned.m64n" << test.n << "k" << k
       << (test.saturates ? ".satfinite." : ".") << test.sum << "." << test.format.a << "."
       << test.format.b << (test.format.bits == 1 ? ".and.popc" : "") << " {";
  for (int i = 0; i < sums; ++i)
    text << (i ? ", %s" : "%s") << i;
  text << "}, " << (test.hasRegisters ? "{%r5, %r6, %r7, %r8}" : "%d3") << ", %d4, %p0";
  if (!test.format.isInteger)
    text << ", " << test.scaleA << ", " << test.scaleB;
  if (canTurn && !test.hasRegisters)
    text << ", " << int(test.a.isTurned);
  if (canTurn)
    text << ", " << int(test.b.isTurned);
  text << ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
  for (int i = 0; i < sums; ++i)
    text << "st.global.b32 [%d1+" << 4 * i << "], %s" << i << ";\n";
  text << "ret;\n}\n";
  return text.str();
}

uint32_t bitsAt(const std::vector<uint8_t> &image, const Layout &layout, uint32_t i, uint32_t k,
                int bits) {
  uint32_t at = layout.address(i, k, bits) - 1024, word = 0;
  std::memcpy(&word, &image[at], size_t(std::max(1, bits / 8)));
  return bits == 1 ? word >> (k % 8) & 1 : word;
}

void check(const Case &test, uint32_t seed) {
  SCOPED_TRACE(std::string(test.format.a) + " n " + std::to_string(test.n) + " swizzle " +
               std::to_string(test.a.swizzle) + "/" + std::to_string(test.b.swizzle) + " seed " +
               std::to_string(seed));
  std::mt19937 random(seed);
  int bits = test.format.bits, depth = 256 / bits;
  bool isHalf = std::string(test.sum) == "f16";
  uint32_t sums = uint32_t(test.n) / (isHalf ? 4 : 2);
  Buffer<uint8_t> image(kSharedBytes);
  std::vector<uint8_t> memory(kSharedBytes);
  for (uint32_t at = 0; at < kSharedBytes; at += 4) {
    uint32_t word = 0;
    int width = std::max(bits, 8);
    for (int part = 0; part < 32; part += width)
      word |= randomElement(random, width, test.special) << part;
    std::memcpy(&memory[at], &word, 4);
  }
  cuMemcpyHtoD(image.address(), memory.data(), memory.size());
  // A from registers: the fragment of the warp's 16 rows, PTX ISA 9.0, 9.7.15.5.1.1.
  std::vector<uint32_t> rows(kThreads * 4);
  for (uint32_t &row : rows)
    for (int part = 0; part < 32; part += std::max(bits, 8))
      row |= randomElement(random, std::max(bits, 8), test.special) << part;
  std::vector<uint32_t> old(kThreads * sums);
  for (uint32_t &word : old)
    word = isHalf ? (0x3c00 + random() % 0x800) | (0xbc00 + random() % 0x400) << 16
           : test.format.isInteger
               ? (test.saturates ? (random() % 2 ? 0x7ffffff0 : 0x80000010) : uint32_t(random()))
               : std::bit_cast<uint32_t>(float(int(random() % 2001) - 1000) / 64.0f);
  Buffer<uint32_t> d(old), a(rows);
  Module module(kernelOf(test));
  ASSERT_EQ(module.code, CUDA_SUCCESS) << module.error;
  uint64_t descriptorA = test.a.descriptor(), descriptorB = test.b.descriptor();
  uint32_t scale = test.accumulates;
  ASSERT_EQ(module.launch("k", 1, kThreads, 0, image.address(), d.address(), a.address(),
                          descriptorA, descriptorB, scale),
            CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << heddle_emu_last_report();
  const std::vector<uint32_t> &got = d.read();

  int parts = 32 / bits;
  auto elementA = [&](int m, int k) {
    if (!test.hasRegisters)
      return bitsAt(memory, test.a, uint32_t(m), uint32_t(k), bits);
    int thread = m / 16 * 32 + m % 8 * 4 + k / parts % 4;
    int r = m % 16 / 8 + 2 * (k / (4 * parts));
    return rows[size_t(thread * 4 + r)] >> (k % parts * bits) & uint32_t((uint64_t(1) << bits) - 1);
  };
  for (int m = 0; m < 64; ++m)
    for (int n = 0; n < test.n; ++n) {
      uint32_t thread = uint32_t(m / 16 * 32 + m % 8 * 4 + n % 8 / 2);
      uint32_t q = uint32_t(n / 8 * 4 + m % 16 / 8 * 2 + n % 2);
      size_t at = thread * sums + (isHalf ? q / 2 : q);
      int shift = isHalf ? n % 2 * 16 : 0;
      uint32_t before = old[at] >> shift, after = got[at] >> shift;
      if (test.format.isInteger) {
        int64_t sum = test.accumulates ? int32_t(before) : 0;
        for (int k = 0; k < depth; ++k)
          sum += int64_t(test.format.readA(elementA(m, k))) *
                 int64_t(test.format.readB(bitsAt(memory, test.b, uint32_t(n), uint32_t(k), bits)));
        if (test.saturates)
          sum = std::min<int64_t>(INT32_MAX, std::max<int64_t>(INT32_MIN, sum));
        ASSERT_EQ(after, uint32_t(sum)) << "row " << m << " column " << n;
        continue;
      }
      auto value = [&](uint32_t word) {
        return isHalf ? half(word & 0xffff) : double(std::bit_cast<float>(word));
      };
      size_t length = size_t(depth);
      std::vector<double> row(length), column(length);
      for (int k = 0; k < depth; ++k) {
        row[size_t(k)] = test.scaleA * test.scaleB * test.format.readA(elementA(m, k));
        column[size_t(k)] =
            test.format.readB(bitsAt(memory, test.b, uint32_t(n), uint32_t(k), bits));
      }
      SCOPED_TRACE("row " + std::to_string(m) + " column " + std::to_string(n));
      checkSum({test.format.a, test.format.b, isHalf, true}, row, column,
               test.accumulates ? value(before) : 0.0, value(after));
      if (::testing::Test::HasFatalFailure())
        return;
    }
}

double oneBit(uint32_t bits) { return bits; }
const Format kF16{"f16", "f16", 16, half, half, false};
const Format kBf16{"bf16", "bf16", 16, brain, brain, false};
const Format kTf32{"tf32", "tf32", 32, tf32, tf32, false};

/// K-major tiles as a dense row-of-atoms image has them: 8 rows are one atom.
Layout rowsOf(int swizzle, uint32_t start) {
  uint32_t width = swizzle ? uint32_t(swizzle) : 16;
  return {swizzle, false, 1024 + start, swizzle ? 16u : 128u, swizzle ? 8 * width : 256};
}
Layout columnsOf(int swizzle, uint32_t start, uint32_t count) {
  if (swizzle == 0)
    return {0, true, 1024 + start, 128, 256};
  uint32_t width = uint32_t(swizzle), across = (count * 2 + width - 1) / width;
  return {swizzle, true, 1024 + start, 8 * width, 8 * width * across};
}

class Wgmma : public ::testing::Test {
protected:
  void SetUp() override { setenv("HEDDLE_EMU_GPU", "h100", 1); }
};

} // namespace

// Every layout that a matrix may have, K along rows: A and B swizzled in different ways.
TEST_F(Wgmma, RowsInEveryLayout) {
  for (int a : {0, 32, 64, 128})
    for (int b : {0, 32, 64, 128})
      check({kF16, "f32", 64, rowsOf(a, 0), rowsOf(b, 16384)}, 1);
}

// The same with M and N along rows, which only 16-bit types have.
TEST_F(Wgmma, ColumnsInEveryLayout) {
  for (int a : {0, 32, 64, 128})
    for (int b : {0, 32, 64, 128}) {
      check({kF16, "f32", 128, columnsOf(a, 0, 64), columnsOf(b, 16384, 128)}, 2);
      check({kBf16, "f32", 24, rowsOf(b, 0), columnsOf(a, 16384, 24)}, 3);
      check({kBf16, "f32", 40, columnsOf(b, 0, 64), rowsOf(a, 16384)}, 4);
    }
}

// K advances inside of a swizzled atom by the start address alone, and atoms may begin where their
// pattern does not: the base offset says so.
TEST_F(Wgmma, StartsInsideOfAnAtom) {
  for (uint32_t step = 0; step < 4; ++step)
    check({kF16, "f32", 32, rowsOf(128, 32 * step), rowsOf(128, 16384 + 32 * step)}, 10 + step);
  for (uint32_t base = 0; base < 8; ++base) {
    Layout a = rowsOf(128, 128 * base), b = rowsOf(64, 16384 + 128 * base);
    a.base = base;
    b.base = base;
    check({kF16, "f32", 32, a, b}, 20 + base);
  }
}

TEST_F(Wgmma, EveryColumnCount) {
  for (int n = 8; n <= 256; n += 8)
    check({kF16, n % 16 ? "f32" : "f16", n, rowsOf(128, 0), rowsOf(128, 8192)}, uint32_t(n));
}

TEST_F(Wgmma, EveryFloat) {
  for (bool special : {false, true}) {
    for (const char *sum : {"f32", "f16"}) {
      check({.format = kF16,
             .sum = sum,
             .n = 48,
             .a = rowsOf(32, 0),
             .b = rowsOf(64, 8192),
             .special = special},
            1);
      for (auto [a, readA] : {std::pair{"e4m3", &e4m3}, {"e5m2", &e5m2}})
        for (auto [b, readB] : {std::pair{"e4m3", &e4m3}, {"e5m2", &e5m2}})
          check({.format = {a, b, 8, readA, readB, false},
                 .sum = sum,
                 .n = 48,
                 .a = rowsOf(64, 0),
                 .b = rowsOf(128, 8192),
                 .special = special},
                2);
    }
    for (const Format &format : {kBf16, kTf32})
      check({.format = format,
             .sum = "f32",
             .n = 72,
             .a = rowsOf(128, 0),
             .b = rowsOf(0, 8192),
             .special = special},
            3);
  }
}

TEST_F(Wgmma, RowsFromRegisters) {
  for (const Format &format : {kF16, kBf16, kTf32})
    check({.format = format,
           .sum = "f32",
           .n = 96,
           .a = rowsOf(0, 0),
           .b = rowsOf(128, 8192),
           .hasRegisters = true},
          1);
  check({.format = kF16,
         .sum = "f32",
         .n = 96,
         .a = rowsOf(0, 0),
         .b = columnsOf(128, 8192, 96),
         .hasRegisters = true},
        2);
  check({.format = {"s8", "u8", 8, signedByte, unsignedByte, true},
         .sum = "s32",
         .n = 32,
         .a = rowsOf(0, 0),
         .b = rowsOf(32, 8192),
         .hasRegisters = true},
        3);
}

TEST_F(Wgmma, SignsAndFreshSums) {
  for (int a : {1, -1})
    for (int b : {1, -1})
      for (bool accumulates : {false, true})
        check({.format = kF16,
               .sum = "f32",
               .n = 16,
               .a = rowsOf(128, 0),
               .b = rowsOf(128, 8192),
               .scaleA = a,
               .scaleB = b,
               .accumulates = accumulates},
              1);
}

TEST_F(Wgmma, Integers) {
  for (auto [a, readA] : {std::pair{"s8", &signedByte}, {"u8", &unsignedByte}})
    for (auto [b, readB] : {std::pair{"s8", &signedByte}, {"u8", &unsignedByte}})
      for (bool saturates : {false, true})
        for (int n : {8, 24, 32, 112})
          check({.format = {a, b, 8, readA, readB, true},
                 .sum = "s32",
                 .n = n,
                 .a = rowsOf(128, 0),
                 .b = rowsOf(64, 8192),
                 .saturates = saturates},
                uint32_t(n));
  check({.format = {"b1", "b1", 1, oneBit, oneBit, true},
         .sum = "s32",
         .n = 64,
         .a = rowsOf(128, 0),
         .b = rowsOf(32, 8192)},
        1);
}

// What is refused when the text is loaded.
TEST_F(Wgmma, RefusedForms) {
  auto errorOf = [](const std::string &instruction) {
    Module module(kernelText("", ".reg .b32 %s<128>;\n" + instruction, "sm_90a"));
    return module.code == CUDA_SUCCESS ? "" : module.error;
  };
  std::string four = "{%r0, %r1, %r2, %r3}", rest = ", %d0, %d1, %p0, 1, 1, 0, 0;";
  EXPECT_EQ(errorOf("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " + four + rest), "");
  const std::vector<std::string> kWrong = {
      "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 " + four + rest,
      "wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 " + four + rest,
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " + four + ", %d0, %d1, %p0, 2, 1, 0, 0;",
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " + four + ", %d0, %d1, %p0, 1, 1;",
      "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " + four + rest,
      "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%s0}, %d0, %d1, %p0;",
      "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " + four + rest,
      std::string("wgmma.wait_group.sync.aligned 9;"),
      std::string("setmaxnreg.inc.sync.aligned.u32 23;"),
      std::string("setmaxnreg.dec.sync.aligned.u32 264;")};
  for (const std::string &wrong : kWrong)
    EXPECT_NE(errorOf(wrong).find("line"), std::string::npos) << wrong;
}

namespace {

/// Ends the process: 0 when the launch failed and the report has the text.
void runFaulty(const std::string &body, unsigned threads, const std::string &text) {
  setenv("HEDDLE_EMU_GPU", "h100", 1);
  Module module(
      kernelText("", ".shared .align 1024 .b8 tile[4096];\nmov.u32 %r8, tile;\n" + body, "sm_90a"));
  bool fails = module.launch("k", 1, threads, 0) != CUDA_SUCCESS;
  std::string report = heddle_emu_last_report();
  std::fprintf(stderr, "load \"%s\", report \"%s\"\n", module.error.c_str(), report.c_str());
  std::exit(fails && report.find(text) != std::string::npos ? 0 : 1);
}

} // namespace

// A descriptor that reaches behind shared memory or before it, half a warp, a warp without its
// group, and lanes that do not agree.
TEST_F(Wgmma, Faults) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto expectFault = [](const std::string &body, unsigned threads, const std::string &text) {
    EXPECT_EXIT(runFaulty(body, threads, text), ::testing::ExitedWithCode(0), "") << text;
  };
  std::string head = "mov.u32 %r0, 0;\nmov.u32 %r1, 0;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\n"
                     "setp.eq.u32 %p0, %r0, 1;\nmov.b64 %d0, 0x0000001000080040;\n"
                     "mov.b64 %d1, 0x0000001000080040;\nmov.u32 %r9, %tid.x;\n";
  std::string multiply = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r0, %r1, %r2, %r3}, "
                         "%d0, %d1, %p0, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n"
                         "wgmma.wait_group.sync.aligned 0;\n";
  Module sound(kernelText(
      "", ".shared .align 1024 .b8 tile[4096];\nmov.u32 %r8, tile;\n" + head + multiply, "sm_90a"));
  ASSERT_EQ(sound.code, CUDA_SUCCESS) << sound.error;
  EXPECT_EQ(sound.launch("k", 1, 128, 0), CUDA_SUCCESS) << heddle_emu_last_report();
  expectFault(head + "mov.b64 %d1, 0x0000001000080140;\n" + multiply, 128, "shared access");
  expectFault(head + "mov.b64 %d1, 0x0000001000080000;\n" + multiply, 128, "shared access");
  expectFault(head + multiply, 96, "warpgroup");
  expectFault(head + "cvt.u64.u32 %d2, %r9;\nadd.u64 %d1, %d1, %d2;\n" + multiply, 128,
              "same in all lanes");
  expectFault(head + "setp.lt.u32 %p1, %r9, 16;\n@%p1 bra part;\nbra end;\npart:\n" + multiply +
                  "end:\n",
              128, "32 lanes");
}

namespace {

/// Two products into the same sums, the first row of ones: 16 after each. Ends the process: 0 when
/// the sums are NaN before they were waited for.
void runWithoutWait() {
  setenv("HEDDLE_EMU_GPU", "h100", 1);
  setenv("HEDDLE_EMU_ASYNC", "lazy", 1);
  std::string multiply = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r0, %r1, %r2, %r3}, "
                         "{%r4, %r4, %r4, %r4}, %d1, %p0, 1, 1, 0;\n"
                         "wgmma.commit_group.sync.aligned;\n";
  Module module(kernelText(
      ".param .u64 out",
      ".shared .align 1024 .b8 tile[256];\nld.param.b64 %d0, [out];\nmov.u32 %r9, %tid.x;\n"
      "mov.u32 %r8, tile;\nshl.b32 %r10, %r9, 1;\nadd.u32 %r8, %r8, %r10;\nmov.b16 %h0, 0x3c00;\n"
      "st.shared.b16 [%r8], %h0;\nfence.proxy.async;\nbar.sync 0;\nmov.u32 %r4, 0x3c003c00;\n"
      "setp.eq.u32 %p0, %r4, 0;\nmov.b64 %d1, 0x0000001000080040;\n"
      "mul.wide.u32 %d2, %r9, 16;\nadd.u64 %d0, %d0, %d2;\nwgmma.fence.sync.aligned;\n" +
          multiply + "setp.ne.u32 %p0, %r4, 0;\n" + multiply +
          "st.global.b32 [%d0], %r0;\nwgmma.wait_group.sync.aligned 1;\n"
          "wgmma.wait_group.sync.aligned 0;\nst.global.b32 [%d0+4], %r0;\n",
      "sm_90a"));
  Buffer<float> out(4 * 128);
  CUresult code = module.launch("k", 1, 128, 0, out.address());
  const std::vector<float> &got = out.read();
  std::fprintf(stderr, "load \"%s\", report \"%s\", %g %g\n", module.error.c_str(),
               heddle_emu_last_report(), double(got[0]), double(got[1]));
  std::exit(code == CUDA_SUCCESS && std::isnan(got[0]) && got[1] == 32 ? 0 : 1);
}

} // namespace

// In lazy mode sums that were not waited for are NaN.
TEST_F(Wgmma, SumsComeWithTheWait) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(runWithoutWait(), ::testing::ExitedWithCode(0), "");
}

} // namespace heddle::emulator::test
