// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp that has nothing but registers and some shared memory, to run one handler on, at every
// vector level that the host has.
#ifndef HEDDLE_TEST_EMULATOR_HANDLERSTAGE_H
#define HEDDLE_TEST_EMULATOR_HANDLERSTAGE_H

#include "runtime/emulator/exec/Cluster.h"
#include "runtime/emulator/exec/Handlers.h"
#include <numeric>

namespace heddle::emulator::test {

struct Level {
  const char *name;
  HandlerTable table;
};

/// Those of the tensor handlers that run here.
inline const std::vector<Level> &levels() {
  static const std::vector<Level> all = [] {
    std::vector<Level> result(1);
    result[0].name = "v2";
    v2::addTensorHandlers(result[0].table);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      result.push_back({"v3", {}});
      v3::addTensorHandlers(result.back().table);
    }
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
      result.push_back({"v4", {}});
      v4::addTensorHandlers(result.back().table);
    }
    return result;
  }();
  return all;
}

struct Stage {
  static constexpr uint32_t kRegisters = 64, kSharedBytes = 4096;
  alignas(64) uint8_t registers[kRegisters * 256] = {};
  alignas(64) uint16_t shared[kSharedBytes / 2];
  uint32_t predicates[1] = {kAllLanes};
  uint32_t slots[kRegisters];
  Op op;
  LaunchState launch;
  Kernel kernel;
  Block block;
  Warp warp;

  /// `registerBytes` of a lane: 4 or 8; the operands are registers in order.
  explicit Stage(uint32_t registerBytes) {
    for (uint32_t i = 0; i < kRegisters; ++i)
      slots[i] = i * 32 * registerBytes;
    std::iota(std::begin(shared), std::end(shared), uint16_t(1));
    launch.kernel = &kernel;
    block.launch = &launch;
    block.shared = reinterpret_cast<uint8_t *>(shared);
    block.sharedBytes = kSharedBytes;
    warp.registers = registers;
    warp.predicates = predicates;
    warp.block = &block;
    warp.code = &op;
    warp.active = warp.live = kAllLanes;
    op.more = slots;
  }
  uint32_t &word(int r, uint32_t lane) {
    return reinterpret_cast<uint32_t *>(registers)[r * 32 + lane];
  }
  double &wide(int r, uint32_t lane) {
    return reinterpret_cast<double *>(registers)[r * 32 + lane];
  }
};

} // namespace heddle::emulator::test

#endif // HEDDLE_TEST_EMULATOR_HANDLERSTAGE_H
