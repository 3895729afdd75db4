// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What handlers need that is not fast: findings, the clock, groups of lanes that wait.
#include "runtime/emulator/exec/Groups.h"
#include "runtime/emulator/exec/Runner.h"
#include "runtime/emulator/memory/DeviceMemory.h"

namespace heddle::emulator {

namespace {

constexpr uint32_t kBranchesOfSpinning = 256;

std::string triple(const uint32_t (&v)[3]) {
  return "(" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " + std::to_string(v[2]) +
         ")";
}

} // namespace

void reportFault(Warp &warp, const Op &op, Fault fault, uint32_t lane, const std::string &what) {
  warp.stop = Stop::kFault;
  LaunchState &launch = *warp.block->launch;
  std::lock_guard lock(launch.mutex);
  if (launch.finding.fault != Fault::kNone)
    return;
  std::string where = "kernel \"" + launch.kernel->name + "\", PTX line " +
                      std::to_string(op.line) + ", block " + triple(warp.block->index) + ", warp " +
                      std::to_string(warp.index);
  if (lane < kLaneCount) {
    uint32_t thread = warp.index * kLaneCount + lane;
    const uint32_t (&t)[3] = launch.threads;
    uint32_t index[3] = {thread % t[0], thread / t[0] % t[1], thread / t[0] / t[1]};
    where += ", lane " + std::to_string(lane) + ", thread " + triple(index);
  }
  launch.finding = {fault, where + ": " + what};
  launch.failed = true;
}

void reportAccess(Warp &warp, const Op &op, uint32_t lane, const char *space, uint64_t address,
                  uint32_t bytes, bool isAligned) {
  char text[160];
  std::snprintf(text, sizeof text, "%s access of %u bytes at address 0x%llx ", space, bytes,
                static_cast<unsigned long long>(address));
  std::string what = text;
  if (!isAligned) {
    what += "is not aligned to its size";
    return reportFault(warp, op, Fault::kAlignment, lane, what);
  }
  std::string name = space;
  if (name == "global" || name == "generic") {
    what += "is outside of every allocation: " + DeviceMemory::get().describe(address);
  } else {
    uint64_t size = name == "shared"  ? warp.block->sharedBytes
                    : name == "local" ? warp.block->localBytes
                                      : warp.block->launch->kernel->paramBytes;
    uint64_t base = name == "param" ? 0 : kSharedBase;
    what += "is outside of the " + name + " memory of " + std::to_string(size) +
            " bytes, which begins at " + std::to_string(base);
  }
  reportFault(warp, op, Fault::kAddress, lane, what);
}

bool mayGoOn(Warp &warp, const Op &op) {
  LaunchState &launch = *warp.block->launch;
  // Lanes that spun once will again; what they wait for is near.
  warp.branchBudget = warp.wasForced ? kBranchesOfSpinning : kBranchesBetweenLooks;
  if (launch.failed.load(std::memory_order_relaxed)) {
    warp.stop = Stop::kFault;
    return false;
  }
  if (std::chrono::steady_clock::now() >= launch.deadline) {
    reportFault(warp, op, Fault::kTimeout, kLaneCount,
                "the launch takes longer than HEDDLE_EMU_TIMEOUT allows; either the kernel does "
                "not end, or more seconds must be allowed:" +
                    describeWarps(*warp.block->cluster));
    return false;
  }
  // It may be spinning for another warp, or for another group of its lanes.
  ++warp.slices;
  warp.stop = Stop::kYield;
  warp.pc = &op;
  rotateGroups(warp);
  return false;
}

} // namespace heddle::emulator
