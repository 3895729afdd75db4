// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks of written bytes; see the header.
#include "runtime/emulator/check/global/WrittenMarks.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <algorithm>
#include <cstring>

namespace heddle::emulator {

static constexpr uint64_t kAllMarked = 0x0101010101010101;

const WrittenMarks::Range &WrittenMarks::rangeOf(uint64_t at, uint32_t place) {
  Range &range = ranges[place % kRanges];
  if (at - range.begin < range.end - range.begin)
    return range;
  // Local memory, parameters and variables have no marks.
  if (!DeviceMemory::get().findWritten(at, range.begin, range.end, range.written))
    range = {at, at + 1, nullptr};
  return range;
}

uint32_t WrittenMarks::findUnwritten(uint64_t at, uint32_t bytes, uint32_t place) {
  const Range &range = rangeOf(at, place);
  if (!range.written)
    return bytes;
  uint64_t inside = std::min<uint64_t>(bytes, range.end - at);
  const uint8_t *first = range.written + (at - range.begin);
  if (inside % 8 == 0) { // marks are 0 or 1
    uint64_t all = kAllMarked;
    for (uint64_t i = 0; i < inside; i += 8) {
      uint64_t marks;
      std::memcpy(&marks, first + i, 8);
      all &= marks;
    }
    if (all == kAllMarked)
      return bytes;
  }
  const void *found = std::memchr(first, 0, inside);
  return found ? static_cast<uint32_t>(static_cast<const uint8_t *>(found) - first) : bytes;
}

void WrittenMarks::mark(uint64_t at, uint32_t bytes, uint32_t place) {
  const Range &range = rangeOf(at, place);
  if (range.written)
    std::memset(range.written + (at - range.begin), 1, std::min<uint64_t>(bytes, range.end - at));
}

} // namespace heddle::emulator
