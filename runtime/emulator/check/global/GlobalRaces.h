// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races between blocks in global memory (HEDDLE_EMU_CHECK=global-race): two blocks touch a byte,
// one of them writes, not both are atomic or otherwise strong, and no chain of release and acquire
// is between them. Blocks of one cluster count as one. The launch then runs on one thread, so that
// what is noted and what happens are in the same order.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_GLOBAL_GLOBALRACES_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_GLOBAL_GLOBALRACES_H

#include "runtime/emulator/exec/Warp.h"
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace heddle::emulator {

class GlobalRaces {
public:
  /// False: a fault was reported. `laneBytes`: lanes that follow touch what follows; 0: one lane.
  bool note(Warp &warp, const Op &op, Use use, bool isStrong, uint32_t lane, uint32_t laneBytes,
            uint64_t at, uint32_t bytes);
  /// A strong access: what lies before a fence or a release is before what lies behind the other
  /// side's fence or acquire.
  void order(Warp &warp, Use use, uint64_t place, bool isAcquire, bool isRelease);
  void fence(Warp &warp);
  /// Writes that looked like a race may have left what was there. False: a fault was reported.
  bool settle();

private:
  using Clock = std::map<uint32_t, uint32_t>; ///< agent -> time that is known
  struct Party {
    uint32_t agent = 0; ///< 1 + number of the cluster; 0: nobody
    uint32_t time = 0;
    uint32_t line = 0, block = 0;
    uint16_t warp = 0;
    uint8_t lane = 0;
    bool isStrong = false;
  };
  struct Byte {
    Party writer, readers[2];
  };
  static constexpr uint64_t kPage = 512;
  struct Page {
    Byte bytes[kPage];
  };
  struct Agent {
    uint32_t time = 1;
    Clock known, fenced, pending;
  };
  struct Suspect {
    Warp *warp;
    const Op *op;
    uint32_t lane;
    uint64_t at;
    uint8_t before;
    std::string text;
  };

  static uint32_t agentOf(const Warp &warp);
  bool isBefore(const Party &party, uint32_t agent);
  bool noteByte(Byte &byte, const Party &now, Use use, Warp &warp, const Op &op, uint64_t at);
  bool report(Warp &warp, const Op &op, Use use, const Party &now, const Party &other,
              bool otherWrites, uint64_t at);
  static void join(Clock &to, const Clock &from);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  std::unordered_map<uint32_t, Agent> agents;
  std::unordered_map<uint64_t, Clock> places;
  std::vector<Suspect> suspects;
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_GLOBAL_GLOBALRACES_H
