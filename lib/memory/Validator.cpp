// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says whether a memory plan is right, pair by pair: slow, and obviously correct.
#include "lib/memory/MemoryProblem.h"

namespace heddle::memory {

Status validate(const MemoryProblem &problem, const MemoryPlan &plan) {
  const std::vector<Buffer> &buffers = problem.buffers;
  if (plan.offsetBytes.size() != buffers.size())
    return invalidArgument("the plan has " + std::to_string(plan.offsetBytes.size()) +
                           " offsets for " + std::to_string(buffers.size()) + " buffers");
  // A buffer without bytes or steps is nowhere.
  auto exists = [&](size_t i) {
    return buffers[i].sizeBytes > 0 && buffers[i].first < buffers[i].last;
  };
  for (size_t i = 0; i < buffers.size(); ++i) {
    int64_t begin = plan.offsetBytes[i];
    std::string where = "buffer " + std::to_string(i) + " at " + std::to_string(begin);
    if (begin < 0 || begin % buffers[i].alignmentBytes != 0)
      return invalidArgument(where + " is not aligned to " +
                             std::to_string(buffers[i].alignmentBytes));
    if (exists(i) && buffers[i].sizeBytes > plan.peakBytes - begin)
      return invalidArgument(where + " ends behind the arena of " + std::to_string(plan.peakBytes) +
                             " bytes");
    for (size_t j = 0; j < i; ++j) {
      int64_t otherBegin = plan.offsetBytes[j];
      bool together = buffers[i].first < buffers[j].last && buffers[j].first < buffers[i].last;
      bool overlap =
          begin < otherBegin + buffers[j].sizeBytes && otherBegin < begin + buffers[i].sizeBytes;
      if (exists(i) && exists(j) && together && overlap)
        return invalidArgument(where + " overlaps buffer " + std::to_string(j) + " at " +
                               std::to_string(otherBegin) + " while both are live");
    }
  }
  return Status::success();
}

} // namespace heddle::memory
