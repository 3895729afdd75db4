// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes of global memory somebody has written: marks that the memory keeps for each
// allocation, found quickly.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_GLOBAL_WRITTENMARKS_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_GLOBAL_WRITTENMARKS_H

#include <cstdint>

namespace heddle::emulator {

class WrittenMarks {
public:
  /// The first byte that nobody has written, from `at`; `bytes`: there is none. `place` tells
  /// instructions apart, which mostly stay in one allocation.
  uint32_t findUnwritten(uint64_t at, uint32_t bytes, uint32_t place);
  void mark(uint64_t at, uint32_t bytes, uint32_t place);

private:
  struct Range {
    uint64_t begin = 0, end = 0;
    uint8_t *written = nullptr; ///< a byte for each byte; null: not tracked
  };
  const Range &rangeOf(uint64_t at, uint32_t place);
  static constexpr uint32_t kRanges = 64;
  Range ranges[kRanges];
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_CHECK_GLOBAL_WRITTENMARKS_H
