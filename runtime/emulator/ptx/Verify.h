// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Judges parsed text as strictly as ptxas does: each instruction must be a form of the table
// (Forms.h) that exists in the text's .version and for its .target, with declared registers of the
// right width and kind. Runs at load, in front of the lowering, which may rely on it.
#ifndef HEDDLE_RUNTIME_EMULATOR_PTX_VERIFY_H
#define HEDDLE_RUNTIME_EMULATOR_PTX_VERIFY_H

#include "runtime/emulator/ptx/Module.h"

namespace heddle::emulator::ptx {

/// Fails with a text in `error` that names line, instruction and function. Puts modifiers into the
/// table's order, where the text has them in another one that ptxas accepts.
bool verify(Module &module, std::string &error);

} // namespace heddle::emulator::ptx

#endif // HEDDLE_RUNTIME_EMULATOR_PTX_VERIFY_H
