// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which accesses of shared memory race: hand-written sequences, each with its sound twin.
#include "runtime/emulator/check/SharedShadow.h"
#include <gtest/gtest.h>

using namespace heddle::emulator;
using Kind = SharedShadow::Kind;
using Verdict = SharedShadow::Verdict;

namespace {

struct Block : SharedShadow {
  SharedConflict conflict;

  explicit Block(uint32_t warps) : SharedShadow(256, warps) {}
  Verdict access(Kind kind, uint32_t warp, uint32_t offset, uint32_t bytes = 4, uint32_t line = 1) {
    return note(kind, offset, bytes, {warp, 0, line}, conflict);
  }
  /// bar.sync among some warps.
  void meet(std::initializer_list<uint32_t> who, uint32_t barrier = 0) {
    for (uint32_t warp : who)
      arrive(barrier, warp);
    for (uint32_t warp : who)
      release(barrier, warp);
    clearBarrier(barrier);
  }
};

} // namespace

TEST(SharedShadow, WriteThenReadNeedsABarrier) {
  Block block(2);
  EXPECT_EQ(block.access(Kind::kWrite, 0, 16, 4, 7), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kRead, 1, 16, 4, 9), Verdict::kRace);
  EXPECT_EQ(block.conflict.offset, 16u);
  EXPECT_EQ(block.conflict.other.warp, 0u);
  EXPECT_EQ(block.conflict.other.line, 7u);
  EXPECT_TRUE(block.conflict.otherWrites);

  Block sound(2);
  sound.access(Kind::kWrite, 0, 16);
  sound.meet({0, 1});
  EXPECT_EQ(sound.access(Kind::kRead, 1, 16), Verdict::kFine);
}

TEST(SharedShadow, ReadThenWriteNeedsABarrier) {
  Block block(3);
  block.access(Kind::kWrite, 0, 0);
  block.meet({0, 1, 2});
  EXPECT_EQ(block.access(Kind::kRead, 1, 0, 4, 11), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kRead, 2, 0, 4, 12), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kWrite, 0, 0), Verdict::kRace);
  EXPECT_FALSE(block.conflict.otherWrites);
  EXPECT_EQ(block.conflict.other.line, 11u);
  block.meet({0, 1, 2});
  EXPECT_EQ(block.access(Kind::kWrite, 0, 0), Verdict::kFine);
}

TEST(SharedShadow, TwoWritersRaceAndOneDoesNot) {
  Block block(2);
  block.access(Kind::kWrite, 0, 8);
  EXPECT_EQ(block.access(Kind::kWrite, 0, 8), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kWrite, 1, 8), Verdict::kRace);
}

// Neighbouring bytes of one word belong to different warps.
TEST(SharedShadow, BytesOfAWordAreApart) {
  Block block(2);
  EXPECT_EQ(block.access(Kind::kWrite, 0, 0, 2), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kWrite, 1, 2, 2), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kWrite, 1, 1, 1), Verdict::kFine) << "warp 1 is the last writer";
  EXPECT_EQ(block.access(Kind::kRead, 0, 3, 1), Verdict::kRace);
}

TEST(SharedShadow, AtomicsDoNotRaceWithEachOther) {
  Block block(2);
  block.access(Kind::kWrite, 0, 0);
  block.meet({0, 1});
  EXPECT_EQ(block.access(Kind::kAtomic, 0, 0), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kAtomic, 1, 0), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kRead, 0, 0), Verdict::kRace);
}

TEST(SharedShadow, ReadsOfWhatNobodyWrote) {
  Block block(1);
  EXPECT_EQ(block.access(Kind::kRead, 0, 4), Verdict::kUninitialised);
  block.access(Kind::kWrite, 0, 4, 2);
  EXPECT_EQ(block.access(Kind::kRead, 0, 4, 2), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kRead, 0, 4, 4), Verdict::kUninitialised);
  EXPECT_EQ(block.access(Kind::kAtomic, 0, 12), Verdict::kUninitialised);
  block.startBlock();
  EXPECT_EQ(block.access(Kind::kRead, 0, 4, 2), Verdict::kUninitialised);
}

// A wide access is judged by its worst word.
TEST(SharedShadow, WideAccessesSeeEveryWord) {
  Block block(2);
  block.access(Kind::kWrite, 0, 0, 16);
  block.meet({0, 1});
  block.access(Kind::kWrite, 0, 12);
  EXPECT_EQ(block.access(Kind::kRead, 1, 0, 16), Verdict::kRace);
  EXPECT_EQ(block.conflict.offset, 12u);
}

// A producer arrives and goes on, consumers wait: only they are ordered after it.
TEST(SharedShadow, ArrivalOrdersOneWay) {
  Block block(2);
  block.access(Kind::kWrite, 0, 0);
  block.arrive(1, 0);
  block.access(Kind::kWrite, 0, 4);
  block.arrive(1, 1);
  block.release(1, 1);
  block.clearBarrier(1);
  EXPECT_EQ(block.access(Kind::kRead, 1, 0), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kRead, 1, 4), Verdict::kRace) << "written after the arrival";
  EXPECT_EQ(block.access(Kind::kWrite, 0, 0), Verdict::kRace) << "the producer did not wait";
}

// A barrier of two warps orders no third one, and order passes from barrier to barrier.
TEST(SharedShadow, NamedBarriersOrderTheirWarps) {
  Block block(3);
  block.access(Kind::kWrite, 0, 0);
  block.meet({0, 1}, 3);
  EXPECT_EQ(block.access(Kind::kRead, 1, 0), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kRead, 2, 0), Verdict::kRace);

  Block chain(3);
  chain.access(Kind::kWrite, 0, 0);
  chain.meet({0, 1}, 3);
  chain.meet({1, 2}, 4);
  EXPECT_EQ(chain.access(Kind::kRead, 2, 0), Verdict::kFine);
}
