// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadow of shared memory; see the header for the rules.
#include "runtime/emulator/check/SharedShadow.h"
#include <algorithm>

namespace heddle::emulator {

namespace {

constexpr uint32_t kWord = 4;
// Party::where: the line above, then the lane, then the logarithm of its bytes.
constexpr uint32_t kLaneShift = 3, kLineShift = 8, kLaneMask = 31, kSizeMask = 7;
constexpr uint32_t kOneLane = 7; // all of the access is of one lane
constexpr uint32_t kMaxLine = (1u << (32 - kLineShift)) - 1;

uint32_t packWhere(const SharedAccess &access) {
  uint32_t size = access.laneBytes == 0
                      ? kOneLane
                      : static_cast<uint32_t>(__builtin_ctz(access.laneBytes | 16));
  return std::min(access.line, kMaxLine) << kLineShift | (access.lane & kLaneMask) << kLaneShift |
         size;
}

} // namespace

SharedShadow::SharedShadow(uint32_t bytes, uint32_t rank, const Orders &orders,
                           const BulkLoads &loads)
    : rank(rank), orders(orders), loads(loads), granules((bytes + kGranule - 1) / kGranule) {}

void SharedShadow::startBlock() {
  std::fill(granules.begin(), granules.end(), Granule());
  words.clear();
  freeWords.clear();
}

/// The same party for what lies `bytes` behind its start: other lanes.
SharedShadow::Party SharedShadow::movedBy(Party party, uint32_t bytes) {
  uint32_t size = party.where & kSizeMask;
  if (size == kOneLane)
    return party;
  uint32_t lanes = bytes >> size;
  uint32_t lane = ((party.where >> kLaneShift) + lanes) & kLaneMask;
  party.where = (party.where & ~(kLaneMask << kLaneShift)) | lane << kLaneShift;
  return party;
}

void SharedShadow::describe(const Party &party, bool writes, SharedConflict &conflict) {
  SharedAccess &other = conflict.other;
  other.warp = party.warp;
  other.lane = party.where >> kLaneShift & kLaneMask;
  other.line = party.where >> kLineShift;
  other.isStrong = party.flags & kStrong;
  other.isAsync = party.flags & kAsync;
  other.isAsyncProxy = party.flags & kAsyncProxy;
  other.isByRecord = party.flags & kByRecord;
  other.agent = party.agent;
  other.time = party.time;
  conflict.otherWrites = writes;
}

bool SharedShadow::isBefore(const Party &party, const Looker &looker) const {
  if (party.flags & kByRecord) {
    Completion completion = loads.completionOf(party.time, rank);
    if (completion.phase == Completion::kLongAgo)
      return true;
    return completion.phase != 0 && looker.times[completion.agent] >= completion.phase;
  }
  return party.agent == looker.access.warp || looker.times[party.agent] >= party.time;
}

bool SharedShadow::isVisible(const Party &party, uint32_t warp) const {
  return (party.flags & kAsyncProxy) || orders.isVisible(warp, party.agent, party.time);
}

void SharedShadow::noteRead(Cell &cell, const Party &now, const Looker &looker) {
  Party *place = nullptr;
  for (Party &reader : cell.readers) {
    bool isSame = reader.agent == now.agent && reader.flags == now.flags;
    if (reader.time != 0 && isSame && reader.time == now.time) {
      reader.mask |= now.mask; // the same agent reads more of it at the same time
      return;
    }
    // Its own earlier read of these bytes is before this one.
    if (!place && (reader.time == 0 ||
                   (isSame && !(reader.flags & kByRecord) && (reader.mask & ~now.mask) == 0)))
      place = &reader;
  }
  for (Party &reader : cell.readers)
    if (!place && isBefore(reader, looker))
      place = &reader;
  if (place)
    *place = now;
}

SharedShadow::Verdict SharedShadow::noteCell(Cell &cell, uint8_t mask, const Looker &looker,
                                             SharedConflict &conflict) {
  const bool reads = looker.kind != Kind::kWrite, writes = looker.kind != Kind::kRead;
  Verdict verdict = Verdict::kFine;
  auto judge = [&](const Party &party, bool isWriter) {
    describe(party, isWriter, conflict);
    verdict = party.flags & kAsync ? Verdict::kInFlight : Verdict::kRace;
  };
  const Party &writer = cell.writer;
  if (writer.time != 0 && (writer.mask & mask)) {
    bool bothStrong = looker.access.isStrong && (writer.flags & kStrong);
    if (!bothStrong && !isBefore(writer, looker)) {
      judge(writer, true);
    } else if (reads && looker.access.isAsyncProxy && !isVisible(writer, looker.access.warp)) {
      describe(writer, true, conflict);
      verdict = Verdict::kUnseen;
    }
  }
  if (reads && (cell.written & mask) != mask && verdict == Verdict::kFine)
    verdict = Verdict::kUninitialised;
  Party now = looker.party;
  now.mask = mask;
  if (!writes) {
    noteRead(cell, now, looker);
    return verdict;
  }
  for (Party &reader : cell.readers) {
    if (reader.time == 0)
      continue;
    bool bothStrong = looker.access.isStrong && (reader.flags & kStrong);
    if ((reader.mask & mask) && !bothStrong && verdict < Verdict::kInFlight &&
        !isBefore(reader, looker))
      judge(reader, false);
    reader = Party();
  }
  // Bytes that the same agent wrote just before stay its own.
  if (writer.time == now.time && writer.agent == now.agent && writer.flags == now.flags)
    now.mask |= writer.mask;
  cell.writer = now;
  cell.written |= mask;
  return verdict;
}

/// From now on by words.
void SharedShadow::split(Granule &granule) {
  uint32_t index;
  if (freeWords.empty()) {
    index = static_cast<uint32_t>(words.size());
    words.emplace_back();
  } else {
    index = freeWords.back();
    freeWords.pop_back();
  }
  for (uint32_t i = 0; i < 4; ++i) {
    Cell cell = granule.cell;
    cell.writer = movedBy(cell.writer, i * kWord);
    for (Party &reader : cell.readers)
      reader = movedBy(reader, i * kWord);
    words[index].cells[i] = cell;
  }
  granule.words = index + 1;
}

/// A write of all of it: the words have nothing to tell any more.
void SharedShadow::unite(Granule &granule) {
  granule.cell = words[granule.words - 1].cells[0];
  freeWords.push_back(granule.words - 1);
  granule.words = 0;
}

SharedShadow::Verdict SharedShadow::note(Kind kind, uint32_t offset, uint32_t bytes,
                                         const SharedAccess &access, SharedConflict &conflict) {
  Looker looker{orders.timesOf(access.warp), orders.now(access.warp), kind, access, Party()};
  Party &party = looker.party;
  party.time = access.isAsync ? access.time : looker.now;
  party.agent = static_cast<uint16_t>(access.isAsync ? access.agent : access.warp);
  party.warp = static_cast<uint16_t>(access.warp);
  party.where = packWhere(access);
  party.flags = static_cast<uint8_t>(
      (access.isStrong ? kStrong : 0) | (access.isAsync ? kAsync : 0) |
      (access.isAsyncProxy ? kAsyncProxy : 0) | (access.isByRecord ? kByRecord : 0));
  const bool maySkip = kind == Kind::kRead && !access.isAsync && !access.isStrong;
  Verdict worst = Verdict::kFine;
  auto visit = [&](Cell &cell, uint8_t mask, uint32_t at) {
    // The warp read it before, at the same time and since the last write: nothing new is wrong.
    if (maySkip && cell.seenTime == looker.now && cell.seenWarp == access.warp &&
        (cell.seenMask & mask) == mask)
      return;
    SharedConflict here;
    Verdict verdict = noteCell(cell, mask, looker, here);
    if (maySkip && verdict == Verdict::kFine) {
      cell.seenTime = looker.now;
      cell.seenWarp = static_cast<uint16_t>(access.warp);
      cell.seenMask = mask;
    } else if (kind != Kind::kRead) {
      cell.seenTime = 0;
    }
    if (verdict > worst) {
      worst = verdict;
      conflict = here;
      conflict.offset = at;
    }
  };
  for (uint32_t at = offset, end = offset + bytes; at < end;) {
    Granule &granule = granules[at / kGranule];
    uint32_t in = at % kGranule, count = std::min(kGranule - in, end - at);
    if (granule.mbarriers && kind != Kind::kRead && worst < Verdict::kMbarrier) {
      uint32_t first = in / 8, last = (in + count - 1) / 8;
      if (granule.mbarriers & (1u << first | 1u << last)) {
        worst = Verdict::kMbarrier;
        conflict.offset = at;
      }
    }
    if (count == kGranule && granule.words == 0) {
      visit(granule.cell, kWhole, at);
    } else {
      if (granule.words == 0)
        split(granule);
      const Party first = looker.party;
      for (uint32_t w = in / kWord; w <= (in + count - 1) / kWord; ++w) {
        uint32_t low = std::max(in, w * kWord) % kWord;
        looker.party = movedBy(first, std::max(in, w * kWord) - in);
        uint32_t high = std::min(in + count, w * kWord + kWord) - w * kWord;
        uint8_t mask = static_cast<uint8_t>(((1u << high) - 1) & ~((1u << low) - 1));
        visit(words[granule.words - 1].cells[w], mask, at / kGranule * kGranule + w * kWord);
      }
      looker.party = first;
      if (count == kGranule && kind != Kind::kRead)
        unite(granule);
    }
    at += count;
    looker.party = movedBy(looker.party, count);
  }
  return worst;
}

void SharedShadow::setMbarrier(uint32_t offset, bool isLive) {
  uint8_t bit = static_cast<uint8_t>(1u << (offset / 8 % 2));
  uint8_t &bits = granules[offset / kGranule].mbarriers;
  bits = static_cast<uint8_t>(isLive ? bits | bit : bits & ~bit);
}

} // namespace heddle::emulator
