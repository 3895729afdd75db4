// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector clocks and shadow words; see the header for the rules.
#include "runtime/emulator/check/SharedShadow.h"
#include <algorithm>

namespace heddle::emulator {

SharedShadow::SharedShadow(uint32_t bytes, uint32_t warps)
    : warps(warps), words((bytes + 3) / 4), clocks(size_t(warps) * warps),
      barrierClocks(size_t(kBarriers) * warps) {
  startBlock();
}

void SharedShadow::startBlock() {
  std::fill(words.begin(), words.end(), Word());
  std::fill(clocks.begin(), clocks.end(), 0);
  std::fill(barrierClocks.begin(), barrierClocks.end(), 0);
  for (uint32_t warp = 0; warp < warps; ++warp)
    clocks[warp * warps + warp] = 1;
}

void SharedShadow::arrive(uint32_t barrier, uint32_t warp) {
  uint32_t *joined = &barrierClocks[size_t(barrier) * warps];
  uint32_t *own = &clocks[size_t(warp) * warps];
  for (uint32_t i = 0; i < warps; ++i)
    joined[i] = std::max(joined[i], own[i]);
  ++own[warp];
}

void SharedShadow::release(uint32_t barrier, uint32_t warp) {
  const uint32_t *joined = &barrierClocks[size_t(barrier) * warps];
  uint32_t *own = &clocks[size_t(warp) * warps];
  for (uint32_t i = 0; i < warps; ++i)
    own[i] = std::max(own[i], joined[i]);
}

void SharedShadow::clearBarrier(uint32_t barrier) {
  std::fill_n(barrierClocks.data() + size_t(barrier) * warps, warps, 0);
}

SharedShadow::Verdict SharedShadow::noteWord(Kind kind, Word &word, uint8_t mask,
                                             const SharedAccess &access, SharedConflict &conflict) {
  auto report = [&](const Party &party, bool writes) {
    conflict.other = {party.warp, party.lane, party.line};
    conflict.otherWrites = writes;
    return Verdict::kRace;
  };
  Verdict verdict = Verdict::kFine;
  bool bothAtomic = kind == Kind::kAtomic && word.writerIsAtomic;
  if ((word.writer.mask & mask) && !bothAtomic && !isBefore(word.writer, access.warp))
    verdict = report(word.writer, true);
  if (kind != Kind::kWrite && (word.written & mask) != mask && verdict == Verdict::kFine)
    verdict = Verdict::kUninitialised;

  Party now;
  now.time = clock(access.warp, access.warp);
  now.line = access.line;
  now.warp = uint16_t(access.warp);
  now.lane = uint8_t(access.lane);
  now.mask = mask;
  if (kind == Kind::kRead) {
    Party *place = nullptr;
    for (Party &reader : word.readers) {
      // The same warp reads more of the word at the same time: one party is enough.
      if (reader.time == now.time && reader.warp == now.warp) {
        reader.mask |= mask;
        return verdict;
      }
      if (!place && isBefore(reader, access.warp))
        place = &reader;
    }
    if (place)
      *place = now;
    return verdict;
  }
  for (Party &reader : word.readers) {
    if ((reader.mask & mask) && verdict != Verdict::kRace && !isBefore(reader, access.warp))
      verdict = report(reader, false);
    reader = Party();
  }
  // Bytes that the same warp wrote just before stay its own.
  if (word.writer.time == now.time && word.writer.warp == now.warp &&
      word.writerIsAtomic == (kind == Kind::kAtomic))
    now.mask |= word.writer.mask;
  word.writer = now;
  word.writerIsAtomic = kind == Kind::kAtomic;
  word.written |= mask;
  return verdict;
}

SharedShadow::Verdict SharedShadow::note(Kind kind, uint32_t offset, uint32_t bytes,
                                         const SharedAccess &access, SharedConflict &conflict) {
  Verdict worst = Verdict::kFine;
  uint32_t now = clock(access.warp, access.warp);
  for (uint32_t at = offset, end = offset + bytes; at < end;) {
    uint32_t inWord = at % 4, count = std::min(4 - inWord, end - at);
    uint8_t mask = uint8_t(((1u << count) - 1) << inWord);
    Word &word = words[at / 4];
    at += count;
    // The warp read it before, at the same time and since the last write: nothing new is wrong.
    if (kind == Kind::kRead && word.seenTime == now && word.seenWarp == access.warp &&
        (word.seenMask & mask) == mask)
      continue;
    word.seenTime = kind == Kind::kRead ? now : 0;
    word.seenWarp = uint16_t(access.warp);
    word.seenMask = mask;
    SharedConflict here;
    Verdict verdict = noteWord(kind, word, mask, access, here);
    if (verdict > worst) {
      worst = verdict;
      conflict = here;
      conflict.offset = uint32_t(&word - words.data()) * 4;
    }
  }
  return worst;
}

} // namespace heddle::emulator
