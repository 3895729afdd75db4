// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes of global memory somebody has written: marks that the memory keeps for each
// allocation, found quickly.
#ifndef HEDDLE_RUNTIME_EMULATOR_CHECK_GLOBAL_WRITTENMARKS_H
#define HEDDLE_RUNTIME_EMULATOR_CHECK_GLOBAL_WRITTENMARKS_H

#include <cstdint>
#include <cstring>

namespace heddle::emulator {

class WrittenMarks {
public:
  /// The first byte that nobody has written, from `at`; `bytes`: there is none. `place` tells
  /// instructions apart, which mostly stay in one allocation.
  uint32_t findUnwritten(uint64_t at, uint32_t bytes, uint32_t place);
  void mark(uint64_t at, uint32_t bytes, uint32_t place);
  /// The common case in a few steps: bytes in the allocation that the instruction touched last, all
  /// of them written, or written now. False: look closely.
  bool takeRow(bool isRead, uint64_t at, uint32_t bytes, uint32_t place) {
    const Range &range = ranges[place % kRanges];
    uint64_t offset = at - range.begin, size = range.end - range.begin;
    if (!range.written || offset >= size || bytes > size - offset || bytes % 8 != 0)
      return false;
    uint8_t *marks = range.written + offset;
    if (!isRead) {
      std::memset(marks, 1, bytes);
      return true;
    }
    uint64_t all = kEightMarks;
    for (uint32_t i = 0; i < bytes; i += 8) {
      uint64_t eight;
      std::memcpy(&eight, marks + i, 8);
      all &= eight;
    }
    return all == kEightMarks;
  }

private:
  static constexpr uint64_t kEightMarks = 0x0101010101010101;
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
