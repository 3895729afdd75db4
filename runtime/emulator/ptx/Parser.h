// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads PTX text into a Module.
#ifndef HEDDLE_RUNTIME_EMULATOR_PTX_PARSER_H
#define HEDDLE_RUNTIME_EMULATOR_PTX_PARSER_H

#include "runtime/emulator/ptx/Module.h"
#include <string_view>

namespace heddle::emulator::ptx {

/// Fails with a text in `error` that names the line. Instructions are not judged here.
bool parse(std::string_view text, Module &module, std::string &error);

} // namespace heddle::emulator::ptx

#endif // HEDDLE_RUNTIME_EMULATOR_PTX_PARSER_H
