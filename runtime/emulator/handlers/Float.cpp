// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 and f64 arithmetic. Everything is IEEE; forms that only promise an approximation (div.full,
// sqrt.approx, rcp.approx) are rounded correctly as well.
#include "runtime/emulator/handlers/Lanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

template <typename T> struct BitsOf;
template <> struct BitsOf<f32> {
  using type = u32;
};
template <> struct BitsOf<f64> {
  using type = u64;
};
template <typename T> typename BitsOf<T>::type bitsOf(T value) {
  typename BitsOf<T>::type bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
template <typename T> T fromBits(typename BitsOf<T>::type bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename T> T add(T a, T b) { return a + b; }
template <typename T> T sub(T a, T b) { return a - b; }
template <typename T> T mul(T a, T b) { return a * b; }
template <typename T> T div(T a, T b) { return a / b; }
f32 fma(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
f64 fma(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
template <typename T> T neg(T a) { return -a; }
f32 abs(f32 a) { return __builtin_fabsf(a); }
f64 abs(f64 a) { return __builtin_fabs(a); }
f32 sqrt(f32 a) { return __builtin_sqrtf(a); }
f64 sqrt(f64 a) { return __builtin_sqrt(a); }
template <typename T> T rcp(T a) { return T(1) / a; }

// A NaN operand loses, and -0 is less than +0; the result of two NaNs is the canonical one.
template <typename T> T quietNaN() {
  if constexpr (sizeof(T) == 4)
    return fromBits<f32>(0x7fffffff);
  else
    return fromBits<f64>(0x7fffffffffffffff);
}
template <typename T> T lesser(T a, T b) {
  T both = fromBits<T>(bitsOf(a) | bitsOf(b));
  T result = a < b ? a : (a == b ? both : b);
  result = b != b ? a : result;
  return ((a != a) & (b != b)) ? quietNaN<T>() : result;
}
template <typename T> T greater(T a, T b) {
  T both = fromBits<T>(bitsOf(a) & bitsOf(b));
  T result = a > b ? a : (a == b ? both : b);
  result = b != b ? a : result;
  return ((a != a) & (b != b)) ? quietNaN<T>() : result;
}
template <typename T> T lesserNaN(T a, T b) {
  return ((a != a) | (b != b)) ? quietNaN<T>() : lesser(a, b);
}
template <typename T> T greaterNaN(T a, T b) {
  return ((a != a) | (b != b)) ? quietNaN<T>() : greater(a, b);
}
/// min and max of magnitudes; the sign is that of the product.
f32 ofMagnitudes(f32 result, f32 a, f32 b) {
  u32 sign = (bitsOf(a) ^ bitsOf(b)) & 0x80000000;
  return result != result ? result : fromBits<f32>((bitsOf(result) & 0x7fffffff) | sign);
}
template <f32 (*F)(f32, f32)> f32 xorSign(f32 a, f32 b) {
  return ofMagnitudes(F(abs(a), abs(b)), a, b);
}
template <f32 (*F)(f32, f32)> f32 ofThree(f32 a, f32 b, f32 c) { return F(F(a, b), c); }
template <f32 (*F)(f32, f32)> f32 ofThreeSizes(f32 a, f32 b, f32 c) {
  return F(F(abs(a), abs(b)), abs(c));
}
template <typename T> T withSign(T a, T b) { // copysign.type d, a, b: the sign of a, the rest of b
  using U = typename BitsOf<T>::type;
  constexpr U sign = U(1) << (sizeof(T) * 8 - 1);
  return fromBits<T>((bitsOf(b) & ~sign) | (bitsOf(a) & sign));
}
f32 flush(f32 a) {
  u32 bits = bitsOf(a);
  return fromBits<f32>((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}
template <typename T> T saturate(T a) { // NaN becomes +0
  T result = a > T(0) ? a : T(0);
  return result < T(1) ? result : T(1);
}
template <typename T> T relu(T a) { return a != a ? quietNaN<T>() : (a > T(0) ? a : T(0)); }

// The host's rounding mode is set around the loops; the barriers keep them between.
template <unsigned kMode> struct Rounding {
  Rounding() : saved(_mm_getcsr()) {
    _mm_setcsr((saved & ~0x6000u) | kMode);
    asm volatile("" ::: "memory");
  }
  ~Rounding() {
    asm volatile("" ::: "memory");
    _mm_setcsr(saved);
  }
  unsigned saved;
};
constexpr unsigned kDown = 0x2000, kUp = 0x4000, kZero = 0x6000;

template <unsigned kMode, typename T, T (*F)(T, T)> void rounded2(Warp &warp, const Op &op) {
  Rounding<kMode> mode;
  binary<T, T, T, F>(warp, op);
}
template <unsigned kMode, typename T, T (*F)(T, T, T)> void rounded3(Warp &warp, const Op &op) {
  Rounding<kMode> mode;
  ternary<T, T, T, T, F>(warp, op);
}
template <unsigned kMode, typename T, T (*F)(T)> void rounded1(Warp &warp, const Op &op) {
  Rounding<kMode> mode;
  unary<T, T, F>(warp, op);
}

u32 classify(f32 a, u32 kind) {
  u32 bits = bitsOf(a), exponent = (bits >> 23) & 255, fraction = bits & 0x7fffff;
  switch (kind) {
  case 0:
    return exponent != 255; // finite
  case 1:
    return exponent == 255 && fraction == 0; // infinite
  case 2:
    return exponent != 255 || fraction == 0; // number
  case 3:
    return exponent == 255 && fraction != 0; // notanumber
  case 4:
    return exponent != 0 && exponent != 255; // normal
  default:
    return exponent == 0 && fraction != 0; // subnormal
  }
}
template <u32 kKind> void testProperty32(Warp &warp, const Op &op) {
  const f32 *a = lanesOf<f32>(warp, op.a);
  u32 result = 0;
  for (u32 l = 0; l < kLaneCount; ++l)
    result |= classify(a[l], kKind) << l;
  setPredicate(warp, op.d, result, maskOf(warp, op));
}
template <u32 kKind> void testProperty64(Warp &warp, const Op &op) {
  const u64 *a = lanesOf<u64>(warp, op.a);
  u32 result = 0;
  for (u32 l = 0; l < kLaneCount; ++l) {
    u64 exponent = (a[l] >> 52) & 2047, fraction = a[l] & 0xfffffffffffff;
    bool is[] = {exponent != 2047,
                 exponent == 2047 && fraction == 0,
                 exponent != 2047 || fraction == 0,
                 exponent == 2047 && fraction != 0,
                 exponent != 0 && exponent != 2047,
                 exponent == 0 && fraction != 0};
    result |= u32(is[kKind]) << l;
  }
  setPredicate(warp, op.d, result, maskOf(warp, op));
}

constexpr OpClass kF = OpClass::kFloat;

#define FLOAT(name, T, L)                                                                          \
  {"add." #name, binary<T, T, T, add<T>>, L ":" L L, kF},                                          \
      {"sub." #name, binary<T, T, T, sub<T>>, L ":" L L, kF},                                      \
      {"mul." #name, binary<T, T, T, mul<T>>, L ":" L L, kF},                                      \
      {"div." #name, binary<T, T, T, div<T>>, L ":" L L, OpClass::kSpecialFunction},               \
      {"fma." #name, ternary<T, T, T, T, fma>, L ":" L L L, kF},                                   \
      {"neg." #name, unary<T, T, neg<T>>, L ":" L, kF},                                            \
      {"abs." #name, unary<T, T, abs>, L ":" L, kF},                                               \
      {"sqrt." #name, unary<T, T, sqrt>, L ":" L, OpClass::kSpecialFunction},                      \
      {"rcp." #name, unary<T, T, rcp<T>>, L ":" L, OpClass::kSpecialFunction},                     \
      {"min." #name, binary<T, T, T, lesser<T>>, L ":" L L, kF},                                   \
      {"max." #name, binary<T, T, T, greater<T>>, L ":" L L, kF},                                  \
      {"min.NaN." #name, binary<T, T, T, lesserNaN<T>>, L ":" L L, kF},                            \
      {"max.NaN." #name, binary<T, T, T, greaterNaN<T>>, L ":" L L, kF},                           \
      {"copysign." #name, binary<T, T, T, withSign<T>>, L ":" L L, kF},                            \
      {"saturate." #name, unary<T, T, saturate<T>>, L ":" L, kF}, {                                \
    "relu." #name, unary<T, T, relu<T>>, L ":" L, kF                                               \
  }

#define ROUNDED(mode, bits, name, T, L)                                                            \
  {"add." #mode "." #name, rounded2<bits, T, add<T>>, L ":" L L, kF},                              \
      {"sub." #mode "." #name, rounded2<bits, T, sub<T>>, L ":" L L, kF},                          \
      {"mul." #mode "." #name, rounded2<bits, T, mul<T>>, L ":" L L, kF},                          \
      {"div." #mode "." #name, rounded2<bits, T, div<T>>, L ":" L L, OpClass::kSpecialFunction},   \
      {"fma." #mode "." #name, rounded3<bits, T, fma>, L ":" L L L, kF},                           \
      {"sqrt." #mode "." #name, rounded1<bits, T, sqrt>, L ":" L, OpClass::kSpecialFunction}, {    \
    "rcp." #mode "." #name, rounded1<bits, T, rcp<T>>, L ":" L, OpClass::kSpecialFunction          \
  }

#define PROPERTY(name, kind)                                                                       \
  {"testp." #name ".f32", testProperty32<kind>, "p:w", kF}, {                                      \
    "testp." #name ".f64", testProperty64<kind>, "p:d", kF                                         \
  }

#define EXTREME(name, F)                                                                           \
  {name ".xorsign.abs.f32", binary<f32, f32, f32, xorSign<F<f32>>>, "w:ww", kF},                   \
      {name "3.f32", ternary<f32, f32, f32, f32, ofThree<F<f32>>>, "w:www", kF}, {                 \
    name "3.abs.f32", ternary<f32, f32, f32, f32, ofThreeSizes<F<f32>>>, "w:www", kF               \
  }

const Instruction kRows[] = {
    EXTREME("min", lesser),
    EXTREME("max", greater),
    EXTREME("min.NaN", lesserNaN),
    EXTREME("max.NaN", greaterNaN),
    FLOAT(f32, f32, "w"),
    FLOAT(f64, f64, "d"),
    ROUNDED(rz, kZero, f32, f32, "w"),
    ROUNDED(rm, kDown, f32, f32, "w"),
    ROUNDED(rp, kUp, f32, f32, "w"),
    ROUNDED(rz, kZero, f64, f64, "d"),
    ROUNDED(rm, kDown, f64, f64, "d"),
    ROUNDED(rp, kUp, f64, f64, "d"),
    PROPERTY(finite, 0),
    PROPERTY(infinite, 1),
    PROPERTY(number, 2),
    PROPERTY(notanumber, 3),
    PROPERTY(normal, 4),
    PROPERTY(subnormal, 5),
    {"flush.f32", unary<f32, f32, flush>, "w:w", kF},
};

} // namespace

void addFloatHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
