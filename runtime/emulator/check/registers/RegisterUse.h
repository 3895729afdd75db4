// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which declared registers a statement reads and writes. Handlers see slots only and do not say
// which of them are results; the lowering knows, and records it where the checks need it.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_REGISTERS_REGISTERUSE_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_REGISTERS_REGISTERUSE_H

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::emulator {

struct RegisterUse {
  uint32_t slot = 0;  ///< or the index of the predicate
  uint32_t bytes = 0; ///< 0: a predicate
  std::string name;
};

struct StatementUse {
  uint32_t first = 0, end = 0; ///< its ops, half open
  uint32_t guard = 0, guardFlip = 0;
  uint32_t line = 0;
  std::string opcode;
  std::string form; ///< the whole name
  std::vector<RegisterUse> reads, writes;
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_REGISTERS_REGISTERUSE_H
