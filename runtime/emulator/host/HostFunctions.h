// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What device code calls of the host's: vprintf, __assertfail, malloc and free (CUDA C++
// Programming Guide, "Formatted Output", "Assertion", "Dynamic Global Memory Allocation").
#ifndef HEDDLE_RUNTIME_EMULATOR_HOST_HOSTFUNCTIONS_H
#define HEDDLE_RUNTIME_EMULATOR_HOST_HOSTFUNCTIONS_H

#include "runtime/emulator/exec/Handlers.h"
#include <string_view>

namespace heddle::emulator {

/// The functions are ops of their names. Op::more: how many arguments and results there are, then
/// the offsets of their variables in local memory, arguments first.
void addHostFunctions(HandlerTable &table);
/// Arguments and results of such a function; false: there is none of that name.
bool findHostFunction(std::string_view name, size_t &arguments, size_t &results);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_HOST_HOSTFUNCTIONS_H
