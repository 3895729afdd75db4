// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread block: its warps run in turns, each until it waits at a barrier or ends.
#include "runtime/emulator/exec/Launch.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace heddle::emulator {

namespace {

constexpr size_t kLine = 64;
constexpr uint8_t kFreshByte = 0xff; // NaN in every float type
constexpr uint32_t kBarriers = 16;

uint8_t *allocateLines(size_t bytes) {
  bytes = (bytes + kLine) / kLine * kLine;
  return static_cast<uint8_t *>(std::aligned_alloc(kLine, bytes));
}

} // namespace

BlockRunner::BlockRunner(LaunchState &launch, LaunchCounts *counts)
    : launch(launch), kernel(*launch.kernel) {
  uint32_t threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
  warpCount = (threads + kLaneCount - 1) / kLaneCount;
  block.launch = &launch;
  block.threadCount = threads;
  block.sharedBytes = launch.sharedBytes;
  block.localBytes = kernel.localBytes;
  block.counts = counts;
  block.shared = allocateLines(block.sharedBytes);
  block.local = allocateLines(size_t(block.localBytes) * warpCount * kLaneCount);
  registers = allocateLines(size_t(kernel.registerBytes) * warpCount);
  predicates.assign(size_t(kernel.predicates) * warpCount, 0);
  warps.resize(warpCount);
  if (CheckOptions::get().any()) {
    check = std::make_unique<BlockCheck>(block, warpCount);
    block.check = check.get();
  }
  if (block.shared && block.local && registers)
    prepareRegisters();
}

BlockRunner::~BlockRunner() {
  std::free(block.shared);
  std::free(block.local);
  std::free(registers);
}

uint32_t BlockRunner::valueOf(Special which, uint32_t warp, uint32_t lane) const {
  uint32_t thread = warp * kLaneCount + lane;
  const uint32_t (&t)[3] = launch.threads;
  switch (which) {
  case Special::kTidX:
    return thread % t[0];
  case Special::kTidY:
    return thread / t[0] % t[1];
  case Special::kTidZ:
    return thread / t[0] / t[1];
  case Special::kNtidX:
    return t[0];
  case Special::kNtidY:
    return t[1];
  case Special::kNtidZ:
    return t[2];
  case Special::kCtaidX:
    return block.index[0];
  case Special::kCtaidY:
    return block.index[1];
  case Special::kCtaidZ:
    return block.index[2];
  case Special::kNctaidX:
    return launch.grid[0];
  case Special::kNctaidY:
    return launch.grid[1];
  case Special::kNctaidZ:
    return launch.grid[2];
  case Special::kLaneId:
    return lane;
  case Special::kWarpId:
    return warp;
  case Special::kNwarpId:
    return warpCount;
  case Special::kLaneMaskEq:
    return 1u << lane;
  case Special::kLaneMaskLt:
    return (1u << lane) - 1;
  case Special::kLaneMaskLe:
    return ((1u << lane) - 1) | 1u << lane;
  case Special::kLaneMaskGt:
    return ~(((1u << lane) - 1) | 1u << lane);
  case Special::kLaneMaskGe:
    return ~((1u << lane) - 1);
  case Special::kNsmId:
    return 1;
  case Special::kDynamicShared:
    return launch.sharedBytes - kernel.sharedBytes;
  case Special::kTotalShared:
    return launch.sharedBytes;
  default:
    return 0;
  }
}

void BlockRunner::fill(uint8_t *to, const SpecialRegister &reg, uint32_t warp) {
  for (uint32_t lane = 0; lane < kLaneCount; ++lane) {
    uint64_t value = valueOf(reg.which, warp, lane);
    std::memcpy(to + reg.slot + lane * reg.bytes, &value, reg.bytes);
  }
}

/// One value in all lanes of all warps.
void BlockRunner::fillAllLanes(const SpecialRegister &reg) {
  uint64_t value = valueOf(reg.which, 0, 0);
  for (Warp &warp : warps) {
    uint8_t *to = warp.registers + reg.slot;
    if (reg.bytes == 4)
      std::fill_n(reinterpret_cast<uint32_t *>(to), kLaneCount, static_cast<uint32_t>(value));
    else if (reg.bytes == 8)
      std::fill_n(reinterpret_cast<uint64_t *>(to), kLaneCount, value);
    else
      std::fill_n(reinterpret_cast<uint16_t *>(to), kLaneCount, static_cast<uint16_t>(value));
  }
}

void BlockRunner::prepareRegisters() {
  std::memset(registers, kFreshByte, size_t(kernel.registerBytes) * warpCount);
  for (uint32_t w = 0; w < warpCount; ++w) {
    uint8_t *own = registers + size_t(kernel.registerBytes) * w;
    for (const Constant &constant : kernel.constants)
      for (uint32_t lane = 0; lane < kLaneCount; ++lane)
        std::memcpy(own + constant.slot + lane * constant.bytes, &constant.value, constant.bytes);
    for (const SpecialRegister &reg : kernel.specials)
      fill(own, reg, w);
    warps[w].registers = own;
    warps[w].predicates = predicates.data() + size_t(kernel.predicates) * w;
    warps[w].predicates[0] = kAllLanes;
    warps[w].block = &block;
    warps[w].code = kernel.ops.data();
    warps[w].index = w;
    warps[w].branchBudget = 1;
  }
}

void BlockRunner::startBlock(uint64_t number) {
  block.index[0] = static_cast<uint32_t>(number % launch.grid[0]);
  block.index[1] = static_cast<uint32_t>(number / launch.grid[0] % launch.grid[1]);
  block.index[2] = static_cast<uint32_t>(number / launch.grid[0] / launch.grid[1]);
  std::memset(block.shared, kFreshByte, block.sharedBytes);
  if (check)
    check->startBlock();
  for (const SpecialRegister &reg : kernel.specials)
    if (reg.which == Special::kCtaidX || reg.which == Special::kCtaidY ||
        reg.which == Special::kCtaidZ)
      fillAllLanes(reg);
  for (Warp &warp : warps) {
    uint32_t rest = block.threadCount - warp.index * kLaneCount;
    warp.live = warp.active = rest >= kLaneCount ? kAllLanes : (1u << rest) - 1;
    warp.pc = warp.code;
    warp.stop = Stop::kNone;
    warp.join = kNoJoin;
    warp.sides.clear();
    warp.arrivals.clear();
  }
}

void BlockRunner::runWarp(Warp &warp) {
  while (warp.stop == Stop::kNone) {
    const Op *op = warp.pc++;
    op->run(warp, *op);
  }
}

void BlockRunner::runCounted(Warp &warp) {
  while (warp.stop == Stop::kNone) {
    const Op *op = warp.pc++;
    countOp(warp, *op, *block.counts);
    op->run(warp, *op);
    // Arithmetic may have gone on with further ops of its kind.
    bool isArithmetic = op->kind <= OpClass::kMove;
    for (++op; isArithmetic && op < warp.pc; ++op)
      countOp(warp, *op, *block.counts);
  }
}

/// What the warps at a barrier did is before what those that wait there do next.
void BlockRunner::passBarrier(uint32_t barrier) {
  SharedShadow &shadow = check->sharedShadow();
  auto waits = [&](const Warp &warp) {
    return warp.stop == Stop::kBarrier && warp.barrier == barrier;
  };
  for (const Warp &warp : warps)
    if (waits(warp))
      shadow.arrive(barrier, warp.index);
  for (const Warp &warp : warps)
    if (waits(warp))
      shadow.release(barrier, warp.index);
  shadow.clearBarrier(barrier);
}

/// Opens every barrier at which enough threads have arrived. A warp counts as 32 threads; warps
/// that have ended count as arrived where all threads are expected.
bool BlockRunner::releaseBarriers() {
  bool any = false;
  for (uint32_t b = 0; b < kBarriers; ++b) {
    uint32_t arrived = 0, expected = 0, ended = 0;
    bool waits = false, isSet = false;
    for (const Warp &warp : warps) {
      ended += warp.stop == Stop::kExited ? kLaneCount : 0;
      auto take = [&](uint32_t threads) {
        arrived += kLaneCount;
        isSet |= threads != 0;
        expected = threads ? threads : expected;
      };
      if (warp.stop == Stop::kBarrier && warp.barrier == b) {
        waits = true;
        take(warp.barrierThreads);
      }
      for (size_t i = 0; i < warp.arrivals.size(); i += 2)
        if (warp.arrivals[i] == b)
          take(warp.arrivals[i + 1]);
    }
    if (!waits)
      continue;
    bool open = isSet ? arrived >= expected : arrived + ended >= warpCount * kLaneCount;
    if (!open)
      continue;
    any = true;
    if (check)
      passBarrier(b);
    for (Warp &warp : warps) {
      if (warp.stop == Stop::kBarrier && warp.barrier == b)
        warp.stop = Stop::kNone;
      for (size_t i = 0; i < warp.arrivals.size();) {
        if (warp.arrivals[i] == b)
          warp.arrivals.erase(warp.arrivals.begin() + i, warp.arrivals.begin() + i + 2);
        else
          i += 2;
      }
    }
  }
  return any;
}

void BlockRunner::reportDeadlock() {
  std::string text = "no warp can go on:";
  Warp *first = nullptr;
  for (Warp &warp : warps) {
    if (warp.stop != Stop::kBarrier)
      continue;
    first = first ? first : &warp;
    if (text.size() < 600)
      text += " warp " + std::to_string(warp.index) + " waits at barrier " +
              std::to_string(warp.barrier) + " in line " + std::to_string(warp.pc[-1].line) + ";";
  }
  reportFault(*first, first->pc[-1], Fault::kDeadlock, kLaneCount,
              text + " the others have ended or wait elsewhere");
}

bool BlockRunner::run(uint64_t number) {
  if (!block.shared || !block.local || !registers) {
    std::lock_guard lock(launch.mutex);
    launch.finding = {Fault::kInvalid, "the host has too little memory for the kernel's registers"};
    launch.failed = true;
    return false;
  }
  startBlock(number);
  for (;;) {
    bool waits = false;
    for (Warp &warp : warps) {
      if (warp.stop == Stop::kNone)
        block.counts ? runCounted(warp) : runWarp(warp);
      if (warp.stop == Stop::kFault)
        return false;
      waits |= warp.stop == Stop::kBarrier;
    }
    if (check && !check->settle())
      return false;
    if (!waits)
      return true;
    if (!releaseBarriers()) {
      reportDeadlock();
      return false;
    }
  }
}

} // namespace heddle::emulator
