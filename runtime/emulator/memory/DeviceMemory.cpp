// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hands out pieces of one reserved range. Freed pieces are given back to the system at once and
// reused only when the fresh part of the range is exhausted, so that a use after free is found.
#include "runtime/emulator/memory/DeviceMemory.h"
#include "runtime/emulator/check/BlockCheck.h"
#include "runtime/emulator/exec/Warp.h"
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <vector>

namespace heddle::emulator {

namespace {

constexpr uint64_t kArenaBytes = 1ull << 43;
constexpr uint64_t kWantedBase = 0x700000000000 - (1ull << 44);
constexpr uint64_t kAlign = 512; // what cuMemAlloc promises is 256
constexpr uint64_t kGap = 4096;
/// As a float, half or double this is a NaN, so that memory that nobody wrote shows.
constexpr int kFreshByte = 0xff;
constexpr uint64_t kFillLimit = 64 << 20;

} // namespace

DeviceMemory &DeviceMemory::get() {
  static DeviceMemory *memory = new DeviceMemory(); // lives until the process ends
  return *memory;
}

bool DeviceMemory::reserve() {
  if (base)
    return true;
  // A limit of the process (ulimit -d, -v) counts the reservation: take what it allows.
  for (uint64_t bytes = kArenaBytes; bytes >= (1ull << 28); bytes >>= 1) {
    void *place = ::mmap(reinterpret_cast<void *>(kWantedBase), bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED)
      continue;
    base = next = reinterpret_cast<uint64_t>(place);
    end = base + bytes;
    return true;
  }
  return false;
}

uint64_t DeviceMemory::allocate(uint64_t bytes, const std::string &name, int owner,
                                const void *tag) {
  std::unique_lock lock(mutex);
  uint64_t limit = capacity[owner + 1];
  if (bytes == 0 || bytes > limit || used[owner + 1] + bytes > limit || !reserve())
    return 0;
  uint64_t reserved = (bytes + kAlign - 1) / kAlign * kAlign + kGap;
  uint64_t address = 0;
  if (next + reserved <= end) {
    address = next;
    next += reserved;
  } else if (auto found = reusable.lower_bound(reserved); found != reusable.end()) {
    address = found->second;
    reserved = found->first;
    freed.erase(address);
    reusable.erase(found);
  } else {
    return 0;
  }
  used[owner + 1] += bytes;
  live[address] = {bytes, reserved, name, ++serial, owner, tag, false, nullptr};
  // The host writes pinned memory without being seen.
  if (name.empty() && owner != kHostOwner && CheckOptions::get().initialised)
    live[address].written = std::make_shared<uint8_t[]>(bytes);
  // Large ones are left as the system gives them, zero: filling would cost real memory.
  if (bytes <= kFillLimit)
    std::memset(reinterpret_cast<void *>(address), kFreshByte, bytes);
  return address;
}

bool DeviceMemory::free(uint64_t address) {
  std::unique_lock lock(mutex);
  auto found = live.find(address);
  if (found == live.end() || found->second.isRegistered)
    return false;
  used[found->second.owner + 1] -= found->second.bytes;
  uint64_t first = (address + 4095) & ~4095ull;
  uint64_t last = (address + found->second.bytes) & ~4095ull;
  if (last > first)
    ::madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
  reusable.emplace(found->second.reserved, address);
  freed[address] = found->second;
  live.erase(found);
  return true;
}

void DeviceMemory::freeTagged(const void *tag) {
  std::vector<uint64_t> addresses;
  {
    std::shared_lock lock(mutex);
    for (const auto &[address, allocation] : live)
      if (allocation.tag == tag)
        addresses.push_back(address);
  }
  for (uint64_t address : addresses)
    free(address);
}

bool DeviceMemory::registerHost(uint64_t address, uint64_t bytes) {
  std::unique_lock lock(mutex);
  if (bytes == 0 || bytes > UINT64_MAX - address)
    return false;
  auto after = live.lower_bound(address);
  if (after != live.end() && after->first < address + bytes)
    return false;
  if (at(address) != live.end())
    return false;
  live[address] = {bytes, bytes, "", ++serial, kHostOwner, nullptr, true, nullptr};
  return true;
}

bool DeviceMemory::unregisterHost(uint64_t address) {
  std::unique_lock lock(mutex);
  auto found = live.find(address);
  if (found == live.end() || !found->second.isRegistered)
    return false;
  live.erase(found);
  return true;
}

DeviceMemory::Place DeviceMemory::at(uint64_t address) const {
  auto found = live.upper_bound(address);
  if (found == live.begin())
    return live.end();
  --found;
  return address - found->first < found->second.bytes ? found : live.end();
}

bool DeviceMemory::facts(uint64_t address, AllocationFacts &result) const {
  std::shared_lock lock(mutex);
  Place found = at(address);
  if (found == live.end())
    return false;
  const Allocation &allocation = found->second;
  result = {
      found->first,   found->first + allocation.bytes, allocation.owner,        allocation.serial,
      allocation.tag, allocation.isRegistered,         !allocation.name.empty()};
  return true;
}

bool DeviceMemory::isInArena(uint64_t address) const {
  std::shared_lock lock(mutex);
  return address >= base && address < end;
}

bool DeviceMemory::isReachable(uint64_t address) const {
  uint64_t devices = reachable;
  if (devices == ~0ull)
    return true;
  std::shared_lock lock(mutex);
  Place found = at(address);
  return found == live.end() || found->second.owner == kHostOwner ||
         devices >> found->second.owner & 1;
}

bool DeviceMemory::find(uint64_t address, uint64_t &begin, uint64_t &allocationEnd) const {
  uint8_t *written;
  return findWritten(address, begin, allocationEnd, written);
}

bool DeviceMemory::findWritten(uint64_t address, uint64_t &begin, uint64_t &allocationEnd,
                               uint8_t *&written) const {
  std::shared_lock lock(mutex);
  Place found = at(address);
  if (found == live.end())
    return false;
  begin = found->first;
  allocationEnd = found->first + found->second.bytes;
  written = found->second.written.get();
  return true;
}

void DeviceMemory::markWritten(uint64_t address, uint64_t bytes) {
  uint64_t begin, stop;
  uint8_t *written;
  if (CheckOptions::get().initialised && findWritten(address, begin, stop, written) && written &&
      bytes <= stop - address)
    std::memset(written + (address - begin), 1, bytes);
}

void DeviceMemory::copyMarks(uint64_t to, uint64_t from, uint64_t bytes) {
  uint64_t begin, stop;
  uint8_t *written;
  if (!CheckOptions::get().initialised)
    return;
  if (!findWritten(from, begin, stop, written) || !written || bytes > stop - from)
    return markWritten(to, bytes);
  uint64_t toBegin, toStop;
  uint8_t *toWritten;
  if (findWritten(to, toBegin, toStop, toWritten) && toWritten && bytes <= toStop - to)
    std::memmove(toWritten + (to - toBegin), written + (from - begin), bytes);
}

uint64_t DeviceMemory::usedBytes(int owner) const {
  std::shared_lock lock(mutex);
  return used[owner + 1];
}

uint64_t DeviceMemory::usedBytes(int owner, const void *tag) const {
  std::shared_lock lock(mutex);
  uint64_t sum = 0;
  for (const auto &[address, allocation] : live)
    if (allocation.owner == owner && allocation.tag == tag)
      sum += allocation.bytes;
  return sum;
}

std::string DeviceMemory::describe(uint64_t address) const {
  std::shared_lock lock(mutex);
  auto nameOf = [](uint64_t at, const Allocation &allocation) {
    char text[160];
    std::snprintf(
        text, sizeof text, "%s of %llu bytes at 0x%llx",
        allocation.name.empty() ? ("allocation " + std::to_string(allocation.serial)).c_str()
                                : ("variable \"" + allocation.name.substr(0, 60) + "\"").c_str(),
        static_cast<unsigned long long>(allocation.bytes), static_cast<unsigned long long>(at));
    return std::string(text) + (allocation.owner > 0
                                    ? " of device " + std::to_string(allocation.owner)
                                : allocation.owner == kHostOwner ? " of the host"
                                                                 : "");
  };
  auto old = freed.upper_bound(address);
  if (old != freed.begin() && (--old, address < old->first + old->second.bytes))
    return "inside of freed " + nameOf(old->first, old->second);
  auto after = live.upper_bound(address);
  if (after != live.begin()) {
    auto before = std::prev(after);
    uint64_t stop = before->first + before->second.bytes;
    if (address < stop)
      return std::to_string(stop - address) + " bytes before the end of " +
             nameOf(before->first, before->second);
    if (after == live.end() || address - stop <= after->first - address)
      return std::to_string(address - stop) + " bytes behind the end of " +
             nameOf(before->first, before->second);
  }
  if (after != live.end())
    return std::to_string(after->first - address) + " bytes before " +
           nameOf(after->first, after->second);
  return "there are no allocations";
}

bool findAllocation(uint64_t address, AllocationHint &hint) {
  DeviceMemory &memory = DeviceMemory::get();
  return memory.isReachable(address) && memory.find(address, hint.begin, hint.end);
}

} // namespace heddle::emulator
