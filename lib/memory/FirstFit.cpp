// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planner for every bind of a new shape: fast enough to run between two inferences, and near
// the lower bound on the graphs that models have. Big buffers go first, because they are the ones
// that fit in few places.
#include "lib/memory/MemoryProblem.h"
#include <algorithm>
#include <bit>
#include <numeric>

namespace heddle::memory {

namespace {

Status checkProblem(const MemoryProblem &problem) {
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer &b = problem.buffers[i];
    std::string where = "buffer " + std::to_string(i);
    if (b.sizeBytes < 0)
      return invalidArgument(where + " has the negative size " + std::to_string(b.sizeBytes));
    if (b.alignmentBytes < 1 || !std::has_single_bit(static_cast<uint64_t>(b.alignmentBytes)))
      return invalidArgument(where + " has alignment " + std::to_string(b.alignmentBytes) +
                             ", not a power of two");
    if (b.first > b.last)
      return invalidArgument(where + " has the lifetime [" + std::to_string(b.first) + ", " +
                             std::to_string(b.last) + "), which ends before it begins");
  }
  return Status::success();
}

/// offset rounded up, or -1 on overflow.
int64_t alignUp(int64_t offset, int64_t alignment) {
  int64_t padded;
  if (__builtin_add_overflow(offset, alignment - 1, &padded))
    return -1;
  return padded & ~(alignment - 1);
}

struct Placed {
  int64_t begin, end; // bytes
  int64_t first, last;
};

/// `placed` is sorted by begin.
Result<MemoryPlan> place(const MemoryProblem &problem, const std::vector<uint32_t> &order) {
  MemoryPlan plan;
  plan.offsetBytes.assign(problem.buffers.size(), 0);
  std::vector<Placed> placed;
  placed.reserve(order.size());
  for (uint32_t index : order) {
    const Buffer &b = problem.buffers[index];
    int64_t offset = 0;
    int64_t end = 0;
    bool overflows = __builtin_add_overflow(offset, b.sizeBytes, &end);
    for (const Placed &other : placed) {
      if (other.begin >= end)
        break; // the gap in front of it is large enough
      bool overlapInTime = other.first < b.last && b.first < other.last;
      if (!overlapInTime || other.end <= offset)
        continue;
      offset = alignUp(other.end, b.alignmentBytes);
      overflows = offset < 0 || __builtin_add_overflow(offset, b.sizeBytes, &end);
      if (overflows)
        break;
    }
    if (overflows)
      return outOfMemory("the buffers need more than 2^63 bytes in one arena");
    plan.offsetBytes[index] = offset;
    plan.peakBytes = std::max(plan.peakBytes, end);
    Placed entry{offset, end, b.first, b.last};
    auto byBegin = [](const Placed &a, const Placed &b) { return a.begin < b.begin; };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), entry, byBegin), entry);
  }
  return plan;
}

} // namespace

Result<MemoryPlan> planFirstFit(const MemoryProblem &problem) {
  HEDDLE_TRY(checkProblem(problem));
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < problem.buffers.size(); ++i)
    if (problem.buffers[i].sizeBytes > 0 && problem.buffers[i].first < problem.buffers[i].last)
      order.push_back(i);

  const std::vector<Buffer> &buffers = problem.buffers;
  // Ties go to the earlier buffer, so that the same problem has the same plan everywhere.
  auto sortByDecreasing = [&](auto weight) {
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      double first = weight(buffers[a]), second = weight(buffers[b]);
      return first != second ? first > second : a < b;
    });
  };
  auto size = [](const Buffer &b) { return static_cast<double>(b.sizeBytes); };
  auto area = [](const Buffer &b) {
    return static_cast<double>(b.sizeBytes) * static_cast<double>(b.last - b.first);
  };
  sortByDecreasing(size);
  Result<MemoryPlan> bySize = place(problem, order);
  // A plan at the lower bound cannot be beaten.
  if (!bySize.ok() || bySize->peakBytes == lowerBoundBytes(problem))
    return bySize;
  sortByDecreasing(area);
  Result<MemoryPlan> byArea = place(problem, order);
  return byArea.ok() && byArea->peakBytes < bySize->peakBytes ? std::move(byArea)
                                                              : std::move(bySize);
}

int64_t lowerBoundBytes(const MemoryProblem &problem) {
  struct Event {
    int64_t step, bytes;
  };
  std::vector<Event> events;
  for (const Buffer &b : problem.buffers) {
    if (b.first >= b.last)
      continue;
    events.push_back({b.first, b.sizeBytes});
    events.push_back({b.last, -b.sizeBytes});
  }
  // Ends come before starts of the same step: lifetimes are half open.
  std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    return a.step != b.step ? a.step < b.step : a.bytes < b.bytes;
  });
  // Sums may pass 2^63 here; 128 bits hold any number of them.
  __int128 live = 0, most = 0;
  for (const Event &event : events)
    most = std::max(most, live += event.bytes);
  return static_cast<int64_t>(std::min<__int128>(most, INT64_MAX));
}

} // namespace heddle::memory
