// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulated device's global memory. Device addresses are host addresses in one reserved range,
// with gaps between allocations, so that an access behind one is in none.
#ifndef HEDDLE_RUNTIME_EMULATOR_MEMORY_DEVICEMEMORY_H
#define HEDDLE_RUNTIME_EMULATOR_MEMORY_DEVICEMEMORY_H

#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>

namespace heddle::emulator {

class DeviceMemory {
public:
  /// The one device of the process.
  static DeviceMemory &get();

  /// 0: no memory left. The contents are a pattern that shows as NaN.
  uint64_t allocate(uint64_t bytes, const std::string &name = "");
  bool free(uint64_t address);
  /// The allocation that the address lies in: half open.
  bool find(uint64_t address, uint64_t &begin, uint64_t &end) const;
  /// The same, and a byte for each byte of the allocation that says whether it was written; null
  /// where that is not tracked (HEDDLE_EMU_CHECK).
  bool findWritten(uint64_t address, uint64_t &begin, uint64_t &end, uint8_t *&written) const;
  /// The host filled a range.
  void markWritten(uint64_t address, uint64_t bytes);
  /// The host copied a range: what nobody wrote stays so.
  void copyMarks(uint64_t to, uint64_t from, uint64_t bytes);
  /// "64 bytes behind the end of ...".
  std::string describe(uint64_t address) const;

  void setCapacity(uint64_t bytes) { capacity = bytes; }
  uint64_t capacityBytes() const { return capacity; }
  uint64_t usedBytes() const;

private:
  struct Allocation {
    uint64_t bytes;
    uint64_t reserved; ///< with the gap
    std::string name;  ///< of a variable; empty: cuMemAlloc
    uint64_t serial;
    std::shared_ptr<uint8_t[]> written = nullptr;
  };
  bool reserve();

  mutable std::shared_mutex mutex;
  uint64_t base = 0, end = 0, next = 0;
  uint64_t capacity = 16ull << 30, used = 0, serial = 0;
  std::map<uint64_t, Allocation> live;
  std::map<uint64_t, Allocation> freed;       ///< for the text of findings
  std::multimap<uint64_t, uint64_t> reusable; ///< reserved size -> address
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_MEMORY_DEVICEMEMORY_H
