// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three steps of a load.
#include "test/fuzz/FrontEnd.h"
#include "runtime/emulator/lower/Lower.h"
#include "runtime/emulator/ptx/Parser.h"
#include "runtime/emulator/ptx/Verify.h"

namespace heddle::test {

using namespace heddle::emulator;

Verdict load(std::string_view text) {
  Verdict result;
  ptx::Module module;
  if (!ptx::parse(text, module, result.error))
    return result;
  result.stage = Stage::kVerify;
  if (!ptx::verify(module, result.error))
    return result;
  result.stage = Stage::kLower;
  GlobalAddresses addresses;
  uint64_t next = 0x7f0000000000;
  for (const ptx::Variable &variable : module.variables)
    if (variable.space == ptx::Space::kGlobal || variable.space == ptx::Space::kConst)
      addresses[variable.name] = next += 512;
  for (const auto &function : module.functions) {
    if (!function->isEntry || !function->hasBody)
      continue;
    Kernel kernel;
    if (!lowerKernel(module, *function, addresses, kernel, result.error))
      return result;
  }
  result.isLoaded = true;
  return result;
}

} // namespace heddle::test
