// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The estimate is the time of the slowest part, from the table's rates.
#include "runtime/emulator/count/Roofline.h"
#include <gtest/gtest.h>

namespace heddle::emulator {

static Gpu made() {
  Gpu gpu = {};
  gpu.sms = 100;
  gpu.boostMHz = 1000;
  gpu.f16TFlops = 100;
  gpu.f32TFlops = 10;
  gpu.bandwidthGBs = 1000;
  return gpu;
}

// 32 MB at 1000 GB/s.
TEST(Roofline, Memory) {
  LaunchCounts counts;
  counts.globalSectors = 1000000;
  counts.byClass[static_cast<size_t>(OpClass::kGlobal)] = 100;
  Roofline bound = estimate(made(), counts, 1);
  EXPECT_STREQ(bound.limit, "memory");
  EXPECT_DOUBLE_EQ(bound.microseconds, 32);
}

// 1 GFLOP at 100 TFLOP/s; half of the multiprocessors take twice as long.
TEST(Roofline, TensorAndFill) {
  LaunchCounts counts;
  counts.tensorFlop = 1000000000;
  EXPECT_STREQ(estimate(made(), counts, 1).limit, "tensor");
  EXPECT_DOUBLE_EQ(estimate(made(), counts, 1).microseconds, 10);
  EXPECT_DOUBLE_EQ(estimate(made(), counts, 0.5).microseconds, 20);
}

// 10^6 instructions, four a clock on 100 multiprocessors at 1 GHz; nothing at all takes no time.
TEST(Roofline, IssueAndNothing) {
  LaunchCounts counts;
  counts.byClass[static_cast<size_t>(OpClass::kInteger)] = 1000000;
  EXPECT_STREQ(estimate(made(), counts, 1).limit, "issue");
  EXPECT_DOUBLE_EQ(estimate(made(), counts, 1).microseconds, 2.5);
  EXPECT_STREQ(estimate(made(), LaunchCounts(), 1).limit, "none");
}

// A conflict of all banks: 32 wavefronts.
TEST(Roofline, Shared) {
  LaunchCounts counts;
  counts.byClass[static_cast<size_t>(OpClass::kShared)] = 1000;
  counts.sharedWavefronts = 32000;
  EXPECT_STREQ(estimate(made(), counts, 1).limit, "shared");
  EXPECT_DOUBLE_EQ(estimate(made(), counts, 1).microseconds, 0.32);
}

} // namespace heddle::emulator
