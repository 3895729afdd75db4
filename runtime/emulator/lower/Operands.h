// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of PTX as registers, and ops that use them: what every instruction's lowering needs.
// Immediates, special registers and addresses of variables become registers that are filled before
// the kernel starts.
#ifndef HEDDLE_RUNTIME_EMULATOR_LOWER_OPERANDS_H
#define HEDDLE_RUNTIME_EMULATOR_LOWER_OPERANDS_H

#include "runtime/emulator/check/CheckOptions.h"
#include "runtime/emulator/check/registers/RegisterUse.h"
#include "runtime/emulator/exec/Handlers.h"
#include "runtime/emulator/exec/Kernel.h"
#include "runtime/emulator/lower/Lower.h"
#include "runtime/emulator/ptx/Module.h"
#include <map>
#include <set>
#include <string>
#include <unordered_map>

namespace heddle::emulator {

class Operands {
protected:
  Operands(const ptx::Module &module, const GlobalAddresses &globals, Kernel &kernel,
           std::string &error)
      : module(module), globals(globals), kernel(kernel), error(error), table(handlers()) {}

  struct Register {
    uint32_t slot;  ///< or the index of the predicate
    uint32_t bytes; ///< 0: a predicate
  };
  /// A function body that is being lowered; callees are inlined into their callers.
  struct Frame {
    const ptx::Function *function;
    std::string prefix; ///< of names in this body
    std::unordered_map<std::string, Register> registers;
    std::unordered_map<std::string, uint64_t> shared, local; ///< offsets in their windows
    std::map<std::string, const ptx::Statement *> branchTables;
    uint32_t returnLabel = 0;
  };

  void fail(const std::string &what);
  uint32_t allocate(uint32_t bytes);
  uint32_t allocatePredicate() { return kernel.predicates++; }
  uint32_t constant(uint32_t bytes, uint64_t value);
  const Register *findRegister(const std::string &name);
  void noteUse(std::vector<RegisterUse> &uses, const Register &which, const std::string &name);
  bool symbolAddress(const std::string &name, uint64_t &value);
  uint32_t special(const std::string &name, uint32_t bytes, bool &found);
  uint32_t source(const ptx::Operand &operand, uint32_t bytes);
  uint32_t destination(const ptx::Operand &operand, uint32_t bytes);
  uint32_t predicate(const ptx::Operand &operand);
  uint32_t predicateDestination(const std::string &name);
  /// The register's width; `otherwise` for immediates.
  uint32_t widthOf(const ptx::Operand &operand, uint32_t otherwise);
  uint32_t addressBase(const ptx::Operand &operand, uint32_t &bytes);
  const Instruction *find(const std::string &name);
  Op &emit(const Instruction &instruction);
  Op &emit(const std::string &name, uint32_t d, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0);
  void setTable(Op &op, std::vector<uint32_t> table);
  void generic(const Instruction &instruction, const ptx::Statement &statement);
  uint32_t sourceLetter(char letter, const ptx::Operand &operand);

  const ptx::Module &module;
  const GlobalAddresses &globals;
  Kernel &kernel;
  std::string &error;
  const HandlerTable &table;
  Frame *frame = nullptr;
  const ptx::Statement *current = nullptr;
  uint32_t guard = 0, guardFlip = 0;
  // What statements do with declared registers, for the checks that need it.
  const bool collectsUses = CheckOptions::get().initialised || CheckOptions::get().async;
  StatementUse use;
  std::vector<StatementUse> uses;
  uint32_t carry = 0;
  uint32_t callDepth = 0;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> constants;
  std::map<std::pair<int, uint32_t>, uint32_t> specials;
  std::unordered_map<std::string, uint64_t> sharedOffsets;
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_LOWER_OPERANDS_H
