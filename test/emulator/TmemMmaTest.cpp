// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tcgen05.mma through PTX kernels against sums over single elements in f64. The model finds every
// element by the canonical layouts of PTX ISA 9.0, 9.7.16.10.6, written as strides of elements, and
// every element of D by the figures of 9.7.16.10.5 (layouts A to G).
#include "test/emulator/TensorFormats.h"
#include "test/emulator/TmemRig.h"
#include <gtest/gtest.h>

namespace heddle::emulator::test {
namespace {

struct Format {
  int code, bits;
  double (*read)(uint32_t);
};
constexpr Format kHalf{0, 16, half}, kBrain{1, 16, brain}, kTf32{2, 32, tf32}, kE4M3{0, 8, e4m3},
    kE5M2{1, 8, e5m2}, kE2M3{3, 6, e2m3}, kE3M2{4, 6, e3m2}, kE2M1{5, 4, e2m1}, kDense{1, 4, e2m1},
    kU8{0, 8, unsignedByte}, kS8{1, 8, signedByte};

struct Layout {
  int swizzle; ///< bytes: 0, 32, 64, 128; 129: 128 with atoms of 32 bytes
  bool isTurned;
  uint32_t start, leading, stride; ///< bytes

  uint64_t descriptor() const {
    uint64_t code = swizzle == 0     ? 0
                    : swizzle == 128 ? 2
                    : swizzle == 64  ? 4
                    : swizzle == 32  ? 6
                                     : 1;
    return start >> 4 | uint64_t(leading >> 4) << 16 | uint64_t(stride >> 4) << 32 |
           uint64_t(1) << 46 | code << 61;
  }
  /// The piece of 16 bytes of element (i along M or N, k), T elements in one, and its place in it.
  uint32_t piece(uint32_t i, uint32_t k, uint32_t t) const {
    uint32_t w = swizzle == 129 ? 8 : swizzle ? uint32_t(swizzle) / 16 : 1, at;
    if (!isTurned) // ((8,m),(T,2)) : ((W*T, SBO),(1, LBO or T))
      at = i % 8 * w * 16 + i / 8 * stride + k / t * (w == 1 ? leading : 16);
    else if (swizzle == 129) // ((T,8,m),(4,k)) : ((1,T,LBO),(8T,SBO))
      at = i / t % 8 * 16 + i / t / 8 * leading + k % 4 * 128 + k / 4 * stride;
    else if (w == 1) // ((T,1,m),(8,k)) : ((1,T,SBO),(T,LBO))
      at = i / t * stride + k % 8 * 16 + k / 8 * leading;
    else // ((T,W,m),(8,k)) : ((1,T,LBO),(W*T,SBO))
      at = i / t % w * 16 + i / t / w * leading + k % 8 * w * 16 + k / 8 * stride;
    at += start;
    if (swizzle == 129) // Swizzle<2, 5, 2>
      return at ^ (at >> 7 & 3) << 5;
    return at ^ (at >> 7 & (w - 1)) << 4; // Swizzle<3, 4, 3>, <2, 4, 3>, <1, 4, 3>
  }
};

struct Case {
  const char *kind;
  Format a, b;
  int depth;
  int sum; ///< code of D's type: 0 f16, 1 f32, 2 s32
  int blocks, m, n;
  Layout la, lb;
  bool isWeights = false, hasTmemA = false, accumulates = true, negates = false, saturates = false;
  int scale = 0;       ///< scale-input-d
  int scaleVector = 0; ///< factors of a row along K
  bool isUe8m0 = true;
  int scaleIdA = 0, scaleIdB = 0;
  bool disables = false; ///< some lanes
  uint64_t columnMask = 0;
};

constexpr uint32_t kColumnA = 300, kColumnScaleA = 400, kColumnScaleB = 420, kColumnD = 5;

uint32_t shapeOf(const Case &test) {
  uint32_t bits = uint32_t(test.a.code) << 7 | uint32_t(test.b.code) << 10 |
                  uint32_t(test.negates) << 13 | uint32_t(test.la.isTurned) << 15 |
                  uint32_t(test.lb.isTurned) << 16 | uint32_t(test.n / 8) << 17;
  if (test.scaleVector)
    return bits | uint32_t(test.scaleIdB) << 4 | uint32_t(test.isUe8m0) << 23 |
           uint32_t(test.m / 128) << 27 | uint32_t(test.scaleIdA) << 29;
  return bits | uint32_t(test.saturates) << 3 | uint32_t(test.sum) << 4 |
         uint32_t(test.m / 16) << 24;
}

std::string bodyOf(const Case &test) {
  std::ostringstream text;
  text << "setp.eq.u32 %p6, %r1, " << (test.accumulates ? 0 : 1) << ";\nadd.u32 %r23, %r20, "
       << kColumnD << ";\nadd.u32 %r24, %r20, " << kColumnA << ";\nadd.u32 %r25, %r20, "
       << kColumnScaleA << ";\n";
  for (int i = 0; i < 8; ++i)
    text << "mov.u32 %v" << i << ", " << (0x10204081u << i) << ";\n";
  text << "tcgen05.mma" << (test.isWeights ? ".ws" : "") << ".cta_group::" << test.blocks
       << ".kind::" << test.kind;
  if (test.scaleVector)
    text << ".block_scale.scale_vec::" << test.scaleVector << "X";
  text << " [%r23], " << (test.hasTmemA ? "[%r24]" : "%d3") << ", %d4, %r21";
  if (test.disables) {
    text << ", {%v0";
    for (int i = 1; i < 4 * test.blocks; ++i)
      text << ", %v" << i;
    text << "}";
  }
  if (test.scaleVector)
    text << ", [%r25], [%r25+" << kColumnScaleB - kColumnScaleA << "]";
  text << ", %p6";
  if (test.columnMask)
    text << ", %d6";
  if (test.scale)
    text << ", " << test.scale;
  text << ";\n";
  return text.str();
}

uint32_t bitsAt(const uint8_t *piece, uint32_t place, int bits) {
  uint32_t value = 0;
  for (int bit = 0; bit < bits; ++bit) {
    uint32_t at = place * uint32_t(bits) + uint32_t(bit);
    value |= uint32_t(piece[at / 8] >> (at % 8) & 1) << bit;
  }
  return value;
}

struct Model {
  const Case &test;
  const std::vector<uint8_t> &image;
  const std::vector<uint32_t> &tensor;

  uint32_t rows() const { return uint32_t(test.m / test.blocks); }
  bool isDense() const { return std::string(test.kind).find("mxf4") == 0; }
  /// Elements in 16 bytes: those of 4 and 6 bits are padded to a byte, but in mxf4.
  uint32_t perPiece(const Format &f) const {
    return isDense() ? 32 : f.bits < 8 ? 16 : 128 / uint32_t(f.bits);
  }
  double element(const Format &f, const Layout &layout, uint32_t block, uint32_t i,
                 uint32_t k) const {
    uint32_t t = perPiece(f), at = layout.piece(i, k, t) - kTileStart;
    return f.read(
        bitsAt(&image.at(block * kTileBytes + at), (layout.isTurned ? i : k) % t, f.bits));
  }
  double a(uint32_t block, uint32_t row, uint32_t lane, uint32_t k) const {
    double sign = test.negates ? -1 : 1;
    if (!test.hasTmemA)
      return sign * element(test.a, test.la, block, row, k);
    const auto *words = reinterpret_cast<const uint8_t *>(
        &tensor[block * kTmemWords + lane * kTmemColumns + kColumnA]);
    if (test.a.bits < 8 && !isDense()) // a byte each, e2m1 in bits 2 to 5
      return sign * test.a.read(words[k] >> (test.a.bits == 4 ? 2 : 0) & ((1u << test.a.bits) - 1));
    return sign * test.a.read(bitsAt(words, k, test.a.bits));
  }
  double b(uint32_t column, uint32_t k) const {
    uint32_t half = uint32_t(test.n / test.blocks), block = test.blocks == 2 ? column / half : 0;
    return element(test.b, test.lb, block, column - block * half, k);
  }
  double scale(uint32_t block, uint32_t first, int id, uint32_t i, uint32_t k) const {
    if (!test.scaleVector)
      return 1;
    uint32_t word = tensor[block * kTmemWords + i % 32 * kTmemColumns + first + i / 32];
    uint32_t part = k / uint32_t(test.depth / test.scaleVector);
    uint32_t byte = word >> 8 * (uint32_t(id) + part) & 255;
    return test.isUe8m0 ? std::ldexp(1.0, int(byte) - 127) : e4m3(byte & 127);
  }
  /// Lane and column of D (9.7.16.10.5).
  void place(uint32_t row, uint32_t column, uint32_t &lane, uint32_t &at) const {
    uint32_t n = uint32_t(test.n);
    if (rows() == 128) // A, D
      lane = row, at = column;
    else if (rows() == 64 && test.blocks == 1 && !test.isWeights) // F
      lane = row % 16 + row / 16 * 32, at = column;
    else if (rows() == 64) // B, E
      lane = row + column / (n / 2) * 64, at = column % (n / 2);
    else // G
      lane = row + column / (n / 4) * 32, at = column % (n / 4);
    at += kColumnD;
  }
};

double sumAt(const Case &test, uint32_t word) {
  return test.sum == 0   ? half(word & 0xffff)
         : test.sum == 1 ? double(std::bit_cast<float>(word))
                         : double(int32_t(word));
}

std::vector<uint8_t> randomImage(const Case &test, std::mt19937 &random) {
  std::vector<uint8_t> image(size_t(test.blocks) * kTileBytes);
  uint32_t bits = uint32_t(test.a.bits);
  bool isFloatByte = bits == 8 && std::string(test.kind) != "i8";
  for (size_t i = 0; i < image.size(); i += 4) {
    uint32_t word = random();
    if (bits == 32)
      word = randomElement(random, 32, false);
    if (bits == 16)
      word = randomElement(random, 16, false) | randomElement(random, 16, false) << 16;
    if (isFloatByte)
      word &= 0xbfbfbfbf; // no NaN
    std::memcpy(&image[i], &word, 4);
  }
  return image;
}

std::vector<uint32_t> randomTensor(const Case &test, std::mt19937 &random) {
  std::vector<uint32_t> tensor(size_t(test.blocks) * kTmemWords);
  for (uint32_t i = 0; i < tensor.size(); ++i) {
    uint32_t column = i % kTmemColumns;
    if (column >= kColumnA && column < kColumnA + 8) {
      tensor[i] = test.a.bits == 16
                      ? randomElement(random, 16, false) | randomElement(random, 16, false) << 16
                  : test.a.bits == 32 ? randomElement(random, 32, false)
                                      : uint32_t(random()) & 0xbfbfbfbf;
    } else if (column >= kColumnScaleA) {
      tensor[i] = 0;
      for (int byte = 0; byte < 4; ++byte)
        tensor[i] |= (test.isUe8m0 ? 0x7c + random() % 8 : 0x28 + random() % 24) << 8 * byte;
    } else if (test.sum == 2) {
      tensor[i] = test.saturates ? 0x7ffff000 + random() % 8192 : random();
    } else {
      tensor[i] =
          test.sum == 1 ? randomElement(random, 32, false) : randomElement(random, 16, false);
    }
  }
  for (uint32_t block = 0; block < uint32_t(test.blocks); ++block)
    for (uint32_t lane = 32; lane < kTmemLanes; ++lane) // every 32 lanes have the same factors
      for (uint32_t column = kColumnScaleA; column < kTmemColumns; ++column)
        tensor[block * kTmemWords + lane * kTmemColumns + column] =
            tensor[block * kTmemWords + lane % 32 * kTmemColumns + column];
  return tensor;
}

/// Columns of B that count as zero, from the examples of 9.7.16.4.3.
bool isZeroColumn(const Case &test, uint32_t column) {
  if (!(test.columnMask >> 39 & 1))
    return false;
  uint32_t parts = 128 / uint32_t(test.m), part = column / (uint32_t(test.n) / parts);
  uint32_t ones = (test.columnMask >> 40 & 255) + 1, zeros = (test.columnMask >> 48 & 255) + 1;
  bool isOne = test.columnMask >> (32 + part) & 1;
  uint32_t skip = test.columnMask >> 8 * part & 255, left = isOne ? ones : zeros;
  for (uint32_t i = 0; i < skip + column % (uint32_t(test.n) / parts); ++i)
    if (--left == 0) {
      isOne = !isOne;
      left = isOne ? ones : zeros;
    }
  return isOne;
}

void check(const Case &test, uint32_t seed) {
  SCOPED_TRACE(std::string(test.kind) + " m " + std::to_string(test.m) + " n " +
               std::to_string(test.n) + " blocks " + std::to_string(test.blocks) + " seed " +
               std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<uint8_t> image = randomImage(test, random);
  std::vector<uint32_t> before = randomTensor(test, random), after = before;
  std::string text = tmemKernel(bodyOf(test), test.blocks, "sm_100a");
  std::string report = runTmem(text, test.blocks, image, after, test.la.descriptor(),
                               test.lb.descriptor(), shapeOf(test), test.columnMask);
  ASSERT_EQ(report, "");
  Model model{test, image, before};
  std::vector<uint32_t> expected = before;
  std::vector<double> bounds(before.size(), -1);
  uint32_t shift = uint32_t(test.columnMask >> 56);
  for (uint32_t block = 0; block < uint32_t(test.blocks); ++block)
    for (uint32_t row = 0; row < model.rows(); ++row)
      for (uint32_t n = 0; n < uint32_t(test.n); ++n) {
        uint32_t lane, column;
        model.place(row, n, lane, column);
        if (test.disables && (0x10204081u << (4 * block + lane / 32)) >> (lane % 32) & 1)
          continue;
        size_t at = block * kTmemWords + lane * kTmemColumns + column;
        double sum = test.accumulates ? std::ldexp(sumAt(test, before[at]), -test.scale) : 0;
        double size = std::fabs(sum);
        for (uint32_t k = 0; k < uint32_t(test.depth); ++k) {
          double product = model.a(block, row, lane, k) * model.b(n + shift, k) *
                           model.scale(block, kColumnScaleA, test.scaleIdA, row, k) *
                           model.scale(block, kColumnScaleB, test.scaleIdB, n, k);
          product = isZeroColumn(test, n) ? 0 : product;
          sum += product;
          size += std::fabs(product);
        }
        if (test.sum == 2 && test.saturates)
          sum = std::min(2147483647.0, std::max(-2147483648.0, sum));
        // K roundings to 24 places, and one to 11.
        bounds[at] = test.sum == 2 ? 0
                                   : test.depth * 0x1p-23 * size +
                                         (test.sum == 0 ? 0x1p-11 * std::fabs(sum) + 0x1p-24 : 0);
        double got = sumAt(test, after[at]);
        bool isSame = test.sum == 2 ? uint32_t(int64_t(sum)) == after[at]
                                    : std::fabs(got - sum) <= bounds[at];
        ASSERT_TRUE(isSame) << "block " << block << " row " << row << " column " << n << ": " << got
                            << " instead of " << sum;
        expected[at] = after[at];
      }
  // Nothing else is written.
  for (size_t i = 0; i < before.size(); ++i)
    ASSERT_EQ(after[i], expected[i])
        << "lane " << i / kTmemColumns << " column " << i % kTmemColumns;
}

Layout plain(uint32_t start) { return {0, false, start, 128, 256}; }
Layout wide(uint32_t start) { return {128, false, start, 16, 1024}; }

constexpr uint32_t kA = 1024, kB = 1024 + 20480;

// 9.7.16.10.9.1: every kind, K-major without swizzling.
TEST(TmemMma, EveryKind) {
  check({"f16", kHalf, kHalf, 16, 1, 1, 128, 128, plain(kA), plain(kB)}, 1);
  check({"f16", kBrain, kBrain, 16, 1, 1, 128, 64, plain(kA), plain(kB)}, 2);
  check({"f16", kHalf, kHalf, 16, 0, 1, 128, 48, plain(kA), plain(kB)}, 3);
  check({"tf32", kTf32, kTf32, 8, 1, 1, 128, 32, plain(kA), plain(kB)}, 4);
  check({"f8f6f4", kE4M3, kE4M3, 32, 1, 1, 128, 64, plain(kA), plain(kB)}, 5);
  check({"f8f6f4", kE5M2, kE4M3, 32, 0, 1, 128, 64, plain(kA), plain(kB)}, 6);
  check({"f8f6f4", kE2M3, kE3M2, 32, 1, 1, 128, 32, plain(kA), plain(kB)}, 7);
  check({"f8f6f4", kE2M1, kE2M1, 32, 1, 1, 128, 32, plain(kA), plain(kB)}, 8);
  check({"i8", kS8, kU8, 32, 2, 1, 128, 64, plain(kA), plain(kB)}, 9);
  check({"i8", kU8, kS8, 32, 2, 1, 64, 24, plain(kA), plain(kB)}, 10);
  Case saturating{"i8", kS8, kS8, 32, 2, 1, 128, 32, plain(kA), plain(kB)};
  saturating.saturates = true;
  check(saturating, 11);
}

// 9.7.16.10.7: block scaling, with every size of the scale vector and every factor type.
TEST(TmemMma, BlockScaling) {
  Case test{"mxf8f6f4", kE4M3, kE5M2, 32, 1, 1, 128, 72, plain(kA), plain(kB)};
  test.scaleVector = 1;
  for (int id = 0; id < 4; ++id) {
    test.scaleIdA = id;
    test.scaleIdB = 3 - id;
    check(test, 20 + uint32_t(id));
  }
  test.b = kE2M1;
  check(test, 24);
  test = {"mxf4", kDense, kDense, 64, 1, 1, 128, 128, plain(kA), plain(kB)};
  test.scaleVector = 2;
  check(test, 25);
  test.scaleIdA = 2;
  check(test, 26);
  test = {"mxf4nvf4", kDense, kDense, 64, 1, 1, 128, 64, wide(kA), wide(kB)};
  test.scaleVector = 4;
  test.isUe8m0 = false;
  check(test, 27);
  test.isUe8m0 = true;
  test.blocks = 2;
  test.m = 256;
  check(test, 28);
}

// 9.7.16.10.6: swizzling modes, K-major and MN-major.
TEST(TmemMma, SharedLayouts) {
  auto both = [](const Layout &a, const Layout &b, uint32_t seed) {
    check({"f16", kHalf, kHalf, 16, 1, 1, 128, 64, a, b}, seed);
  };
  both({32, false, kA, 16, 256}, {64, false, kB, 16, 512}, 40);
  both({128, false, kA, 16, 1024}, {128, false, kB + 32, 16, 1024}, 41);
  both({0, true, kA, 2048, 128}, {0, true, kB, 1024, 128}, 42);
  both({32, true, kA, 256, 4096}, {64, true, kB, 512, 2048}, 43);
  both({128, true, kA, 1024, 4096}, {128, true, kB, 2048, 1024}, 44);
  check({"tf32",
         kTf32,
         kTf32,
         8,
         1,
         1,
         128,
         64,
         {129, true, kA, 1024, 512},
         {129, true, kB, 1024, 512}},
        45);
  check({"f8f6f4",
         kE4M3,
         kE4M3,
         32,
         1,
         1,
         128,
         64,
         {128, true, kA, 4096, 1024},
         {64, true, kB, 2048, 512}},
        46);
  check({"i8", kS8, kU8, 32, 2, 1, 128, 64, {0, true, kA, 1024, 128}, {32, true, kB, 1024, 256}},
        47);
}

// 9.7.16.10.5: layouts A, B, D, E, F and G.
TEST(TmemMma, DataPathLayouts) {
  for (bool hasTmemA : {false, true}) {
    for (int m : {64, 128}) {
      Case test{"f16", kHalf, kHalf, 16, 1, 1, m, 32, plain(kA), plain(kB)};
      test.hasTmemA = hasTmemA;
      check(test, 60 + uint32_t(m));
    }
    for (int m : {32, 64, 128}) {
      Case test{"f16", kHalf, kHalf, 16, 1, 1, m, 64, plain(kA), plain(kB)};
      test.isWeights = true;
      test.hasTmemA = hasTmemA;
      check(test, 70 + uint32_t(m));
    }
    for (int m : {128, 256}) {
      Case test{"f16", kHalf, kHalf, 16, 1, 2, m, 96, plain(kA), plain(kB)};
      test.hasTmemA = hasTmemA;
      check(test, 80 + uint32_t(m));
    }
  }
}

TEST(TmemMma, TmemA) {
  for (const Format &format : {kE4M3, kE2M3, kE3M2, kE2M1}) {
    Case test{"f8f6f4", format, kE4M3, 32, 1, 1, 128, 32, plain(kA), plain(kB)};
    test.hasTmemA = true;
    test.a = format;
    Case small = test;
    small.b = format.bits == 8 ? kE4M3 : kE2M1; // any bits of 4 are numbers
    check(small, 100 + uint32_t(format.code));
  }
  Case test{"mxf4", kDense, kDense, 64, 1, 1, 128, 32, plain(kA), plain(kB)};
  test.scaleVector = 2;
  test.hasTmemA = true;
  check(test, 110);
}

// enable-input-d, negation, scale-input-d, disable-output-lane.
TEST(TmemMma, Modifiers) {
  Case test{"f16", kHalf, kHalf, 16, 1, 1, 128, 64, plain(kA), plain(kB)};
  test.accumulates = false;
  check(test, 120);
  test.negates = true;
  check(test, 121);
  test.accumulates = true;
  test.scale = 3;
  check(test, 122);
  test.sum = 0;
  check(test, 123);
  test.disables = true;
  check(test, 124);
  test.blocks = 2;
  test.sum = 1;
  check(test, 125);
}

// 9.7.16.4.3, the examples' fields.
TEST(TmemMma, ZeroColumns) {
  auto mask = [](uint64_t starts, uint64_t firsts, uint64_t shift) {
    return starts | firsts << 32 | uint64_t(1) << 39 | uint64_t(2) << 40 | uint64_t(3) << 48 |
           shift << 56;
  };
  Case test{"f16", kHalf, kHalf, 16, 1, 1, 128, 64, plain(kA), plain(kB)};
  test.isWeights = true;
  test.columnMask = mask(0, 0, 0);
  check(test, 130);
  test.m = 64;
  test.columnMask = mask(0, 1, 0);
  check(test, 131);
  test.m = 32;
  test.columnMask = mask(0x01020100, 3, 2);
  check(test, 132);
}

} // namespace
} // namespace heddle::emulator::test
