// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// printf, assert, malloc and free of device code. Each call of a lane prints in one piece.
#include "runtime/emulator/host/HostFunctions.h"
#include "runtime/emulator/exec/Warp.h"
#include "runtime/emulator/host/PrintFormat.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <cstdio>
#include <cstring>
#include <mutex>

namespace heddle::emulator {

namespace {

constexpr uint64_t kLongestText = 1 << 20;

struct HostFunction {
  const char *name;
  size_t arguments, results;
};
constexpr HostFunction kFunctions[] = {
    {"vprintf", 2, 1}, {"__assertfail", 5, 0}, {"malloc", 1, 1}, {"free", 1, 0}};

/// A lane of a warp and the memory that it sees.
struct Thread {
  Warp &warp;
  uint32_t lane;

  uint8_t *local() const {
    const Block &block = *warp.block;
    return block.local + (uint64_t(warp.index) * kLaneCount + lane) * block.localBytes;
  }
  /// Host address of a generic one, and the bytes that are there; null: nothing is.
  const uint8_t *at(uint64_t address, uint64_t &bytes) const {
    const Block &block = *warp.block;
    if (address - kLocalWindow < kWindowBytes) {
      uint64_t offset = address - kLocalWindow - kLocalBase;
      bytes = offset < block.localBytes ? block.localBytes - offset : 0;
      return bytes ? local() + offset : nullptr;
    }
    if (address - kSharedWindow < kWindowBytes) {
      uint64_t offset = address - kSharedWindow - kSharedBase;
      bytes = offset < block.sharedBytes ? block.sharedBytes - offset : 0;
      return bytes ? block.shared + offset : nullptr;
    }
    AllocationHint hint;
    if (!findAllocation(address, hint) || address >= hint.end)
      return nullptr;
    bytes = hint.end - address;
    return reinterpret_cast<const uint8_t *>(address);
  }
  bool string(uint64_t address, std::string &text) const {
    uint64_t bytes = 0;
    const uint8_t *from = at(address, bytes);
    if (!from)
      return false;
    bytes = bytes < kLongestText ? bytes : kLongestText;
    const void *end = std::memchr(from, 0, bytes);
    if (!end)
      return false;
    text.assign(reinterpret_cast<const char *>(from), static_cast<const uint8_t *>(end) - from);
    return true;
  }
  /// The i-th argument or result of the call.
  template <typename T> T argument(const Op &op, size_t i) const {
    T value;
    std::memcpy(&value, local() + op.more[1 + i], sizeof value);
    return value;
  }
  template <typename T> void setResult(const Op &op, size_t i, T value) const {
    std::memcpy(local() + op.more[1 + i], &value, sizeof value);
  }
};

uint32_t maskOf(const Warp &warp, const Op &op) {
  return warp.active & (warp.predicates[op.guard] ^ op.guardFlip);
}

void print(const std::string &text, FILE *to) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  std::fwrite(text.data(), 1, text.size(), to);
}

void printFormatted(Warp &warp, const Op &op) {
  for (uint32_t mask = maskOf(warp, op); mask; mask &= mask - 1) {
    Thread thread{warp, static_cast<uint32_t>(__builtin_ctz(mask))};
    uint64_t format = thread.argument<uint64_t>(op, 0), next = thread.argument<uint64_t>(op, 1);
    std::string text, result;
    auto read = [&](void *to, size_t size) {
      next = (next + size - 1) / size * size;
      uint64_t bytes = 0;
      const uint8_t *from = thread.at(next, bytes);
      if (!from || bytes < size)
        return false;
      std::memcpy(to, from, size);
      next += size;
      return true;
    };
    auto string = [&](uint64_t address, std::string &to) { return thread.string(address, to); };
    int count = -1;
    if (format != 0 && !thread.string(format, text))
      return reportFault(warp, op, Fault::kAddress, thread.lane,
                         "printf: the format is no text that ends in memory");
    if (format != 0 && !formatPrint(text, read, string, result, count))
      return reportFault(warp, op, Fault::kAddress, thread.lane,
                         "printf: an argument of \"" + text + "\" cannot be read");
    print(result, stdout);
    thread.setResult<int32_t>(op, 2, count);
  }
}

/// Every lane says what failed, the first one ends the launch.
void failAssertion(Warp &warp, const Op &op) {
  uint32_t first = kLaneCount;
  std::string message;
  for (uint32_t mask = maskOf(warp, op); mask; mask &= mask - 1) {
    Thread thread{warp, static_cast<uint32_t>(__builtin_ctz(mask))};
    std::string what = "?", file = "?", function = "?";
    thread.string(thread.argument<uint64_t>(op, 0), what);
    thread.string(thread.argument<uint64_t>(op, 1), file);
    thread.string(thread.argument<uint64_t>(op, 3), function);
    const uint32_t (&t)[3] = warp.block->launch->threads;
    const uint32_t (&b)[3] = warp.block->index;
    uint32_t index = warp.index * kLaneCount + thread.lane;
    char place[160];
    std::snprintf(place, sizeof place, "block: [%u,%u,%u], thread: [%u,%u,%u]", b[0], b[1], b[2],
                  index % t[0], index / t[0] % t[1], index / t[0] / t[1]);
    std::string text = file + ":" + std::to_string(thread.argument<uint32_t>(op, 2)) + ": " +
                       function + ": " + place + " Assertion `" + what + "` failed.";
    print(text + "\n", stderr);
    if (first == kLaneCount) {
      first = thread.lane;
      message = text;
    }
  }
  if (first < kLaneCount)
    reportFault(warp, op, Fault::kTrap, first, message);
}

void allocateMemory(Warp &warp, const Op &op) {
  for (uint32_t mask = maskOf(warp, op); mask; mask &= mask - 1) {
    Thread thread{warp, static_cast<uint32_t>(__builtin_ctz(mask))};
    uint64_t bytes = thread.argument<uint64_t>(op, 0);
    thread.setResult(op, 1, DeviceMemory::get().allocate(bytes ? bytes : 1, "malloc"));
  }
}

void freeMemory(Warp &warp, const Op &op) {
  for (uint32_t mask = maskOf(warp, op); mask; mask &= mask - 1) {
    Thread thread{warp, static_cast<uint32_t>(__builtin_ctz(mask))};
    uint64_t address = thread.argument<uint64_t>(op, 0);
    if (address != 0 && !DeviceMemory::get().free(address))
      return reportFault(warp, op, Fault::kAddress, thread.lane,
                         "free: the address is not one that malloc gave");
    for (AllocationHint &hint : warp.block->hints)
      hint = AllocationHint();
  }
}

/// Op::a: the address that was called.
void callNowhere(Warp &warp, const Op &op) {
  uint32_t mask = maskOf(warp, op);
  if (mask == 0)
    return;
  uint32_t lane = static_cast<uint32_t>(__builtin_ctz(mask));
  uint64_t address;
  std::memcpy(&address, warp.registers + op.a + 8 * lane, sizeof address);
  char text[120];
  std::snprintf(text, sizeof text,
                "call through address 0x%llx, which is no function that this call may reach, or "
                "one that is running",
                static_cast<unsigned long long>(address));
  reportFault(warp, op, Fault::kInvalid, lane, text);
}

/// Op::imm: how deep recursion is followed.
void callTooDeep(Warp &warp, const Op &op) {
  if (uint32_t mask = maskOf(warp, op))
    reportFault(warp, op, Fault::kInvalid, static_cast<uint32_t>(__builtin_ctz(mask)),
                "a function called itself more than " + std::to_string(op.imm) +
                    " times in a row; the emulated device follows no deeper recursion");
}

} // namespace

bool findHostFunction(std::string_view name, size_t &arguments, size_t &results) {
  for (const HostFunction &function : kFunctions)
    if (name == function.name) {
      arguments = function.arguments;
      results = function.results;
      return true;
    }
  return false;
}

void addHostFunctions(HandlerTable &table) {
  static const Instruction kRows[] = {{"vprintf", printFormatted, "", OpClass::kNone},
                                      {"__assertfail", failAssertion, "", OpClass::kNone},
                                      {"malloc", allocateMemory, "", OpClass::kNone},
                                      {"free", freeMemory, "", OpClass::kNone},
                                      {"call.deep", callTooDeep, "", OpClass::kNone},
                                      {"call.nowhere", callNowhere, ":d", OpClass::kNone}};
  table.add(kRows, sizeof kRows / sizeof *kRows);
}

} // namespace heddle::emulator
