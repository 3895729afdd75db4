// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, stmatrix and movmatrix against the figure in the PTX ISA, element by element: element
// (g, 2t + h) of a matrix is half h of lane 4g + t; with .trans it is element (2t + h, g).
#include "test/emulator/HandlerStage.h"
#include <gtest/gtest.h>

using namespace heddle::emulator;
using heddle::emulator::test::Level;
using heddle::emulator::test::levels;

namespace {

/// Register 0 holds addresses, 1 to 4 the matrices.
struct Stage : test::Stage {
  Stage() : test::Stage(4) {
    op.more = slots + 1;
    op.target = 4;
    // Rows lie apart and out of order: (7 * lane mod 32) * 48 bytes.
    for (uint32_t lane = 0; lane < 32; ++lane)
      word(0, lane) = kSharedBase + rowOffset(lane);
  }
  static uint32_t rowOffset(uint32_t lane) { return lane * 7 % 32 * 48; }
};

} // namespace

TEST(ExecMatrixAccess, LoadsRowsAndColumns) {
  for (const Level &level : levels()) {
    const HandlerTable &table = level.table;
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
    const HandlerTable &table = level.table;
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
    const HandlerTable &table = level.table;
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

// PTX ISA 9.0, 9.7.14.5.15: 16 rows of 16 bytes, turned: lane 4g + t gets byte g (and g + 8 in the
// second register) of the rows 4t to 4t + 3; m8n16 copies rows; narrow elements get a byte each.
TEST(ExecMatrixAccess, LoadsBytesAndNarrowElements) {
  for (const Level &level : levels())
    for (auto [suffix, bits] : {std::pair{"b8", 8u}, std::pair{"b6", 6u}, std::pair{"b4", 4u}}) {
      Stage stage;
      auto *bytes = reinterpret_cast<uint8_t *>(stage.shared);
      for (uint32_t i = 0; i < Stage::kSharedBytes; ++i)
        bytes[i] = uint8_t(i * 37 + i / 256);
      auto element = [&](uint32_t lane, uint32_t i) { // of the row that the lane points at
        uint32_t value = 0;
        for (uint32_t bit = 0; bit < bits; ++bit) {
          uint32_t at = i * bits + bit;
          value |= uint32_t(bytes[Stage::rowOffset(lane) + at / 8] >> (at % 8) & 1) << bit;
        }
        return value;
      };
      const Instruction *turned = level.table.find(std::string("ldmatrix.m16n16.x2.") + suffix);
      const Instruction *plain = level.table.find(std::string("ldmatrix.m8n16.x4.") + suffix);
      ASSERT_TRUE(turned && plain) << suffix;
      turned->run(stage.warp, stage.op);
      for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t r = 0; r < 4; ++r)
          for (uint32_t j = 0; j < 4; ++j)
            ASSERT_EQ(stage.word(1 + int(r), lane) >> (8 * j) & 0xff,
                      element(r / 2 * 16 + lane % 4 * 4 + j, lane / 4 + r % 2 * 8))
                << level.name << suffix;
      plain->run(stage.warp, stage.op);
      for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t r = 0; r < 4; ++r)
          for (uint32_t j = 0; j < 4; ++j)
            ASSERT_EQ(stage.word(1 + int(r), lane) >> (8 * j) & 0xff,
                      element(r * 8 + lane / 4, lane % 4 * 4 + j))
                << level.name << suffix;
    }
}

// Bytes 0 and 1 of lane 4g + t are element g of the rows 2t and 2t + 1, bytes 2 and 3 element g
// + 8.
TEST(ExecMatrixAccess, StoresBytes) {
  for (const Level &level : levels()) {
    Stage stage;
    for (uint32_t r = 0; r < 4; ++r)
      for (uint32_t lane = 0; lane < 32; ++lane)
        stage.word(1 + int(r), lane) = (r * 32 + lane) * 0x01030507;
    level.table.find("stmatrix.m16n8.x4")->run(stage.warp, stage.op);
    const auto *bytes = reinterpret_cast<const uint8_t *>(stage.shared);
    for (uint32_t r = 0; r < 4; ++r)
      for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t j = 0; j < 4; ++j)
          ASSERT_EQ(bytes[Stage::rowOffset(8 * r + lane % 4 * 2 + j % 2) + lane / 4 + j / 2 * 8],
                    stage.word(1 + int(r), lane) >> (8 * j) & 0xff)
              << level.name;
  }
}
