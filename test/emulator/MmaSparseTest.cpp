// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sp through PTX kernels (PTX ISA 9.0, 9.7.14.6): a dense matrix with two numbers among four
// (one among two of tf32) is packed as the figures of the metadata operand say, and the product
// must be that of the dense matrix. Metadata of lanes that the selector does not name is anything.
#include "test/emulator/EmulatedDevice.h"
#include "test/emulator/TensorArithmetic.h"
#include <sstream>

namespace heddle::emulator::test {
namespace {

struct Form {
  int k;
  const char *a, *b;
  int bits;
  double (*readA)(uint32_t);
  double (*readB)(uint32_t);
  std::string sum;
  int selector;
};

/// The lane of four, and the bit in its word, of the four bits for places [4 * chunk, 4 * chunk +
/// 4) of a row; a tf32 is two places.
void metadataAt(const Form &form, int row, int chunk, int &lane, int &bit) {
  bool isHigh = row >= 8;
  if (form.bits >= 16) {
    bool isShort = form.k * form.bits == 256; // four chunks: one lane has both rows
    lane = isShort ? form.selector : 2 * form.selector + chunk / 4;
    bit = 16 * isHigh + 4 * (chunk % 4);
  } else {
    lane = form.k == 32 ? 2 * form.selector + isHigh : isHigh + 2 * (chunk / 8);
    bit = 4 * (chunk % 8);
  }
}

void check(const Form &form, const std::string &variant, uint32_t seed) {
  SCOPED_TRACE(std::string("k") + std::to_string(form.k) + " " + form.a + " " + form.b + " " +
               form.sum + " selector " + std::to_string(form.selector));
  std::mt19937 random(seed);
  int p = 32 / form.bits, steps = form.k / (4 * p); // of the dense matrix
  bool isHalf = form.sum == "f16", isInteger = form.sum == "s32";
  int d = isHalf ? 2 : 4, row = d + 2 * steps + 1, e = row - 1;
  std::vector<uint32_t> words(size_t(32 * row));
  auto word = [&](int lane, int reg) -> uint32_t & { return words[size_t(lane * row + reg)]; };
  for (int lane = 0; lane < 32; ++lane)
    word(lane, e) = random();
  auto make = [&] { return randomElement(random, form.bits, isInteger); };
  std::vector<double> dense(size_t(16 * form.k));
  int group = form.bits == 32 ? 2 : 4, kept = group / 2; // of elements
  for (int m = 0; m < 16; ++m)
    for (int chunk = 0; chunk < form.k / group; ++chunk) {
      int places[2];
      places[0] = int(random() % uint32_t(group - kept + 1));
      places[1] = kept == 1 ? 0 : places[0] + 1 + int(random() % uint32_t(3 - places[0]));
      uint32_t code =
          form.bits == 32 ? (places[0] ? 0xe : 0x4) : uint32_t(places[0] | places[1] << 2);
      int lane, bit;
      metadataAt(form, m, chunk, lane, bit);
      uint32_t &meta = word(m % 8 * 4 + lane, e);
      meta = (meta & ~(15u << bit)) | code << bit;
      for (int i = 0; i < kept; ++i) {
        uint32_t bits = make();
        dense[size_t(m * form.k + group * chunk + places[i])] = form.readA(bits);
        // The packed matrix is a fragment of half the depth.
        int at = kept * chunk + i;
        word(m % 8 * 4 + at / p % 4, d + 2 * (at / (4 * p)) + m / 8) |= bits
                                                                        << (at % p * form.bits);
      }
    }
  std::vector<double> columns(size_t(8 * form.k));
  for (int n = 0; n < 8; ++n)
    for (int k = 0; k < form.k; ++k) {
      uint32_t bits = make();
      columns[size_t(n * form.k + k)] = form.readB(bits);
      word(n * 4 + k / p % 4, d + steps + k / (4 * p)) |= bits << (k % p * form.bits);
    }
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < d; ++i)
      word(lane, i) = isHalf ? 0x3c003c00 + random() % 0x400
                      : isInteger
                          ? uint32_t(random())
                          : std::bit_cast<uint32_t>(float(int(random() % 2001) - 1000) / 64);

  std::ostringstream text;
  text << ".version 8.5\n.target sm_" << (form.bits == 8 && !isInteger ? 89 : 80)
       << "\n.address_size 64\n.visible .entry k(.param .b64 in)\n{\n.reg .b64 %p<4>;\n"
       << ".reg .b32 %t, %x<16>;\nld.param.b64 %p0, [in];\nmov.u32 %t, %tid.x;\n"
       << "mul.wide.u32 %p1, %t, " << 4 * row << ";\nadd.u64 %p0, %p0, %p1;\n";
  for (int i = 0; i < row; ++i)
    text << "ld.global.b32 %x" << i << ", [%p0+" << 4 * i << "];\n";
  auto list = [](int first, int count) {
    std::string result = "{";
    for (int i = 0; i < count; ++i)
      result += (i ? ", %x" : "%x") + std::to_string(first + i);
    return result + "}";
  };
  text << "mma" << variant << ".sync.aligned.m16n8k" << form.k << ".row.col." << form.sum << "."
       << form.a << "." << form.b << "." << form.sum << " " << list(0, d) << ", " << list(d, steps)
       << ", " << list(d + steps, steps) << ", " << list(0, d) << ", %x" << e << ", "
       << form.selector << ";\n";
  for (int i = 0; i < d; ++i)
    text << "st.global.b32 [%p0+" << 4 * i << "], %x" << i << ";\n";
  text << "ret;\n}\n";
  Buffer<uint32_t> buffer(words);
  Module module(text.str());
  ASSERT_EQ(module.code, CUDA_SUCCESS) << module.error;
  ASSERT_EQ(module.launch("k", 1, 32, 0, buffer.address()), CUDA_SUCCESS)
      << heddle_emu_last_report();
  const std::vector<uint32_t> &got = buffer.read();
  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 8; ++n) {
      size_t at = size_t((m % 8 * 4 + n / 2) * row + (isHalf ? m / 8 : m / 8 * 2 + n % 2));
      const double *x = &dense[size_t(m * form.k)], *y = &columns[size_t(n * form.k)];
      SCOPED_TRACE("row " + std::to_string(m) + " column " + std::to_string(n));
      if (isInteger) {
        int64_t sum = int32_t(words[at]);
        for (int k = 0; k < form.k; ++k)
          sum += int64_t(x[k]) * int64_t(y[k]);
        ASSERT_EQ(got[at], uint32_t(sum));
        continue;
      }
      auto value = [&](uint32_t bits) {
        return isHalf ? half(bits >> (n % 2 * 16) & 0xffff) : double(std::bit_cast<float>(bits));
      };
      checkSum({form.a, form.b, isHalf, false}, std::vector<double>(x, x + form.k),
               std::vector<double>(y, y + form.k), value(words[at]), value(got[at]));
      if (::testing::Test::HasFatalFailure())
        return;
    }
}

} // namespace

TEST(MmaSparse, Floats) {
  if (testNumerics() == "exact" && testCapability() < 90)
    GTEST_SKIP() << "which products Ampere adds at once is not known for sparse matrices";
  for (const char *variant : {".sp", ".sp::ordered_metadata"})
    for (int selector = 0; selector < 4; ++selector) {
      for (const char *sum : {"f32", "f16"})
        check({16, "f16", "f16", 16, half, half, sum, selector}, variant, 1);
      check({16, "bf16", "bf16", 16, brain, brain, "f32", selector}, variant, 2);
      check({8, "tf32", "tf32", 32, tf32, tf32, "f32", selector}, variant, 3);
      if (selector > 1)
        continue;
      for (const char *sum : {"f32", "f16"})
        check({32, "f16", "f16", 16, half, half, sum, selector}, variant, 4);
      check({32, "bf16", "bf16", 16, brain, brain, "f32", selector}, variant, 5);
      check({16, "tf32", "tf32", 32, tf32, tf32, "f32", selector}, variant, 6);
    }
}

TEST(MmaSparse, Bytes) {
  for (int selector : {0, 1}) {
    check({32, "s8", "u8", 8, signedByte, unsignedByte, "s32", selector}, ".sp", 1);
    check({32, "u8", "s8", 8, unsignedByte, signedByte, "s32", selector}, ".sp", 2);
  }
  check({64, "s8", "s8", 8, signedByte, signedByte, "s32", 0}, ".sp::ordered_metadata", 3);
  if (testCapability() >= 90)
    check({64, "e4m3", "e5m2", 8, e4m3, e5m2, "f32", 0}, ".sp::ordered_metadata", 4);
}

} // namespace heddle::emulator::test
