// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remembers who wrote and read each piece of a block's shared memory, to find races between warps,
// touches of memory that asynchronous work still uses, what a proxy cannot see yet, and reads of
// memory that nobody wrote.
//
// Two accesses race when neither is before the other (check/Orders.h), they touch a common byte,
// one of them writes and not both are strong (atomic, volatile, relaxed, acquire, release). Lanes
// of one warp are taken as ordered. Pieces are 16 bytes, which fast kernels move at once; where a
// piece is touched in parts it is four words. A piece remembers its last writer and four readers;
// with more readers at once a race may stay unseen, but none is invented.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_SHAREDSHADOW_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_SHAREDSHADOW_H

#include "runtime/emulator/check/Orders.h"

namespace heddle::emulator {

/// When work that an mbarrier reports is done, as that mbarrier's agent and phase; 0: not known.
struct Completion {
  static constexpr uint32_t kLongAgo = ~0u;
  uint32_t agent = 0, phase = 0;
};
/// Where the completion of bulk loads is looked up.
class BulkLoads {
public:
  virtual ~BulkLoads() = default;
  virtual Completion completionOf(uint32_t record, uint32_t rank) const = 0;
  /// The warp that issued work: of a record, or of an agent.
  virtual uint32_t issuerOf(uint32_t record) const = 0;
  virtual uint32_t issuerOfAgent(uint32_t agent, uint32_t otherwise) const = 0;
};

struct SharedAccess {
  uint32_t warp = 0; ///< agent
  uint32_t lane = 0;
  uint32_t line = 0;
  uint32_t laneBytes = 16; ///< lanes that follow touch what follows, so many each; 0: one lane
  bool isStrong = false;
  // Of asynchronous work: its agent and time, or a record whose completion comes with an mbarrier.
  bool isAsync = false, isAsyncProxy = false, isByRecord = false;
  uint32_t agent = 0, time = 0;
};

struct SharedConflict {
  uint32_t offset = 0; ///< of the word, from the start of the block's shared memory
  SharedAccess other;
  bool otherWrites = false;
};

class SharedShadow {
public:
  /// Of the block `rank`.
  SharedShadow(uint32_t bytes, uint32_t rank, const Orders &orders, const BulkLoads &loads,
               bool looksAtLanes = false);

  /// Forgets everything: another block begins.
  void startBlock();

  enum class Verdict : uint8_t {
    kFine,
    kUninitialised,
    kUnseen,   ///< the asynchronous proxy may not see what was written
    kInFlight, ///< asynchronous work still uses it
    kMbarrier, ///< a live mbarrier is there
    kRace
  };
  enum class Kind : uint8_t { kRead, kWrite, kAtomic };

  /// Notes an access of `bytes` at `offset`, which lie inside of the memory. What is wrong with it
  /// is described in `conflict`.
  Verdict note(Kind kind, uint32_t offset, uint32_t bytes, const SharedAccess &access,
               SharedConflict &conflict);
  /// The same for lanes of a warp that touch 16 bytes each, at offsets that are multiples of 16:
  /// at[lane] - base. Lanes are taken off `mask` as they are noted; it stops at the first one with
  /// which something is wrong, and `access` says which that is.
  Verdict noteRows(Kind kind, uint32_t &mask, const uint64_t *at, uint64_t base,
                   SharedAccess &access, SharedConflict &conflict);
  /// 8 bytes are a live mbarrier or are one no more.
  void setMbarrier(uint32_t offset, bool isLive);
  bool isMbarrier(uint32_t offset) const {
    return granules[offset / kGranule].mbarriers >> (offset / 8 % 2) & 1;
  }

private:
  static constexpr uint32_t kGranule = 16, kReaders = 4, kWhole = 15;
  enum Flag : uint8_t { kStrong = 1, kAsync = 2, kAsyncProxy = 4, kByRecord = 8 };
  struct Party {
    uint32_t time = 0;  ///< 0: nobody; or the record
    uint32_t where = 0; ///< line, warp in its block, lane, logarithm of the bytes of a lane
    uint16_t agent = 0; ///< the warp; of work: who completes it
    uint8_t mask = 0;   ///< bytes of a word; all four: all of it
    uint8_t flags = 0;
  };
  /// 16 or 4 bytes: a cache line. Readers are filled from the front, a write empties them.
  struct alignas(64) Cell {
    Party writer;
    Party readers[kReaders];
    uint8_t written = 0;   ///< bytes that have a value, as Party::mask
    uint8_t mbarriers = 0; ///< of a granule: bit 0 and 1 for its halves
    uint16_t words = 0;    ///< of a granule: 1 + index of its words; 0: touched as a whole only
  };
  static_assert(sizeof(Cell) == 64);
  struct Words {
    Cell cells[4];
  };
  /// What is the same for all pieces of an access.
  struct Looker {
    const uint32_t *times;
    uint32_t warp;
    Kind kind;
    const SharedAccess &access;
    Party party;
    uint32_t tail; ///< agent, mask and flags of the party
  };

  Looker lookerOf(Kind kind, const SharedAccess &access) const;
  bool isBefore(Party &party, const Looker &looker) const;
  bool isVisible(const Party &party, uint32_t warp) const;
  bool isOfOtherLane(const Party &party, const Looker &looker, uint32_t bytes) const;
  static bool isSurelyBefore(const Party &party, const Looker &looker) {
    return !(party.flags & kByRecord) &&
           (party.agent == looker.warp || looker.times[party.agent] >= party.time);
  }
  static void put(Party &party, const Looker &looker, uint32_t where);
  bool isPlainRead(Cell &cell, const Looker &looker, uint32_t where) const;
  bool isPlainWrite(Cell &cell, const Looker &looker, uint32_t where) const;
  Verdict noteCell(Cell &cell, uint32_t cellBytes, uint8_t mask, const Looker &looker,
                   SharedConflict &conflict);
  void noteRead(Cell &cell, const Party &now, const Looker &looker);
  void noteWords(Cell &granule, uint32_t in, uint32_t count, Looker &looker, uint32_t at,
                 Verdict &worst, SharedConflict &conflict);
  void split(Cell &granule);
  void unite(Cell &granule);
  static Party movedBy(Party party, uint32_t bytes);
  void describe(const Party &party, bool writes, SharedConflict &conflict) const;

  uint32_t rank;
  const Orders &orders;
  const BulkLoads &loads;
  const bool looksAtLanes; ///< lanes of a warp are not taken as ordered
  std::vector<Cell> granules;
  std::vector<Words> words;
  std::vector<uint32_t> freeWords;
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_SHAREDSHADOW_H
