// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The special registers of PTX and from where on they exist.
#ifndef HEDDLE_RUNTIME_EMULATOR_PTX_SPECIALREGISTERS_H
#define HEDDLE_RUNTIME_EMULATOR_PTX_SPECIALREGISTERS_H

#include <cstdint>
#include <string_view>

namespace heddle::emulator::ptx {

struct SpecialRegister {
  uint8_t bytes;      ///< 0: a predicate
  uint8_t otherBytes; ///< a second width that a mov may take; equal to `bytes` if there is none
  uint16_t version;
  const char *targets; ///< as of a Row
};

/// Null: there is no such special register.
const SpecialRegister *findSpecialRegister(std::string_view name);

} // namespace heddle::emulator::ptx

#endif // HEDDLE_RUNTIME_EMULATOR_PTX_SPECIALREGISTERS_H
