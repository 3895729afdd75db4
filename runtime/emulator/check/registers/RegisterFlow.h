// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which statements may read a register that nobody wrote: a forward analysis over the kernel.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_REGISTERS_REGISTERFLOW_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_REGISTERS_REGISTERFLOW_H

#include "runtime/emulator/check/registers/RegisterUse.h"
#include "runtime/emulator/exec/Handlers.h"
#include "runtime/emulator/exec/Kernel.h"
#include <map>
#include <vector>

namespace heddle::emulator {

/// Registers by number; statements by their place in `uses`.
class RegisterFlow {
public:
  RegisterFlow(const Kernel &kernel, const std::vector<StatementUse> &uses,
               const HandlerTable &table);

  /// Registers whose written lanes must be followed at run time.
  bool isFollowed(uint32_t reg) const { return followed[reg]; }
  uint32_t count() const { return static_cast<uint32_t>(names.size()); }
  const std::string &nameOf(uint32_t reg) const { return names[reg]; }
  /// Reads of the statement that may come too early.
  const std::vector<uint32_t> &early(size_t statement) const { return earlyReads[statement]; }
  uint32_t numberOf(const RegisterUse &use) const;
  /// The statement moves values and looks at none: what nobody wrote may pass.
  static bool isCopy(const StatementUse &use);

private:
  using Set = std::vector<bool>;
  void findBlocks();
  void solve();
  void collect();
  void step(const StatementUse &use, Set &written) const;

  const Kernel &kernel;
  const std::vector<StatementUse> &uses;
  Handler bra, indexed, exit, trap;
  std::map<std::pair<bool, uint32_t>, uint32_t> numbers;
  std::vector<std::string> names;
  std::vector<std::vector<uint32_t>> next;     ///< block -> blocks
  std::vector<uint32_t> blockOf;               ///< op -> block
  std::vector<std::vector<size_t>> statements; ///< block -> its statements
  std::vector<Set> entry;                      ///< block -> registers that were surely written
  std::vector<char> isReached;
  std::vector<char> followed;
  std::vector<std::vector<uint32_t>> earlyReads;
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_REGISTERS_REGISTERFLOW_H
