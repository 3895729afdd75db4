// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remembers who wrote and read each word of a block's shared memory, to find races between warps
// and reads of memory that nobody wrote.
//
// Order comes from barriers alone: each warp has a vector clock, a barrier joins the clocks of the
// warps that arrive and gives the result to those that wait. Two accesses race when neither is
// before the other by these clocks, they touch a common byte, one of them writes and not both are
// atomic. Lanes of one warp are taken as ordered. A word remembers its last writer and three
// readers; with more readers at once a race may stay unseen, but none is invented.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_SHAREDSHADOW_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_SHAREDSHADOW_H

#include <cstdint>
#include <vector>

namespace heddle::emulator {

/// One lane's part of an instruction.
struct SharedAccess {
  uint32_t warp = 0;
  uint32_t lane = 0;
  uint32_t line = 0;
};

struct SharedConflict {
  uint32_t offset = 0; ///< of the word, from the start of the block's shared memory
  SharedAccess other;
  bool otherWrites = false;
};

class SharedShadow {
public:
  static constexpr uint32_t kBarriers = 16;

  SharedShadow(uint32_t bytes, uint32_t warps);

  /// Forgets everything: another block begins.
  void startBlock();

  enum class Verdict : uint8_t { kFine, kUninitialised, kRace };
  enum class Kind : uint8_t { kRead, kWrite, kAtomic };

  /// Notes an access of `bytes` at `offset`, which lie inside of the memory. What is wrong with it
  /// is described in `conflict`.
  Verdict note(Kind kind, uint32_t offset, uint32_t bytes, const SharedAccess &access,
               SharedConflict &conflict);

  /// The warp arrives at a barrier; what it did so far is before whatever waits there does next.
  void arrive(uint32_t barrier, uint32_t warp);
  /// The barrier lets a warp go that waited.
  void release(uint32_t barrier, uint32_t warp);
  /// All warps that waited have been let go: the barrier is as new.
  void clearBarrier(uint32_t barrier);

private:
  struct Party {
    uint32_t time = 0; ///< 0: nobody
    uint32_t line = 0;
    uint16_t warp = 0;
    uint8_t lane = 0;
    uint8_t mask = 0; ///< bytes of the word
  };
  static constexpr uint32_t kReaders = 3;
  struct Word {
    Party writer;
    Party readers[kReaders];
    uint32_t seenTime = 0; ///< of the read that was judged last; 0: none since the last write
    uint16_t seenWarp = 0;
    uint8_t seenMask = 0;
    uint8_t written = 0; ///< bytes that have a value
    bool writerIsAtomic = false;
  };

  bool isBefore(const Party &party, uint32_t warp) const {
    return party.time == 0 || party.warp == warp || clock(warp, party.warp) >= party.time;
  }
  uint32_t clock(uint32_t warp, uint32_t of) const { return clocks[warp * warps + of]; }
  Verdict noteWord(Kind kind, Word &word, uint8_t mask, const SharedAccess &access,
                   SharedConflict &conflict);

  uint32_t warps;
  std::vector<Word> words;
  std::vector<uint32_t> clocks;        ///< warp after warp
  std::vector<uint32_t> barrierClocks; ///< barrier after barrier
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_SHAREDSHADOW_H
