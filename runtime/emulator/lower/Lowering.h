// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a function that is being lowered: every operand becomes a register, every
// instruction a handler. A file for each family of instructions.
#ifndef HEDDLE_RUNTIME_EMULATOR_LOWER_LOWERING_H
#define HEDDLE_RUNTIME_EMULATOR_LOWER_LOWERING_H

#include "runtime/emulator/lower/Lower.h"
#include "runtime/emulator/lower/Operands.h"
#include <array>

namespace heddle::emulator {

struct BulkAddress;
struct Comparison;
struct Conversion;
struct BulkOperands;
struct TmemOperand;

class Lowering : Operands {
public:
  Lowering(const ptx::Module &module, const GlobalAddresses &globals, Kernel &kernel,
           std::string &error, int64_t maxRecursion)
      : Operands(module, globals, kernel, error), maxRecursion(maxRecursion) {}
  bool run(const ptx::Function &function);
  /// After it failed: following recursion less deep may help.
  bool isTooDeep() const { return isRecursive; }

private:
  // Lowering.cpp: bodies, layout of memory.
  bool body(Frame &frame);
  bool expand(uint64_t statements);
  void layoutShared(const ptx::Function &function, uint32_t depth);
  void placeLocal(Frame &frame, const ptx::Variable &variable);
  /// Results and arguments of a call.
  using CallLists = std::array<std::vector<const ptx::Operand *>, 2>;
  void call(const ptx::Statement &statement);
  void callHost(const std::string &name, const CallLists &lists);
  void callThrough(const ptx::Statement &statement, uint32_t address, const CallLists &lists);
  void inlineCall(const ptx::Function *callee, const CallLists &lists);
  void resolveLabels();
  uint32_t labelOf(const std::string &name);

  // Instructions.cpp
  void instruction(const ptx::Statement &statement);
  bool wordsOnly(const ptx::Statement &statement);
  void arithmetic(const ptx::Statement &statement);
  void move(const ptx::Statement &statement);
  void pack(const ptx::Operand &to, const std::vector<ptx::Operand> &from, uint32_t bytes);
  void packBytes(uint32_t d, std::vector<uint32_t> slots);
  void unpackBytes(const std::vector<ptx::Operand> &to, uint32_t a);
  void unpack(const std::vector<ptx::Operand> &to, const ptx::Operand &from, uint32_t bytes);
  void branch(const ptx::Statement &statement);
  void warpWide(const ptx::Statement &statement);

  // Conversions.cpp
  void convert(const ptx::Statement &statement);
  uint32_t narrowed(const ptx::Operand &operand, const std::string &type);
  void convertInto(const ptx::Operand &to, const std::string &type, const std::string &name,
                   uint32_t a);
  uint32_t throughUnary(const char *name, uint32_t a, uint32_t bytes);
  uint32_t throughBinary(const char *name, uint32_t a, uint32_t b, uint32_t bytes);
  void convertPair(const ptx::Statement &statement, const Conversion &c);
  void convertStochastic(const ptx::Statement &statement, const Conversion &c);
  void convertTf32(const ptx::Statement &statement, const Conversion &c);
  void convertToHalf(const ptx::Operand &result, const Conversion &c, uint32_t a);
  void convertInteger(const ptx::Operand &result, const Conversion &c, uint32_t a);
  void convertFloat(const ptx::Operand &result, Conversion &c, uint32_t a);

  // Comparisons.cpp
  void compare(const ptx::Statement &statement);
  void compareToValue(const ptx::Statement &statement);
  bool compareInto(const ptx::Statement &statement, const Comparison &c, uint32_t first,
                   uint32_t second);
  uint32_t otherPredicate(const ptx::Operand &operand);

  // PackedArithmetic.cpp
  bool packedArithmetic(const ptx::Statement &statement);
  void pairOfSingles(const ptx::Statement &statement);
  void mixedArithmetic(const ptx::Statement &statement);
  void isInConstants(const ptx::Statement &statement);
  void video(const ptx::Statement &statement);
  void logicAndPredicate(const ptx::Statement &statement);

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
  void bulkFill(const ptx::Statement &statement);
  void createPolicy(const ptx::Statement &statement);
  BulkAddress bulkAddress(const ptx::Operand &operand, bool isGeneric);
  bool bulkReduction(const ptx::Statement &statement, BulkOperands &packed, bool isShared);

  // MemoryInstructions.cpp
  void loadOrStore(const ptx::Statement &statement);
  void loadOrStoreWide(const ptx::Statement &statement);
  void loadParameter(const ptx::Statement &statement, const Parameter &parameter,
                     const std::string &type);
  void cvta(const ptx::Statement &statement);
  void atomic(const ptx::Statement &statement);
  void copyAsync(const ptx::Statement &statement);

  // TensorInstructions.cpp
  void matrixMove(const ptx::Statement &statement);
  const Instruction *findProduct(const std::string &name);
  void matrixMultiply(const ptx::Statement &statement);
  bool fragments(const ptx::Statement &statement, const char *letters,
                 std::vector<uint32_t> &slots);
  void warpgroup(const ptx::Statement &statement);
  void warpgroupMultiply(const ptx::Statement &statement);
  void registerCount(const ptx::Statement &statement);
  // Wmma.cpp
  void fragmentMove(const ptx::Statement &statement);
  void fragmentMultiply(const ptx::Statement &statement);

  // Tcgen05.cpp
  void tensorMemory(const ptx::Statement &statement);
  void tensorMemoryMove(const ptx::Statement &statement);
  void tensorMemoryMultiply(const ptx::Statement &statement);
  TmemOperand tmemOperand(const ptx::Operand &operand);

  uint32_t tmemGroup = 0; ///< .cta_group of the tcgen05 instructions so far
  uint32_t callCount = 0;
  std::vector<const ptx::Function *> callStack;
  const int64_t maxRecursion;
  bool isRecursive = false;
  std::vector<std::pair<std::string, uint32_t>> sharedSizes;
  std::set<const ptx::Function *> laidOut;
  std::unordered_map<std::string, uint32_t> labels;
  std::vector<uint32_t> labelOps; ///< label -> op; ~0: not placed
  uint64_t sharedEnd = 0, localEnd = 0, dynamicAlign = 16;
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_LOWER_LOWERING_H
