// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadow of shared memory; see the header for the rules. What fast kernels do, a warp that reads or
// writes 16 bytes a lane without any conflict, is judged in a few steps; all else takes longer.
#include "runtime/emulator/check/SharedShadow.h"
#include <algorithm>
#include <cstddef>
#include <cstring>

namespace heddle::emulator {

namespace {

constexpr uint32_t kWord = 4;
// Party::where, from its low bits: the logarithm of the bytes of a lane, lane, warp, line.
constexpr uint32_t kLaneShift = 3, kWarpShift = 8, kLineShift = 13;
constexpr uint32_t kSizeMask = 7, kLaneMask = 31, kWarpMask = 31;
constexpr uint32_t kOneLane = 7; // all of the access is of one lane
constexpr uint32_t kMaxLine = (1u << (32 - kLineShift)) - 1;

} // namespace

SharedShadow::SharedShadow(uint32_t bytes, uint32_t rank, const Orders &orders,
                           const BulkLoads &loads, bool looksAtLanes)
    : rank(rank), orders(orders), loads(loads), looksAtLanes(looksAtLanes),
      granules((bytes + kGranule - 1) / kGranule) {}

void SharedShadow::startBlock() {
  std::fill(granules.begin(), granules.end(), Cell());
  words.clear();
  freeWords.clear();
}

SharedShadow::Looker SharedShadow::lookerOf(Kind kind, const SharedAccess &access) const {
  Looker looker{orders.timesOf(access.warp), access.warp, kind, access, Party(), 0};
  Party &party = looker.party;
  party.time = access.isAsync ? access.time : orders.now(access.warp);
  party.agent = static_cast<uint16_t>(access.isAsync ? access.agent : access.warp);
  party.mask = kWhole;
  party.flags = static_cast<uint8_t>(
      (access.isStrong ? kStrong : 0) | (access.isAsync ? kAsync : 0) |
      (access.isAsyncProxy ? kAsyncProxy : 0) | (access.isByRecord ? kByRecord : 0));
  uint32_t size = access.laneBytes == 0
                      ? kOneLane
                      : static_cast<uint32_t>(__builtin_ctz(access.laneBytes | 16));
  party.where = std::min(access.line, kMaxLine) << kLineShift |
                (access.warp % orders.warpsOfBlock()) << kWarpShift |
                (access.lane & kLaneMask) << kLaneShift | size;
  std::memcpy(&looker.tail, reinterpret_cast<char *>(&party) + offsetof(Party, agent),
              sizeof looker.tail);
  return looker;
}

/// The same party for what lies `bytes` behind its start: other lanes.
SharedShadow::Party SharedShadow::movedBy(Party party, uint32_t bytes) {
  uint32_t size = party.where & kSizeMask;
  if (size == kOneLane)
    return party;
  uint32_t lane = ((party.where >> kLaneShift) + (bytes >> size)) & kLaneMask;
  party.where = (party.where & ~(kLaneMask << kLaneShift)) | lane << kLaneShift;
  return party;
}

void SharedShadow::describe(const Party &party, bool writes, SharedConflict &conflict) const {
  SharedAccess &other = conflict.other;
  other.lane = party.where >> kLaneShift & kLaneMask;
  other.line = party.where >> kLineShift;
  other.isStrong = party.flags & kStrong;
  other.isAsync = party.flags & kAsync;
  other.isAsyncProxy = party.flags & kAsyncProxy;
  other.isByRecord = party.flags & kByRecord;
  other.agent = party.agent;
  other.time = party.time;
  uint32_t inBlock = party.where >> kWarpShift & kWarpMask;
  other.warp = other.isByRecord ? loads.issuerOf(party.time)
               : other.isAsync
                   ? loads.issuerOfAgent(party.agent, rank * orders.warpsOfBlock() + inBlock)
                   : party.agent;
  conflict.otherWrites = writes;
}

bool SharedShadow::isBefore(Party &party, const Looker &looker) const {
  if (party.flags & kByRecord) {
    Completion completion = loads.completionOf(party.time, rank);
    if (completion.phase == Completion::kLongAgo)
      return true;
    if (completion.phase == 0)
      return false;
    // From now on by the mbarrier, unless the issuer of another block would be forgotten.
    if (loads.issuerOf(party.time) / orders.warpsOfBlock() == rank) {
      party.time = completion.phase;
      party.agent = static_cast<uint16_t>(completion.agent);
      party.flags = static_cast<uint8_t>(party.flags & ~kByRecord);
    }
    return looker.times[completion.agent] >= completion.phase;
  }
  return party.agent == looker.warp || looker.times[party.agent] >= party.time;
}

/// The same warp touched it, in another instruction, in another lane and since its last barrier.
bool SharedShadow::isOfOtherLane(const Party &party, const Looker &looker, uint32_t bytes) const {
  const Party &now = looker.party;
  if (!looksAtLanes || party.time != now.time || party.agent != now.agent ||
      ((party.flags | now.flags) & kAsync) || party.where >> kLineShift == now.where >> kLineShift)
    return false;
  uint32_t size = party.where & kSizeMask, own = now.where & kSizeMask;
  bool isOne = (1u << size) >= bytes && (1u << own) >= bytes;
  bool isSame = (party.where >> kLaneShift & kLaneMask) == (now.where >> kLaneShift & kLaneMask);
  return !isSame || !(isOne || size == own);
}

bool SharedShadow::isVisible(const Party &party, uint32_t warp) const {
  return (party.flags & kAsyncProxy) || orders.isVisible(warp, party.agent, party.time);
}

/// In words, not in bytes: they are soon loaded as words.
inline void SharedShadow::put(Party &party, const Looker &looker, uint32_t where) {
  party.time = looker.party.time;
  party.where = where;
  std::memcpy(reinterpret_cast<char *>(&party) + offsetof(Party, agent), &looker.tail,
              sizeof looker.tail);
}

/// Nothing is wrong with the read of all of a granule, and it is remembered. False: look closer.
/// `where` is the party's: loaded from where it was just stored in parts, it would take long.
inline bool SharedShadow::isPlainRead(Cell &cell, const Looker &looker, uint32_t where) const {
  const Party &now = looker.party, &writer = cell.writer;
  for (Party &reader : cell.readers) {
    bool isOwn = reader.agent == now.agent && reader.flags == now.flags;
    // It read the same before, and nobody wrote since.
    if (isOwn && reader.time == now.time && reader.mask == kWhole)
      return true;
    if (reader.time != 0 && !isOwn)
      continue;
    if (cell.written != kWhole || !isSurelyBefore(writer, looker) ||
        ((now.flags & kAsyncProxy) && !(writer.flags & kAsyncProxy)))
      return false;
    put(reader, looker, where);
    return true;
  }
  return false;
}

/// The same for a write of all of a granule.
inline bool SharedShadow::isPlainWrite(Cell &cell, const Looker &looker, uint32_t where) const {
  if (!isSurelyBefore(cell.writer, looker))
    return false;
  for (const Party &reader : cell.readers) {
    if (reader.time == 0)
      break;
    if (!isSurelyBefore(reader, looker))
      return false;
  }
  for (Party &reader : cell.readers) {
    if (reader.time == 0)
      break;
    reader = Party();
  }
  put(cell.writer, looker, where);
  cell.written = kWhole;
  return true;
}

void SharedShadow::noteRead(Cell &cell, const Party &now, const Looker &looker) {
  Party *place = nullptr;
  for (Party &reader : cell.readers) {
    bool isOwn = reader.agent == now.agent && reader.flags == now.flags;
    if (reader.time != 0 && isOwn && reader.time == now.time) {
      reader.mask |= now.mask; // the same agent reads more of it at the same time
      return;
    }
    // Its own earlier read of these bytes is before this one.
    bool isOlder = isOwn && !(reader.flags & kByRecord) && (reader.mask & ~now.mask) == 0;
    if (!place && (reader.time == 0 || isOlder))
      place = &reader;
  }
  for (Party &reader : cell.readers)
    if (!place && isBefore(reader, looker))
      place = &reader;
  if (place)
    *place = now;
}

SharedShadow::Verdict SharedShadow::noteCell(Cell &cell, uint32_t cellBytes, uint8_t mask,
                                             const Looker &looker, SharedConflict &conflict) {
  const bool reads = looker.kind != Kind::kWrite, writes = looker.kind != Kind::kRead;
  Verdict verdict = Verdict::kFine;
  auto judge = [&](const Party &party, bool isWriter) {
    describe(party, isWriter, conflict);
    verdict = party.flags & kAsync ? Verdict::kInFlight : Verdict::kRace;
  };
  Party &writer = cell.writer;
  if (writer.time != 0 && (writer.mask & mask)) {
    bool bothStrong = looker.access.isStrong && (writer.flags & kStrong);
    if (!bothStrong && (!isBefore(writer, looker) || isOfOtherLane(writer, looker, cellBytes))) {
      judge(writer, true);
    } else if (reads && looker.access.isAsyncProxy && !isVisible(writer, looker.warp)) {
      describe(writer, true, conflict);
      verdict = Verdict::kUnseen;
    }
  }
  if (reads && (cell.written & mask) != mask && verdict == Verdict::kFine)
    verdict = Verdict::kUninitialised;
  Party now = looker.party;
  now.mask = mask;
  if (!writes) {
    if (verdict <= Verdict::kUninitialised)
      noteRead(cell, now, looker);
    return verdict;
  }
  for (Party &reader : cell.readers) {
    if (reader.time == 0)
      continue;
    bool bothStrong = looker.access.isStrong && (reader.flags & kStrong);
    if ((reader.mask & mask) && !bothStrong && verdict < Verdict::kInFlight &&
        (!isBefore(reader, looker) || isOfOtherLane(reader, looker, cellBytes)))
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
void SharedShadow::split(Cell &granule) {
  uint32_t index;
  if (freeWords.empty()) {
    index = static_cast<uint32_t>(words.size());
    words.emplace_back();
  } else {
    index = freeWords.back();
    freeWords.pop_back();
  }
  for (uint32_t i = 0; i < 4; ++i) {
    Cell cell = granule;
    cell.writer = movedBy(cell.writer, i * kWord);
    for (Party &reader : cell.readers)
      reader = movedBy(reader, i * kWord);
    words[index].cells[i] = cell;
  }
  granule.words = static_cast<uint16_t>(index + 1);
}

/// A write of all of it: the words have nothing to tell any more.
void SharedShadow::unite(Cell &granule) {
  uint32_t index = granule.words - 1u;
  uint8_t mbarriers = granule.mbarriers;
  granule = words[index].cells[0];
  granule.words = 0;
  granule.mbarriers = mbarriers;
  freeWords.push_back(index);
}

void SharedShadow::noteWords(Cell &granule, uint32_t in, uint32_t count, Looker &looker,
                             uint32_t at, Verdict &worst, SharedConflict &conflict) {
  if (granule.words == 0)
    split(granule);
  const Party first = looker.party;
  for (uint32_t w = in / kWord; w <= (in + count - 1) / kWord; ++w) {
    uint32_t low = std::max(in, w * kWord) % kWord;
    uint32_t high = std::min(in + count, w * kWord + kWord) - w * kWord;
    uint8_t mask = static_cast<uint8_t>(((1u << high) - 1) & ~((1u << low) - 1));
    looker.party = movedBy(first, std::max(in, w * kWord) - in);
    SharedConflict here;
    Verdict verdict = noteCell(words[granule.words - 1].cells[w], kWord, mask, looker, here);
    if (verdict > worst) {
      worst = verdict;
      conflict = here;
      conflict.offset = at - in + w * kWord;
    }
  }
  looker.party = first;
  if (count == kGranule && looker.kind != Kind::kRead)
    unite(granule);
}

SharedShadow::Verdict SharedShadow::note(Kind kind, uint32_t offset, uint32_t bytes,
                                         const SharedAccess &access, SharedConflict &conflict) {
  Looker looker = lookerOf(kind, access);
  const bool isPlain =
      kind != Kind::kAtomic && !access.isStrong && !access.isByRecord && !looksAtLanes;
  Verdict worst = Verdict::kFine;
  for (uint32_t at = offset, end = offset + bytes; at < end;) {
    Cell &granule = granules[at / kGranule];
    uint32_t in = at % kGranule, count = std::min(kGranule - in, end - at);
    if (granule.mbarriers && kind != Kind::kRead && worst < Verdict::kMbarrier) {
      uint32_t first = in / 8, last = (in + count - 1) / 8;
      if (granule.mbarriers & (1u << first | 1u << last)) {
        worst = Verdict::kMbarrier;
        conflict.offset = at;
      }
    }
    if (count != kGranule || granule.words != 0) {
      noteWords(granule, in, count, looker, at, worst, conflict);
    } else if (!isPlain ||
               !(kind == Kind::kRead ? isPlainRead(granule, looker, looker.party.where)
                                     : isPlainWrite(granule, looker, looker.party.where))) {
      SharedConflict here;
      Verdict verdict = noteCell(granule, kGranule, kWhole, looker, here);
      if (verdict > worst) {
        worst = verdict;
        conflict = here;
        conflict.offset = at;
      }
    }
    at += count;
    looker.party = movedBy(looker.party, count);
  }
  return worst;
}

SharedShadow::Verdict SharedShadow::noteRows(Kind kind, uint32_t &mask, const uint64_t *at,
                                             uint64_t base, SharedAccess &access,
                                             SharedConflict &conflict) {
  Looker looker = lookerOf(kind, access);
  const uint32_t where = looker.party.where & ~(kLaneMask << kLaneShift);
  const bool isRead = kind == Kind::kRead;
  while (mask) {
    uint32_t lane = static_cast<uint32_t>(__builtin_ctz(mask));
    mask &= mask - 1;
    uint32_t offset = static_cast<uint32_t>(at[lane] - base);
    Cell &granule = granules[offset / kGranule];
    uint32_t here = where | lane << kLaneShift;
    if (granule.words == 0 && !looksAtLanes &&
        (isRead ? isPlainRead(granule, looker, here)
                : granule.mbarriers == 0 && isPlainWrite(granule, looker, here)))
      continue;
    access.lane = lane;
    Verdict verdict = note(kind, offset, kGranule, access, conflict);
    if (verdict != Verdict::kFine)
      return verdict;
  }
  return Verdict::kFine;
}

void SharedShadow::setMbarrier(uint32_t offset, bool isLive) {
  uint8_t bit = static_cast<uint8_t>(1u << (offset / 8 % 2));
  uint8_t &bits = granules[offset / kGranule].mbarriers;
  bits = static_cast<uint8_t>(isLive ? bits | bit : bits & ~bit);
}

} // namespace heddle::emulator
