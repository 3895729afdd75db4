// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks that are off unless HEDDLE_EMU_CHECK asks for them: reads of memory that nobody wrote,
// and races in shared memory. Handlers report their accesses through noteAccess (exec/Warp.h).
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_BLOCKCHECK_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_BLOCKCHECK_H

#include "runtime/emulator/check/CheckOptions.h"
#include "runtime/emulator/check/SharedShadow.h"
#include "runtime/emulator/exec/Warp.h"

namespace heddle::emulator {

/// What one worker remembers of the block that it runs.
class BlockCheck {
public:
  BlockCheck(const Block &block, uint32_t warps);

  void startBlock();
  /// False: a fault was reported.
  bool note(Warp &warp, const Op &op, Use use, uint32_t mask, uint32_t bytes, const uint64_t *at);
  /// Looks whether writes that looked like a race changed anything. False: a fault was reported.
  bool settle();
  SharedShadow &sharedShadow() { return shadow; }

private:
  bool noteShared(Warp &warp, const Op &op, Use use, uint32_t lane, uint32_t bytes, uint64_t at);
  bool noteGlobal(Warp &warp, const Op &op, Use use, uint32_t lane, uint32_t bytes, uint64_t at);

  /// Two warps may write the same value to one place: such a write is judged after it happened.
  struct Suspect {
    Warp *warp;
    const Op *op;
    uint32_t lane, bytes;
    uint64_t at;
    uint8_t before[16];
    SharedConflict conflict;
  };
  const Block &block;
  SharedShadow shadow;
  std::vector<Suspect> suspects;
  uint64_t begin = 0, end = 0; ///< the allocation that was touched last
  uint8_t *written = nullptr;  ///< a byte for each of its bytes
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_BLOCKCHECK_H
