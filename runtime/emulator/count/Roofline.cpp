// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest of the times that the GPU's parts take, each as if it were alone.
#include "runtime/emulator/count/Roofline.h"

namespace heddle::emulator {

Roofline estimate(const Gpu &gpu, const LaunchCounts &counts, double fill) {
  auto of = [&](OpClass kind) { return double(counts.byClass[static_cast<size_t>(kind)]); };
  double instructions = 0;
  for (uint64_t count : counts.byClass)
    instructions += double(count);
  // CUDA C++ Programming Guide, arithmetic instructions: a multiprocessor issues four warps a
  // clock, executes 16 lanes of special functions and moves 128 bytes of shared memory.
  constexpr double kIssue = 4, kSpecial = 16.0 / kLaneCount, kShared = 1;
  double clocks = double(gpu.sms) * gpu.boostMHz * 1e6 * (fill > 0 ? fill : 1);
  double rate = fill > 0 ? fill : 1;
  const struct {
    const char *limit;
    double seconds;
  } parts[] = {
      {"issue", instructions / (kIssue * clocks)},
      // The table's rate counts a fused step as two.
      {"f32", of(OpClass::kFloat) * kLaneCount * 2 / (gpu.f32TFlops * 1e12 * rate)},
      {"special", of(OpClass::kSpecialFunction) / (kSpecial * clocks)},
      {"tensor", double(counts.tensorFlop) / (gpu.f16TFlops * 1e12 * rate)},
      {"shared", double(counts.sharedWavefronts) / (kShared * clocks)},
      {"memory", double(counts.globalSectors) * 32 / (gpu.bandwidthGBs * 1e9)},
  };
  Roofline result;
  for (const auto &part : parts)
    if (part.seconds * 1e6 > result.microseconds)
      result = {part.seconds * 1e6, part.limit};
  return result;
}

} // namespace heddle::emulator
