// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums as tensor cores round them, and sums in any order.
#include "runtime/emulator/handlers/tensor/MmaNumerics.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

constexpr s32 kNoExponent = -10000; // of zero
constexpr u32 kPlacesC = 23;

/// value = significand * 2^(exponent - places); subnormals of the format keep its least exponent.
void split(f32 value, s32 minExponent, u32 places, s32 &significand, s32 &exponent) {
  u32 bits = floatBits(value), mantissa = bits & 0x7fffff;
  s32 own = s32(bits >> 23 & 255) - 127;
  mantissa = own == -127 ? mantissa : mantissa | 0x800000;
  own = own == -127 ? -126 : own;
  exponent = own < minExponent ? minExponent : own;
  u32 shift = 23 - places + u32(exponent - own);
  u32 magnitude = shift > 31 ? 0 : mantissa >> shift;
  significand = bits >> 31 ? -s32(magnitude) : s32(magnitude);
  exponent = mantissa == 0 ? kNoExponent : exponent;
}

/// magnitude * 2^scale as f32 of `kept` places, cut off.
f32 cutOff(bool isNegative, u64 magnitude, s32 scale, u32 kept) {
  if (magnitude == 0)
    return 0;
  s32 top = 63 - __builtin_clzll(magnitude), exponent = top + scale;
  u32 sign = isNegative ? 0x80000000 : 0;
  if (exponent > 127)
    return floatOf(sign | 0x7f800000);
  s32 least = exponent < -126 ? -126 : exponent; // of the result, which may be subnormal
  s32 drop = least - s32(kept) - scale;          // bits of the magnitude below its last place
  u64 cut = drop >= 64 ? 0 : drop >= 0 ? magnitude >> drop : magnitude << -drop;
  u32 places = u32(cut << (23 - kept));
  u32 field = places & 0x800000 ? u32(least + 127) << 23 : 0;
  return floatOf(sign | field | (places & 0x7fffff));
}

/// The same as an f16, rounded to nearest even.
f32 nearestHalf(bool isNegative, u64 magnitude, s32 scale) {
  if (magnitude == 0)
    return 0;
  s32 top = 63 - __builtin_clzll(magnitude), exponent = top + scale;
  s32 least = exponent < -14 ? -14 : exponent;
  s32 drop = least - 10 - scale;
  u64 places;
  if (drop <= 0) {
    places = drop <= -64 ? 0 : magnitude << -drop;
  } else if (drop > 63) {
    places = 0;
  } else {
    u64 rest = magnitude & ((u64(1) << drop) - 1), half = u64(1) << (drop - 1);
    places = magnitude >> drop;
    places += rest > half || (rest == half && (places & 1));
  }
  f32 value = f32(places) * floatOf(u32(least - 10 + 127) << 23);
  value = value >= 65536.0f ? __builtin_inff() : value;
  return isNegative ? -value : value;
}

struct Split {
  s32 a[kMaxDepth][16], exponentA[kMaxDepth][16];
  s32 b[8][kMaxDepth], exponentB[8][kMaxDepth];
  bool isFinite = true;
};

void splitAll(const MmaNumbers &numbers, Split &parts) {
  u32 special = 0;
  for (u32 k = 0; k < numbers.depth; ++k)
    for (u32 m = 0; m < 16; ++m) {
      split(numbers.a[k][m], numbers.formatA.minExponent, numbers.formatA.mantissaBits,
            parts.a[k][m], parts.exponentA[k][m]);
      special |= (floatBits(numbers.a[k][m]) & 0x7f800000) == 0x7f800000;
    }
  for (u32 n = 0; n < 8; ++n)
    for (u32 k = 0; k < numbers.depth; ++k) {
      split(numbers.b[n][k], numbers.formatB.minExponent, numbers.formatB.mantissaBits,
            parts.b[n][k], parts.exponentB[n][k]);
      special |= (floatBits(numbers.b[n][k]) & 0x7f800000) == 0x7f800000;
    }
  parts.isFinite = !special;
}

/// A column of 16 sums over the products [first, last).
void addAligned(const Split &s, u32 n, u32 first, u32 last, u32 places, TensorPrecision precision,
                f32 (&c)[16]) {
  s32 significand[16], exponent[16], largest[16];
  s32 least = precision.sum == TensorSum::kHalf ? -14 : -126;
  for (u32 m = 0; m < 16; ++m) {
    split(c[m], least, kPlacesC, significand[m], exponent[m]);
    largest[m] = exponent[m];
  }
  for (u32 k = first; k < last; ++k)
    for (u32 m = 0; m < 16; ++m) {
      s32 e = s.exponentA[k][m] + s.exponentB[n][k];
      largest[m] = e > largest[m] ? e : largest[m];
    }
  s32 fraction = s32(precision.fractionBits);
  s64 sum[16];
  auto align = [&](s32 value, s32 e, s32 from, u32 m) {
    s64 magnitude = value < 0 ? -s64(value) : s64(value);
    s32 shift = largest[m] - e - (fraction - from);
    s32 right = shift < 0 ? 0 : shift > 63 ? 63 : shift, left = shift < 0 ? -shift : 0;
    magnitude = (magnitude << left) >> right;
    return value < 0 ? -magnitude : magnitude;
  };
  for (u32 m = 0; m < 16; ++m)
    sum[m] = align(significand[m], exponent[m], s32(kPlacesC), m);
  for (u32 k = first; k < last; ++k)
    for (u32 m = 0; m < 16; ++m)
      sum[m] += align(s.a[k][m] * s.b[n][k], s.exponentA[k][m] + s.exponentB[n][k], s32(places), m);
  for (u32 m = 0; m < 16; ++m) {
    u64 magnitude = sum[m] < 0 ? u64(-sum[m]) : u64(sum[m]);
    s32 scale = largest[m] - fraction;
    c[m] =
        precision.sum == TensorSum::kHalf
            ? nearestHalf(sum[m] < 0, magnitude, scale)
            : cutOff(sum[m] < 0, magnitude, scale, precision.sum == TensorSum::kFloat13 ? 13 : 23);
  }
}

/// Infinities and NaN follow IEEE, where the sum is one; NaN is 0x7fffffff.
void addSpecial(const MmaNumbers &numbers, u32 n, u32 first, u32 last, const f32 (&c)[16],
                f32 (&d)[16]) {
  for (u32 m = 0; m < 16; ++m) {
    f64 sum = c[m];
    for (u32 k = first; k < last; ++k)
      sum += f64(numbers.a[k][m]) * f64(numbers.b[n][k]);
    if (sum - sum != 0)
      d[m] = sum != sum ? floatOf(0x7fffffff) : f32(sum);
  }
}

/// Rounds to f32 to nearest even (0), towards zero, up or down.
f32 rounded(f64 value, u32 direction) {
  f32 near = f32(value);
  f64 back = near;
  if (direction == 0 || back == value || value - value != 0 || near - near != 0)
    return near;
  bool above = back > value, wantsAbove = direction == 2 || (direction == 1 && value < 0);
  if (above == wantsAbove)
    return near;
  u32 bits = floatBits(near), magnitude = bits & 0x7fffffff;
  if (magnitude == 0)
    return floatOf(wantsAbove ? 1 : 0x80000001);
  // Towards or away from zero by one place.
  return floatOf(wantsAbove == (bits >> 31 == 0) ? bits + 1 : bits - 1);
}

u64 mix(u64 value) { // splitmix64
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// The depth is a power of two, so an odd step reaches every k.
void addInAnyOrder(const MmaNumbers &numbers, u32 n, TensorPrecision precision, u64 seed,
                   f32 (&c)[16]) {
  u64 random = mix(seed);
  u32 direction = random & 3, start = u32(random >> 8), step = u32(random >> 32) | 1;
  bool beginsWithC = random & 4;
  for (u32 m = 0; m < 16; ++m) {
    f32 sum = beginsWithC ? c[m] : 0;
    for (u32 i = 0; i < numbers.depth; ++i) {
      u32 k = (start + i * step) & (numbers.depth - 1);
      sum = rounded(f64(sum) + f64(numbers.a[k][m]) * f64(numbers.b[n][k]), direction);
    }
    sum = beginsWithC ? sum : rounded(f64(sum) + f64(c[m]), direction);
    c[m] = precision.sum == TensorSum::kHalf ? halfToFloat(floatToHalf(sum)) : sum;
  }
}

} // namespace

void multiplyAsHardware(const MmaNumbers &numbers, TensorPrecision precision, u64 seed,
                        u32 *const *d, const u32 *const *c) {
  Split parts;
  bool isParanoid = precision.isParanoid;
  if (!isParanoid)
    splitAll(numbers, parts);
  u32 group = precision.group ? precision.group : numbers.depth;
  u32 places = numbers.formatA.mantissaBits + numbers.formatB.mantissaBits;
  for (u32 n = 0; n < 8; ++n) {
    f32 sum[16];
    for (u32 m = 0; m < 16; ++m)
      sum[m] = floatOf(c ? c[(m >> 3) * 2 + (n & 1)][(m & 7) * 4 + (n >> 1)] : 0);
    if (isParanoid)
      addInAnyOrder(numbers, n, precision, seed + n, sum);
    for (u32 first = 0; first < numbers.depth && !isParanoid; first += group) {
      u32 last = first + group < numbers.depth ? first + group : numbers.depth;
      f32 old[16];
      bool isFinite = parts.isFinite;
      for (u32 m = 0; m < 16; ++m) {
        old[m] = sum[m];
        isFinite &= sum[m] - sum[m] == 0;
      }
      addAligned(parts, n, first, last, places, precision, sum);
      if (!isFinite)
        addSpecial(numbers, n, first, last, old, sum);
    }
    for (u32 m = 0; m < 16; ++m)
      d[(m >> 3) * 2 + (n & 1)][(m & 7) * 4 + (n >> 1)] = floatBits(sum[m]);
  }
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA
