// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts instructions by class, bytes and 32-byte sectors of global memory, and how many passes the
// 32 banks of shared memory need for an access.
#include "runtime/emulator/count/Counters.h"
#include "runtime/emulator/count/Roofline.h"
#include "runtime/emulator/exec/Launch.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

namespace heddle::emulator {

namespace {

struct Totals {
  uint64_t launches = 0, blocks = 0;
  LaunchCounts counts;
  const Gpu *gpu = nullptr;
  int blocksPerSm = 0;
  double placed = 0, places = 0; ///< blocks, and places for blocks in the waves that they make
};

std::mutex totalsMutex;

std::map<std::string, Totals> &totals() {
  static auto *map = new std::map<std::string, Totals>();
  return *map;
}

constexpr uint64_t kSectorBytes = 32;
constexpr uint32_t kBanks = 32, kBankBytes = 4, kWavefrontBytes = 128;

void addressesOf(const Warp &warp, const Op &op, uint64_t (&to)[kLaneCount]) {
  const uint8_t *base = warp.registers + op.a;
  bool isNarrow = op.kind == OpClass::kShared && op.target == 4;
  for (uint32_t l = 0; l < kLaneCount; ++l) {
    uint64_t value = 0;
    std::memcpy(&value, base + l * (isNarrow ? 4 : 8), isNarrow ? 4 : 8);
    to[l] = value + static_cast<uint64_t>(op.imm);
  }
}

uint32_t countSectors(const uint64_t (&at)[kLaneCount], uint32_t mask, uint32_t bytes) {
  uint64_t sectors[2 * kLaneCount];
  uint32_t count = 0;
  for (uint32_t l = 0; l < kLaneCount; ++l)
    if (mask >> l & 1)
      for (uint64_t s = at[l] / kSectorBytes; s <= (at[l] + bytes - 1) / kSectorBytes; ++s)
        if (count < 2 * kLaneCount)
          sectors[count++] = s;
  std::sort(sectors, sectors + count);
  return static_cast<uint32_t>(std::unique(sectors, sectors + count) - sectors);
}

/// Wide accesses are served in groups of lanes that read 128 bytes together; words that are the
/// same are read once.
uint32_t countWavefronts(const uint64_t (&at)[kLaneCount], uint32_t mask, uint32_t bytes) {
  uint32_t group = bytes <= kBankBytes ? kLaneCount : kWavefrontBytes / bytes, result = 0;
  for (uint32_t first = 0; first < kLaneCount; first += group) {
    uint64_t words[kLaneCount * 2];
    uint32_t count = 0;
    for (uint32_t l = first; l < first + group; ++l)
      if (mask >> l & 1)
        for (uint32_t b = 0; b < std::max(bytes, kBankBytes); b += kBankBytes)
          words[count++] = (at[l] + b) / kBankBytes;
    std::sort(words, words + count);
    count = static_cast<uint32_t>(std::unique(words, words + count) - words);
    uint32_t banks[kBanks] = {}, most = 0;
    for (uint32_t i = 0; i < count; ++i)
      most = std::max(most, ++banks[words[i] % kBanks]);
    result += most;
  }
  return result;
}

} // namespace

void countOp(const Warp &warp, const Op &op, LaunchCounts &counts) {
  if (op.kind == OpClass::kNone)
    return;
  ++counts.byClass[static_cast<size_t>(op.kind)];
  uint32_t mask = warp.active & (warp.predicates[op.guard] ^ op.guardFlip);
  uint32_t lanes = static_cast<uint32_t>(__builtin_popcount(mask));
  counts.lanes += lanes;
  if (mask == 0)
    return;
  uint64_t at[kLaneCount];
  if (op.kind == OpClass::kGlobal) {
    addressesOf(warp, op, at);
    ++counts.globalRequests;
    counts.globalBytes += uint64_t(lanes) * op.bytes;
    counts.globalSectors += countSectors(at, mask, op.bytes);
  } else if (op.kind == OpClass::kShared) {
    addressesOf(warp, op, at);
    ++counts.sharedRequests;
    counts.sharedBytes += uint64_t(lanes) * op.bytes;
    counts.sharedWavefronts += countWavefronts(at, mask, op.bytes);
  } else if (op.kind == OpClass::kTensor) {
    counts.tensorFlop += static_cast<uint64_t>(op.imm);
  }
}

bool countersWanted() {
  static const bool wanted = [] {
    const char *text = std::getenv("HEDDLE_EMU_COUNTERS");
    return text && *text && std::strcmp(text, "0") != 0;
  }();
  return wanted;
}

void countLaunch(const std::string &kernel, uint64_t blocks) {
  std::lock_guard lock(totalsMutex);
  Totals &of = totals()[kernel];
  ++of.launches;
  of.blocks += blocks;
}

void countPlaces(const std::string &kernel, const Gpu &gpu, uint64_t blocks, int blocksPerSm) {
  std::lock_guard lock(totalsMutex);
  Totals &of = totals()[kernel];
  of.gpu = &gpu;
  of.blocksPerSm = blocksPerSm;
  uint64_t wave = uint64_t(gpu.sms) * static_cast<uint64_t>(std::max(blocksPerSm, 1));
  of.placed += double(blocks);
  of.places += double((blocks + wave - 1) / wave * wave);
}

void addCounts(const std::string &kernel, const LaunchCounts &counts) {
  static_assert(sizeof(LaunchCounts) % sizeof(uint64_t) == 0);
  std::lock_guard lock(totalsMutex);
  auto *to = reinterpret_cast<uint64_t *>(&totals()[kernel].counts);
  auto *from = reinterpret_cast<const uint64_t *>(&counts);
  for (size_t i = 0; i < sizeof(LaunchCounts) / sizeof(uint64_t); ++i)
    to[i] += from[i];
}

std::string countersAsJson() {
  std::lock_guard lock(totalsMutex);
  static const char *const kNames[] = {"integer", "float",   "special", "convert", "move",
                                       "global",  "shared",  "local",   "param",   "atomic",
                                       "branch",  "barrier", "shuffle", "tensor"};
  std::string text = "{\"kernels\": [";
  bool first = true;
  for (const auto &[name, of] : totals()) {
    auto add = [&](const char *key, uint64_t value) {
      text += std::string(", \"") + key + "\": " + std::to_string(value);
    };
    const LaunchCounts &c = of.counts;
    uint64_t sum = 0;
    for (uint64_t n : c.byClass)
      sum += n;
    text += std::string(first ? "" : ", ") + "{\"kernel\": \"" + name + "\"";
    first = false;
    add("launches", of.launches);
    add("blocks", of.blocks);
    add("warpInstructions", sum);
    for (size_t i = 0; i < std::size(kNames); ++i)
      add(kNames[i], c.byClass[i]);
    add("globalBytes", c.globalBytes);
    add("globalSectors", c.globalSectors);
    add("sharedBytes", c.sharedBytes);
    add("sharedWavefronts", c.sharedWavefronts);
    add("tensorFlop", c.tensorFlop);
    if (of.gpu) {
      Roofline bound = estimate(*of.gpu, c, of.placed / std::max(of.places, 1.0));
      char line[160];
      std::snprintf(line, sizeof line,
                    ", \"blocksPerSm\": %d, \"estimateUs\": %.3g, \"estimateLimit\": \"%s\"",
                    of.blocksPerSm, bound.microseconds, bound.limit);
      text += line;
    }
    text += "}";
  }
  return text + "]}";
}

void resetCounters() {
  std::lock_guard lock(totalsMutex);
  totals().clear();
}

} // namespace heddle::emulator
