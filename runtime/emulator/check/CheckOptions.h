// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which checks HEDDLE_EMU_CHECK asks for.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_CHECKOPTIONS_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_CHECKOPTIONS_H

namespace heddle::emulator {

/// HEDDLE_EMU_CHECK: "all", or a list of the names below. Bounds and alignment ("mem"), deadlocks
/// and misuse of mbarriers are found always.
struct CheckOptions {
  bool initialised = false; ///< "init": global and shared memory and registers that nobody wrote
  bool races = false;       ///< "race": shared memory of a block or cluster
  bool sync = false;        ///< "sync": barriers that not everybody comes to
  bool async = false;       ///< "async": waits, commits, proxy fences, wgmma's registers
  bool laneRaces = false; ///< "race-lanes": also lanes of one warp without bar.warp.sync; not part
                          ///< of "all"
  bool globalRaces = false; ///< "global-race": between blocks; not part of "all"

  static const CheckOptions &get();
  bool any() const { return initialised || races || sync || async || globalRaces; }
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_CHECKOPTIONS_H
