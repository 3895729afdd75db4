// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions that the emulated device knows, by name. Every handler file is compiled once for
// each instruction set of the host; the best one is picked at start.
#ifndef HEDDLE_RUNTIME_EMULATOR_EXEC_HANDLERS_H
#define HEDDLE_RUNTIME_EMULATOR_EXEC_HANDLERS_H

#include "runtime/emulator/exec/Op.h"
#include <string_view>
#include <unordered_map>

namespace heddle::emulator {

/// `operands` is a letter for each: p predicate, h 16 bits, w 32 bits, d 64 bits, b 8 bits (only in
/// registers that the lowering makes); the result stands before the colon.
struct Instruction {
  const char *name;
  Handler run;
  const char *operands;
  OpClass kind;
};

class HandlerTable {
public:
  void add(const Instruction *rows, size_t count) {
    for (size_t i = 0; i < count; ++i)
      byName.emplace(rows[i].name, &rows[i]);
  }
  const Instruction *find(std::string_view name) const {
    auto found = byName.find(name);
    return found == byName.end() ? nullptr : found->second;
  }

private:
  std::unordered_map<std::string_view, const Instruction *> byName;
};

/// The table for this machine, or what HEDDLE_EMU_ISA names: "v4", "v3" or "v2".
const HandlerTable &handlers();
const char *handlerSet();

#define HEDDLE_EMU_DECLARE(set)                                                                    \
  namespace set {                                                                                  \
  void addIntegerHandlers(HandlerTable &);                                                         \
  void addFloatHandlers(HandlerTable &);                                                           \
  void addHalfHandlers(HandlerTable &);                                                            \
  void addApproximateHandlers(HandlerTable &);                                                     \
  void addCompareHandlers(HandlerTable &);                                                         \
  void addConvertHandlers(HandlerTable &);                                                         \
  void addMemoryHandlers(HandlerTable &);                                                          \
  void addAtomicHandlers(HandlerTable &);                                                          \
  void addWarpHandlers(HandlerTable &);                                                            \
  void addControlHandlers(HandlerTable &);                                                         \
  void addTensorHandlers(HandlerTable &);                                                          \
  void addCopyAsyncHandlers(HandlerTable &);                                                       \
  void addPackedIntegerHandlers(HandlerTable &);                                                   \
  void addConvertHalfHandlers(HandlerTable &);                                                     \
  void addNarrowFloatHandlers(HandlerTable &);                                                     \
  }
HEDDLE_EMU_DECLARE(v2)
HEDDLE_EMU_DECLARE(v3)
HEDDLE_EMU_DECLARE(v4)
#undef HEDDLE_EMU_DECLARE

// Those that compute nothing are compiled once.
void addBarrierHandlers(HandlerTable &);
void addBulkHandlers(HandlerTable &);
void addTensorCopyHandlers(HandlerTable &);
void addWgmmaGroupHandlers(HandlerTable &);
void addTmemHandlers(HandlerTable &);
void addTmemMoveHandlers(HandlerTable &);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_EXEC_HANDLERS_H
