// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bulk copies that hardware would answer with a fault, a hang or nothing: each is a finding that
// says what is wrong. Each runs in a process of its own, because a finding breaks the context.
#include "runtime/emulator/async/TensorMap.h"
#include "test/emulator/BulkRig.h"
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace heddle::emulator::test;

namespace {

/// 16-bit elements, 64 x 8, seen in boxes of 32 x 4.
Tensor plain() {
  Tensor tensor;
  tensor.sizes = {64, 8};
  tensor.box = {32, 4};
  tensor.steps = {1, 1};
  tensor.allocate(0);
  return tensor;
}

int run(const BulkCase &test, const Tensor &tensor = plain()) {
  setenv("HEDDLE_EMU_TIMEOUT", "20", 1);
  BulkResult result =
      runBulk(test, tensor.memory, [&](const void *base) { return tensor.map(base); });
  std::fprintf(stderr, "%d %s\n", result.code, result.report.c_str());
  return result.code == 0 ? 0 : 1;
}

void expectFinding(const BulkCase &test, const char *text, const Tensor &tensor = plain()) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(run(test, tensor)), ::testing::ExitedWithCode(1), text);
}

BulkCase body(const std::string &text, std::vector<int32_t> numbers = {},
              std::vector<uint32_t> expected = {}) {
  BulkCase test;
  test.body = text;
  test.numbers = std::move(numbers);
  test.expected = std::move(expected);
  return test;
}

const char *const kLoad =
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], %n0, [%bar];";
const char *const kTensorLoad = "cp.async.bulk.tensor.2d.shared::cluster.global.tile."
                                "mbarrier::complete_tx::bytes [%r1], [%map, {%n1, %n2}], [%bar];";
const char *const kTensorStore = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
                                 "[%map, {%n1, %n2}], [%box];";

std::string at(int32_t shared, int32_t global, const std::string &copy) {
  return "add.u32 %r1, %box, " + std::to_string(shared) + ";\nadd.u64 %d1, %in, " +
         std::to_string(global) + ";\n" + copy;
}

} // namespace

TEST(BulkFault, AddressesAndSizes) {
  expectFinding(body(at(8, 0, kLoad), {64}, {64}), "lane 0.*multiple of 16");
  expectFinding(body(at(0, 8, kLoad), {64}, {64}), "global address 0x.*multiple of 16");
  expectFinding(body(at(0, 0, kLoad), {24}, {24}), "size must be a multiple of 16.*got 24");
  expectFinding(body(at(0, 1008, kLoad), {32}, {32}), "outside of every allocation");
  expectFinding(body(at(1 << 20, 0, kLoad), {32}, {32}), "outside of the shared memory");
  expectFinding(body("cp.async.bulk.global.shared::cta.bulk_group [%in+8], [%box], 16;"),
                "multiple of 16");
  expectFinding(body("cp.async.bulk.prefetch.L2.global [%in+1024], 16;"),
                "outside of every allocation");
}

TEST(BulkFault, Barriers) {
  expectFinding(body("add.u32 %r2, %box, 512;\ncp.async.bulk.shared::cluster.global."
                     "mbarrier::complete_tx::bytes [%box], [%in], 64, [%r2];"),
                "mbarrier at shared offset");
  expectFinding(body("add.u32 %r2, %bar, 4;\ncp.async.bulk.shared::cluster.global."
                     "mbarrier::complete_tx::bytes [%box], [%in], 64, [%r2];"),
                "multiple of 8");
  // More bytes are expected than come: nobody can go on.
  expectFinding(body(at(0, 0, kLoad), {64}, {80}), "wait");
}

TEST(BulkFault, Blocks) {
  BulkCase outside = body("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                          "multicast::cluster [%box], [%in], 64, [%bar], %h0;",
                          {5});
  outside.blocks = 2;
  expectFinding(outside, "mask of the multicast is 5, the cluster has 2 blocks");
  std::string remote = "xor.b32 %r3, %rank, 1;\nmapa.shared::cluster.u32 %r1, %box, %r3;\n";
  BulkCase apart = body(remote + "cp.async.bulk.shared::cluster.global."
                                 "mbarrier::complete_tx::bytes [%r1], [%in], 64, [%bar];");
  apart.blocks = 2;
  expectFinding(apart, "must be in the same block");
  BulkCase foreign = body(remote + "cp.async.bulk.shared::cta.global."
                                   "mbarrier::complete_tx::bytes [%r1], [%in], 64, [%bar];");
  foreign.blocks = 2;
  expectFinding(foreign, "shared::cta address must be in the executing block");
}

TEST(BulkFault, TensorMaps) {
  expectFinding(body("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
                     "bytes [%box], [%in, {0, 0}], [%bar];"),
                "no tensor map at this address");
  expectFinding(body("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
                     "bytes [%box], [%in+32, {0, 0}], [%bar];"),
                "tensor map must be aligned");
  expectFinding(body("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::"
                     "bytes [%box], [%map, {0, 0, 0}], [%bar];"),
                "the instruction has 3 dimensions, the tensor map 2");
  expectFinding(body("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx"
                     "::bytes [%box], [%map, {0, 0, 0}], [%bar], {2};"),

                "3 dimensions");
  expectFinding(body("prefetch.tensormap [%in];"), "no tensor map");
}

TEST(BulkFault, Tensors) {
  expectFinding(body(at(64, 0, kTensorLoad), {0, 0, 0}, {256}), "multiple of 128");
  expectFinding(body(at(896, 0, kTensorLoad), {0, 0, 0}, {256}), "outside of the shared memory");
  expectFinding(body(kTensorStore, {0, 0, -1}), "must not be negative, got -1");
  // The map says that there are more rows than were allocated.
  Tensor tall = plain();
  tall.sizes = {64, 12};
  expectFinding(body(at(0, 0, kTensorLoad), {0, 0, 8}, {256}),
                "tensor at 0x.* reaches out of its allocation", tall);
  expectFinding(body(std::string(kTensorStore) + "\ncp.async.bulk.commit_group;\n"
                                                 "cp.async.bulk.wait_group 0;",
                     {0, 0, 8}),
                "reaches out of its allocation", tall);
  Tensor wide = plain();
  wide.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  wide.elementBytes = 8;
  wide.allocate(0);
  expectFinding(body("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%map, "
                     "{0, 0}], [%box];"),
                "elements of type f64 have no such reduction", wide);
}

// What tensormap.replace makes unsound shows where the map is used.
TEST(BulkFault, ChangedMaps) {
  std::string copy;
  for (int i = 0; i < 128; i += 16)
    copy += "ld.param.v4.b32 {%r5, %r6, %r7, %r8}, [map+" + std::to_string(i) +
            "];\nst.global.v4.b32 [%in+" + std::to_string(i) + "], {%r5, %r6, %r7, %r8};\n";
  std::string use = "fence.proxy.tensormap::generic.acquire.gpu [%in], 128;\n"
                    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
                    "bytes [%box], [%in, {0, 0}], [%bar];";
  expectFinding(
      body(copy + "tensormap.replace.tile.box_dim.global.b1024.b32 [%in], 0, %n0;\n" + use, {12}),
      "not sound: boxDim.0. times the element's size must be a multiple of 16");
  expectFinding(
      body(copy + "tensormap.replace.tile.box_dim.global.b1024.b32 [%in], 0, %n0;", {300}),
      "box_dim must be in .1, 256., got 300");
  expectFinding(body("tensormap.replace.tile.rank.global.b1024.b32 [%in], 1;"), "no tensor map");
}
