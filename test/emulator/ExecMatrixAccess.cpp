// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, stmatrix and movmatrix against the figure in the PTX ISA, element by element: element
// (g, 2t + h) of a matrix is half h of lane 4g + t; with .trans it is element (2t + h, g).
#include "runtime/emulator/exec/Handlers.h"
#include "runtime/emulator/exec/Warp.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace heddle::emulator;

namespace {

struct Level {
  const char *name;
  void (*add)(HandlerTable &);
  bool isThere;
};

std::vector<Level> levels() {
  return {{"v2", v2::addTensorHandlers, true},
          {"v3", v3::addTensorHandlers, bool(__builtin_cpu_supports("avx2"))},
          {"v4", v4::addTensorHandlers, bool(__builtin_cpu_supports("avx512vl"))}};
}

/// A warp with shared memory; register 0 holds addresses, 1 to 4 the matrices.
struct Stage {
  static constexpr uint32_t kSharedBytes = 4096;
  alignas(64) uint8_t registers[8 * 128] = {};
  alignas(64) uint16_t shared[kSharedBytes / 2];
  uint32_t predicates[1] = {kAllLanes};
  uint32_t slots[4] = {128, 256, 384, 512};
  Op op;
  LaunchState launch;
  Kernel kernel;
  Block block;
  Warp warp;

  Stage() {
    std::iota(std::begin(shared), std::end(shared), uint16_t(1));
    launch.kernel = &kernel;
    block.launch = &launch;
    block.shared = reinterpret_cast<uint8_t *>(shared);
    block.sharedBytes = kSharedBytes;
    warp.registers = registers;
    warp.predicates = predicates;
    warp.block = &block;
    warp.code = &op;
    warp.active = warp.live = kAllLanes;
    op.more = slots;
    op.target = 4;
    // Rows lie apart and out of order: (7 * lane mod 32) * 48 bytes.
    for (uint32_t lane = 0; lane < 32; ++lane)
      word(0, lane) = kSharedBase + rowOffset(lane);
  }
  static uint32_t rowOffset(uint32_t lane) { return lane * 7 % 32 * 48; }
  uint32_t &word(int r, uint32_t lane) {
    return reinterpret_cast<uint32_t *>(registers)[r * 32 + lane];
  }
};

} // namespace

TEST(ExecMatrixAccess, LoadsRowsAndColumns) {
  for (const Level &level : levels()) {
    if (!level.isThere)
      continue;
    HandlerTable table;
    level.add(table);
    for (auto [name, count, isTurned] :
         {std::tuple{"ldmatrix.x1", 1u, false}, std::tuple{"ldmatrix.x2", 2u, false},
          std::tuple{"ldmatrix.x4", 4u, false}, std::tuple{"ldmatrix.x1.trans", 1u, true},
          std::tuple{"ldmatrix.x2.trans", 2u, true}, std::tuple{"ldmatrix.x4.trans", 4u, true}}) {
      Stage stage;
      // Lanes that give no address may hold anything.
      for (uint32_t lane = 8 * count; lane < 32; ++lane)
        stage.word(0, lane) = ~0u;
      table.find(name)->run(stage.warp, stage.op);
      ASSERT_EQ(stage.warp.stop, Stop::kNone);
      for (uint32_t m = 0; m < 4; ++m)
        for (uint32_t lane = 0; lane < 32; ++lane)
          for (uint32_t h = 0; h < 2; ++h) {
            uint32_t g = lane / 4, k = lane % 4 * 2 + h;
            uint32_t row = isTurned ? k : g, column = isTurned ? g : k;
            uint32_t expected =
                m < count ? stage.shared[Stage::rowOffset(8 * m + row) / 2 + column] : 0;
            ASSERT_EQ(stage.word(1 + m, lane) >> (16 * h) & 0xffff, expected)
                << level.name << " " << name << " matrix " << m << " lane " << lane;
          }
    }
  }
}

TEST(ExecMatrixAccess, StoresWhatALoadBringsBack) {
  for (const Level &level : levels()) {
    if (!level.isThere)
      continue;
    HandlerTable table;
    level.add(table);
    for (const char *suffix : {"x4", "x4.trans"}) {
      Stage stage;
      uint16_t before[Stage::kSharedBytes / 2];
      std::copy(std::begin(stage.shared), std::end(stage.shared), before);
      table.find(std::string("ldmatrix.") + suffix)->run(stage.warp, stage.op);
      std::fill(std::begin(stage.shared), std::end(stage.shared), uint16_t(0));
      table.find(std::string("stmatrix.") + suffix)->run(stage.warp, stage.op);
      for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t i = 0; i < 8; ++i) {
          uint32_t at = Stage::rowOffset(lane) / 2 + i;
          ASSERT_EQ(stage.shared[at], before[at]) << level.name << " " << suffix;
        }
      ASSERT_EQ(stage.shared[8], 0) << "bytes between the rows are not written";
    }
  }
}

TEST(ExecMatrixAccess, MovmatrixTurns) {
  for (const Level &level : levels()) {
    if (!level.isThere)
      continue;
    HandlerTable table;
    level.add(table);
    Stage stage;
    stage.op.a = 128;
    stage.op.d = 256;
    for (uint32_t lane = 0; lane < 32; ++lane)
      stage.word(1, lane) = (2 * lane + 1) << 16 | 2 * lane; // element (g, k) is 8g + k
    table.find("movmatrix.sync.aligned.m8n8.trans.b16")->run(stage.warp, stage.op);
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t h = 0; h < 2; ++h)
        ASSERT_EQ(stage.word(2, lane) >> (16 * h) & 0xffff, 8 * (lane % 4 * 2 + h) + lane / 4);
  }
}

TEST(ExecMatrixAccess, MissingLanesAndBadRowsAreFaults) {
  HandlerTable table;
  v2::addTensorHandlers(table);
  Stage diverged;
  diverged.warp.active = 0xffff;
  table.find("ldmatrix.x4")->run(diverged.warp, diverged.op);
  EXPECT_EQ(diverged.warp.stop, Stop::kFault);

  Stage outside;
  outside.word(0, 9) = kSharedBase + Stage::kSharedBytes - 8;
  table.find("ldmatrix.x4")->run(outside.warp, outside.op);
  EXPECT_EQ(outside.warp.stop, Stop::kFault);

  Stage misaligned;
  misaligned.word(0, 3) += 8;
  table.find("ldmatrix.x1")->run(misaligned.warp, misaligned.op);
  EXPECT_EQ(misaligned.warp.stop, Stop::kFault);
}
