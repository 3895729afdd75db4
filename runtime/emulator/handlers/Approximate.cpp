// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ex2, lg2, sin, cos, tanh, rsqrt: computed in f64 by polynomials whose error is far below the last
// place of f32, so that results are as good as correctly rounded and the same on every host. In
// paranoid numerics they are as bad as the PTX ISA allows them to be.
#include "runtime/emulator/handlers/HalfLanes.h"
#include "runtime/emulator/numerics/Numerics.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

constexpr f64 kRoundMagic = 0x1.8p52; // adding it leaves the integer in the low bits

f64 exponentScale(f64 shifted) { // 2^n for shifted = n + kRoundMagic
  s64 bits;
  __builtin_memcpy(&bits, &shifted, 8);
  bits = (bits + 1023) << 52;
  f64 result;
  __builtin_memcpy(&result, &bits, 8);
  return result;
}

f64 exp2Wide(f64 x) {
  x = x < -1000 ? -1000 : x;
  x = x > 1000 ? 1000 : x;
  f64 shifted = x + kRoundMagic, n = shifted - kRoundMagic;
  f64 r = (x - n) * 0.6931471805599453094;
  // The series of e^r; |r| <= 0.347, so the first term left out is below 2^-41.
  f64 p = 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return p * exponentScale(shifted);
}
f32 exp2(f32 x) {
  f32 result = f32(exp2Wide(x));
  return x != x ? floatOf(0x7fffffff) : result;
}

f32 log2(f32 x) {
  f64 wide = x;
  u64 bits;
  __builtin_memcpy(&bits, &wide, 8);
  // The mantissa in [sqrt(1/2), sqrt(2)): 0x95f6... is the fraction of sqrt(2)'s distance to 2.
  u64 moved = bits + 0x00095f619980c433ull;
  f64 exponent = f64(s32(u32(moved >> 52) & 2047) - 1023);
  u64 mantissaBits = (moved & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull;
  f64 m;
  __builtin_memcpy(&m, &mantissaBits, 8);
  f64 s = (m - 1) / (m + 1), q = s * s; // |s| < 0.172
  f64 p = 1.0 / 15;
  p = p * q + 1.0 / 13;
  p = p * q + 1.0 / 11;
  p = p * q + 1.0 / 9;
  p = p * q + 1.0 / 7;
  p = p * q + 1.0 / 5;
  p = p * q + 1.0 / 3;
  p = p * q + 1.0;
  f32 result = f32(exponent + p * s * 2.885390081777926815);
  result = x == 0 ? -__builtin_inff() : result;
  result = x == __builtin_inff() ? x : result;
  return !(x >= 0) ? floatOf(0x7fffffff) : result;
}

/// quadrant 0: sine of x, 1: cosine.
template <s64 kQuadrant> f32 circular(f32 x) {
  f64 wide = x;
  f64 shifted = wide * 0.63661977236758134308 + kRoundMagic, n = shifted - kRoundMagic;
  s64 quadrant;
  __builtin_memcpy(&quadrant, &shifted, 8);
  quadrant += kQuadrant;
  f64 r = (wide - n * 1.57079632679489655800) - n * 6.123233995736766036e-17;
  f64 q = r * r;
  f64 sine = -1.0 / 39916800;
  sine = sine * q + 1.0 / 362880;
  sine = sine * q - 1.0 / 5040;
  sine = sine * q + 1.0 / 120;
  sine = sine * q - 1.0 / 6;
  sine = sine * q * r + r;
  f64 cosine = 1.0 / 479001600;
  cosine = cosine * q - 1.0 / 3628800;
  cosine = cosine * q + 1.0 / 40320;
  cosine = cosine * q - 1.0 / 720;
  cosine = cosine * q + 1.0 / 24;
  cosine = cosine * q - 0.5;
  cosine = cosine * q + 1.0;
  f64 result = (quadrant & 1) ? cosine : sine;
  result = (quadrant & 2) ? -result : result;
  return x - x != 0 ? floatOf(0x7fffffff) : f32(result);
}

f32 hyperbolicTangent(f32 x) {
  f64 wide = x < -20 ? -20 : (x > 20 ? 20 : f64(x));
  f64 e = exp2Wide(wide * 2.885390081777926815);
  f32 result = f32((e - 1) / (e + 1));
  // Where e - 1 cancels, the function is its argument.
  result = ((x < 1e-4f) & (x > -1e-4f)) ? x : result;
  return x != x ? floatOf(0x7fffffff) : result;
}

f32 reciprocalRoot(f32 x) { return f32(1.0 / __builtin_sqrt(f64(x))); }
f64 reciprocalRoot64(f64 x) { return 1.0 / __builtin_sqrt(x); }
/// rcp.approx.ftz.f64 and its like read and write upper halves alone.
f64 upperHalf(f64 x) {
  u64 bits;
  __builtin_memcpy(&bits, &x, 8);
  bits &= bits & 0x7ff0000000000000 ? 0xffffffff00000000 : 0x8000000000000000;
  __builtin_memcpy(&x, &bits, 8);
  return x;
}
f64 roughReciprocal(f64 x) { return x != x ? x : upperHalf(1.0 / upperHalf(x)); }
f64 roughRoot(f64 x) { return x != x ? x : upperHalf(1.0 / __builtin_sqrt(upperHalf(x))); }

/// What the ISA allows, less what rounding takes: relative to the result, or absolute.
enum class Bound : u8 { kExp2, kLog2, kCircular, kTangent, kRoot };

/// The result, moved as the argument and the seed decide.
template <f32 (*F)(f32), Bound kBound> f32 moved(f32 x) {
  f32 near = F(x);
  u64 hash = (floatBits(x) ^ numericsSeed()) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9;
  f64 part = f64(s32(hash >> 32)) * 0x1p-31; // -1 to 1
  bool isNearOne = x > 0.5f && x < 2.0f;
  f64 relative = kBound == Bound::kExp2                 ? 0x1p-24 // 2 places of f32
                 : kBound == Bound::kTangent            ? 0x1p-11 - 0x1p-22
                 : kBound == Bound::kRoot               ? 0x1p-27 // 2^-22.9
                 : kBound == Bound::kLog2 && !isNearOne ? 0x1p-22 - 0x1p-23
                                                        : 0;
  f64 absolute = kBound == Bound::kCircular            ? 0x1p-21 // 2^-20.5
                 : kBound == Bound::kLog2 && isNearOne ? 0x1p-22 - 0x1p-23
                                                       : 0;
  f64 wide = f64(near) * (1 + part * relative) + part * absolute;
  if (kBound == Bound::kCircular || kBound == Bound::kTangent)
    wide = wide > 1 ? 1 : wide < -1 ? -1 : wide;
  return near - near != 0 || near == 0 ? near : f32(wide);
}

template <bool kBrain, u32 kPack, f32 (*F)(f32)> void half1(Warp &warp, const Op &op) {
  constexpr u32 n = kPack * kLaneCount;
  alignas(64) f32 a[n];
  alignas(64) u16 result[n];
  const u16 *from = lanesOf<u16>(warp, op.a);
  kBrain ? loadBrains<n>(a, from) : loadHalves<n>(a, from);
  for (u32 i = 0; i < n; ++i)
    a[i] = F(a[i]);
  kBrain ? storeBrains<n>(result, a) : storeHalves<n>(result, a);
  u32 mask = maskOf(warp, op);
  if constexpr (kPack == 1)
    merge(lanesOf<u16>(warp, op.d), result, mask);
  else
    merge(lanesOf<u32>(warp, op.d), reinterpret_cast<const u32 *>(result), mask);
}

constexpr OpClass kS = OpClass::kSpecialFunction;

const Instruction kRows[] = {
    {"ex2.f32", unary<f32, f32, exp2>, "w:w", kS},
    {"lg2.f32", unary<f32, f32, log2>, "w:w", kS},
    {"sin.f32", unary<f32, f32, circular<0>>, "w:w", kS},
    {"cos.f32", unary<f32, f32, circular<1>>, "w:w", kS},
    {"tanh.f32", unary<f32, f32, hyperbolicTangent>, "w:w", kS},
    {"rsqrt.f32", unary<f32, f32, reciprocalRoot>, "w:w", kS},
    {"paranoid.ex2.f32", unary<f32, f32, moved<exp2, Bound::kExp2>>, "w:w", kS},
    {"paranoid.lg2.f32", unary<f32, f32, moved<log2, Bound::kLog2>>, "w:w", kS},
    {"paranoid.sin.f32", unary<f32, f32, moved<circular<0>, Bound::kCircular>>, "w:w", kS},
    {"paranoid.cos.f32", unary<f32, f32, moved<circular<1>, Bound::kCircular>>, "w:w", kS},
    {"paranoid.tanh.f32", unary<f32, f32, moved<hyperbolicTangent, Bound::kTangent>>, "w:w", kS},
    {"paranoid.rsqrt.f32", unary<f32, f32, moved<reciprocalRoot, Bound::kRoot>>, "w:w", kS},
    {"rsqrt.f64", unary<f64, f64, reciprocalRoot64>, "d:d", kS},
    {"rcp.ftz.f64", unary<f64, f64, roughReciprocal>, "d:d", kS},
    {"rsqrt.ftz.f64", unary<f64, f64, roughRoot>, "d:d", kS},
    {"ex2.f16", half1<false, 1, exp2>, "h:h", kS},
    {"ex2.f16x2", half1<false, 2, exp2>, "w:w", kS},
    {"ex2.bf16", half1<true, 1, exp2>, "h:h", kS},
    {"ex2.bf16x2", half1<true, 2, exp2>, "w:w", kS},
    {"tanh.f16", half1<false, 1, hyperbolicTangent>, "h:h", kS},
    {"tanh.f16x2", half1<false, 2, hyperbolicTangent>, "w:w", kS},
    {"tanh.bf16", half1<true, 1, hyperbolicTangent>, "h:h", kS},
    {"tanh.bf16x2", half1<true, 2, hyperbolicTangent>, "w:w", kS},
};

} // namespace

void addApproximateHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
