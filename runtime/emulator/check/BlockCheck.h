// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks that are off unless HEDDLE_EMU_CHECK asks for them, for one block. Handlers report
// their accesses through noteAccess (exec/Warp.h) and check/AsyncNotes.h; what is wrong becomes a
// finding with both parties named.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_BLOCKCHECK_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_BLOCKCHECK_H

#include "runtime/emulator/check/CheckOptions.h"
#include "runtime/emulator/check/ClusterCheck.h"
#include "runtime/emulator/check/global/WrittenMarks.h"
#include "runtime/emulator/exec/Cluster.h"
#include <memory>

namespace heddle::emulator {

/// What one worker remembers of a block that it runs.
class BlockCheck {
public:
  BlockCheck(const Block &block, uint32_t warps);

  void startBlock();
  /// False: a fault was reported.
  bool note(Warp &warp, const Op &op, Use use, uint32_t mask, uint32_t bytes, const uint64_t *at);
  /// Bytes in a row; `access` says by whom. False: a fault was reported.
  bool noteShared(Warp &warp, const Op &op, Use use, uint32_t offset, uint32_t bytes,
                  const SharedAccess &access);
  /// 16 bytes a lane, in the block's own shared memory. False: a fault was reported.
  bool noteRows(Warp &warp, const Op &op, Use use, uint32_t mask, const uint64_t *at,
                SharedAccess access);
  bool noteGlobal(Warp &warp, const Op &op, Use use, uint32_t lane, uint32_t laneBytes,
                  uint32_t bytes, uint64_t at);
  /// Looks whether writes that looked like a race changed anything. False: a fault was reported.
  bool settle();

  void arrive(uint32_t barrier, uint32_t warp) {
    group->orders.arrive(block.rank, barrier, agentOf(warp));
  }
  void release(uint32_t barrier, uint32_t warp) {
    group->orders.leave(block.rank, barrier, agentOf(warp));
  }
  void clearBarrier(uint32_t barrier) { group->orders.clearBarrier(block.rank, barrier); }

  /// With "race-lanes" lanes of a warp are ordered by bar.warp.sync and barriers alone.
  void syncLanes(uint32_t warp) {
    if (CheckOptions::get().laneRaces)
      group->orders.tick(agentOf(warp));
  }

  uint32_t agentOf(uint32_t warp) const { return block.rank * warps + warp; }
  SharedAccess accessOf(const Warp &warp, const Op &op, uint32_t lane, uint32_t laneBytes) const;
  ClusterCheck &cluster() { return *group; }
  SharedShadow &shadowWords() { return *shadow; }

private:
  bool noteRun(Warp &warp, const Op &op, Use use, uint32_t lane, uint32_t laneBytes, uint32_t bytes,
               uint64_t at);
  bool isOwnShared(uint32_t mask, const uint64_t *at) const;
  void noteOrder(Warp &warp, const Op &op, Use use, uint32_t mask, const uint64_t *at);
  bool judge(Warp &warp, const Op &op, Use use, uint32_t offset, const SharedAccess &access,
             uint32_t bytes, SharedShadow::Verdict verdict, const SharedConflict &conflict);
  std::string partyText(const SharedConflict &conflict, uint32_t agent) const;
  bool isWaitedFor(const SharedConflict &conflict) const;
  std::string workText(const SharedConflict &conflict) const;
  std::string placeText(const char *what, uint32_t bytes, uint32_t offset) const;
  std::string variableText(uint32_t offset) const;

  /// Two warps may write the same value to one place: such a write is judged after it happened.
  struct Suspect {
    Warp *warp;
    const Op *op;
    uint32_t lane, laneBytes, offset;
    std::vector<uint8_t> before;
    SharedConflict conflict;
  };
  const Block &block;
  uint32_t warps;
  const bool looksAtGlobal = CheckOptions::get().initialised || CheckOptions::get().globalRaces;
  const bool looksAtMarksOnly = CheckOptions::get().initialised && !CheckOptions::get().globalRaces;
  std::shared_ptr<ClusterCheck> group;
  std::unique_ptr<SharedShadow> shadow;
  std::vector<Suspect> suspects;
  WrittenMarks marks;
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_BLOCKCHECK_H
