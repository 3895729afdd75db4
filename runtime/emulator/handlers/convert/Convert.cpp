// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt: between integers, between floats, and across. The lowering splits what has no row here into
// two steps that round once together.
#include "runtime/emulator/handlers/HalfLanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

template <typename D, typename S> D convert(S a) { return D(a); }

template <typename T> struct Limits;
#define LIMITS(T, low, high)                                                                       \
  template <> struct Limits<T> {                                                                   \
    static constexpr T min = low, max = high;                                                      \
  }
LIMITS(s8, -128, 127);
LIMITS(u8, 0, 255);
LIMITS(s16, -32768, 32767);
LIMITS(u16, 0, 65535);
LIMITS(s32, -2147483647 - 1, 2147483647);
LIMITS(u32, 0, 4294967295u);
LIMITS(s64, -9223372036854775807ll - 1, 9223372036854775807ll);
LIMITS(u64, 0, 18446744073709551615ull);
#undef LIMITS

template <typename D, typename S> D clampInteger(S a) {
  constexpr bool fromSigned = S(-1) < S(0);
  if (fromSigned && a < 0) {
    if constexpr (D(-1) < D(0))
      return s64(a) < s64(Limits<D>::min) ? Limits<D>::min : D(a);
    return 0;
  }
  return u64(a) > u64(Limits<D>::max) ? Limits<D>::max : D(a);
}

// Rounding to an integral value in the same type.
f32 nearest(f32 a) { return __builtin_rintf(a); }
f64 nearest(f64 a) { return __builtin_rint(a); }
f32 towardZero(f32 a) { return __builtin_truncf(a); }
f64 towardZero(f64 a) { return __builtin_trunc(a); }
f32 down(f32 a) { return __builtin_floorf(a); }
f64 down(f64 a) { return __builtin_floor(a); }
f32 up(f32 a) { return __builtin_ceilf(a); }
f64 up(f64 a) { return __builtin_ceil(a); }

/// Saturates; the argument is integral already. A NaN becomes 0, or the top bit alone where the
/// source is f64 or the result has 64 bits (PTX ISA 9.0, 9.7.9.21).
template <typename D, typename S> D toInteger(S a) {
  constexpr D nan = sizeof(S) == 8 || sizeof(D) == 8 ? D(u64(1) << (sizeof(D) * 8 - 1)) : D(0);
  constexpr D low = Limits<D>::min, high = Limits<D>::max;
  constexpr S above = S(high / 2 + 1) * 2; // 2^n, exact where the largest value itself is not
  if constexpr (sizeof(D) <= 4) {
    // Wide enough for every D, and a conversion that vectorises.
    S bounded = a >= S(low) ? a : S(low);
    bounded = a < above ? bounded : S(0);
    D inside = D(s64(bounded));
    D result = a >= above ? high : inside;
    return a != a ? nan : result;
  }
  if (a != a)
    return nan;
  if (a >= above)
    return high;
  return a <= S(low) ? low : D(a);
}
s32 toInteger32(f32 a) {
  s32 inside = s32(a < 2147483648.0f && a >= -2147483648.0f ? a : 0.0f);
  s32 result = a >= 2147483648.0f ? Limits<s32>::max : inside;
  result = a < -2147483648.0f ? Limits<s32>::min : result;
  return a != a ? 0 : result;
}

template <typename D, typename S, S (*R)(S)> D roundTo(S a) { return toInteger<D, S>(R(a)); }
template <f32 (*R)(f32)> s32 roundTo32(f32 a) { return toInteger32(R(a)); }

template <bool kBrain> void fromHalf(Warp &warp, const Op &op) {
  alignas(64) f32 result[kLaneCount];
  const u16 *a = lanesOf<u16>(warp, op.a);
  kBrain ? loadBrains<32>(result, a) : loadHalves<32>(result, a);
  merge(lanesOf<f32>(warp, op.d), result, maskOf(warp, op));
}
template <bool kBrain> void toHalf(Warp &warp, const Op &op) {
  alignas(64) u16 result[kLaneCount];
  const f32 *a = lanesOf<f32>(warp, op.a);
  kBrain ? storeBrains<32>(result, a) : storeHalves<32>(result, a);
  merge(lanesOf<u16>(warp, op.d), result, maskOf(warp, op));
}
template <bool kBrain, bool kRelu> u32 packPair(f32 high, f32 low) {
  if (kRelu) {
    high = high < 0 ? 0.0f : high;
    low = low < 0 ? 0.0f : low;
  }
  u32 h = kBrain ? floatToBrain(high) : floatToHalf(high);
  u32 l = kBrain ? floatToBrain(low) : floatToHalf(low);
  return (h << 16) | l;
}
u16 towardZeroHalf(f32 a) {
  u32 bits = floatBits(a), rest = bits & 0x7fffffff;
  if (rest >= 0x7f800000)
    return floatToHalf(a);
  if (rest >= 0x47800000) // 2^16: the largest finite number
    return u16(((bits >> 16) & 0x8000) | 0x7bff);
  f32 kept = floatOf(rest);
  u16 half = floatToHalf(kept);
  if (halfToFloat(half) > kept)
    half = u16(half - 1);
  return u16(((bits >> 16) & 0x8000) | half);
}
u16 towardZeroBrain(f32 a) { return a != a ? u16(0x7fff) : u16(floatBits(a) >> 16); }
f32 narrow(f64 a) { return f32(a); }
/// F under another rounding direction of the host.
template <unsigned kMode, typename D, typename S, D (*F)(S)>
void rounded(Warp &warp, const Op &op) {
  unsigned saved = _mm_getcsr();
  _mm_setcsr((saved & ~0x6000u) | kMode);
  asm volatile("" ::: "memory");
  unary<D, S, F>(warp, op);
  asm volatile("" ::: "memory");
  _mm_setcsr(saved);
}

constexpr OpClass kC = OpClass::kConvert;

#define INTEGERS_FROM(sname, S, SL)                                                                \
  {"cvt.s8." #sname, unary<s8, S, convert<s8, S>>, "b:" SL, kC},                                   \
      {"cvt.u8." #sname, unary<u8, S, convert<u8, S>>, "b:" SL, kC},                               \
      {"cvt.s16." #sname, unary<s16, S, convert<s16, S>>, "h:" SL, kC},                            \
      {"cvt.u16." #sname, unary<u16, S, convert<u16, S>>, "h:" SL, kC},                            \
      {"cvt.s32." #sname, unary<s32, S, convert<s32, S>>, "w:" SL, kC},                            \
      {"cvt.u32." #sname, unary<u32, S, convert<u32, S>>, "w:" SL, kC},                            \
      {"cvt.s64." #sname, unary<s64, S, convert<s64, S>>, "d:" SL, kC},                            \
      {"cvt.u64." #sname, unary<u64, S, convert<u64, S>>, "d:" SL, kC},                            \
      {"cvt.sat.s8." #sname, unary<s8, S, clampInteger<s8, S>>, "b:" SL, kC},                      \
      {"cvt.sat.u8." #sname, unary<u8, S, clampInteger<u8, S>>, "b:" SL, kC},                      \
      {"cvt.sat.s16." #sname, unary<s16, S, clampInteger<s16, S>>, "h:" SL, kC},                   \
      {"cvt.sat.u16." #sname, unary<u16, S, clampInteger<u16, S>>, "h:" SL, kC},                   \
      {"cvt.sat.s32." #sname, unary<s32, S, clampInteger<s32, S>>, "w:" SL, kC},                   \
      {"cvt.sat.u32." #sname, unary<u32, S, clampInteger<u32, S>>, "w:" SL, kC},                   \
      {"cvt.sat.s64." #sname, unary<s64, S, clampInteger<s64, S>>, "d:" SL, kC},                   \
      {"cvt.sat.u64." #sname, unary<u64, S, clampInteger<u64, S>>, "d:" SL, kC},                   \
      {"cvt.rn.f32." #sname, unary<f32, S, convert<f32, S>>, "w:" SL, kC}, {                       \
    "cvt.rn.f64." #sname, unary<f64, S, convert<f64, S>>, "d:" SL, kC                              \
  }

#define FLOATS_BY(mode, bits, sname, S, SL)                                                        \
  {"cvt." mode ".f32." sname, rounded<bits, f32, S, convert<f32, S>>, "w:" SL, kC}, {              \
    "cvt." mode ".f64." sname, rounded<bits, f64, S, convert<f64, S>>, "d:" SL, kC                 \
  }
#define ROUNDED_FROM(sname, S, SL)                                                                 \
  FLOATS_BY("rz", 0x6000, sname, S, SL), FLOATS_BY("rm", 0x2000, sname, S, SL),                    \
      FLOATS_BY("rp", 0x4000, sname, S, SL)

#define INTEGERS_BY(mode, R, sname, S, SL)                                                         \
  {"cvt." #mode ".s8." #sname, unary<s8, S, roundTo<s8, S, R>>, "b:" SL, kC},                      \
      {"cvt." #mode ".u8." #sname, unary<u8, S, roundTo<u8, S, R>>, "b:" SL, kC},                  \
      {"cvt." #mode ".s16." #sname, unary<s16, S, roundTo<s16, S, R>>, "h:" SL, kC},               \
      {"cvt." #mode ".u16." #sname, unary<u16, S, roundTo<u16, S, R>>, "h:" SL, kC},               \
      {"cvt." #mode ".u32." #sname, unary<u32, S, roundTo<u32, S, R>>, "w:" SL, kC},               \
      {"cvt." #mode ".s64." #sname, unary<s64, S, roundTo<s64, S, R>>, "d:" SL, kC},               \
      {"cvt." #mode ".u64." #sname, unary<u64, S, roundTo<u64, S, R>>, "d:" SL, kC}, {             \
    "cvt." #mode "." #sname "." #sname, unary<S, S, R>, SL ":" SL, kC                              \
  }

#define FROM_FLOAT(mode, R)                                                                        \
  INTEGERS_BY(mode, R, f32, f32, "w"), INTEGERS_BY(mode, R, f64, f64, "d"),                        \
      {"cvt." #mode ".s32.f32", unary<s32, f32, roundTo32<R>>, "w:w", kC}, {                       \
    "cvt." #mode ".s32.f64", unary<s32, f64, roundTo<s32, f64, R>>, "w:d", kC                      \
  }

const Instruction kRows[] = {
    INTEGERS_FROM(s8, s8, "b"),
    INTEGERS_FROM(u8, u8, "b"),
    INTEGERS_FROM(s16, s16, "h"),
    INTEGERS_FROM(u16, u16, "h"),
    INTEGERS_FROM(s32, s32, "w"),
    INTEGERS_FROM(u32, u32, "w"),
    INTEGERS_FROM(s64, s64, "d"),
    INTEGERS_FROM(u64, u64, "d"),
    ROUNDED_FROM("s32", s32, "w"),
    ROUNDED_FROM("u32", u32, "w"),
    ROUNDED_FROM("s64", s64, "d"),
    ROUNDED_FROM("u64", u64, "d"),
    FROM_FLOAT(rni, nearest),
    FROM_FLOAT(rzi, towardZero),
    FROM_FLOAT(rmi, down),
    FROM_FLOAT(rpi, up),
    {"cvt.f32.f16", fromHalf<false>, "w:h", kC},
    {"cvt.f32.bf16", fromHalf<true>, "w:h", kC},
    {"cvt.rn.f16.f32", toHalf<false>, "h:w", kC},
    {"cvt.rn.bf16.f32", toHalf<true>, "h:w", kC},
    {"cvt.rz.f16.f32", unary<u16, f32, towardZeroHalf>, "h:w", kC},
    {"cvt.rz.bf16.f32", unary<u16, f32, towardZeroBrain>, "h:w", kC},
    {"cvt.f64.f32", unary<f64, f32, convert<f64, f32>>, "d:w", kC},
    {"cvt.rn.f32.f64", unary<f32, f64, narrow>, "w:d", kC},
    {"cvt.rz.f32.f64", rounded<0x6000, f32, f64, narrow>, "w:d", kC},
    {"cvt.rm.f32.f64", rounded<0x2000, f32, f64, narrow>, "w:d", kC},
    {"cvt.rp.f32.f64", rounded<0x4000, f32, f64, narrow>, "w:d", kC},
    {"cvt.rn.f16x2.f32", binary<u32, f32, f32, packPair<false, false>>, "w:ww", kC},
    {"cvt.rn.bf16x2.f32", binary<u32, f32, f32, packPair<true, false>>, "w:ww", kC},
    {"cvt.rn.relu.f16x2.f32", binary<u32, f32, f32, packPair<false, true>>, "w:ww", kC},
    {"cvt.rn.relu.bf16x2.f32", binary<u32, f32, f32, packPair<true, true>>, "w:ww", kC},
};

} // namespace

void addConvertHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
