// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distributes the blocks of a grid over threads that are kept between launches.
#include "runtime/emulator/exec/Launch.h"
#include "runtime/emulator/check/global/GlobalRaces.h"
#include "runtime/emulator/count/Counters.h"
#include "runtime/emulator/exec/Runner.h"
#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <thread>

namespace heddle::emulator {

namespace {

/// One launch at a time; the caller works as well.
class Workers {
public:
  static Workers &get() {
    static Workers *workers = new Workers(); // its threads live until the process ends
    return *workers;
  }

  void run(LaunchState &launch, uint64_t units) {
    std::lock_guard oneLaunch(launchMutex);
    if (units == 1 || count == 1 || launch.races) {
      work(launch, units);
      return;
    }
    {
      std::lock_guard lock(mutex);
      start();
      current = &launch;
      total = units;
      busy = static_cast<uint32_t>(threads.size());
      ++round;
    }
    wake.notify_all();
    work(launch, units);
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return busy == 0; });
    current = nullptr;
  }

private:
  Workers() {
    const char *text = std::getenv("HEDDLE_EMU_THREADS");
    int wanted = text ? std::atoi(text) : 0;
    count = wanted > 0 ? std::min(wanted, 256)
                       : std::max(1u, std::min(64u, std::thread::hardware_concurrency()));
  }
  void start() {
    while (threads.size() + 1 < count)
      threads.emplace_back([this] { loop(); }).detach();
  }
  void loop() {
    uint64_t seen = 0;
    for (;;) {
      LaunchState *launch;
      uint64_t units;
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return round != seen && current; });
        seen = round;
        launch = current;
        units = total;
      }
      work(*launch, units);
      std::lock_guard lock(mutex);
      if (--busy == 0)
        done.notify_one();
    }
  }
  static void work(LaunchState &launch, uint64_t units) {
    uint64_t unit = launch.nextBlock.fetch_add(1);
    if (unit >= units)
      return;
    LaunchCounts counts;
    bool counting = countersWanted();
    Runner runner(launch, counting ? &counts : nullptr);
    for (; unit < units && !launch.failed; unit = launch.nextBlock.fetch_add(1))
      if (!runner.run(unit))
        break;
    if (counting)
      addCounts(launch.kernel->name, counts);
  }

  uint32_t count = 1;
  std::mutex launchMutex, mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> threads;
  LaunchState *current = nullptr;
  uint64_t total = 0, round = 0;
  uint32_t busy = 0;
};

} // namespace

bool runLaunch(LaunchState &launch) {
  int seconds = 600;
  if (const char *text = std::getenv("HEDDLE_EMU_TIMEOUT"))
    seconds = std::max(1, std::atoi(text));
  launch.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  uint64_t blocks = uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  if (countersWanted())
    countLaunch(launch.kernel->name, blocks);
  if (CheckOptions::get().globalRaces)
    launch.races = std::make_shared<GlobalRaces>();
  Workers::get().run(launch, Runner::unitsOf(launch));
  return !launch.failed;
}

} // namespace heddle::emulator
