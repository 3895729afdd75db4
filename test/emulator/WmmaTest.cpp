// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wmma.load, mma and store (PTX ISA 9.0, 9.7.14.4) as whole matrix products: which element a lane
// holds is the device's own affair, so only matrices in memory are looked at.
#include "test/emulator/EmulatedDevice.h"
#include "test/emulator/TensorArithmetic.h"
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

/// Registers by the tables of 9.7.14.4.1.
struct Product {
  int m, n, k;
  Format format;
  std::string sumD, sumC;
  int a, b;
  std::string extra = "";
};

int registersOf(const Product &test, const std::string &sum) {
  return test.m * test.n / 32 / (sum == "f16" ? 2 : 1);
}

struct Memory {
  bool isColumn;
  int rows, columns, stride, bits;
  size_t elements() const { return size_t((isColumn ? columns : rows) * stride); }
  size_t at(int row, int column) const {
    return size_t(isColumn ? column * stride + row : row * stride + column);
  }
};

Memory memoryOf(bool isColumn, int rows, int columns, int bits, bool isDense) {
  int line = isColumn ? rows : columns, gap = isDense ? 0 : std::max(8, 256 / bits);
  return {isColumn, rows, columns, line + gap, bits};
}

std::string list(char name, int count) {
  std::string result = "{";
  for (int i = 0; i < count; ++i)
    result += (i ? std::string(", %") : std::string("%")) + name + std::to_string(i);
  return result + "}";
}

std::string kernelOf(const Product &test, const Memory &a, const Memory &b, const Memory &c,
                     const std::string &space) {
  std::ostringstream text;
  std::string shape =
      "m" + std::to_string(test.m) + "n" + std::to_string(test.n) + "k" + std::to_string(test.k);
  bool isF16 = std::string(test.format.name) == "f16", isBits = test.format.bits == 1;
  text << ".version 8.4\n.target sm_80\n.address_size 64\n.visible .entry k(.param .b64 a, .param "
          ".b64 b, .param .b64 c, .param .b64 d)\n{\n.reg .b64 %p<4>;\n.reg .b32 %a<8>, %b<8>, "
          "%c<8>, %d<8>, %s<3>;\n";
  int i = 0;
  for (const char *name : {"a", "b", "c", "d"})
    text << "ld.param.b64 %p" << i++ << ", [" << name << "];\n";
  i = 0;
  for (int stride : {a.stride, b.stride, c.stride})
    text << "mov.u32 %s" << i++ << ", " << stride << ";\n";
  auto order = [](const Memory &memory) { return memory.isColumn ? ".col." : ".row."; };
  text << "wmma.load.a.sync.aligned" << order(a) << shape << space << "." << test.format.name << " "
       << list('a', test.a) << ", [%p0], %s0;\nwmma.load.b.sync.aligned" << order(b) << shape
       << space << "." << test.format.name << " " << list('b', test.b)
       << ", [%p1], %s1;\nwmma.load.c.sync.aligned" << order(c) << shape << space << "."
       << test.sumC << " " << list('c', registersOf(test, test.sumC)) << ", [%p2], %s2;\nwmma.mma"
       << (isBits ? test.extra + ".popc" : "") << ".sync.aligned" << order(a)
       << (b.isColumn ? "col." : "row.") << shape << "." << test.sumD;
  if (!isF16)
    text << "." << test.format.name << "." << test.format.name;
  text << "." << test.sumC << (isBits ? "" : test.extra) << " "
       << list('d', registersOf(test, test.sumD)) << ", " << list('a', test.a) << ", "
       << list('b', test.b) << ", " << list('c', registersOf(test, test.sumC))
       << ";\nwmma.store.d.sync.aligned" << order(c) << shape << space << "." << test.sumD
       << " [%p3], " << list('d', registersOf(test, test.sumD)) << ", %s2;\nret;\n}\n";
  return text.str();
}

uint32_t elementAt(const std::vector<uint8_t> &bytes, size_t element, int bits) {
  uint32_t word = 0;
  std::memcpy(&word, &bytes[element * size_t(bits) / 8], size_t(std::max(1, bits / 8)));
  return bits < 8 ? word >> (element * size_t(bits) % 8) & ((1u << bits) - 1) : word;
}

void check(const Product &test, bool columnA, bool columnB, bool columnC, bool isDense,
           const std::string &space = ".global") {
  SCOPED_TRACE(std::string(test.format.name) + " m" + std::to_string(test.m) + "n" +
               std::to_string(test.n) + " " + test.sumD + " " + test.sumC + test.extra);
  std::mt19937 random(uint32_t(test.m * 7 + test.n + columnA + 2 * columnB));
  int bits = test.format.bits;
  bool isInteger = test.sumC == "s32";
  int bitsC = test.sumC == "f16" ? 16 : 32, bitsD = test.sumD == "f16" ? 16 : 32;
  Memory a = memoryOf(columnA, test.m, test.k, bits, isDense);
  Memory b = memoryOf(columnB, test.k, test.n, bits, isDense);
  Memory c = memoryOf(columnC, test.m, test.n, bitsC, isDense);
  auto bytesOf = [&](const Memory &memory, bool isSum) {
    std::vector<uint8_t> bytes(memory.elements() * size_t(memory.bits) / 8);
    for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
      uint32_t word = isInteger           ? uint32_t(random())
                      : memory.bits == 16 ? randomElement(random, 16, false) |
                                                randomElement(random, 16, false) << 16
                                          : randomElement(random, 32, false);
      if (isSum && test.extra == ".satfinite")
        word = random() % 2 ? 0x7ffffff0 : 0x80000010;
      std::memcpy(&bytes[at], &word, 4);
    }
    return bytes;
  };
  std::vector<uint8_t> bytesA = bytesOf(a, false), bytesB = bytesOf(b, false);
  std::vector<uint8_t> bytesC = bytesOf(c, true);
  Buffer<uint8_t> bufferA(bytesA), bufferB(bytesB), bufferC(bytesC);
  Buffer<uint8_t> bufferD(c.elements() * size_t(bitsD) / 8);
  Module module(kernelOf(test, a, b, c, space));
  ASSERT_EQ(module.code, CUDA_SUCCESS) << module.error;
  ASSERT_EQ(module.launch("k", 1, 32, 0, bufferA.address(), bufferB.address(), bufferC.address(),
                          bufferD.address()),
            CUDA_SUCCESS)
      << heddle_emu_last_report();
  const std::vector<uint8_t> &got = bufferD.read();
  auto sumValue = [](uint32_t word, int width) {
    return width == 16 ? half(word) : double(std::bit_cast<float>(word));
  };
  for (int m = 0; m < test.m; ++m)
    for (int n = 0; n < test.n; ++n) {
      std::vector<double> row(size_t(test.k)), column(size_t(test.k));
      int64_t whole = 0;
      for (int k = 0; k < test.k; ++k) {
        uint32_t x = elementAt(bytesA, a.at(m, k), bits), y = elementAt(bytesB, b.at(k, n), bits);
        row[size_t(k)] = test.format.read(x);
        column[size_t(k)] = test.format.read(y);
        whole += test.extra == ".xor" ? int64_t(x ^ y)
                 : isInteger          ? int64_t(row[size_t(k)]) * int64_t(column[size_t(k)])
                                      : 0;
      }
      uint32_t old = elementAt(bytesC, c.at(m, n), bitsC),
               after = elementAt(got, c.at(m, n), bitsD);
      SCOPED_TRACE("row " + std::to_string(m) + " column " + std::to_string(n));
      if (isInteger) {
        int64_t sum = whole + int32_t(old);
        if (test.extra == ".satfinite")
          sum = std::min<int64_t>(INT32_MAX, std::max<int64_t>(INT32_MIN, sum));
        ASSERT_EQ(after, uint32_t(sum));
        continue;
      }
      checkSum({test.format.name, test.format.name, test.sumD == "f16", false}, row, column,
               sumValue(old, bitsC), sumValue(after, bitsD));
      if (::testing::Test::HasFatalFailure())
        return;
    }
}

void checkLayouts(const Product &test) {
  for (int layout = 0; layout < 8; ++layout)
    check(test, layout & 1, layout & 2, layout & 4, layout & 1);
}

const int kShapes[][3] = {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};

} // namespace

TEST(Wmma, Halves) {
  // Hardware rounds f16 sums to f16 alone; how it reads f16 and writes f32 was not probed.
  for (auto [m, n, k] : kShapes)
    for (const char *d : {"f32", "f16"})
      for (const char *c : {"f32", "f16"})
        if (testNumerics() != "exact" || std::string(c) == d)
          checkLayouts({m, n, k, {"f16", 16, half}, d, c, 8, 8});
}

TEST(Wmma, OtherFloats) {
  checkLayouts({16, 16, 16, {"bf16", 16, brain}, "f32", "f32", 4, 4});
  checkLayouts({8, 32, 16, {"bf16", 16, brain}, "f32", "f32", 2, 8});
  checkLayouts({32, 8, 16, {"bf16", 16, brain}, "f32", "f32", 8, 2});
  checkLayouts({16, 16, 8, {"tf32", 32, tf32}, "f32", "f32", 4, 4});
}

TEST(Wmma, Integers) {
  for (const char *extra : {"", ".satfinite"})
    for (const Format &format : {Format{"s8", 8, signedByte}, Format{"u8", 8, unsignedByte}}) {
      checkLayouts({16, 16, 16, format, "s32", "s32", 2, 2, extra});
      checkLayouts({8, 32, 16, format, "s32", "s32", 1, 4, extra});
      checkLayouts({32, 8, 16, format, "s32", "s32", 4, 1, extra});
    }
}

TEST(Wmma, GenericAddresses) {
  check({16, 16, 16, {"f16", 16, half}, "f32", "f32", 8, 8}, false, true, false, true, "");
}

// Narrower than a byte: rows of A, columns of B only.
TEST(Wmma, NarrowIntegers) {
  for (const Format &format : {Format{"s4", 4, signedNibble}, Format{"u4", 4, unsignedNibble}})
    for (const char *extra : {"", ".satfinite"})
      for (bool columnC : {false, true})
        check({8, 8, 32, format, "s32", "s32", 1, 1, extra}, false, true, columnC, columnC);
  for (const char *extra : {".xor", ".and"})
    check({8, 8, 128, {"b1", 1, oneBit}, "s32", "s32", 1, 1, extra}, false, true, false, false);
}

} // namespace heddle::emulator::test
