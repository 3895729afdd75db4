// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarrier objects: 8 bytes of shared memory that hold the phase, the arrivals that are expected
// and pending, and the bytes that asynchronous copies still have to bring (PTX ISA, 9.7.13.15).
#ifndef HEDDLE_RUNTIME_EMULATOR_ASYNC_MBARRIER_H
#define HEDDLE_RUNTIME_EMULATOR_ASYNC_MBARRIER_H

#include "runtime/emulator/exec/Cluster.h"

namespace heddle::emulator {

/// The 64 bits: pending arrivals 0-19, expected 20-39, tx-count 40-61 (signed), phase 62; bit 63 is
/// clear, so that fresh memory is none.
struct MbarrierState {
  uint32_t pending = 0, expected = 0;
  int32_t tx = 0;
  uint32_t phase = 0;
  static constexpr uint32_t kMaxCount = (1u << 20) - 1;

  uint64_t pack() const;
  static MbarrierState unpack(uint64_t bits);
};

/// One lane's operation on the mbarrier at `place` (8 bytes, found with sharedAt). False: misuse,
/// which was reported.
struct Mbarrier {
  Warp &warp;
  const Op &op;
  uint32_t lane;
  SharedPlace place;

  bool init(uint32_t count);
  bool invalidate();
  /// `state`: the opaque state before, if wanted.
  bool arrive(uint32_t count, uint64_t *state, bool drops = false, bool completes = true);
  bool expectTx(uint32_t bytes);
  /// `bytes` of asynchronous work came in. Also for work that is done later: warp and op are those
  /// that issued it.
  bool completeTx(uint32_t bytes);
  /// Another arrival is expected in this phase: cp.async.mbarrier.arrive without .noinc.
  bool raisePending();
  bool testWait(uint64_t state, bool &done);
  bool testParity(uint32_t parity, bool &done);

private:
  bool load(MbarrierState &state);
  bool store(MbarrierState state);
  bool misuse(const std::string &what);
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_ASYNC_MBARRIER_H
