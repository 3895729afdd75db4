// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who touched which byte of global memory in a launch; see the header.
#include "runtime/emulator/check/global/GlobalRaces.h"
#include "runtime/emulator/exec/Cluster.h"
#include "runtime/emulator/memory/DeviceMemory.h"
#include <algorithm>

namespace heddle::emulator {

static uint32_t numberOf(const uint32_t (&index)[3], const uint32_t (&size)[3]) {
  return index[0] + size[0] * (index[1] + size[1] * index[2]);
}

uint32_t GlobalRaces::agentOf(const Warp &warp) {
  const LaunchState &launch = *warp.block->launch;
  uint32_t clusters[3];
  for (int d = 0; d < 3; ++d)
    clusters[d] = launch.grid[d] / launch.cluster[d];
  return 1 + numberOf(warp.block->cluster->index, clusters);
}

void GlobalRaces::join(Clock &to, const Clock &from) {
  for (auto [agent, time] : from)
    to[agent] = std::max(to[agent], time);
}

bool GlobalRaces::isBefore(const Party &party, uint32_t agent) {
  if (party.agent == 0 || party.agent == agent)
    return true;
  const Clock &known = agents[agent].known;
  auto found = known.find(party.agent);
  return found != known.end() && found->second >= party.time;
}

bool GlobalRaces::report(Warp &warp, const Op &op, Use use, const Party &now, const Party &other,
                         bool otherWrites, uint64_t at) {
  const uint32_t (&grid)[3] = warp.block->launch->grid;
  char place[64];
  std::snprintf(place, sizeof place, " of global memory at 0x%llx, which is ",
                static_cast<unsigned long long>(at));
  std::string text =
      std::string("race between blocks: ") +
      (use == Use::kRead    ? "read"
       : use == Use::kWrite ? "write"
                            : "atomic access") +
      place + (otherWrites ? "written" : "read") + " by block (" +
      std::to_string(other.block % grid[0]) + ", " +
      std::to_string(other.block / grid[0] % grid[1]) + ", " +
      std::to_string(other.block / grid[0] / grid[1]) + "), warp " + std::to_string(other.warp) +
      ", lane " + std::to_string(other.lane) + " in PTX line " + std::to_string(other.line) +
      " without a release and an acquire between the two: " + DeviceMemory::get().describe(at);
  if (use == Use::kWrite && otherWrites) {
    uint8_t before = *reinterpret_cast<const uint8_t *>(at);
    suspects.push_back({&warp, &op, now.lane, at, before, std::move(text)});
    return true;
  }
  reportFault(warp, op, Fault::kRace, now.lane, text);
  return false;
}

bool GlobalRaces::settle() {
  bool isFine = true;
  for (const Suspect &suspect : suspects)
    if (isFine && *reinterpret_cast<const uint8_t *>(suspect.at) != suspect.before) {
      reportFault(*suspect.warp, *suspect.op, Fault::kRace, suspect.lane, suspect.text);
      isFine = false;
    }
  suspects.clear();
  return isFine;
}

bool GlobalRaces::noteByte(Byte &byte, const Party &now, Use use, Warp &warp, const Op &op,
                           uint64_t at) {
  auto clashes = [&](const Party &other) {
    return !(other.isStrong && now.isStrong) && !isBefore(other, now.agent);
  };
  if (clashes(byte.writer) && !report(warp, op, use, now, byte.writer, true, at))
    return false;
  if (use == Use::kRead) {
    for (Party &reader : byte.readers)
      if (isBefore(reader, now.agent)) {
        reader = now;
        break;
      }
    return true;
  }
  for (Party &reader : byte.readers) {
    if (clashes(reader) && !report(warp, op, use, now, reader, false, at))
      return false;
    reader = Party();
  }
  byte.writer = now;
  return true;
}

bool GlobalRaces::note(Warp &warp, const Op &op, Use use, bool isStrong, uint32_t lane,
                       uint32_t laneBytes, uint64_t at, uint32_t bytes) {
  if (!settle())
    return false;
  AllocationHint hint;
  if (!findAllocation(at, hint))
    return true; // local memory or parameters
  Party now;
  now.agent = agentOf(warp);
  now.time = agents[now.agent].time;
  now.line = op.line;
  now.block = numberOf(warp.block->index, warp.block->launch->grid);
  now.warp = static_cast<uint16_t>(warp.index);
  now.isStrong = isStrong;
  for (uint32_t i = 0; i < bytes; ++i) {
    uint64_t place = at + i;
    std::unique_ptr<Page> &page = pages[place / kPage];
    if (!page)
      page = std::make_unique<Page>();
    now.lane = static_cast<uint8_t>(lane + (laneBytes ? i / laneBytes : 0));
    if (!noteByte(page->bytes[place % kPage], now, use, warp, op, place))
      return false;
  }
  return true;
}

void GlobalRaces::order(Warp &warp, Use use, uint64_t place, bool isAcquire, bool isRelease) {
  Agent &agent = agents[agentOf(warp)];
  if (use != Use::kWrite)
    if (auto found = places.find(place); found != places.end())
      join(isAcquire ? agent.known : agent.pending, found->second);
  if (use == Use::kRead)
    return;
  if (isRelease) {
    Clock &clock = places[place];
    join(clock, agent.known);
    clock[agentOf(warp)] = agent.time++;
  } else if (!agent.fenced.empty()) {
    join(places[place], agent.fenced);
  }
}

void GlobalRaces::fence(Warp &warp) {
  uint32_t number = agentOf(warp);
  Agent &agent = agents[number];
  join(agent.known, agent.pending);
  agent.pending.clear();
  agent.fenced = agent.known;
  agent.fenced[number] = agent.time++;
}

} // namespace heddle::emulator
