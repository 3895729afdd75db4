// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on mbarriers and what is a misuse of them.
#include "runtime/emulator/async/Mbarrier.h"
#include "runtime/emulator/check/AsyncNotes.h"
#include <cstring>

namespace heddle::emulator {

namespace {
constexpr uint32_t kExpectedShift = 20, kTxShift = 40, kTxBits = 22, kPhaseShift = 62;
constexpr uint64_t kTxMask = (uint64_t(1) << kTxBits) - 1;
constexpr int32_t kMaxTx = (1 << 20) - 1; // PTX ISA 9.7.13.15.2: -(2^20 - 1) to 2^20 - 1
} // namespace

uint64_t MbarrierState::pack() const {
  return uint64_t(pending) | uint64_t(expected) << kExpectedShift |
         (uint64_t(uint32_t(tx)) & kTxMask) << kTxShift | uint64_t(phase & 1) << kPhaseShift;
}

MbarrierState MbarrierState::unpack(uint64_t bits) {
  MbarrierState state;
  state.pending = bits & kMaxCount;
  state.expected = bits >> kExpectedShift & kMaxCount;
  uint32_t tx = static_cast<uint32_t>(bits >> kTxShift & kTxMask);
  state.tx = static_cast<int32_t>(tx << (32 - kTxBits)) >> (32 - kTxBits);
  state.phase = bits >> kPhaseShift & 1;
  return state;
}

bool Mbarrier::misuse(const std::string &what) {
  reportFault(warp, op, Fault::kBarrierMisuse, lane,
              "mbarrier at shared offset " + std::to_string(place.offset + kSharedBase) +
                  (place.owner == warp.block
                       ? std::string()
                       : " of block rank " + std::to_string(place.owner->rank)) +
                  ": " + what);
  return false;
}

bool Mbarrier::load(MbarrierState &state) {
  uint64_t bits;
  std::memcpy(&bits, place.at, 8);
  state = MbarrierState::unpack(bits);
  if (bits >> 63 || state.expected == 0 || state.pending > MbarrierState::kMaxCount)
    return misuse("it is used before mbarrier.init, after mbarrier.inval, or was overwritten");
  return true;
}

bool Mbarrier::store(MbarrierState state) {
  if (state.pending == 0 && state.tx == 0) {
    state.phase ^= 1;
    state.pending = state.expected;
    ++place.owner->cluster->progress;
    if (place.owner->check)
      noteMbarrierPhase(*place.owner, place.offset);
  }
  uint64_t bits = state.pack();
  std::memcpy(place.at, &bits, 8);
  return true;
}

bool Mbarrier::init(uint32_t count) {
  if (count == 0 || count > MbarrierState::kMaxCount)
    return misuse("mbarrier.init with a count of " + std::to_string(count) +
                  "; 1 to 2^20 - 1 are allowed");
  MbarrierState state;
  state.pending = state.expected = count;
  uint64_t bits = state.pack();
  std::memcpy(place.at, &bits, 8);
  if (place.owner->check)
    noteMbarrierInit(warp, op, *place.owner, place.offset);
  return true;
}

bool Mbarrier::invalidate() {
  MbarrierState state;
  if (!load(state))
    return false;
  std::memset(place.at, 0xff, 8);
  if (place.owner->check)
    noteMbarrierInval(warp, op, *place.owner, place.offset);
  return true;
}

bool Mbarrier::arrive(uint32_t count, uint64_t *before, bool drops, bool completes) {
  MbarrierState state;
  if (!load(state))
    return false;
  if (before)
    *before = state.pack();
  if (count > state.pending)
    return misuse(
        "more threads arrive than are expected in this phase: " + std::to_string(state.expected) +
        " are expected, " + std::to_string(state.pending) + " are still to come, " +
        std::to_string(count) + " arrive");
  if (!completes && count == state.pending)
    return misuse("mbarrier.arrive.noComplete would complete the phase");
  if (drops) {
    if (count >= state.expected && state.expected != count)
      return misuse("more threads leave than are expected");
    state.expected -= count;
  }
  if (place.owner->check)
    noteMbarrierArrive(warp, lane, *place.owner, place.offset);
  state.pending -= count;
  return store(state);
}

bool Mbarrier::expectTx(uint32_t bytes) {
  MbarrierState state;
  if (!load(state))
    return false;
  if (bytes > uint32_t(kMaxTx) || state.tx + int32_t(bytes) > kMaxTx)
    return misuse("expect-tx of " + std::to_string(bytes) +
                  " bytes makes the tx-count exceed 2^20 - 1");
  state.tx += static_cast<int32_t>(bytes);
  return store(state);
}

bool Mbarrier::completeTx(uint32_t bytes) {
  MbarrierState state;
  if (!load(state))
    return false;
  if (bytes > uint32_t(kMaxTx) || state.tx - int32_t(bytes) < -kMaxTx)
    return misuse("complete-tx of " + std::to_string(bytes) +
                  " bytes makes the tx-count fall below -(2^20 - 1)");
  state.tx -= static_cast<int32_t>(bytes);
  return store(state);
}

bool Mbarrier::raisePending() {
  MbarrierState state;
  if (!load(state))
    return false;
  if (state.pending == MbarrierState::kMaxCount)
    return misuse("more than 2^20 - 1 arrivals are pending");
  ++state.pending;
  return store(state);
}

bool Mbarrier::testWait(uint64_t earlier, bool &done) {
  MbarrierState state;
  if (!load(state))
    return false;
  done = state.phase != MbarrierState::unpack(earlier).phase;
  if (done && place.owner->check)
    noteMbarrierWait(warp, lane, *place.owner, place.offset);
  return true;
}

bool Mbarrier::testParity(uint32_t parity, bool &done) {
  MbarrierState state;
  if (!load(state))
    return false;
  done = state.phase != (parity & 1);
  if (done && place.owner->check)
    noteMbarrierWait(warp, lane, *place.owner, place.offset);
  return true;
}

} // namespace heddle::emulator
