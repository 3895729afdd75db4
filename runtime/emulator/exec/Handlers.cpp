// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Picks the handlers for this machine.
#include "runtime/emulator/exec/Handlers.h"
#include "runtime/emulator/host/HostFunctions.h"
#include <cstdlib>
#include <string>

namespace heddle::emulator {

namespace {

#define HEDDLE_EMU_FILL(set)                                                                       \
  void fill_##set(HandlerTable &table) {                                                           \
    set::addIntegerHandlers(table);                                                                \
    set::addFloatHandlers(table);                                                                  \
    set::addHalfHandlers(table);                                                                   \
    set::addApproximateHandlers(table);                                                            \
    set::addCompareHandlers(table);                                                                \
    set::addConvertHandlers(table);                                                                \
    set::addMemoryHandlers(table);                                                                 \
    set::addAtomicHandlers(table);                                                                 \
    set::addWarpHandlers(table);                                                                   \
    set::addControlHandlers(table);                                                                \
    set::addTensorHandlers(table);                                                                 \
    set::addCopyAsyncHandlers(table);                                                              \
    set::addPackedIntegerHandlers(table);                                                          \
    set::addConvertHalfHandlers(table);                                                            \
    set::addNarrowFloatHandlers(table);                                                            \
    addHostFunctions(table);                                                                       \
    addBarrierHandlers(table);                                                                     \
    addBulkHandlers(table);                                                                        \
    addTensorCopyHandlers(table);                                                                  \
    addWgmmaGroupHandlers(table);                                                                  \
    addTmemHandlers(table);                                                                        \
    addTmemMoveHandlers(table);                                                                    \
  }
HEDDLE_EMU_FILL(v2)
HEDDLE_EMU_FILL(v3)
HEDDLE_EMU_FILL(v4)
#undef HEDDLE_EMU_FILL

struct Choice {
  HandlerTable table;
  const char *name = "";

  Choice() {
    const char *wanted = std::getenv("HEDDLE_EMU_ISA");
    std::string asked = wanted ? wanted : "";
    __builtin_cpu_init();
    bool has3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
    bool has4 = has3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl");
    if (has4 && asked != "v3" && asked != "v2") {
      name = "v4";
      fill_v4(table);
    } else if (has3 && asked != "v2") {
      name = "v3";
      fill_v3(table);
    } else {
      name = "v2";
      fill_v2(table);
    }
  }
};

const Choice &choice() {
  static const Choice *chosen = new Choice(); // used by threads until the process ends
  return *chosen;
}

} // namespace

const HandlerTable &handlers() { return choice().table; }
const char *handlerSet() { return choice().name; }

} // namespace heddle::emulator
