// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queue of asynchronous work that is done late.
#include "runtime/emulator/async/Async.h"
#include "runtime/emulator/exec/Cluster.h"
#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace heddle::emulator {

bool asyncIsLazy() {
  static const bool isLazy = [] {
    const char *text = std::getenv("HEDDLE_EMU_ASYNC");
    return text && std::string_view(text) == "lazy";
  }();
  return isLazy;
}

void AsyncQueue::start() {
  items.clear();
  groups.clear();
  accumulators.bySlot.clear();
}

AsyncQueue::Groups &AsyncQueue::groupsOf(const Warp &warp) {
  for (Groups &entry : groups)
    if (entry.warp == &warp)
      return entry;
  groups.push_back({&warp, {}});
  return groups.back();
}

void AsyncQueue::defer(Warp &warp, AsyncKind kind, uint32_t lanes, AsyncWork work) {
  items.push_back({&warp, kind, lanes, 0, std::move(work)});
}

void AsyncQueue::commit(Warp &warp, AsyncKind kind, uint32_t lanes) {
  Groups &own = groupsOf(warp);
  auto &numbers = own.committed[static_cast<uint32_t>(kind)];
  for (uint32_t lane = 0; lane < kLaneCount; ++lane)
    if (lanes >> lane & 1)
      ++numbers[lane];
  for (Item &item : items)
    if (item.warp == &warp && item.kind == kind && item.group == 0 && (item.lanes & lanes)) {
      uint32_t lane = static_cast<uint32_t>(__builtin_ctz(item.lanes & lanes));
      item.group = numbers[lane];
    }
}

/// In the order of issue; work may add items behind.
bool AsyncQueue::runWhere(const std::function<bool(Item &)> &chosen) {
  for (size_t i = 0; i < items.size();) {
    if (!chosen(items[i])) {
      ++i;
      continue;
    }
    AsyncWork work = std::move(items[i].work);
    items.erase(items.begin() + static_cast<ptrdiff_t>(i));
    if (!work())
      return false;
  }
  return true;
}

bool AsyncQueue::wait(Warp &warp, AsyncKind kind, uint32_t lanes, uint32_t pending) {
  if (items.empty())
    return true;
  Groups &own = groupsOf(warp);
  auto &numbers = own.committed[static_cast<uint32_t>(kind)];
  return runWhere([&](Item &item) {
    uint32_t common = item.lanes & lanes;
    if (item.warp != &warp || item.kind != kind || item.group == 0 || common == 0)
      return false;
    uint32_t lane = static_cast<uint32_t>(__builtin_ctz(common));
    return item.group + pending <= numbers[lane];
  });
}

void AsyncQueue::deferBehind(Warp &warp, AsyncKind kind, uint32_t lanes, AsyncWork work) {
  std::vector<AsyncWork> before;
  for (size_t i = 0; i < items.size();) {
    Item &item = items[i];
    if (item.warp == &warp && item.kind == kind && (item.lanes & lanes)) {
      before.push_back(std::move(item.work));
      items.erase(items.begin() + static_cast<ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  auto all = [before = std::move(before), work = std::move(work)] {
    for (const AsyncWork &part : before)
      if (!part())
        return false;
    return work();
  };
  // An mbarrier says when it is done: no group does.
  items.push_back({&warp, AsyncKind::kBulkLoad, lanes, 0, std::move(all)});
}

bool AsyncQueue::runOne(uint32_t random, bool &isFault) {
  isFault = false;
  std::vector<size_t> free;
  bool hasTensor = false;
  for (size_t i = 0; i < items.size(); ++i) {
    // The tensor core works in the order of issue.
    bool isNextTensor = items[i].kind == AsyncKind::kTensor && !hasTensor;
    hasTensor |= isNextTensor;
    if (isNextTensor || items[i].kind == AsyncKind::kBulkLoad)
      free.push_back(i);
  }
  if (free.empty())
    return false;
  size_t picked = free[random % free.size()];
  AsyncWork work = std::move(items[picked].work);
  items.erase(items.begin() + static_cast<ptrdiff_t>(picked));
  isFault = !work();
  return true;
}

bool AsyncQueue::finish() {
  return runWhere([](Item &) { return true; });
}

} // namespace heddle::emulator
