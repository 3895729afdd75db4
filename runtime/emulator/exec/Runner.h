// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker's memory for the blocks that it runs together, and the schedule of their warps.
#ifndef HEDDLE_RUNTIME_EMULATOR_EXEC_RUNNER_H
#define HEDDLE_RUNTIME_EMULATOR_EXEC_RUNNER_H

#include "runtime/emulator/check/BlockCheck.h"
#include "runtime/emulator/exec/Cluster.h"
#include <memory>

namespace heddle::emulator {

/// HEDDLE_EMU_SCHEDULE and HEDDLE_EMU_SEED: in which order warps run.
struct Schedule {
  enum class Order : uint8_t {
    kRoundRobin, ///< each until it waits
    kReverse,    ///< the same, the last warp first
    kRandom,     ///< in random order, each for a random number of ops
    kInterleave  ///< one op each
  };
  Order order = Order::kRoundRobin;
  uint32_t seed = 1;

  static const Schedule &get();
};

/// One block's memory and warps.
struct Resident {
  Block block;
  std::vector<Warp> warps;
  std::unique_ptr<BlockCheck> check;
  uint8_t *registers = nullptr;
  std::vector<uint32_t> predicates;

  Resident(LaunchState &launch, Cluster &cluster, LaunchCounts *counts);
  ~Resident();
  Resident(const Resident &) = delete;
  Resident &operator=(const Resident &) = delete;
  bool hasMemory() const { return block.shared && block.local && registers; }
  /// Block `index` of the grid begins.
  void start(const uint32_t (&index)[3]);

private:
  void prepareRegisters();
  void fill(uint8_t *registers, const SpecialRegister &reg, uint32_t warp);
  void fillAllLanes(const SpecialRegister &reg);
  uint32_t valueOf(Special which, uint32_t warp, uint32_t lane) const;
};

class Runner {
public:
  Runner(LaunchState &launch, LaunchCounts *counts);
  /// Runs a unit: a cluster, or all blocks of a cooperative launch. False: a fault was recorded.
  bool run(uint64_t unit);
  /// How many units the launch has.
  static uint64_t unitsOf(const LaunchState &launch);

private:
  void startBlocks(uint64_t unit);
  bool runAll();
  bool runRound(bool &ran, bool &worked);
  void runWarp(Warp &warp);
  uint64_t progressOfAll() const;
  bool unstick(bool ran);
  bool letTryWaitGiveUp();
  bool reportDeadlock();
  uint32_t random();

  LaunchState &launch;
  LaunchCounts *counts;
  std::vector<std::unique_ptr<Cluster>> clusters;
  std::vector<std::unique_ptr<Resident>> residents;
  std::vector<Warp *> order;
  uint32_t randomState;
  uint32_t fruitless = 0; ///< rounds in which try_wait gave up and nothing happened
};

/// Opens the barriers of a block at which enough threads have arrived. False: none.
bool releaseBarriers(Block &block);
/// The same for the cluster's barrier.
bool releaseClusterBarrier(Cluster &cluster);
/// Where each warp is and what it waits for.
std::string describeWarps(const Cluster &cluster);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_EXEC_RUNNER_H
