// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a function that is being lowered: every operand becomes a register, every
// instruction a handler. A file for each family of instructions.
#ifndef HEDDLE_RUNTIME_EMULATOR_LOWER_LOWERING_H
#define HEDDLE_RUNTIME_EMULATOR_LOWER_LOWERING_H

#include "runtime/emulator/check/CheckOptions.h"
#include "runtime/emulator/check/registers/RegisterUse.h"
#include "runtime/emulator/exec/Handlers.h"
#include "runtime/emulator/lower/Lower.h"
#include <map>
#include <set>

namespace heddle::emulator {

struct BulkAddress;
struct BulkOperands;

class Lowering {
public:
  Lowering(const ptx::Module &module, const GlobalAddresses &globals, Kernel &kernel,
           std::string &error)
      : module(module), globals(globals), kernel(kernel), error(error), table(handlers()) {}
  bool run(const ptx::Function &function);

private:
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

  // Lowering.cpp: bodies, layout of memory.
  bool body(Frame &frame);
  bool expand(uint64_t statements);
  void layoutShared(const ptx::Function &function, uint32_t depth);
  void placeLocal(Frame &frame, const ptx::Variable &variable);
  void call(const ptx::Statement &statement);
  void resolveLabels();
  uint32_t labelOf(const std::string &name);

  // Operands.cpp
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

  // Instructions.cpp
  void instruction(const ptx::Statement &statement);
  bool wordsOnly(const ptx::Statement &statement);
  void arithmetic(const ptx::Statement &statement);
  void move(const ptx::Statement &statement);
  void pack(const ptx::Operand &to, const std::vector<ptx::Operand> &from, uint32_t bytes);
  void unpack(const std::vector<ptx::Operand> &to, const ptx::Operand &from, uint32_t bytes);
  void compare(const ptx::Statement &statement);
  void compareToValue(const ptx::Statement &statement);
  void convert(const ptx::Statement &statement);
  uint32_t narrowed(const ptx::Operand &operand, const std::string &type);
  void convertInto(const ptx::Operand &to, const std::string &type, const std::string &name,
                   uint32_t a);
  void branch(const ptx::Statement &statement);
  void warpWide(const ptx::Statement &statement);

  // BarrierInstructions.cpp
  void barrier(const ptx::Statement &statement);
  void clusterBarrier(const ptx::Statement &statement);
  void mbarrier(const ptx::Statement &statement);
  void mbarrierWait(const ptx::Statement &statement);
  void copyArrive(const ptx::Statement &statement);
  void storeAsync(const ptx::Statement &statement);
  void clusterAddress(const ptx::Statement &statement);
  void placeAddress(Op &op, const ptx::Operand &operand, bool isGeneric);

  // BulkCopy.cpp
  void bulkCopy(const ptx::Statement &statement);
  void tensorCopy(const ptx::Statement &statement);
  void tensorMapInstruction(const ptx::Statement &statement);
  void createPolicy(const ptx::Statement &statement);
  BulkAddress bulkAddress(const ptx::Operand &operand, bool isGeneric);
  bool bulkReduction(const ptx::Statement &statement, BulkOperands &packed, bool isShared);

  // MemoryInstructions.cpp
  void loadOrStore(const ptx::Statement &statement);
  void loadParameter(const ptx::Statement &statement, const Parameter &parameter,
                     const std::string &type);
  void cvta(const ptx::Statement &statement);
  void atomic(const ptx::Statement &statement);
  void copyAsync(const ptx::Statement &statement);

  // TensorInstructions.cpp
  void matrixMove(const ptx::Statement &statement);
  void matrixMultiply(const ptx::Statement &statement);
  void warpgroup(const ptx::Statement &statement);
  void warpgroupMultiply(const ptx::Statement &statement);
  void registerCount(const ptx::Statement &statement);

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
  uint32_t callDepth = 0, callCount = 0;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> constants;
  std::map<std::pair<int, uint32_t>, uint32_t> specials;
  std::unordered_map<std::string, uint64_t> sharedOffsets;
  std::vector<std::pair<std::string, uint32_t>> sharedSizes;
  std::set<const ptx::Function *> laidOut;
  std::unordered_map<std::string, uint32_t> labels;
  std::vector<uint32_t> labelOps; ///< label -> op; ~0: not placed
  uint64_t sharedEnd = 0, localEnd = 0, dynamicAlign = 16;
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_LOWER_LOWERING_H
