// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beyond CUDA: what Heddle's own tools ask the emulated device.
#include "runtime/emulator/count/Counters.h"
#include "runtime/emulator/driver/Driver.h"

using namespace heddle::emulator;

/// Why the last call failed; empty if none did. Valid until the thread's next call.
HEDDLE_EMU_API const char *heddle_emu_last_report() {
  thread_local std::string copy;
  copy = Driver::get().report();
  return copy.c_str();
}

/// What kernels did since the start or the last reset. Valid until the thread's next call.
HEDDLE_EMU_API const char *heddle_emu_counters_json() {
  thread_local std::string copy;
  copy = countersAsJson();
  return copy.c_str();
}

HEDDLE_EMU_API void heddle_emu_reset_counters() { resetCounters(); }
