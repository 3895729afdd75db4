// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync through PTX kernels, in every dense shape and type (PTX ISA 9.0, 9.7.14.5), against sums
// over single elements. Elements are placed by one rule that all fragment figures of that section
// follow: with lane = 4g + t and p elements in a register, register r of A holds row g + 8(r % 2)
// (row g where M is 8), columns pt + i + 4p(r / 2) (4pr where M is 8); register r of B rows
// pt + i + 4pr of column g; register r of C row g + 8(r / 2), column 2t + r % 2, f16 in pairs.
#include "test/emulator/EmulatedDevice.h"
#include "test/emulator/TensorArithmetic.h"
#include <cfenv>
#include <sstream>

namespace heddle::emulator::test {
namespace {

struct Format {
  const char *name;
  int bits;
  double (*read)(uint32_t);
};
double oneBit(uint32_t bits) { return bits; }
double unsignedNibble(uint32_t bits) { return bits; }
const Format kF16{"f16", 16, half}, kBf16{"bf16", 16, brain}, kTf32{"tf32", 32, tf32};
const Format kE4M3{"e4m3", 8, e4m3}, kE5M2{"e5m2", 8, e5m2};
const Format kS8{"s8", 8, signedByte}, kU8{"u8", 8, unsignedByte};
const Format kS4{"s4", 4, signedNibble}, kU4{"u4", 4, unsignedNibble}, kB1{"b1", 1, oneBit};

struct Form {
  int m, k;
  Format a, b;
  std::string sum; ///< "f32", "f16", "s32"
  std::string extra = "";
  std::string target = "sm_80";
  std::string kind = "";
};

std::string kernelOf(const Form &form, int d, int a, int b) {
  std::ostringstream text;
  bool isBits = form.a.bits == 1, saturates = form.extra == ".satfinite";
  text << ".version 8.7\n.target " << form.target << "\n.address_size 64\n"
       << ".visible .entry k(.param .b64 in)\n{\n.reg .b64 %p<4>;\n.reg .b32 %t, %d<8>, %a<8>, "
          "%b<8>, %c<8>;\nld.param.b64 %p0, [in];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %p1, %t, "
       << 4 * (d + a + b) << ";\nadd.u64 %p0, %p0, %p1;\n";
  auto load = [&](char name, int count, int at) {
    for (int i = 0; i < count; ++i)
      text << "ld.global.b32 %" << name << i << ", [%p0+" << 4 * (at + i) << "];\n";
  };
  auto list = [&](char name, int count) {
    std::string result = count > 1 ? "{" : "";
    for (int i = 0; i < count; ++i)
      result += (i ? std::string(", %") : std::string("%")) + name + std::to_string(i);
    return result + (count > 1 ? "}" : "");
  };
  load('c', d, 0);
  load('a', a, d);
  load('b', b, d + a);
  text << "mma.sync.aligned.m" << form.m << "n8k" << form.k << ".row.col" << form.kind
       << (saturates ? form.extra : "") << "." << form.sum << "." << form.a.name << "."
       << form.b.name << "." << form.sum << (isBits ? form.extra + ".popc" : "") << " "
       << list('d', d) << ", " << list('a', a) << ", " << list('b', b) << ", " << list('c', d)
       << ";\n";
  for (int i = 0; i < d; ++i)
    text << "st.global.b32 [%p0+" << 4 * i << "], %d" << i << ";\n";
  text << "ret;\n}\n";
  return text.str();
}

void check(const Form &form, uint32_t seed, bool special) {
  SCOPED_TRACE("m" + std::to_string(form.m) + "k" + std::to_string(form.k) + " " + form.a.name +
               " " + form.b.name + " " + form.sum + form.extra + " seed " + std::to_string(seed));
  int p = 32 / form.a.bits, halves = form.m / 8, steps = form.k / (4 * p);
  bool isHalf = form.sum == "f16", isInteger = form.sum == "s32";
  int d = isHalf ? halves : 2 * halves, a = halves * steps, b = steps, row = d + a + b;
  std::mt19937 random(seed);
  std::vector<uint32_t> words(size_t(32 * row));
  auto fill = [&](int first, int last, int bits, auto make) {
    for (int lane = 0; lane < 32; ++lane)
      for (int r = first; r < last; ++r)
        for (int part = 0; part < 32; part += bits)
          words[size_t(lane * row + r)] |= make() << part;
  };
  int width = form.a.bits < 8 ? 32 : form.a.bits;
  bool raw = special || isInteger;
  fill(d, row, width,
       [&] { return width == 32 && raw ? random() : randomElement(random, width, raw); });
  fill(0, d, isHalf ? 16 : 32, [&]() -> uint32_t {
    if (isHalf)
      return special ? random() & 0xffff : 0x3c00 + random() % 0x800;
    if (isInteger)
      return form.extra == ".satfinite" ? (random() % 2 ? 0x7ffffff0 : 0x80000010)
                                        : uint32_t(random());
    return std::bit_cast<uint32_t>(float(int(random() % 2001) - 1000) / 64.0f);
  });
  Buffer<uint32_t> buffer(words);
  Module module(kernelOf(form, d, a, b));
  ASSERT_EQ(module.code, CUDA_SUCCESS) << module.error;
  ASSERT_EQ(module.launch("k", 1, 32, 0, buffer.address()), CUDA_SUCCESS)
      << heddle_emu_last_report();
  const std::vector<uint32_t> &got = buffer.read();
  uint32_t mask = uint32_t((uint64_t(1) << form.a.bits) - 1);
  for (int m = 0; m < form.m; ++m)
    for (int n = 0; n < 8; ++n) {
      std::vector<double> rowOf(size_t(form.k)), columnOf(size_t(form.k));
      int64_t whole = 0;
      for (int k = 0; k < form.k; ++k) {
        int step = k / (4 * p), lane = k / p % 4, shift = k % p * form.a.bits;
        uint32_t x = words[size_t((m % 8 * 4 + lane) * row + d + step * halves + m / 8)] >> shift;
        uint32_t y = words[size_t((n * 4 + lane) * row + d + a + step)] >> shift;
        rowOf[size_t(k)] = form.a.read(x & mask);
        columnOf[size_t(k)] = form.b.read(y & mask);
        whole += form.extra == ".xor" ? int64_t((x ^ y) & 1)
                 : isInteger          ? int64_t(rowOf[size_t(k)]) * int64_t(columnOf[size_t(k)])
                                      : 0;
      }
      int lane = m % 8 * 4 + n / 2, r = isHalf ? m / 8 : m / 8 * 2 + n % 2;
      size_t at = size_t(lane * row + r);
      int shift = isHalf ? n % 2 * 16 : 0;
      SCOPED_TRACE("row " + std::to_string(m) + " column " + std::to_string(n));
      if (isInteger) {
        int64_t sum = whole + int32_t(words[at]);
        if (form.extra == ".satfinite")
          sum = std::min<int64_t>(INT32_MAX, std::max<int64_t>(INT32_MIN, sum));
        ASSERT_EQ(got[at], uint32_t(sum));
        continue;
      }
      auto value = [&](uint32_t word) {
        return isHalf ? half(word >> shift & 0xffff) : double(std::bit_cast<float>(word));
      };
      checkSum({form.a.name, form.b.name, isHalf, false}, rowOf, columnOf, value(words[at]),
               value(got[at]));
      if (::testing::Test::HasFatalFailure())
        return;
    }
}

void checkBoth(const Form &form) {
  for (bool special : {false, true})
    for (uint32_t seed = 1; seed <= 3; ++seed)
      check(form, seed, special);
}

} // namespace

TEST(Mma, SixteenBitFloats) {
  for (int k : {8, 16}) {
    checkBoth({16, k, kF16, kF16, "f32"});
    checkBoth({16, k, kF16, kF16, "f16"});
    checkBoth({16, k, kBf16, kBf16, "f32"});
    checkBoth({16, k / 2, kTf32, kTf32, "f32"});
  }
}

// Paranoid numerics must be another order or direction than the fast ones.
TEST(Mma, ParanoidSumsDiffer) {
  if (testNumerics() != "paranoid")
    GTEST_SKIP() << "HEDDLE_EMU_NUMERICS is not paranoid";
  sumsThatDiffer = 0;
  for (uint32_t seed = 1; seed <= 8; ++seed)
    check({16, 16, kBf16, kBf16, "f32"}, seed, false);
  EXPECT_GT(sumsThatDiffer, 100);
}

TEST(Mma, OneByteFloats) {
  if (testCapability() < 89)
    GTEST_SKIP() << "needs sm_89; HEDDLE_EMU_GPU names an older GPU";
  for (const Format &a : {kE4M3, kE5M2})
    for (const Format &b : {kE4M3, kE5M2})
      for (const char *sum : {"f32", "f16"})
        for (int k : {16, 32})
          checkBoth({16, k, a, b, sum, "", "sm_89"});
}

// The same by another name.
TEST(Mma, OneByteFloatsOfBlackwell) {
  if (testCapability() < 100)
    GTEST_SKIP() << "needs sm_100a; HEDDLE_EMU_GPU names an older GPU";
  for (const char *sum : {"f32", "f16"})
    checkBoth({16, 32, kE4M3, kE5M2, sum, "", "sm_100a", ".kind::f8f6f4"});
}

TEST(Mma, Integers) {
  for (const char *extra : {"", ".satfinite"}) {
    for (const Format &a : {kS8, kU8})
      for (const Format &b : {kS8, kU8}) {
        check({8, 16, a, b, "s32", extra}, 1, false);
        check({16, 16, a, b, "s32", extra}, 2, false);
        check({16, 32, a, b, "s32", extra}, 3, false);
      }
    for (const Format &a : {kS4, kU4})
      for (const Format &b : {kS4, kU4}) {
        check({8, 32, a, b, "s32", extra}, 4, false);
        check({16, 32, a, b, "s32", extra}, 5, false);
        check({16, 64, a, b, "s32", extra}, 6, false);
      }
  }
}

TEST(Mma, SingleBits) {
  for (const char *extra : {".xor", ".and"}) {
    check({8, 128, kB1, kB1, "s32", extra}, 1, false);
    check({16, 128, kB1, kB1, "s32", extra}, 2, false);
    check({16, 256, kB1, kB1, "s32", extra}, 3, false);
  }
}

// f64 in the four directions of rounding, one fused step after the other.
TEST(Mma, DoublesInEveryDirection) {
  if (testCapability() < 90)
    GTEST_SKIP() << "needs sm_90; HEDDLE_EMU_GPU names an older GPU";
  struct Direction {
    const char *name;
    int mode;
  };
  for (const Direction &direction :
       {Direction{".rn", FE_TONEAREST}, Direction{".rz", FE_TOWARDZERO},
        Direction{".rm", FE_DOWNWARD}, Direction{".rp", FE_UPWARD}}) {
    // Every lane has the same numbers: A 1/3, B 1/7, C 1/10, so that every step is inexact.
    std::string text = std::string(".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry "
                                   "k(.param .b64 out)\n{\n.reg .b64 %p;\n.reg .f64 %x<4>;\n"
                                   "ld.param.b64 %p, [out];\nmov.f64 %x0, 0d3FD5555555555555;\n"
                                   "mov.f64 %x1, 0d3FC2492492492492;\nmov.f64 %x2, "
                                   "0d3FB999999999999A;\nmma.sync.aligned.m16n8k4") +
                       direction.name +
                       ".row.col.f64.f64.f64.f64 {%x3, %x3, %x3, %x3}, {%x0, %x0}, {%x1}, {%x2, "
                       "%x2, %x2, %x2};\nst.global.f64 [%p], %x3;\nret;\n}\n";
    Buffer<double> out(size_t(1));
    Module module(text);
    ASSERT_EQ(module.code, CUDA_SUCCESS) << module.error;
    ASSERT_EQ(module.launch("k", 1, 32, 0, out.address()), CUDA_SUCCESS);
    std::fesetround(direction.mode);
    volatile double sum = 0x1.999999999999ap-4, a = 0x1.5555555555555p-2, b = 0x1.2492492492492p-3;
    for (int k = 0; k < 4; ++k)
      sum = std::fma(a, b, sum);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(out.read()[0], sum) << direction.name;
  }
}

} // namespace heddle::emulator::test
