// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of registers: reads of those that nobody wrote, and touches of those that a wgmma in
// flight uses. What can go wrong is found when the kernel is loaded; ops that look at run time are
// put in front of the statements in question alone, so that nothing else gets slower.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_REGISTERS_REGISTERCHECK_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_REGISTERS_REGISTERCHECK_H

#include "runtime/emulator/check/registers/RegisterUse.h"
#include "runtime/emulator/exec/Handlers.h"
#include "runtime/emulator/exec/Kernel.h"
#include <vector>

namespace heddle::emulator {

/// Puts the ops into the kernel. Branch targets are indices of ops on entry and on return; to be
/// called before the places where lanes meet are found.
void insertRegisterChecks(Kernel &kernel, const std::vector<StatementUse> &uses,
                          const HandlerTable &table);

/// The handler of setmaxnreg where registers are counted; op.imm: how many.
void setRegisterCount(Warp &warp, const Op &op);

/// Registers of one warp that wgmma uses.
struct WgmmaState {
  bool isFenced = false;            ///< there was a wgmma.fence at all
  std::vector<uint32_t> touched;    ///< register of wgmma -> line that touched it since the fence
  std::vector<char> used;           ///< register of wgmma -> one used it since the fence
  const uint32_t *issued = nullptr; ///< operands of the wgmma that comes next
  struct Flight {
    uint32_t time, line;
    const uint32_t *operands;
  };
  std::vector<Flight> flights;
};

/// A wgmma of the warp was issued, as piece `time` of its stream.
void startWgmma(WgmmaState &state, uint32_t time, uint32_t line);
void fenceWgmma(WgmmaState &state);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_REGISTERS_REGISTERCHECK_H
