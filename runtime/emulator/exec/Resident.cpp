// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block's memory: its registers, what is in them when a kernel starts, shared and local memory.
#include "runtime/emulator/exec/Runner.h"
#include "runtime/emulator/tmem/Tmem.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace heddle::emulator {

namespace {

constexpr size_t kLine = 64;
constexpr size_t kSharedAlign = 1024; // swizzles look at the low bits of addresses
constexpr uint8_t kFreshByte = 0xff;  // NaN in every float type

uint8_t *allocateLines(size_t bytes, size_t align = kLine) {
  bytes = (bytes + align) / align * align;
  return static_cast<uint8_t *>(std::aligned_alloc(align, bytes));
}

} // namespace

Resident::Resident(LaunchState &launch, Cluster &cluster, LaunchCounts *counts) {
  const Kernel &kernel = *launch.kernel;
  uint32_t threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
  uint32_t warpCount = (threads + kLaneCount - 1) / kLaneCount;
  block.launch = &launch;
  block.cluster = &cluster;
  block.threadCount = threads;
  block.warpCount = warpCount;
  block.sharedBytes = launch.sharedBytes;
  block.localBytes = kernel.localBytes;
  block.counts = counts;
  block.shared = allocateLines(block.sharedBytes, kSharedAlign);
  block.local = allocateLines(size_t(block.localBytes) * warpCount * kLaneCount);
  registers = allocateLines(size_t(kernel.registerBytes) * warpCount);
  predicates.assign(size_t(kernel.predicates) * warpCount, 0);
  warps.resize(warpCount);
  block.warps = warps.data();
  if (CheckOptions::get().any()) {
    check = std::make_unique<BlockCheck>(block, warpCount);
    block.check = check.get();
  }
  if (hasMemory())
    prepareRegisters();
}

Resident::~Resident() {
  std::free(block.shared);
  std::free(block.local);
  std::free(registers);
}

uint32_t Resident::valueOf(Special which, uint32_t warp, uint32_t lane) const {
  uint32_t thread = warp * kLaneCount + lane;
  const LaunchState &launch = *block.launch;
  const Cluster &cluster = *block.cluster;
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
    return block.warpCount;
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
  case Special::kWorkspaceHigh:
    return static_cast<uint32_t>(launch.workspace >> 32);
  case Special::kWorkspaceLow:
    return static_cast<uint32_t>(launch.workspace);
  case Special::kDynamicShared:
    return launch.sharedBytes - launch.kernel->sharedBytes;
  case Special::kTotalShared:
    return launch.sharedBytes;
  case Special::kClusterIdX:
  case Special::kClusterIdY:
  case Special::kClusterIdZ:
    return cluster.index[int(which) - int(Special::kClusterIdX)];
  case Special::kNclusterIdX:
  case Special::kNclusterIdY:
  case Special::kNclusterIdZ: {
    int d = int(which) - int(Special::kNclusterIdX);
    return launch.grid[d] / cluster.shape[d];
  }
  case Special::kClusterCtaidX:
  case Special::kClusterCtaidY:
  case Special::kClusterCtaidZ: {
    int d = int(which) - int(Special::kClusterCtaidX);
    return block.index[d] % cluster.shape[d];
  }
  case Special::kClusterNctaidX:
  case Special::kClusterNctaidY:
  case Special::kClusterNctaidZ:
    return cluster.shape[int(which) - int(Special::kClusterNctaidX)];
  case Special::kClusterCtarank:
    return block.rank;
  case Special::kClusterNctarank:
    return cluster.size;
  default:
    return 0;
  }
}

void Resident::fill(uint8_t *to, const SpecialRegister &reg, uint32_t warp) {
  for (uint32_t lane = 0; lane < kLaneCount; ++lane) {
    uint64_t value = valueOf(reg.which, warp, lane);
    std::memcpy(to + reg.slot + lane * reg.bytes, &value, reg.bytes);
  }
}

/// One value in all lanes of all warps.
void Resident::fillAllLanes(const SpecialRegister &reg) {
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

void Resident::prepareRegisters() {
  const Kernel &kernel = *block.launch->kernel;
  uint32_t warpCount = block.warpCount;
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
    warps[w].branchBudget = kBranchesBetweenLooks;
  }
}

/// Values that differ between blocks.
static bool isOfBlock(Special which) {
  return (which >= Special::kCtaidX && which <= Special::kCtaidZ) ||
         (which >= Special::kClusterIdX && which <= Special::kClusterNctarank);
}

void Resident::start(const uint32_t (&index)[3]) {
  std::copy(index, index + 3, block.index);
  std::memset(block.shared, kFreshByte, block.sharedBytes);
  if (block.tmem)
    block.tmem->start();
  if (check)
    check->startBlock();
  for (const SpecialRegister &reg : block.launch->kernel->specials)
    if (isOfBlock(reg.which))
      fillAllLanes(reg);
  for (Warp &warp : warps) {
    uint32_t rest = block.threadCount - warp.index * kLaneCount;
    warp.live = warp.active = rest >= kLaneCount ? kAllLanes : (1u << rest) - 1;
    warp.pc = warp.code;
    warp.stop = Stop::kNone;
    warp.join = kNoJoin;
    warp.current = 0;
    warp.groups.assign(1, Group());
    warp.arrivals.clear();
    warp.clusterArrived = warp.slices = warp.wgmmaGroups = 0;
    // wasForced stays: where lanes of one block spin, those of the next will.
    warp.mayGiveUp = false;
  }
}

} // namespace heddle::emulator
