// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a Kernel of a PTX function. Calls are inlined. What has no handler is refused here, with
// its name and line.
#ifndef HEDDLE_RUNTIME_EMULATOR_LOWER_LOWER_H
#define HEDDLE_RUNTIME_EMULATOR_LOWER_LOWER_H

#include "runtime/emulator/exec/Kernel.h"
#include "runtime/emulator/ptx/Module.h"
#include <string>
#include <unordered_map>

namespace heddle::emulator {

class HandlerTable;

/// Addresses of the module's .global and .const variables.
using GlobalAddresses = std::unordered_map<std::string, uint64_t>;

/// Functions have addresses where nothing else lies, for calls through them; false: no such one.
constexpr uint64_t kCodeWindow = 0x7e3000000000;
bool functionAddress(const ptx::Module &module, const std::string &name, uint64_t &address);

/// Fails with a text in `error` that names the line.
bool lowerKernel(const ptx::Module &module, const ptx::Function &function,
                 const GlobalAddresses &globals, Kernel &kernel, std::string &error);

/// Finds where lanes that parted meet again, and puts an op there. Branch targets are indices of
/// ops on entry and on return.
void placeMeetings(Kernel &kernel, const HandlerTable &table);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_LOWER_LOWER_H
