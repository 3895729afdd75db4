// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons, selections and logic on predicates.
#include "runtime/emulator/handlers/HalfLanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

/// A bit for each lane whose value is not zero (all ones, as comparisons make them).
u32 bitsOf(const s32 *lanes) {
#if defined(__AVX512DQ__)
  return u32(_mm512_movepi32_mask(_mm512_load_si512(lanes))) |
         u32(_mm512_movepi32_mask(_mm512_load_si512(lanes + 16))) << 16;
#elif defined(__AVX2__)
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i)
    result |= u32(_mm256_movemask_ps(_mm256_load_ps(reinterpret_cast<const f32 *>(lanes) + 8 * i)))
              << (8 * i);
  return result;
#else
  u32 result = 0;
  for (u32 l = 0; l < kLaneCount; ++l)
    result |= u32(lanes[l] & 1) << l;
  return result;
#endif
}

struct Equal {
  template <typename T> static bool test(T a, T b) { return a == b; }
};
struct NotEqual {
  template <typename T> static bool test(T a, T b) { return (a < b) | (a > b); }
};
struct Less {
  template <typename T> static bool test(T a, T b) { return a < b; }
};
struct LessEqual {
  template <typename T> static bool test(T a, T b) { return a <= b; }
};
struct Greater {
  template <typename T> static bool test(T a, T b) { return a > b; }
};
struct GreaterEqual {
  template <typename T> static bool test(T a, T b) { return a >= b; }
};
struct EqualOr {
  template <typename T> static bool test(T a, T b) { return !((a < b) | (a > b)); }
};
struct NotEqualOr {
  template <typename T> static bool test(T a, T b) { return a != b; }
};
struct LessOr {
  template <typename T> static bool test(T a, T b) { return !(a >= b); }
};
struct LessEqualOr {
  template <typename T> static bool test(T a, T b) { return !(a > b); }
};
struct GreaterOr {
  template <typename T> static bool test(T a, T b) { return !(a <= b); }
};
struct GreaterEqualOr {
  template <typename T> static bool test(T a, T b) { return !(a < b); }
};
struct Numbers {
  template <typename T> static bool test(T a, T b) { return (a == a) & (b == b); }
};
struct NotNumbers {
  template <typename T> static bool test(T a, T b) { return (a != a) | (b != b); }
};

template <typename T, class C> void compare(Warp &warp, const Op &op) {
  const T *a = lanesOf<T>(warp, op.a), *b = lanesOf<T>(warp, op.b);
  alignas(64) s32 result[kLaneCount];
  LANES result[l] = C::test(a[l], b[l]) ? -1 : 0;
  setPredicate(warp, op.d, bitsOf(result), maskOf(warp, op));
}
template <bool kBrain, class C> void compareHalf(Warp &warp, const Op &op) {
  alignas(64) f32 a[kLaneCount], b[kLaneCount];
  alignas(64) s32 result[kLaneCount];
  const u16 *from[] = {lanesOf<u16>(warp, op.a), lanesOf<u16>(warp, op.b)};
  kBrain ? loadBrains<32>(a, from[0]) : loadHalves<32>(a, from[0]);
  kBrain ? loadBrains<32>(b, from[1]) : loadHalves<32>(b, from[1]);
  LANES result[l] = C::test(a[l], b[l]) ? -1 : 0;
  setPredicate(warp, op.d, bitsOf(result), maskOf(warp, op));
}
/// setp.f16x2 has a predicate for each half.
template <bool kBrain, class C> void comparePair(Warp &warp, const Op &op) {
  alignas(64) f32 a[64], b[64];
  const u16 *from[] = {lanesOf<u16>(warp, op.a), lanesOf<u16>(warp, op.b)};
  kBrain ? loadBrains<64>(a, from[0]) : loadHalves<64>(a, from[0]);
  kBrain ? loadBrains<64>(b, from[1]) : loadHalves<64>(b, from[1]);
  u32 low = 0, high = 0;
  for (u32 l = 0; l < kLaneCount; ++l) {
    low |= u32(C::test(a[2 * l], b[2 * l])) << l;
    high |= u32(C::test(a[2 * l + 1], b[2 * l + 1])) << l;
  }
  u32 mask = maskOf(warp, op);
  setPredicate(warp, op.d, low, mask);
  setPredicate(warp, op.more[0], high, mask);
}

template <typename T> void select(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op), chosen = warp.predicates[op.c];
  T *d = lanesOf<T>(warp, op.d);
  const T *a = lanesOf<T>(warp, op.a), *b = lanesOf<T>(warp, op.b);
  if (mask == kAllLanes) {
    LANES d[l] = (chosen & kLaneBit[l]) ? a[l] : b[l];
    return;
  }
  alignas(64) T result[kLaneCount];
  LANES result[l] = (chosen & kLaneBit[l]) ? a[l] : b[l];
  merge(d, result, mask);
}
template <typename T> T chooseBySign(T a, T b, s32 c) { return c >= 0 ? a : b; }
template <typename T> T chooseByFloat(T a, T b, f32 c) { return c >= 0 ? a : b; }

void predicateAnd(Warp &w, const Op &o) {
  setPredicate(w, o.d, w.predicates[o.a] & w.predicates[o.b], maskOf(w, o));
}
void predicateOr(Warp &w, const Op &o) {
  setPredicate(w, o.d, w.predicates[o.a] | w.predicates[o.b], maskOf(w, o));
}
void predicateXor(Warp &w, const Op &o) {
  setPredicate(w, o.d, w.predicates[o.a] ^ w.predicates[o.b], maskOf(w, o));
}
void predicateNot(Warp &w, const Op &o) { setPredicate(w, o.d, ~w.predicates[o.a], maskOf(w, o)); }
void predicateMove(Warp &w, const Op &o) { setPredicate(w, o.d, w.predicates[o.a], maskOf(w, o)); }
void predicateSet(Warp &w, const Op &o) { setPredicate(w, o.d, u32(o.imm), maskOf(w, o)); }

constexpr OpClass kI = OpClass::kInteger;
constexpr OpClass kF = OpClass::kFloat;

#define ORDERED(name, T, L, kind)                                                                  \
  {"setp.eq." #name, compare<T, Equal>, "p:" L L, kind},                                           \
      {"setp.lt." #name, compare<T, Less>, "p:" L L, kind},                                        \
      {"setp.le." #name, compare<T, LessEqual>, "p:" L L, kind},                                   \
      {"setp.gt." #name, compare<T, Greater>, "p:" L L, kind},                                     \
      {"setp.ge." #name, compare<T, GreaterEqual>, "p:" L L, kind}, {                              \
    "setp.ne." #name, compare<T, NotEqual>, "p:" L L, kind                                         \
  }
#define UNSIGNED(name, T, L)                                                                       \
  {"setp.lo." #name, compare<T, Less>, "p:" L L, kI},                                              \
      {"setp.ls." #name, compare<T, LessEqual>, "p:" L L, kI},                                     \
      {"setp.hi." #name, compare<T, Greater>, "p:" L L, kI}, {                                     \
    "setp.hs." #name, compare<T, GreaterEqual>, "p:" L L, kI                                       \
  }
#define FLOATING(name, T, L)                                                                       \
  {"setp.equ." #name, compare<T, EqualOr>, "p:" L L, kF},                                          \
      {"setp.neu." #name, compare<T, NotEqualOr>, "p:" L L, kF},                                   \
      {"setp.ltu." #name, compare<T, LessOr>, "p:" L L, kF},                                       \
      {"setp.leu." #name, compare<T, LessEqualOr>, "p:" L L, kF},                                  \
      {"setp.gtu." #name, compare<T, GreaterOr>, "p:" L L, kF},                                    \
      {"setp.geu." #name, compare<T, GreaterEqualOr>, "p:" L L, kF},                               \
      {"setp.num." #name, compare<T, Numbers>, "p:" L L, kF}, {                                    \
    "setp.nan." #name, compare<T, NotNumbers>, "p:" L L, kF                                        \
  }
#define HALVES(name, brain, compareAs, out, L)                                                     \
  {"setp.eq." #name, compareAs<brain, Equal>, out ":" L L, kF},                                    \
      {"setp.ne." #name, compareAs<brain, NotEqual>, out ":" L L, kF},                             \
      {"setp.lt." #name, compareAs<brain, Less>, out ":" L L, kF},                                 \
      {"setp.le." #name, compareAs<brain, LessEqual>, out ":" L L, kF},                            \
      {"setp.gt." #name, compareAs<brain, Greater>, out ":" L L, kF},                              \
      {"setp.ge." #name, compareAs<brain, GreaterEqual>, out ":" L L, kF},                         \
      {"setp.equ." #name, compareAs<brain, EqualOr>, out ":" L L, kF},                             \
      {"setp.neu." #name, compareAs<brain, NotEqualOr>, out ":" L L, kF},                          \
      {"setp.ltu." #name, compareAs<brain, LessOr>, out ":" L L, kF},                              \
      {"setp.leu." #name, compareAs<brain, LessEqualOr>, out ":" L L, kF},                         \
      {"setp.gtu." #name, compareAs<brain, GreaterOr>, out ":" L L, kF},                           \
      {"setp.geu." #name, compareAs<brain, GreaterEqualOr>, out ":" L L, kF},                      \
      {"setp.num." #name, compareAs<brain, Numbers>, out ":" L L, kF}, {                           \
    "setp.nan." #name, compareAs<brain, NotNumbers>, out ":" L L, kF                               \
  }

const Instruction kRows[] = {
    ORDERED(s16, s16, "h", kI),
    ORDERED(u16, u16, "h", kI),
    ORDERED(b16, u16, "h", kI),
    ORDERED(s32, s32, "w", kI),
    ORDERED(u32, u32, "w", kI),
    ORDERED(b32, u32, "w", kI),
    ORDERED(s64, s64, "d", kI),
    ORDERED(u64, u64, "d", kI),
    ORDERED(b64, u64, "d", kI),
    ORDERED(f32, f32, "w", kF),
    ORDERED(f64, f64, "d", kF),
    UNSIGNED(u16, u16, "h"),
    UNSIGNED(u32, u32, "w"),
    UNSIGNED(u64, u64, "d"),
    FLOATING(f32, f32, "w"),
    FLOATING(f64, f64, "d"),
    HALVES(f16, false, compareHalf, "p", "h"),
    HALVES(bf16, true, compareHalf, "p", "h"),
    HALVES(f16x2, false, comparePair, "pp", "w"),
    HALVES(bf16x2, true, comparePair, "pp", "w"),
    {"selp.b16", select<u16>, "h:hhp", OpClass::kMove},
    {"selp.b32", select<u32>, "w:wwp", OpClass::kMove},
    {"selp.b64", select<u64>, "d:ddp", OpClass::kMove},
    {"slct.b16.s32", ternary<u16, u16, u16, s32, chooseBySign<u16>>, "h:hhw", OpClass::kMove},
    {"slct.b32.s32", ternary<u32, u32, u32, s32, chooseBySign<u32>>, "w:www", OpClass::kMove},
    {"slct.b64.s32", ternary<u64, u64, u64, s32, chooseBySign<u64>>, "d:ddw", OpClass::kMove},
    {"slct.b16.f32", ternary<u16, u16, u16, f32, chooseByFloat<u16>>, "h:hhw", OpClass::kMove},
    {"slct.b32.f32", ternary<u32, u32, u32, f32, chooseByFloat<u32>>, "w:www", OpClass::kMove},
    {"slct.b64.f32", ternary<u64, u64, u64, f32, chooseByFloat<u64>>, "d:ddw", OpClass::kMove},
    {"and.pred", predicateAnd, "p:pp", kI},
    {"or.pred", predicateOr, "p:pp", kI},
    {"xor.pred", predicateXor, "p:pp", kI},
    {"not.pred", predicateNot, "p:p", kI},
    {"mov.pred", predicateMove, "p:p", OpClass::kMove},
    {"set.pred", predicateSet, "p:i", OpClass::kMove},
};

} // namespace

void addCompareHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
