// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of 8, 6 and 4 bits in pairs: e4m3, e5m2, e2m3, e3m2, e2m1, and ue8m0, which is a power of
// two alone. To them conversions round to nearest even and saturate; from them they are exact.
#include "runtime/emulator/handlers/HalfLanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

void addStochasticHandlers(HandlerTable &table); // Stochastic.cpp

namespace {

/// `kInfinity`: the top exponent means infinity and NaN. `kNaN`: all ones are a NaN. Without either
/// every code is a number, and a NaN becomes the largest one.
template <u32 kExponentBits, u32 kFractionBits, bool kInfinity, bool kNaN> struct Narrow {
  static constexpr u32 kExponents = kExponentBits, kFraction = kFractionBits;
  static constexpr bool hasInfinity = kInfinity, hasNaN = kNaN;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr u32 kBits = 1 + kExponentBits + kFractionBits;
  static constexpr u32 kRest = (1u << (kBits - 1)) - 1;
  /// The largest finite code without its sign.
  static constexpr u32 kLargest = kInfinity ? kRest - (1u << kFractionBits)
                                  : kNaN    ? kRest - 1
                                            : kRest;
};
using E4M3 = Narrow<4, 3, false, true>;
using E5M2 = Narrow<5, 2, true, true>;
using E2M3 = Narrow<2, 3, false, false>;
using E3M2 = Narrow<3, 2, false, false>;
using E2M1 = Narrow<2, 1, false, false>;

template <class N> u32 encode(f32 a) {
  u32 bits = floatBits(a), sign = (bits >> 31) << (N::kBits - 1);
  f32 size = floatOf(bits & 0x7fffffff);
  if (size != size)
    return N::hasNaN ? N::kRest : N::kLargest;
  constexpr int kLowest = 1 - N::kBias;
  int exponent = int(floatBits(size) >> 23) - 127;
  exponent = exponent < kLowest ? kLowest : exponent;
  exponent = exponent > 60 ? 60 : exponent; // far above every type: saturates
  f32 unit = floatOf(u32(exponent - int(N::kFraction) + 127) << 23);
  f32 steps = __builtin_rintf(size / unit);
  u32 limit = 2u << N::kFraction;
  u32 code = (u32(exponent - kLowest) << N::kFraction) + (steps > f32(limit) ? limit : u32(steps));
  return sign | (code > N::kLargest ? N::kLargest : code);
}

template <class N> f32 decode(u32 code) {
  u32 rest = code & N::kRest, exponent = rest >> N::kFraction;
  u32 fraction = rest & ((1u << N::kFraction) - 1);
  f32 value;
  if (N::hasInfinity && exponent == (1u << N::kExponents) - 1)
    value = fraction == 0 ? __builtin_inff() : floatOf(0x7fffffff);
  else if (!N::hasInfinity && N::hasNaN && rest == N::kRest)
    value = floatOf(0x7fffffff);
  else if (exponent == 0)
    value = f32(fraction) * floatOf(u32(1 - N::kBias - int(N::kFraction) + 127) << 23);
  else
    value = floatOf(u32(int(exponent) - N::kBias + 127) << 23 | fraction << (23 - N::kFraction));
  return code >> (N::kBits - 1) & 1 ? -value : value;
}

/// Two codes: a byte each, or four bits each.
template <class N> constexpr u32 kApart = N::kBits > 4 ? 8 : 4;
template <class N> u16 packed(f32 high, f32 low) {
  return u16(encode<N>(high) << kApart<N> | encode<N>(low));
}
template <class N> u16 packedHalves(u32 pair) {
  return packed<N>(halfToFloat(u16(pair >> 16)), halfToFloat(u16(pair)));
}
template <class N> u32 unpacked(u16 pair) {
  u32 mask = (1u << N::kBits) - 1;
  return u32(floatToHalf(decode<N>(pair >> kApart<N> & mask))) << 16 |
         floatToHalf(decode<N>(pair & mask));
}

/// ue8m0: 2^(code - 127); 255 is the NaN. Signs are dropped.
template <bool kUp, bool kSaturates> u32 powerOfTwo(f32 a) {
  u32 bits = floatBits(a) & 0x7fffffff;
  if (bits > 0x7f800000)
    return 255;
  if (bits == 0x7f800000)
    return kSaturates ? 254 : 255;
  u32 exponent = bits >> 23, fraction = bits & 0x7fffff;
  if (exponent == 0) // 2^-127 is a subnormal number of f32
    return kUp && bits > 0x400000 ? 1 : 0;
  exponent += kUp && fraction != 0 ? 1 : 0;
  return exponent == 255 ? (kSaturates ? 254 : 255) : exponent;
}
template <bool kUp, bool kSaturates> u16 packedPowers(f32 high, f32 low) {
  return u16(powerOfTwo<kUp, kSaturates>(high) << 8 | powerOfTwo<kUp, kSaturates>(low));
}
template <bool kUp, bool kSaturates> u16 packedBrainPowers(u32 pair) {
  return packedPowers<kUp, kSaturates>(floatOf(pair & 0xffff0000), floatOf(pair << 16));
}
u32 brainOfPower(u32 code) { return code == 255 ? 0x7fff : code == 0 ? 0x0040 : code << 7; }
u32 unpackedPowers(u16 pair) { return brainOfPower(pair >> 8) << 16 | brainOfPower(pair & 255); }

constexpr OpClass kC = OpClass::kConvert;

#define NARROW(name, N)                                                                            \
  {"cvt.rn.satfinite." name ".f32", binary<u16, f32, f32, packed<N>>, "h:ww", kC},                 \
      {"cvt.rn.satfinite." name ".f16x2", unary<u16, u32, packedHalves<N>>, "h:w", kC}, {          \
    "cvt.rn.f16x2." name, unary<u32, u16, unpacked<N>>, "w:h", kC                                  \
  }
#define POWERS(mode, up)                                                                           \
  {"cvt." mode ".ue8m0x2.f32", binary<u16, f32, f32, packedPowers<up, false>>, "h:ww", kC},        \
      {"cvt." mode ".satfinite.ue8m0x2.f32", binary<u16, f32, f32, packedPowers<up, true>>,        \
       "h:ww", kC},                                                                                \
      {"cvt." mode ".ue8m0x2.bf16x2", unary<u16, u32, packedBrainPowers<up, false>>, "h:w", kC}, { \
    "cvt." mode ".satfinite.ue8m0x2.bf16x2", unary<u16, u32, packedBrainPowers<up, true>>, "h:w",  \
        kC                                                                                         \
  }

const Instruction kRows[] = {
    NARROW("e4m3x2", E4M3), NARROW("e5m2x2", E5M2),
    NARROW("e2m3x2", E2M3), NARROW("e3m2x2", E3M2),
    NARROW("e2m1x2", E2M1), POWERS("rz", false),
    POWERS("rp", true),     {"cvt.rn.bf16x2.ue8m0x2", unary<u32, u16, unpackedPowers>, "w:h", kC},
};

} // namespace

void addNarrowFloatHandlers(HandlerTable &table) {
  addRows(table, kRows);
  addStochasticHandlers(table);
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA
