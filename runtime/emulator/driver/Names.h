// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of all driver functions by name, which DriverNames.cmake makes of cuda.h.
#ifndef HEDDLE_RUNTIME_EMULATOR_DRIVER_NAMES_H
#define HEDDLE_RUNTIME_EMULATOR_DRIVER_NAMES_H

#include <span>

namespace heddle::emulator {

struct DriverName {
  const char *name;
  void (*function)();
};

/// In alphabetical order.
std::span<const DriverName> driverNames();

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_DRIVER_NAMES_H
