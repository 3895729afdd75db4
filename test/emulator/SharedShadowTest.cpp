// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which accesses of shared memory race: hand-written sequences, each with its sound twin.
#include "runtime/emulator/check/AsyncGroups.h"
#include "runtime/emulator/exec/Op.h"
#include <gtest/gtest.h>

using namespace heddle::emulator;
using Kind = SharedShadow::Kind;
using Verdict = SharedShadow::Verdict;

namespace {

/// One block with its orders.
struct Block : Orders {
  AsyncGroups async{*this};
  SharedShadow shadow;
  SharedConflict conflict;

  explicit Block(uint32_t warps) : Orders(1, warps), shadow(256, 0, *this, async) {}
  Verdict access(Kind kind, uint32_t warp, uint32_t offset, uint32_t bytes = 4, uint32_t line = 1) {
    SharedAccess who;
    who.warp = warp;
    who.line = line;
    who.isStrong = kind == Kind::kAtomic;
    return shadow.note(kind, offset, bytes, who, conflict);
  }
  void startBlock() {
    Orders::start();
    shadow.startBlock();
  }
  void arrive(uint32_t barrier, uint32_t warp) { Orders::arrive(0, barrier, warp); }
  void release(uint32_t barrier, uint32_t warp) { Orders::leave(0, barrier, warp); }
  void clearBarrier(uint32_t barrier) { Orders::clearBarrier(0, barrier); }
  /// bar.sync among some warps.
  void meet(std::initializer_list<uint32_t> who, uint32_t barrier = 0) {
    for (uint32_t warp : who)
      arrive(barrier, warp);
    for (uint32_t warp : who)
      release(barrier, warp);
    clearBarrier(barrier);
  }
  /// A piece of asynchronous work of a warp touches 16 bytes.
  Verdict work(AsyncKind kind, Kind use, uint32_t warp, uint32_t offset, uint32_t &record) {
    record = async.issue(kind, warp, *static_cast<Warp *>(nullptr), op, 1);
    return more(record, use, offset);
  }
  Verdict more(uint32_t record, Kind use, uint32_t offset) {
    const AsyncPiece &piece = *async.find(record);
    SharedAccess who;
    who.warp = piece.agentOfWarp;
    who.laneBytes = 0;
    who.isAsync = true;
    who.isAsyncProxy = piece.kind != AsyncKind::kCopy;
    who.isByRecord = piece.kind == AsyncKind::kBulkLoad;
    who.agent = piece.agent;
    who.time = who.isByRecord ? record : piece.time;
    return shadow.note(use, offset, 16, who, conflict);
  }
  Op op;
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

// PTX ISA 9.0, 9.7.9.25.3: cp.async is complete for a thread behind wait_group, for others behind a
// barrier after that.
TEST(SharedShadow, CopiesAreSeenBehindTheirWait) {
  Block block(2);
  uint32_t first, second;
  EXPECT_EQ(block.work(AsyncKind::kCopy, Kind::kWrite, 0, 0, first), Verdict::kFine);
  block.async.commit(AsyncKind::kCopy, 0, ~0u);
  EXPECT_EQ(block.work(AsyncKind::kCopy, Kind::kWrite, 0, 16, second), Verdict::kFine);
  block.async.commit(AsyncKind::kCopy, 0, ~0u);
  EXPECT_EQ(block.access(Kind::kRead, 0, 0, 16), Verdict::kInFlight);
  block.async.wait(AsyncKind::kCopy, 0, 0, ~0u, 1);
  EXPECT_EQ(block.access(Kind::kRead, 0, 0, 16), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kRead, 0, 16, 16), Verdict::kInFlight) << "one group is left";
  EXPECT_EQ(block.access(Kind::kRead, 1, 0, 16), Verdict::kInFlight) << "no barrier";
  block.meet({0, 1});
  EXPECT_EQ(block.access(Kind::kRead, 1, 0, 16), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kRead, 1, 16, 16), Verdict::kInFlight);
  const char *missing = nullptr;
  EXPECT_NE(block.async.findForgotten(missing), nullptr);
  EXPECT_STREQ(missing, "wait_group");
  block.async.wait(AsyncKind::kCopy, 0, 0, ~0u, 0);
  EXPECT_EQ(block.async.findForgotten(missing), nullptr);
}

// A stage must not be loaded again while others may still read it.
TEST(SharedShadow, StageIsReusedAfterItsReaders) {
  Block block(2);
  uint32_t record;
  block.access(Kind::kWrite, 0, 0, 16);
  block.meet({0, 1});
  block.access(Kind::kRead, 1, 0, 16, 31);
  EXPECT_EQ(block.work(AsyncKind::kCopy, Kind::kWrite, 0, 0, record), Verdict::kRace);
  EXPECT_EQ(block.conflict.other.line, 31u);
  block.meet({0, 1});
  EXPECT_EQ(block.work(AsyncKind::kCopy, Kind::kWrite, 0, 16, record), Verdict::kFine);
}

// Each mbarrier reports its own loads alone.
TEST(SharedShadow, BulkLoadsEndWithTheirMbarrier) {
  Block block(2);
  uint32_t one = block.addAgent(), other = block.addAgent(), first, second;
  EXPECT_EQ(block.work(AsyncKind::kBulkLoad, Kind::kWrite, 0, 0, first), Verdict::kFine);
  block.async.signal(first, 0, {one, 1});
  EXPECT_EQ(block.work(AsyncKind::kBulkLoad, Kind::kWrite, 0, 16, second), Verdict::kFine);
  block.async.signal(second, 0, {other, 1});
  EXPECT_EQ(block.access(Kind::kRead, 1, 0, 16), Verdict::kInFlight);
  block.learn(1, other, 1);
  EXPECT_EQ(block.access(Kind::kRead, 1, 0, 16), Verdict::kInFlight);
  EXPECT_EQ(block.access(Kind::kRead, 1, 16, 16), Verdict::kFine);
  block.learn(1, one, 1);
  EXPECT_EQ(block.access(Kind::kRead, 1, 0, 16), Verdict::kFine);
}

// What a bulk store still reads may not be written: cp.async.bulk.wait_group.read comes first.
TEST(SharedShadow, SourcesOfStoresStayAsTheyAre) {
  Block block(1);
  uint32_t record;
  block.access(Kind::kWrite, 0, 0, 16);
  EXPECT_EQ(block.work(AsyncKind::kBulkStore, Kind::kRead, 0, 0, record), Verdict::kUnseen);
  block.proxyFence(0);
  EXPECT_EQ(block.work(AsyncKind::kBulkStore, Kind::kRead, 0, 0, record), Verdict::kFine);
  block.async.commit(AsyncKind::kBulkStore, 0, 1);
  EXPECT_EQ(block.access(Kind::kRead, 0, 0, 16), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kWrite, 0, 0, 16), Verdict::kInFlight);

  Block sound(1);
  sound.access(Kind::kWrite, 0, 0, 16);
  sound.proxyFence(0);
  sound.work(AsyncKind::kBulkStore, Kind::kRead, 0, 0, record);
  sound.async.commit(AsyncKind::kBulkStore, 0, 1);
  sound.async.wait(AsyncKind::kBulkStore, 0, 0, 1, 0);
  EXPECT_EQ(sound.access(Kind::kWrite, 0, 0, 16), Verdict::kFine);
  EXPECT_EQ(sound.work(AsyncKind::kBulkStore, Kind::kRead, 0, 0, record), Verdict::kUnseen)
      << "written after the fence";
}

// The fence may stand before the barrier, on the writer's side, or behind it, on the reader's.
TEST(SharedShadow, ProxyFencesOfEitherSide) {
  for (bool isWriters : {true, false}) {
    Block block(2);
    uint32_t record;
    block.access(Kind::kWrite, 0, 0, 16);
    if (isWriters)
      block.proxyFence(0);
    block.meet({0, 1});
    if (!isWriters)
      block.proxyFence(1);
    EXPECT_EQ(block.work(AsyncKind::kWgmma, Kind::kRead, 1, 0, record), Verdict::kFine);
  }
  Block block(2);
  uint32_t record;
  block.access(Kind::kWrite, 0, 0, 16);
  block.meet({0, 1});
  EXPECT_EQ(block.work(AsyncKind::kWgmma, Kind::kRead, 1, 0, record), Verdict::kUnseen);
}

// A release store and an acquire load of a flag order like a barrier; relaxed ones need fences.
TEST(SharedShadow, FlagsOrder) {
  for (bool isFenced : {true, false}) {
    Block block(2);
    block.access(Kind::kWrite, 0, 0);
    if (isFenced)
      block.memoryFence(0);
    block.releaseAt(0, 4096, false);
    block.acquireAt(1, 4096, false);
    if (isFenced)
      block.memoryFence(1);
    EXPECT_EQ(block.access(Kind::kRead, 1, 0), isFenced ? Verdict::kFine : Verdict::kRace);
  }
  Block block(2);
  block.access(Kind::kWrite, 0, 0);
  block.releaseAt(0, 4096, true);
  block.acquireAt(1, 4096, true);
  EXPECT_EQ(block.access(Kind::kRead, 1, 0), Verdict::kFine);
}

// Words of a piece that was written as a whole keep its writer, and its lanes.
TEST(SharedShadow, PiecesComeApart) {
  Block block(2);
  SharedAccess who;
  who.warp = 0;
  who.lane = 8;
  who.line = 5;
  who.laneBytes = 4;
  block.shadow.note(Kind::kWrite, 0, 64, who, block.conflict);
  EXPECT_EQ(block.access(Kind::kRead, 1, 24), Verdict::kRace);
  EXPECT_EQ(block.conflict.other.lane, 14u);
  EXPECT_EQ(block.access(Kind::kRead, 1, 32, 16), Verdict::kRace);
  EXPECT_EQ(block.conflict.other.lane, 16u);
  block.meet({0, 1});
  EXPECT_EQ(block.access(Kind::kWrite, 1, 16, 16), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kRead, 1, 24), Verdict::kFine);
  EXPECT_EQ(block.access(Kind::kRead, 0, 24), Verdict::kRace);
}
