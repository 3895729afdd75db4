// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The global memory of all emulated devices. Device addresses are host addresses in one reserved
// range, with gaps between allocations, so that an access behind one is in none. Every allocation
// has an owner: a device, or the host for pinned memory, which all devices see.
#ifndef HEDDLE_RUNTIME_EMULATOR_MEMORY_DEVICEMEMORY_H
#define HEDDLE_RUNTIME_EMULATOR_MEMORY_DEVICEMEMORY_H

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>

namespace heddle::emulator {

constexpr int kHostOwner = -1;
constexpr int kMaxDevices = 32;

/// What is known of the allocation that an address lies in.
struct AllocationFacts {
  uint64_t begin = 0, end = 0; ///< half open
  int owner = 0;               ///< ordinal of the device, or kHostOwner
  uint64_t serial = 0;         ///< unique in the process
  const void *tag = nullptr;   ///< what the owner said when it allocated: a pool, ...
  bool isRegistered = false;   ///< the program's own memory
  bool isVariable = false;     ///< of a module
};

class DeviceMemory {
public:
  static DeviceMemory &get();

  /// 0: no memory left. The contents are a pattern that shows as NaN.
  uint64_t allocate(uint64_t bytes, const std::string &name = "", int owner = 0,
                    const void *tag = nullptr);
  bool free(uint64_t address);
  /// All that was allocated with the tag.
  void freeTagged(const void *tag);
  /// Makes memory of the host known to the devices; false if a part of it is already.
  bool registerHost(uint64_t address, uint64_t bytes);
  bool unregisterHost(uint64_t address);
  bool facts(uint64_t address, AllocationFacts &result) const;
  /// The devices, a bit each, whose memory the kernel that runs now may touch.
  void setReachable(uint64_t devices) { reachable = devices; }
  bool isReachable(uint64_t address) const;
  /// What a device has taken with this tag.
  uint64_t usedBytes(int owner, const void *tag) const;
  /// The allocation that the address lies in: half open.
  bool find(uint64_t address, uint64_t &begin, uint64_t &end) const;
  /// The same, and a byte for each byte of the allocation that says whether it was written; null
  /// where that is not tracked (HEDDLE_EMU_CHECK).
  bool findWritten(uint64_t address, uint64_t &begin, uint64_t &end, uint8_t *&written) const;
  /// The host filled a range.
  void markWritten(uint64_t address, uint64_t bytes);
  /// The host copied a range: what nobody wrote stays so.
  void copyMarks(uint64_t to, uint64_t from, uint64_t bytes);
  /// Whether it lies where allocations are made, in one or not.
  bool isInArena(uint64_t address) const;
  /// "64 bytes behind the end of ...".
  std::string describe(uint64_t address) const;

  void setCapacity(uint64_t bytes, int owner = 0) { capacity[owner + 1] = bytes; }
  uint64_t capacityBytes(int owner = 0) const { return capacity[owner + 1]; }
  uint64_t usedBytes(int owner = 0) const;

private:
  struct Allocation {
    uint64_t bytes;
    uint64_t reserved; ///< with the gap
    std::string name;  ///< of a variable; empty: cuMemAlloc
    uint64_t serial;
    int owner = 0;
    const void *tag = nullptr;
    bool isRegistered = false;
    std::shared_ptr<uint8_t[]> written = nullptr;
  };
  bool reserve();
  using Place = std::map<uint64_t, Allocation>::const_iterator;
  /// live.end(): it lies in none.
  Place at(uint64_t address) const;

  mutable std::shared_mutex mutex;
  uint64_t base = 0, end = 0, next = 0;
  uint64_t capacity[kMaxDevices + 1] = {1ull << 42, 16ull << 30}; ///< of the host and the devices
  uint64_t used[kMaxDevices + 1] = {}, serial = 0;
  std::atomic<uint64_t> reachable{~0ull};
  std::map<uint64_t, Allocation> live;
  std::map<uint64_t, Allocation> freed;       ///< for the text of findings
  std::multimap<uint64_t, uint64_t> reusable; ///< reserved size -> address
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_MEMORY_DEVICEMEMORY_H
