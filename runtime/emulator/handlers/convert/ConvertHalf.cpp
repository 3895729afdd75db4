// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt to f16 and bf16 in every direction of rounding, and to tf32. Sources come as f64: f32, f16
// and bf16 are exact in it, integers are rounded to odd, which a second rounding does not see.
#include "runtime/emulator/handlers/HalfLanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

enum class Direction : u8 { kNearest, kZero, kDown, kUp };

template <bool kBrain> f64 widened(u16 half) {
  return f64(kBrain ? brainToFloat(half) : halfToFloat(half));
}

/// The magnitude cut off; infinities and NaN stay.
template <bool kBrain> u16 cutOff(f64 value) {
  f64 size = value < 0 ? -value : value;
  u16 sign = __builtin_signbit(value) ? 0x8000 : 0;
  if (value != value)
    return 0x7fff;
  constexpr u16 kInfinity = kBrain ? 0x7f80 : 0x7c00;
  if (size == __builtin_inf())
    return sign | kInfinity;
  if (size >= (kBrain ? 0x1p128 : 0x1p16))
    return u16(sign | (kInfinity - 1));
  f32 odd = oddFloat(size);
  if constexpr (kBrain)
    return u16(sign | (floatBits(odd) >> 16));
  u16 half = floatToHalf(odd);
  if (half == kInfinity || halfToFloat(half) > odd)
    half = u16(half - 1);
  return u16(sign | half);
}

template <bool kBrain, Direction kTo> u16 toHalf(f64 value) {
  if constexpr (kTo == Direction::kNearest) {
    f32 odd = oddFloat(value);
    return kBrain ? floatToBrain(odd) : floatToHalf(odd);
  }
  u16 half = cutOff<kBrain>(value);
  if (kTo == Direction::kZero || value != value || widened<kBrain>(half) == value)
    return half;
  bool isAway = kTo == Direction::kDown ? value < 0 : value > 0;
  return isAway ? u16(half + 1) : half;
}

template <typename S> f64 oddFromInteger(S a) {
  f64 near = f64(a); // to nearest
  constexpr f64 kTop = sizeof(S) < 8 ? 0 : (S(-1) < S(0) ? 0x1p63 : 0x1p64);
  if (sizeof(S) < 8 || (near < kTop && S(near) == a))
    return near;
  u64 bits;
  __builtin_memcpy(&bits, &near, 8);
  bool isAbove = near >= kTop || S(near) > a; // the value is below what it was rounded to
  if (bits & 1)
    return near;
  bits = isAbove == (near > 0) ? bits - 1 : bits + 1;
  __builtin_memcpy(&near, &bits, 8);
  return near;
}

template <bool kBrain> u16 largest(u16 half) { // .satfinite
  constexpr u16 kInfinity = kBrain ? 0x7f80 : 0x7c00;
  return (half & 0x7fff) == kInfinity ? u16(half - 1) : half;
}
template <bool kBrain, bool kZero, bool kSaturates> u32 packPair(f32 high, f32 low) {
  constexpr Direction kTo = kZero ? Direction::kZero : Direction::kNearest;
  u16 h = toHalf<kBrain, kTo>(high), l = toHalf<kBrain, kTo>(low);
  if (kSaturates) {
    h = largest<kBrain>(h);
    l = largest<kBrain>(l);
  }
  return u32(h) << 16 | l;
}
template <bool kBrain> u16 saturateOne(u16 half) { return largest<kBrain>(half); }

/// 10 bits of fraction, in the lower 13 bits of which there are zeros.
template <Direction kTo, bool kAway, bool kSaturates> u32 toTf32(f32 a) {
  u32 bits = floatBits(a), rest = bits & 0x7fffffff;
  if (rest > 0x7f800000)
    return 0x7fffffff;
  u32 result = bits & ~0x1fffu;
  if (rest < 0x7f800000) {
    if (kTo == Direction::kNearest)
      result = (bits + (kAway ? 0x1000 : 0xfff + ((bits >> 13) & 1))) & ~0x1fffu;
  }
  if (kSaturates && (result & 0x7fffffff) == 0x7f800000)
    result = (result & 0x80000000) | 0x7f7fe000;
  return result;
}

constexpr OpClass kC = OpClass::kConvert;

#define TO_HALF(type, brain)                                                                       \
  {"cvt.rn." type ".f64", unary<u16, f64, toHalf<brain, Direction::kNearest>>, "h:d", kC},         \
      {"cvt.rz." type ".f64", unary<u16, f64, toHalf<brain, Direction::kZero>>, "h:d", kC},        \
      {"cvt.rm." type ".f64", unary<u16, f64, toHalf<brain, Direction::kDown>>, "h:d", kC},        \
      {"cvt.rp." type ".f64", unary<u16, f64, toHalf<brain, Direction::kUp>>, "h:d", kC},          \
      {"satfinite." type, unary<u16, u16, saturateOne<brain>>, "h:h", kC},                         \
      {"cvt.rz." type "x2.f32", binary<u32, f32, f32, packPair<brain, true, false>>, "w:ww", kC},  \
      {"cvt.rn.satfinite." type "x2.f32", binary<u32, f32, f32, packPair<brain, false, true>>,     \
       "w:ww", kC},                                                                                \
  {                                                                                                \
    "cvt.rz.satfinite." type "x2.f32", binary<u32, f32, f32, packPair<brain, true, true>>, "w:ww", \
        kC                                                                                         \
  }
#define TF32(name, to, away)                                                                       \
  {"cvt." name ".tf32.f32", unary<u32, f32, toTf32<to, away, false>>, "w:w", kC}, {                \
    "cvt." name ".satfinite.tf32.f32", unary<u32, f32, toTf32<to, away, true>>, "w:w", kC          \
  }

const Instruction kRows[] = {
    TO_HALF("f16", false),
    TO_HALF("bf16", true),
    TF32("rna", Direction::kNearest, true),
    TF32("rn", Direction::kNearest, false),
    TF32("rz", Direction::kZero, false),
    {"cvt.odd.f64.s64", unary<f64, s64, oddFromInteger<s64>>, "d:d", kC},
    {"cvt.odd.f64.u64", unary<f64, u64, oddFromInteger<u64>>, "d:d", kC},
};

} // namespace

void addConvertHalfHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
