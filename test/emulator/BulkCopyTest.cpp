// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bulk copies without tensor maps, through PTX (PTX ISA 9.0, 9.7.9.27.4).
#include "test/emulator/BulkRig.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

using namespace heddle::emulator::test;

namespace {

Bytes pattern(size_t bytes) {
  Bytes result(bytes);
  for (size_t i = 0; i < bytes; ++i)
    result[i] = static_cast<uint8_t>(i * 13 + i / 256 + 1);
  return result;
}

Bytes part(const Bytes &bytes, size_t begin, size_t count) {
  return Bytes(bytes.begin() + ptrdiff_t(begin), bytes.begin() + ptrdiff_t(begin + count));
}

#define EXPECT_RAN(result) EXPECT_EQ(result.code, 0) << result.report

} // namespace

TEST(BulkCopy, LoadsIntoItsBlock) {
  for (const char *space : {"shared::cluster", "shared::cta"}) {
    BulkCase test;
    test.body = std::string("add.u32 %r1, %box, 64;\nadd.u64 %d1, %in, 32;\ncp.async.bulk.") +
                space + ".global.mbarrier::complete_tx::bytes [%r1], [%d1+16], %n0, [%bar];";
    test.numbers = {208};
    test.expected = {208};
    Bytes memory = pattern(512);
    BulkResult result = runBulk(test, memory);
    EXPECT_RAN(result);
    ASSERT_EQ(result.boxes.size(), 1024u);
    Bytes expected(1024, kUntouched);
    std::copy_n(memory.begin() + 48, 208, expected.begin() + 64);
    EXPECT_EQ(result.boxes, expected) << space;
  }
}

// With 64-bit addresses, as LLVM prints them, a size that is a number, and a cache policy.
TEST(BulkCopy, LoadsByWideAddresses) {
  BulkCase test;
  test.body = "cvt.u64.u32 %d1, %box;\ncvt.u64.u32 %d2, %bar;\n"
              "createpolicy.fractional.L2::evict_first.b64 %d3, 1.0;\n"
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
              "[%d1], [%in], 256, [%d2], %d3;";
  test.expected = {256};
  Bytes memory = pattern(256);
  BulkResult result = runBulk(test, memory);
  EXPECT_RAN(result);
  ASSERT_EQ(result.boxes.size(), 1024u);
  EXPECT_EQ(part(result.boxes, 0, 256), memory);
  EXPECT_EQ(part(result.boxes, 256, 768), Bytes(768, kUntouched));
}

// Threads that spin on test_wait see the copy done too, however late it is.
TEST(BulkCopy, IsSeenByTestWait) {
  BulkCase test;
  test.body = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%box], [%in], 64, "
              "[%bar];";
  test.afterwards = "$test:\nmbarrier.test_wait.parity.shared.b64 %p8, [%bar], 0;\n"
                    "@!%p8 bra $test;\n";
  test.expected = {64};
  Bytes memory = pattern(64);
  BulkResult result = runBulk(test, memory);
  EXPECT_RAN(result);
  ASSERT_EQ(result.boxes.size(), 1024u);
  EXPECT_EQ(part(result.boxes, 0, 64), memory);
}

// Each lane that executes a copy issues one of its own.
TEST(BulkCopy, EveryLaneIssues) {
  BulkCase test;
  test.body = "mov.u32 %r1, 0;";
  // The first warp, but for every third lane; lane i writes place i ^ 31.
  test.afterwards = "rem.u32 %r1, %t, 3;\nsetp.eq.u32 %p1, %r1, 2;\nsetp.ge.u32 %p2, %t, 32;\n"
                    "or.pred %p1, %p1, %p2;\nmul.wide.u32 %d1, %t, 16;\n"
                    "add.u64 %d1, %d1, %in;\nxor.b32 %r2, %t, 31;\nshl.b32 %r2, %r2, 4;\n"
                    "add.u32 %r2, %r2, %box;\n@!%p1 cp.async.bulk.shared::cta.global."
                    "mbarrier::complete_tx::bytes [%r2], [%d1], 16, [%bar];\n";
  test.expected = {22 * 16};
  Bytes memory = pattern(512);
  BulkResult result = runBulk(test, memory);
  EXPECT_RAN(result);
  ASSERT_EQ(result.boxes.size(), 1024u);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(part(result.boxes, (i ^ 31) * 16, 16),
              i % 3 == 2 ? Bytes(16, kUntouched) : part(memory, i * 16, 16))
        << i;
}

TEST(BulkCopy, Multicast) {
  for (uint32_t blocks : {2u, 4u}) {
    uint32_t mask = blocks == 2 ? 3 : 13;
    BulkCase test;
    test.blocks = blocks;
    // Rank 0 loads for all that the mask names; the others wait for their own mbarrier.
    test.body = "setp.ne.u32 %p1, %rank, 0;\n@%p1 bra $wait;\n"
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                "multicast::cluster [%box], [%in], 128, [%bar], %h0;";
    test.numbers = {int32_t(mask)};
    for (uint32_t r = 0; r < blocks; ++r)
      test.expected.push_back(mask >> r & 1 ? 128 : 0);
    Bytes memory = pattern(128);
    BulkResult result = runBulk(test, memory);
    EXPECT_RAN(result);
    ASSERT_EQ(result.boxes.size(), 1024u * blocks);
    for (uint32_t r = 0; r < blocks; ++r) {
      EXPECT_EQ(part(result.boxes, r * 1024, 128), mask >> r & 1 ? memory : Bytes(128, kUntouched))
          << r;
      EXPECT_EQ(part(result.boxes, r * 1024 + 128, 896), Bytes(896, kUntouched));
    }
  }
}

TEST(BulkCopy, StoresGroups) {
  BulkCase test;
  test.fillsWithNumbers = true;
  test.body = "add.u64 %d1, %in, 256;\n"
              "cp.async.bulk.global.shared::cta.bulk_group [%in], [%box], 64;\n"
              "cp.async.bulk.commit_group;\n"
              "add.u32 %r1, %box, 64;\n"
              "cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], %n0;\n"
              "cp.async.bulk.commit_group;\n"
              "cp.async.bulk.wait_group.read 1;\ncp.async.bulk.wait_group 0;";
  test.numbers = {96};
  Bytes memory = pattern(512), expected = memory;
  BulkResult result = runBulk(test, memory);
  EXPECT_RAN(result);
  for (uint32_t i = 0; i < 64; ++i)
    expected[i] = numberAt(i, 0);
  for (uint32_t i = 0; i < 96; ++i)
    expected[256 + i] = numberAt(64 + i, 0);
  EXPECT_EQ(result.memory, expected);
}

// Into the next block of the cluster, whose mbarrier is told.
TEST(BulkCopy, MovesToAnotherBlock) {
  BulkCase test;
  test.blocks = 2;
  test.fillsWithNumbers = true;
  test.body = "xor.b32 %r3, %rank, 1;\nadd.u32 %r4, %box, 512;\n"
              "mapa.shared::cluster.u32 %r1, %r4, %r3;\nmapa.shared::cluster.u32 %r2, %bar, %r3;\n"
              "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], "
              "[%box], 160, [%r2];";
  test.expected = {160, 160};
  BulkResult result = runBulk(test, pattern(16));
  EXPECT_RAN(result);
  ASSERT_EQ(result.boxes.size(), 2048u);
  for (uint32_t r = 0; r < 2; ++r)
    for (uint32_t i = 0; i < 1024; ++i)
      ASSERT_EQ(result.boxes[r * 1024 + i],
                i >= 512 && i < 672 ? numberAt(i - 512, r ^ 1) : numberAt(i, r))
          << r << " " << i;
}

TEST(BulkCopy, PrefetchesHaveNoEffect) {
  BulkCase test;
  test.body = "createpolicy.fractional.L2::evict_last.b64 %d1, 1.0;\n"
              "cp.async.bulk.prefetch.L2.global [%in], 64;\n"
              "cp.async.bulk.prefetch.L2.global.L2::cache_hint [%in], %n0, %d1;";
  test.numbers = {32};
  Bytes memory = pattern(64);
  BulkResult result = runBulk(test, memory);
  EXPECT_RAN(result);
  EXPECT_EQ(result.memory, memory);
}

namespace {

template <typename T> T elementOf(const Bytes &bytes, size_t i) {
  T value;
  std::memcpy(&value, &bytes[i * sizeof(T)], sizeof value);
  return value;
}

/// Reduces 64 bytes of the box into memory, and compares with `model(old, source)`.
template <typename T, typename F>
void checkReduction(const std::string &suffix, F model, bool isBits = true) {
  BulkCase test;
  test.fillsWithNumbers = true;
  test.body = "cp.reduce.async.bulk.global.shared::cta.bulk_group." + suffix +
              " [%in], [%box], 64;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;";
  Bytes memory = pattern(80), box(64);
  for (uint32_t i = 0; i < 64; ++i)
    box[i] = numberAt(i, 0);
  BulkResult result = runBulk(test, memory);
  ASSERT_EQ(result.code, 0) << suffix << ": " << result.report;
  for (size_t i = 0; i < 64 / sizeof(T); ++i) {
    T expected = model(elementOf<T>(memory, i), elementOf<T>(box, i));
    T got = elementOf<T>(result.memory, i);
    EXPECT_TRUE(isBits ? std::memcmp(&got, &expected, sizeof got) == 0 : got == expected)
        << suffix << " element " << i;
  }
  EXPECT_EQ(part(result.memory, 64, 16), part(memory, 64, 16));
}

} // namespace

// PTX ISA 9.0, cp.reduce.async.bulk: every operation and type to global memory.
TEST(BulkCopy, ReducesInGlobalMemory) {
  using u32 = uint32_t;
  using u64 = uint64_t;
  checkReduction<u32>("add.u32", [](u32 a, u32 b) { return a + b; });
  checkReduction<u32>("add.s32", [](u32 a, u32 b) { return a + b; });
  checkReduction<u64>("add.u64", [](u64 a, u64 b) { return a + b; });
  checkReduction<u32>("min.u32", [](u32 a, u32 b) { return std::min(a, b); });
  checkReduction<int32_t>("min.s32", [](int32_t a, int32_t b) { return std::min(a, b); });
  checkReduction<u32>("max.u32", [](u32 a, u32 b) { return std::max(a, b); });
  checkReduction<int32_t>("max.s32", [](int32_t a, int32_t b) { return std::max(a, b); });
  checkReduction<u64>("min.u64", [](u64 a, u64 b) { return std::min(a, b); });
  checkReduction<u64>("max.u64", [](u64 a, u64 b) { return std::max(a, b); });
  checkReduction<int64_t>("min.s64", [](int64_t a, int64_t b) { return std::min(a, b); });
  checkReduction<int64_t>("max.s64", [](int64_t a, int64_t b) { return std::max(a, b); });
  checkReduction<u32>("inc.u32", [](u32 a, u32 b) { return a >= b ? 0 : a + 1; });
  checkReduction<u32>("dec.u32", [](u32 a, u32 b) { return a == 0 || a > b ? b : a - 1; });
  checkReduction<u32>("and.b32", [](u32 a, u32 b) { return a & b; });
  checkReduction<u32>("or.b32", [](u32 a, u32 b) { return a | b; });
  checkReduction<u32>("xor.b32", [](u32 a, u32 b) { return a ^ b; });
  checkReduction<u64>("and.b64", [](u64 a, u64 b) { return a & b; });
  checkReduction<u64>("or.b64", [](u64 a, u64 b) { return a | b; });
  checkReduction<u64>("xor.b64", [](u64 a, u64 b) { return a ^ b; });
  checkReduction<float>("add.f32", [](float a, float b) { return a + b; });
  checkReduction<double>("add.f64", [](double a, double b) { return a + b; });
}

// Halves: 1 + 1, the largest twice, NaN, and numbers that need rounding (by hand).
TEST(BulkCopy, ReducesHalves) {
  const uint16_t old[8] = {0x3c00, 0x7bff, 0x7e00, 0x3c00, 0x0001, 0x8000, 0xc000, 0x3c01};
  auto reduce = [&](const char *suffix) {
    BulkCase test;
    // The source: 1, 65504, 1, 2^-11, 2^-24, 0, -3, 2^-11.
    const uint16_t source[8] = {0x3c00, 0x7bff, 0x3c00, 0x1000, 0x0001, 0x0000, 0xc200, 0x1000};
    Bytes memory(32);
    std::memcpy(&memory[0], old, 16);
    std::memcpy(&memory[16], source, 16);
    test.body = "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%in+16];\n"
                "st.shared.v4.b32 [%box], {%r1, %r2, %r3, %r4};\nfence.proxy.async;\n"
                "cp.reduce.async.bulk.global.shared::cta.bulk_group." +
                std::string(suffix) +
                " [%in], [%box], 16;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;";
    BulkResult result = runBulk(test, memory);
    EXPECT_EQ(result.code, 0) << result.report;
    std::vector<uint16_t> got(8);
    if (result.memory.size() == 32)
      std::memcpy(got.data(), &result.memory[0], 16);
    return got;
  };
  EXPECT_EQ(reduce("add.noftz.f16"), (std::vector<uint16_t>{0x4000, 0x7c00, 0x7fff, 0x3c00, 0x0002,
                                                            0x0000, 0xc500, 0x3c02}));
  EXPECT_EQ(reduce("min.f16"), (std::vector<uint16_t>{0x3c00, 0x7bff, 0x3c00, 0x1000, 0x0001,
                                                      0x8000, 0xc200, 0x1000}));
  EXPECT_EQ(reduce("max.f16"), (std::vector<uint16_t>{0x3c00, 0x7bff, 0x3c00, 0x3c00, 0x0001,
                                                      0x0000, 0xc000, 0x3c01}));
  // As bf16 0x3c00 is 2^-7: twice that is 2^-6, 0x3c80.
  EXPECT_EQ(reduce("add.noftz.bf16")[0], 0x3c80);
}

TEST(BulkCopy, ReducesInAnotherBlock) {
  using Model = uint64_t (*)(uint64_t, uint64_t);
  struct Form {
    const char *suffix;
    size_t bytes;
    Model model;
  };
  // PTX ISA 9.0, cp.reduce.async.bulk: what there is to .shared::cluster.
  const Form kForms[] = {
      {"add.u32", 4, [](uint64_t a, uint64_t b) { return a + b; }},
      {"add.s32", 4, [](uint64_t a, uint64_t b) { return a + b; }},
      {"add.u64", 8, [](uint64_t a, uint64_t b) { return a + b; }},
      {"min.u32", 4, [](uint64_t a, uint64_t b) { return std::min(a, b); }},
      {"max.u32", 4, [](uint64_t a, uint64_t b) { return std::max(a, b); }},
      {"min.s32", 4,
       [](uint64_t a, uint64_t b) { return uint64_t(std::min(int32_t(a), int32_t(b))); }},
      {"max.s32", 4,
       [](uint64_t a, uint64_t b) { return uint64_t(std::max(int32_t(a), int32_t(b))); }},
      {"inc.u32", 4, [](uint64_t a, uint64_t b) { return a >= b ? 0 : a + 1; }},
      {"dec.u32", 4, [](uint64_t a, uint64_t b) { return a == 0 || a > b ? b : a - 1; }},
      {"and.b32", 4, [](uint64_t a, uint64_t b) { return a & b; }},
      {"or.b32", 4, [](uint64_t a, uint64_t b) { return a | b; }},
      {"xor.b32", 4, [](uint64_t a, uint64_t b) { return a ^ b; }},
  };
  for (const auto &[suffix, bytes, model] : kForms) {
    BulkCase test;
    test.blocks = 2;
    test.fillsWithNumbers = true;
    test.body = std::string("xor.b32 %r3, %rank, 1;\nadd.u32 %r4, %box, 512;\n"
                            "mapa.shared::cluster.u32 %r1, %r4, %r3;\n"
                            "mapa.shared::cluster.u32 %r2, %bar, %r3;\n"
                            "cp.reduce.async.bulk.shared::cluster.shared::cta."
                            "mbarrier::complete_tx::bytes.") +
                suffix + " [%r1], [%box], 32, [%r2];";
    test.expected = {32, 32};
    BulkResult result = runBulk(test, pattern(16));
    EXPECT_RAN(result);
    ASSERT_EQ(result.boxes.size(), 2048u);
    for (uint32_t r = 0; r < 2; ++r) {
      Bytes own(1024), other(1024);
      for (uint32_t i = 0; i < 1024; ++i)
        own[i] = numberAt(i, r), other[i] = numberAt(i, r ^ 1);
      Bytes expected = own;
      for (size_t i = 0; i < 32; i += bytes) {
        uint64_t old = 0, source = 0;
        std::memcpy(&old, &own[512 + i], bytes);
        std::memcpy(&source, &other[i], bytes);
        uint64_t next = model(old, source);
        std::memcpy(&expected[512 + i], &next, bytes);
      }
      EXPECT_EQ(part(result.boxes, r * 1024, 1024), expected) << suffix << " in rank " << r;
    }
  }
}
