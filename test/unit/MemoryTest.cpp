// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory planner against its validator, on small, random and known hard problems.
#include "lib/memory/MemoryProblem.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

using namespace heddle;
using namespace heddle::memory;

static MemoryPlan planOf(const MemoryProblem &problem) {
  Result<MemoryPlan> plan = planFirstFit(problem);
  EXPECT_TRUE(plan.ok());
  Status valid = validate(problem, *plan);
  EXPECT_TRUE(valid.ok()) << valid.text();
  return std::move(*plan);
}

// Buffers that are never live together share a place, those that are do not.
TEST(Memory, SharesOverTime) {
  MemoryPlan plan = planOf({{{100, 1, 0, 2}, {100, 1, 2, 4}, {50, 1, 1, 3}}});
  EXPECT_EQ(plan.peakBytes, 150);
  EXPECT_EQ(plan.offsetBytes[0], plan.offsetBytes[1]);
}

// Alignment is kept, and empty buffers take no room.
TEST(Memory, AlignmentAndEmpty) {
  MemoryPlan plan = planOf({{{10, 256, 0, 2}, {10, 256, 0, 2}, {0, 256, 0, 2}}});
  EXPECT_EQ(plan.peakBytes, 266);
  EXPECT_EQ(planOf({}).peakBytes, 0);
}

// Impossible problems are errors.
TEST(Memory, Refuses) {
  EXPECT_EQ(planFirstFit({{{-1, 1, 0, 1}}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(planFirstFit({{{1, 3, 0, 1}}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(planFirstFit({{{1, 1, 2, 1}}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(planFirstFit({{{INT64_MAX, 1, 0, 1}, {INT64_MAX, 1, 0, 1}}}).status().code(),
            StatusCode::kOutOfMemory);
  EXPECT_EQ(planFirstFit({{{INT64_MAX - 1, 1, 0, 1}, {1, 256, 0, 1}}}).status().code(),
            StatusCode::kOutOfMemory);
}

// The validator sees what is wrong with a plan.
TEST(Memory, ValidatorRefuses) {
  MemoryProblem problem{{{16, 16, 0, 2}, {16, 16, 1, 3}}};
  EXPECT_TRUE(validate(problem, {{0, 16}, 32}).ok());
  EXPECT_FALSE(validate(problem, {{0, 8}, 32}).ok());  // not aligned
  EXPECT_FALSE(validate(problem, {{0, 0}, 32}).ok());  // overlap
  EXPECT_FALSE(validate(problem, {{0, 16}, 31}).ok()); // outside of the arena
  EXPECT_FALSE(validate(problem, {{0}, 32}).ok());     // incomplete
}

// Random problems are solved validly and within twice the lower bound, which first fit keeps on
// such lifetimes with a wide margin.
TEST(Memory, RandomProblems) {
  constexpr unsigned kSeed = 17;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 200; ++round) {
    MemoryProblem problem;
    size_t count = random() % 100;
    for (size_t i = 0; i < count; ++i) {
      int64_t first = static_cast<int64_t>(random() % 50);
      int64_t last = first + static_cast<int64_t>(random() % 20);
      problem.buffers.push_back(
          {static_cast<int64_t>(random() % 100000), int64_t{1} << random() % 9, first, last});
    }
    MemoryPlan plan = planOf(problem);
    EXPECT_GE(plan.peakBytes, lowerBoundBytes(problem));
    EXPECT_LE(plan.peakBytes, 2 * lowerBoundBytes(problem) + 256);
  }
}

// The published hard problems are solved validly, within 1.6 times their capacity.
TEST(Memory, HardProblems) {
  std::filesystem::path folder =
      std::filesystem::path(HEDDLE_SOURCE_FOLDER).parent_path() / "shared/bench/arena";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "the problems of ../shared/bench/arena are not here";
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".csv")
      continue;
    std::string stem = entry.path().stem().string(); // NAME.CAPACITY
    int64_t capacity = std::stoll(stem.substr(stem.find('.') + 1));
    std::ifstream file(entry.path());
    std::string line;
    std::getline(file, line);
    MemoryProblem problem;
    while (std::getline(file, line)) {
      std::replace(line.begin(), line.end(), ',', ' ');
      std::istringstream fields(line);
      std::string id;
      Buffer buffer;
      fields >> id >> buffer.first >> buffer.last >> buffer.sizeBytes;
      problem.buffers.push_back(buffer);
    }
    MemoryPlan plan = planOf(problem);
    EXPECT_LE(static_cast<double>(plan.peakBytes), 1.6 * static_cast<double>(capacity)) << stem;
    std::printf("%s: %.3f of the capacity\n", stem.c_str(),
                static_cast<double>(plan.peakBytes) / static_cast<double>(capacity));
  }
}
