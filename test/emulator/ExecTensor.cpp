// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handlers of mma.sync against the fragment figures of the PTX ISA, read element by element, at
// every vector level that the host has. The model scatters whole matrices into registers, so it
// shares nothing with the handlers but the rule of the figure.
#include "test/emulator/HandlerStage.h"
#include "test/emulator/TensorFormats.h"
#include <gtest/gtest.h>

using namespace heddle::emulator;
using namespace heddle::emulator::test;

namespace {

struct Shape {
  const char *name;
  int depth;
  int bits; ///< of an input element
  double (*a)(uint32_t);
  double (*b)(uint32_t);
  enum Sum { kFloat, kHalf, kInteger, kSaturated } sum;
};

const Shape kShapes[] = {
    {"m16n8k8.f32.f16.f16.f32", 8, 16, half, half, Shape::kFloat},
    {"m16n8k16.f32.f16.f16.f32", 16, 16, half, half, Shape::kFloat},
    {"m16n8k8.f16.f16.f16.f16", 8, 16, half, half, Shape::kHalf},
    {"m16n8k16.f16.f16.f16.f16", 16, 16, half, half, Shape::kHalf},
    {"m16n8k8.f32.bf16.bf16.f32", 8, 16, brain, brain, Shape::kFloat},
    {"m16n8k16.f32.bf16.bf16.f32", 16, 16, brain, brain, Shape::kFloat},
    {"m16n8k4.f32.tf32.tf32.f32", 4, 32, tf32, tf32, Shape::kFloat},
    {"m16n8k8.f32.tf32.tf32.f32", 8, 32, tf32, tf32, Shape::kFloat},
    {"m16n8k16.f32.e4m3.e5m2.f32", 16, 8, e4m3, e5m2, Shape::kFloat},
    {"m16n8k32.f32.e4m3.e4m3.f32", 32, 8, e4m3, e4m3, Shape::kFloat},
    {"m16n8k32.f32.e5m2.e4m3.f32", 32, 8, e5m2, e4m3, Shape::kFloat},
    {"m16n8k32.f16.e5m2.e5m2.f16", 32, 8, e5m2, e5m2, Shape::kHalf},
    {"m16n8k16.s32.s8.s8.s32", 16, 8, signedByte, signedByte, Shape::kInteger},
    {"m16n8k32.s32.s8.u8.s32", 32, 8, signedByte, unsignedByte, Shape::kInteger},
    {"m16n8k32.s32.u8.s8.s32", 32, 8, unsignedByte, signedByte, Shape::kInteger},
    {"m16n8k32.s32.u8.u8.s32", 32, 8, unsignedByte, unsignedByte, Shape::kInteger},
    {"m16n8k32.s32.s8.s8.s32", 32, 8, signedByte, signedByte, Shape::kSaturated},
};

/// Fills A, B and C, runs the handler and compares every element of D.
void check(const Shape &shape, const Instruction &row, uint32_t seed, bool special) {
  std::mt19937 random(seed);
  Stage stage(4);
  int depth = shape.depth, parts = 32 / shape.bits, steps = depth / (4 * parts);
  int sums = shape.sum == Shape::kHalf ? 2 : 4;
  int firstA = sums, firstB = firstA + 2 * steps, firstC = firstB + steps;
  std::vector<double> a(16 * depth), b(depth * 8);
  std::vector<uint32_t> c(16 * 8);
  auto place = [&](int reg, int lane, int part, uint32_t bits) {
    stage.word(reg, lane) |= bits << (part * shape.bits);
  };
  // PTX ISA, "Matrix Fragments for mma.m16n8k16": (row, column) -> lane, register, part.
  for (int m = 0; m < 16; ++m)
    for (int k = 0; k < depth; ++k) {
      uint32_t bits = randomElement(random, shape.bits, special);
      a[m * depth + k] = shape.a(bits);
      int step = k / (4 * parts), t = k / parts % 4;
      place(firstA + 2 * step + m / 8, m % 8 * 4 + t, k % parts, bits);
    }
  for (int k = 0; k < depth; ++k)
    for (int n = 0; n < 8; ++n) {
      uint32_t bits = randomElement(random, shape.bits, special);
      b[k * 8 + n] = shape.b(bits);
      place(firstB + k / (4 * parts), n * 4 + k / parts % 4, k % parts, bits);
    }
  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 8; ++n) {
      uint32_t bits = std::bit_cast<uint32_t>(float(int(random() % 2001) - 1000) / 64.0f);
      if (shape.sum == Shape::kHalf)
        bits = 0x3c00 + random() % 0x800;
      else if (shape.sum == Shape::kInteger)
        bits = random();
      else if (shape.sum == Shape::kSaturated)
        bits = random() % 2 ? 0x7ffffff0 : 0x80000010;
      c[m * 8 + n] = bits;
      int lane = m % 8 * 4 + n / 2;
      if (shape.sum == Shape::kHalf)
        stage.word(firstC + m / 8, lane) |= bits << (n % 2 * 16);
      else
        stage.word(firstC + m / 8 * 2 + n % 2, lane) = bits;
    }

  stage.op.c = shape.sum == Shape::kSaturated;
  row.run(stage.warp, stage.op);

  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 8; ++n) {
      int lane = m % 8 * 4 + n / 2;
      uint32_t got = shape.sum == Shape::kHalf ? stage.word(m / 8, lane) >> (n % 2 * 16) & 0xffff
                                               : stage.word(m / 8 * 2 + n % 2, lane);
      SCOPED_TRACE(std::string(shape.name) + " row " + std::to_string(m) + " column " +
                   std::to_string(n) + " seed " + std::to_string(seed));
      if (shape.sum == Shape::kInteger || shape.sum == Shape::kSaturated) {
        int64_t exact = int32_t(c[m * 8 + n]);
        for (int k = 0; k < depth; ++k)
          exact += int64_t(a[m * depth + k]) * int64_t(b[k * 8 + n]);
        if (shape.sum == Shape::kSaturated)
          exact = std::min<int64_t>(INT32_MAX, std::max<int64_t>(INT32_MIN, exact));
        ASSERT_EQ(got, uint32_t(exact));
        continue;
      }
      float sum = shape.sum == Shape::kHalf ? float(half(c[m * 8 + n]))
                                            : std::bit_cast<float>(c[m * 8 + n]);
      for (int k = 0; k < depth; ++k)
        sum = std::fma(float(a[m * depth + k]), float(b[k * 8 + n]), sum);
      if (shape.sum == Shape::kFloat) {
        float result = std::bit_cast<float>(got);
        if (std::isnan(sum)) {
          ASSERT_TRUE(std::isnan(result));
        } else {
          ASSERT_EQ(got, std::bit_cast<uint32_t>(sum)) << result << " instead of " << sum;
        }
      } else if (std::isnan(sum)) {
        ASSERT_TRUE(std::isnan(half(got)));
      } else {
        ASSERT_EQ(got, nearestHalf(sum)) << sum;
      }
    }
}

} // namespace

// Every shape and type, with ordinary numbers.
TEST(ExecTensor, OrdinaryNumbersAtEveryLevel) {
  for (const Level &level : levels()) {
    SCOPED_TRACE(level.name);
    const HandlerTable &table = level.table;
    for (const Shape &shape : kShapes) {
      const Instruction *row = table.find(std::string("mma.") + shape.name);
      ASSERT_NE(row, nullptr) << shape.name;
      for (uint32_t seed = 1; seed <= 4; ++seed)
        check(shape, *row, seed, false);
    }
  }
}

// Random bits: infinities, NaN and subnormal inputs among them.
TEST(ExecTensor, AnyBitsAtEveryLevel) {
  for (const Level &level : levels()) {
    SCOPED_TRACE(level.name);
    const HandlerTable &table = level.table;
    for (const Shape &shape : kShapes)
      for (uint32_t seed = 100; seed < 104; ++seed)
        check(shape, *table.find(std::string("mma.") + shape.name), seed, true);
  }
}

// f64: rows g (and g + 8), k = t, columns 2t and 2t + 1; each sum is a chain of fused steps.
TEST(ExecTensor, Doubles) {
  for (const Level &level : levels()) {
    const HandlerTable &table = level.table;
    for (auto [name, rows, depth] :
         {std::tuple{"m8n8k4", 8, 4}, std::tuple{"m16n8k4", 16, 4}, std::tuple{"m16n8k8", 16, 8},
          std::tuple{"m16n8k16", 16, 16}}) {
      const Instruction *row = table.find(std::string("mma.") + name + ".f64.f64.f64.f64");
      ASSERT_NE(row, nullptr) << name;
      std::mt19937 random(7);
      std::normal_distribution<double> normal;
      Stage stage(8);
      int halves = rows / 8, firstA = 2 * halves, firstB = firstA + halves * depth / 4;
      int firstC = firstB + depth / 4;
      std::vector<double> a(rows * depth), b(depth * 8), c(rows * 8);
      for (int m = 0; m < rows; ++m)
        for (int k = 0; k < depth; ++k)
          stage.wide(firstA + k / 4 * halves + m / 8, m % 8 * 4 + k % 4) = a[m * depth + k] =
              normal(random);
      for (int k = 0; k < depth; ++k)
        for (int n = 0; n < 8; ++n)
          stage.wide(firstB + k / 4, n * 4 + k % 4) = b[k * 8 + n] = normal(random);
      for (int m = 0; m < rows; ++m)
        for (int n = 0; n < 8; ++n)
          stage.wide(firstC + m / 8 * 2 + n % 2, m % 8 * 4 + n / 2) = c[m * 8 + n] = normal(random);
      row->run(stage.warp, stage.op);
      for (int m = 0; m < rows; ++m)
        for (int n = 0; n < 8; ++n) {
          double sum = c[m * 8 + n];
          for (int k = 0; k < depth; ++k)
            sum = std::fma(a[m * depth + k], b[k * 8 + n], sum);
          ASSERT_EQ(stage.wide(m / 8 * 2 + n % 2, m % 8 * 4 + n / 2), sum) << name << level.name;
        }
    }
  }
}

// Results may overwrite the operands, as compilers let an accumulator do.
TEST(ExecTensor, ResultsInThePlaceOfOperands) {
  for (const Level &level : levels()) {
    const HandlerTable &table = level.table;
    const Instruction *row = table.find("mma.m16n8k16.f32.f16.f16.f32");
    Stage apart(4), together(4);
    std::mt19937 random(3);
    for (int r = 4; r < 14; ++r)
      for (int lane = 0; lane < 32; ++lane)
        apart.word(r, lane) = together.word(r, lane) = random() & 0x3fff3fff;
    for (int i = 0; i < 4; ++i)
      together.slots[i] = together.slots[10 + i];
    row->run(apart.warp, apart.op);
    row->run(together.warp, together.op);
    for (int r = 0; r < 4; ++r)
      for (int lane = 0; lane < 32; ++lane)
        ASSERT_EQ(apart.word(r, lane), together.word(10 + r, lane)) << level.name;
  }
}
