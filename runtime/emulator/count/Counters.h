// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels did, kernel by kernel, as JSON for tools. On with HEDDLE_EMU_COUNTERS=1.
#ifndef HEDDLE_RUNTIME_EMULATOR_COUNT_COUNTERS_H
#define HEDDLE_RUNTIME_EMULATOR_COUNT_COUNTERS_H

#include "heddle/Target.h"
#include "runtime/emulator/exec/Warp.h"

namespace heddle::emulator {

bool countersWanted();
void countLaunch(const std::string &kernel, uint64_t blocks);
/// Where the launch would run: the GPU, and how many of its blocks fit on a multiprocessor.
void countPlaces(const std::string &kernel, const Gpu &gpu, uint64_t blocks, int blocksPerSm);
void addCounts(const std::string &kernel, const LaunchCounts &counts);
std::string countersAsJson();
void resetCounters();

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_COUNT_COUNTERS_H
