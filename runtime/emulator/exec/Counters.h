// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels did, kernel by kernel, as JSON for tools. On with HEDDLE_EMU_COUNTERS=1.
#ifndef HEDDLE_RUNTIME_EMULATOR_EXEC_COUNTERS_H
#define HEDDLE_RUNTIME_EMULATOR_EXEC_COUNTERS_H

#include "runtime/emulator/exec/Warp.h"

namespace heddle::emulator {

bool countersWanted();
void countLaunch(const std::string &kernel, uint64_t blocks);
void addCounts(const std::string &kernel, const LaunchCounts &counts);
std::string countersAsJson();
void resetCounters();

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_EXEC_COUNTERS_H
