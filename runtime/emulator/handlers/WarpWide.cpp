// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions in which the lanes of a warp see each other: shfl, vote, match, redux, elect.
#include "runtime/emulator/exec/Groups.h"
#include "runtime/emulator/handlers/Lanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

constexpr u32 kNoPredicate = ~0u;

/// Lanes that are here together may name several sets, as the tiles of a warp do: each set runs
/// the op for itself once all of them are here.
void runSets(Warp &warp, const Op &op, u32 mask, const u32 *named) {
  u32 all = 0, active = warp.active;
  for (u32 rest = mask; rest; rest &= rest - 1)
    all |= named[__builtin_ctz(rest)];
  if (!gatherLanes(warp, op, all))
    return;
  for (u32 rest = mask; rest && warp.stop != Stop::kFault;) {
    u32 set = named[__builtin_ctz(rest)], lanes = 0;
    for (u32 other = rest; other; other &= other - 1)
      if (named[__builtin_ctz(other)] == set)
        lanes |= other & -other;
    rest &= ~lanes;
    if (set & warp.live & ~lanes) {
      reportFault(warp, op, Fault::kDivergence, u32(__builtin_ctz(lanes)),
                  "the lane names others that name another set of lanes");
      return;
    }
    warp.active = lanes;
    op.run(warp, op);
    warp.active = active;
  }
}

/// All lanes that the instruction names must be here, or come. `namedSlot` is the register with the
/// mask. False: not yet, or the op has been done.
bool allPresent(Warp &warp, const Op &op, u32 mask, u32 namedSlot) {
  if (mask == 0)
    return false;
  const u32 *named = lanesOf<u32>(warp, namedSlot);
  u32 first = named[__builtin_ctz(mask)], difference = 0;
  LANES difference |= (mask & kLaneBit[l]) ? named[l] ^ first : 0;
  if (difference == 0)
    return gatherLanes(warp, op, first);
  runSets(warp, op, mask, named);
  return false;
}

enum class Move : u8 { kUp, kDown, kButterfly, kIndex };

/// op.more: the predicate or kNoPredicate, the register with the lanes named.
template <Move kMove> void shuffle(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (!allPresent(warp, op, mask, op.more[1]))
    return;
  const u32 *a = lanesOf<u32>(warp, op.a), *b = lanesOf<u32>(warp, op.b);
  const u32 *c = lanesOf<u32>(warp, op.c);
  alignas(64) u32 result[kLaneCount];
  u32 inRange = 0;
  for (u32 l = 0; l < kLaneCount; ++l) {
    u32 distance = b[l] & 31, clamp = c[l] & 31, segment = (c[l] >> 8) & 31;
    u32 lowest = l & segment, highest = lowest | (clamp & ~segment);
    s32 source = 0;
    bool inside = false;
    if (kMove == Move::kUp) {
      source = s32(l) - s32(distance);
      inside = source >= s32(highest);
    } else {
      source = kMove == Move::kDown        ? s32(l + distance)
               : kMove == Move::kButterfly ? s32(l ^ distance)
                                           : s32(lowest | (distance & ~segment));
      inside = source <= s32(highest);
    }
    result[l] = a[inside ? u32(source) & 31 : l];
    inRange |= u32(inside) << l;
  }
  merge(lanesOf<u32>(warp, op.d), result, mask);
  if (op.more[0] != kNoPredicate)
    setPredicate(warp, op.more[0], inRange, mask);
}

/// The lanes for which the (possibly negated) predicate holds; op.b: all ones to negate.
u32 voters(const Warp &warp, const Op &op, u32 mask) {
  return (warp.predicates[op.a] ^ op.b) & mask;
}
void voteAll(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (allPresent(warp, op, mask, op.c))
    setPredicate(warp, op.d, voters(warp, op, mask) == mask ? ~0u : 0, mask);
}
void voteAny(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (allPresent(warp, op, mask, op.c))
    setPredicate(warp, op.d, voters(warp, op, mask) ? ~0u : 0, mask);
}
void voteUniform(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (!allPresent(warp, op, mask, op.c))
    return;
  u32 yes = voters(warp, op, mask);
  setPredicate(warp, op.d, yes == 0 || yes == mask ? ~0u : 0, mask);
}
void writeAll(Warp &warp, u32 slot, u32 value, u32 mask) {
  u32 *d = lanesOf<u32>(warp, slot);
  LANES d[l] = (mask & kLaneBit[l]) ? value : d[l];
}
void ballot(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (allPresent(warp, op, mask, op.c))
    writeAll(warp, op.d, voters(warp, op, mask), mask);
}
void activeMask(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  writeAll(warp, op.d, mask, mask);
}

template <typename T> void matchAny(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (!allPresent(warp, op, mask, op.c))
    return;
  const T *a = lanesOf<T>(warp, op.a);
  alignas(64) u32 result[kLaneCount] = {};
  for (u32 l = 0; l < kLaneCount; ++l)
    for (u32 other = 0; other < kLaneCount; ++other)
      result[l] |= u32(a[l] == a[other]) << other;
  LANES result[l] &= mask;
  merge(lanesOf<u32>(warp, op.d), result, mask);
}
template <typename T> void matchAll(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (!allPresent(warp, op, mask, op.c))
    return;
  const T *a = lanesOf<T>(warp, op.a);
  T first = a[__builtin_ctz(mask)];
  u32 same = 0;
  for (u32 l = 0; l < kLaneCount; ++l)
    same |= u32(a[l] == first) << l;
  bool all = (same & mask) == mask;
  writeAll(warp, op.d, all ? mask : 0, mask);
  if (op.more[0] != kNoPredicate)
    setPredicate(warp, op.more[0], all ? ~0u : 0, mask);
}

struct Add {
  template <typename T> static T apply(T a, T b) { return T(u32(a) + u32(b)); }
};
struct Min {
  template <typename T> static T apply(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <typename T> static T apply(T a, T b) { return a > b ? a : b; }
};
struct And {
  template <typename T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <typename T> static T apply(T a, T b) { return a | b; }
};
struct Xor {
  template <typename T> static T apply(T a, T b) { return a ^ b; }
};

template <typename T, class F> void reduce(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (!allPresent(warp, op, mask, op.b))
    return;
  const T *a = lanesOf<T>(warp, op.a);
  u32 rest = mask & (mask - 1);
  T result = a[__builtin_ctz(mask)];
  for (; rest; rest &= rest - 1)
    result = F::apply(result, a[__builtin_ctz(rest)]);
  writeAll(warp, op.d, u32(result), mask);
}

/// redux.sync of f32: a NaN loses, or with .NaN wins; -0 is less than +0.
template <bool kGreater, bool kAbsolute, bool kNaN> void reduceFloats(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (!allPresent(warp, op, mask, op.b))
    return;
  const u32 *a = lanesOf<u32>(warp, op.a);
  u32 result = 0x7fffffff;
  bool sawNaN = false;
  for (u32 rest = mask; rest; rest &= rest - 1) {
    u32 bits = a[__builtin_ctz(rest)] & (kAbsolute ? 0x7fffffff : ~0u);
    bool isNaN = (bits & 0x7fffffff) > 0x7f800000;
    sawNaN |= isNaN;
    if (isNaN)
      continue;
    // In the order of numbers: negative ones are turned round.
    auto place = [](u32 v) { return s32(v) < 0 ? s32(~v ^ 0x80000000) : s32(v); };
    bool isFirst = result == 0x7fffffff;
    if (isFirst || (kGreater ? place(bits) > place(result) : place(bits) < place(result)))
      result = bits;
  }
  writeAll(warp, op.d, kNaN && sawNaN ? 0x7fffffff : result, mask);
}

/// op.more[0]: the predicate.
void elect(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (!allPresent(warp, op, mask, op.a))
    return;
  u32 lane = u32(__builtin_ctz(mask));
  writeAll(warp, op.d, lane, mask);
  if (op.more[0] != kNoPredicate)
    setPredicate(warp, op.more[0], 1u << lane, mask);
}

constexpr OpClass kS = OpClass::kShuffle;

const Instruction kRows[] = {
    {"shfl.sync.up.b32", shuffle<Move::kUp>, nullptr, kS},
    {"shfl.sync.down.b32", shuffle<Move::kDown>, nullptr, kS},
    {"shfl.sync.bfly.b32", shuffle<Move::kButterfly>, nullptr, kS},
    {"shfl.sync.idx.b32", shuffle<Move::kIndex>, nullptr, kS},
    {"vote.sync.all.pred", voteAll, nullptr, kS},
    {"vote.sync.any.pred", voteAny, nullptr, kS},
    {"vote.sync.uni.pred", voteUniform, nullptr, kS},
    {"vote.sync.ballot.b32", ballot, nullptr, kS},
    {"match.any.sync.b32", matchAny<u32>, nullptr, kS},
    {"match.any.sync.b64", matchAny<u64>, nullptr, kS},
    {"match.all.sync.b32", matchAll<u32>, nullptr, kS},
    {"match.all.sync.b64", matchAll<u64>, nullptr, kS},
    {"activemask.b32", activeMask, "w:", kS},
    {"redux.sync.add.s32", reduce<s32, Add>, "w:ww", kS},
    {"redux.sync.add.u32", reduce<u32, Add>, "w:ww", kS},
    {"redux.sync.min.s32", reduce<s32, Min>, "w:ww", kS},
    {"redux.sync.min.u32", reduce<u32, Min>, "w:ww", kS},
    {"redux.sync.max.s32", reduce<s32, Max>, "w:ww", kS},
    {"redux.sync.max.u32", reduce<u32, Max>, "w:ww", kS},
    {"redux.sync.and.b32", reduce<u32, And>, "w:ww", kS},
    {"redux.sync.or.b32", reduce<u32, Or>, "w:ww", kS},
    {"redux.sync.xor.b32", reduce<u32, Xor>, "w:ww", kS},
    {"redux.sync.min.f32", reduceFloats<false, false, false>, "w:ww", kS},
    {"redux.sync.max.f32", reduceFloats<true, false, false>, "w:ww", kS},
    {"redux.sync.min.abs.f32", reduceFloats<false, true, false>, "w:ww", kS},
    {"redux.sync.max.abs.f32", reduceFloats<true, true, false>, "w:ww", kS},
    {"redux.sync.min.NaN.f32", reduceFloats<false, false, true>, "w:ww", kS},
    {"redux.sync.max.NaN.f32", reduceFloats<true, false, true>, "w:ww", kS},
    {"redux.sync.min.abs.NaN.f32", reduceFloats<false, true, true>, "w:ww", kS},
    {"redux.sync.max.abs.NaN.f32", reduceFloats<true, true, true>, "w:ww", kS},
    {"elect.sync", elect, nullptr, kS},
};

} // namespace

void addWarpHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
