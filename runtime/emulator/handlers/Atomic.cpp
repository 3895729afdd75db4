// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atom and red. Lanes take turns in lane order; blocks run on several threads, so memory that they
// share is changed by the host's atomic instructions.
#include "runtime/emulator/handlers/Access.h"
#include "runtime/emulator/handlers/HalfLanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

template <typename T> struct BitsOf {
  using type = T;
};
template <> struct BitsOf<f32> {
  using type = u32;
};
template <> struct BitsOf<f64> {
  using type = u64;
};

struct Add {
  template <typename T> static T apply(T a, T b, T) { return T(a + b); }
};
struct Min {
  template <typename T> static T apply(T a, T b, T) { return a < b ? a : b; }
};
struct Max {
  template <typename T> static T apply(T a, T b, T) { return a > b ? a : b; }
};
struct And {
  template <typename T> static T apply(T a, T b, T) { return a & b; }
};
struct Or {
  template <typename T> static T apply(T a, T b, T) { return a | b; }
};
struct Xor {
  template <typename T> static T apply(T a, T b, T) { return a ^ b; }
};
struct Exchange {
  template <typename T> static T apply(T, T b, T) { return b; }
};
struct CompareSwap {
  template <typename T> static T apply(T a, T b, T c) { return a == b ? c : a; }
};
struct Increment {
  template <typename T> static T apply(T a, T b, T) { return a >= b ? 0 : a + 1; }
};
struct Decrement {
  template <typename T> static T apply(T a, T b, T) { return a == 0 || a > b ? b : a - 1; }
};
struct AddHalf {
  static u16 apply(u16 a, u16 b, u16) { return floatToHalf(halfToFloat(a) + halfToFloat(b)); }
};
struct AddBrain {
  static u16 apply(u16 a, u16 b, u16) { return floatToBrain(brainToFloat(a) + brainToFloat(b)); }
};
// A NaN loses against a number, -0 is less than +0.
template <bool kBrain, bool kGreater> struct Extreme {
  static u16 apply(u16 a, u16 b, u16) {
    f32 x = kBrain ? brainToFloat(a) : halfToFloat(a),
        y = kBrain ? brainToFloat(b) : halfToFloat(b);
    if (x != x || y != y)
      return x == x ? a : y == y ? b : u16(0x7fff);
    bool isLess = x < y || (x == y && (a & 0x8000) > (b & 0x8000));
    return isLess == kGreater ? b : a;
  }
};
template <class F> struct Pair {
  static u32 apply(u32 a, u32 b, u32) {
    return u32(F::apply(u16(a >> 16), u16(b >> 16), 0)) << 16 | F::apply(u16(a), u16(b), 0);
  }
};

template <Place kPlace, typename T, class F> void atomic(Warp &warp, const Op &op) {
  using U = typename BitsOf<T>::type;
  u32 mask = maskOf(warp, op);
  Lanes lanes;
  Shape shape = locate<kPlace>(warp, op, mask, op.a, sizeof(T), Use::kAtomic, lanes);
  if (shape == Shape::kNone)
    return;
  T *d = lanesOf<T>(warp, op.d);
  const T *b = lanesOf<T>(warp, op.b), *c = lanesOf<T>(warp, op.c);
  for (; mask; mask &= mask - 1) {
    u32 l = firstLane(mask);
    U *place = reinterpret_cast<U *>(lanes.at[l]);
    U before = __atomic_load_n(place, __ATOMIC_RELAXED), after;
    T old;
    do {
      __builtin_memcpy(&old, &before, sizeof old);
      T next = F::apply(old, b[l], c[l]);
      __builtin_memcpy(&after, &next, sizeof after);
    } while (!__atomic_compare_exchange_n(place, &before, after, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
    d[l] = old;
  }
}

/// Two slots of 64 bits a value.
template <Place kPlace, bool kCompares> void atomicWide(Warp &warp, const Op &op) {
  typedef unsigned __int128 Wide;
  u32 mask = maskOf(warp, op);
  Lanes lanes;
  if (locate<kPlace>(warp, op, mask, op.a, 16, Use::kAtomic, lanes) == Shape::kNone)
    return;
  constexpr u32 kUpper = 8 * kLaneCount;
  auto read = [&](u32 slot, u32 l) {
    return Wide(lanesOf<u64>(warp, slot + kUpper)[l]) << 64 | lanesOf<u64>(warp, slot)[l];
  };
  for (; mask; mask &= mask - 1) {
    u32 l = firstLane(mask);
    Wide *place = reinterpret_cast<Wide *>(lanes.at[l]);
    Wide b = read(op.b, l), c = read(op.c, l), before = *place;
    for (;;) {
      Wide after = !kCompares ? b : before == b ? c : before;
      Wide seenNow = __sync_val_compare_and_swap(place, before, after);
      if (seenNow == before)
        break;
      before = seenNow;
    }
    lanesOf<u64>(warp, op.d)[l] = u64(before);
    lanesOf<u64>(warp, op.d + kUpper)[l] = u64(before >> 64);
  }
}

constexpr OpClass kA = OpClass::kAtomic;

#define EACH(space, place, name, T, ...)                                                           \
  {"atom." space "." name, atomic<place, T, __VA_ARGS__>, nullptr, kA}
#define INTEGERS(space, place, suffix, T)                                                          \
  EACH(space, place, "add." suffix, T, Add), EACH(space, place, "min." suffix, T, Min),            \
      EACH(space, place, "max." suffix, T, Max)
#define BITS(space, place, suffix, T)                                                              \
  EACH(space, place, "and." suffix, T, And), EACH(space, place, "or." suffix, T, Or),              \
      EACH(space, place, "xor." suffix, T, Xor), EACH(space, place, "exch." suffix, T, Exchange),  \
      EACH(space, place, "cas." suffix, T, CompareSwap)
#define EXTREMES(space, place, suffix, brain)                                                      \
  EACH(space, place, "min." suffix, u16, Extreme<brain, false>),                                   \
      EACH(space, place, "max." suffix, u16, Extreme<brain, true>),                                \
      EACH(space, place, "min." suffix "x2", u32, Pair<Extreme<brain, false>>),                    \
      EACH(space, place, "max." suffix "x2", u32, Pair<Extreme<brain, true>>)
#define SPACE(space, place)                                                                        \
  EXTREMES(space, place, "f16", false), EXTREMES(space, place, "bf16", true),                      \
      {"atom." space ".exch.b128", atomicWide<place, false>, nullptr, kA},                         \
      {"atom." space ".cas.b128", atomicWide<place, true>, nullptr, kA},                           \
      INTEGERS(space, place, "u32", u32), INTEGERS(space, place, "s32", s32),                      \
      INTEGERS(space, place, "u64", u64), INTEGERS(space, place, "s64", s64),                      \
      BITS(space, place, "b32", u32), BITS(space, place, "b64", u64),                              \
      EACH(space, place, "cas.b16", u16, CompareSwap),                                             \
      EACH(space, place, "inc.u32", u32, Increment),                                               \
      EACH(space, place, "dec.u32", u32, Decrement), EACH(space, place, "add.f32", f32, Add),      \
      EACH(space, place, "add.f64", f64, Add), EACH(space, place, "add.f16", u16, AddHalf),        \
      EACH(space, place, "add.bf16", u16, AddBrain),                                               \
      EACH(space, place, "add.f16x2", u32, Pair<AddHalf>),                                         \
      EACH(space, place, "add.bf16x2", u32, Pair<AddBrain>)

const Instruction kRows[] = {
    SPACE("global", Place::kGlobal),
    SPACE("shared", Place::kShared),
    SPACE("generic", Place::kGeneric),
    SPACE("cluster", Place::kCluster),
};

} // namespace

void addAtomicHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
