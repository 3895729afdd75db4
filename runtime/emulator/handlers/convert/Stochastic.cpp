// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt.rs: random bits are added below the last place of the result, then the rest is cut off (PTX
// ISA 9.0, 9.7.9.21). Two numbers have a half of the random word each; of four, two share a half;
// e2m1 takes a byte of each half of the word.
#include "runtime/emulator/handlers/HalfLanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

/// A sum of a number and random bits in units of the result's last place, both exact in f64.
template <u32 kExponentBits, u32 kFraction, u32 kRandomBits> u32 stepsOf(f32 size, u32 random) {
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1, kLowest = 1 - kBias;
  int exponent = int(floatBits(size) >> 23) - 127;
  exponent = exponent < kLowest ? kLowest : exponent;
  f64 unit = f64(floatOf(u32(exponent - int(kFraction) + 127) << 23));
  f64 steps = f64(size) / unit + f64(random) / f64(1u << kRandomBits);
  return (u32(exponent - kLowest) << kFraction) + u32(steps);
}

template <bool kFinite> u32 halfOf(f32 a, u32 random) {
  u32 bits = floatBits(a), sign = (bits >> 16) & 0x8000, rest = bits & 0x7fffffff;
  if (rest > 0x7f800000)
    return 0x7fff;
  u32 code = rest == 0x7f800000 ? 0x7c00 : stepsOf<5, 10, 13>(floatOf(rest), random & 0x1fff);
  code = code > 0x7c00 ? 0x7c00 : code;
  return sign | (kFinite && code == 0x7c00 ? 0x7bff : code);
}
template <bool kFinite> u32 brainOf(f32 a, u32 random) {
  u32 bits = floatBits(a), sign = (bits >> 16) & 0x8000, rest = bits & 0x7fffffff;
  if (rest > 0x7f800000)
    return 0x7fff;
  u32 code = rest == 0x7f800000 ? 0x7f80 : (rest + random) >> 16;
  return sign | (kFinite && code == 0x7f80 ? 0x7f7f : code);
}
template <bool kFinite> u32 halves(f32 a, f32 b, u32 random) {
  return halfOf<kFinite>(a, random >> 16) << 16 | halfOf<kFinite>(b, random);
}
template <bool kFinite> u32 brains(f32 a, f32 b, u32 random) {
  return brainOf<kFinite>(a, random >> 16) << 16 | brainOf<kFinite>(b, random & 0xffff);
}

template <u32 kExponentBits, u32 kFraction, u32 kLargest, u32 kNaN>
u32 narrowOf(f32 a, u32 random) {
  u32 bits = floatBits(a), rest = bits & 0x7fffffff;
  u32 sign = (bits >> 31) << (kExponentBits + kFraction);
  if (rest > 0x7f800000)
    return kNaN;
  if (rest == 0x7f800000)
    return sign | kLargest;
  u32 code = stepsOf<kExponentBits, kFraction, 16>(floatOf(rest), random);
  return sign | (code > kLargest ? kLargest : code);
}

/// Registers: a, b, c, more[0] are the numbers from the top of the result down, more[1] random.
template <typename D, u32 (*F)(f32, u32), u32 kApart> void four(Warp &warp, const Op &op) {
  const f32 *from[] = {lanesOf<f32>(warp, op.a), lanesOf<f32>(warp, op.b), lanesOf<f32>(warp, op.c),
                       lanesOf<f32>(warp, op.more[0])};
  const u32 *random = lanesOf<u32>(warp, op.more[1]);
  alignas(64) D result[kLaneCount];
  for (u32 l = 0; l < kLaneCount; ++l) {
    u32 r = random[l], upper = r >> 16, lower = r & 0xffff;
    if (kApart == 4) {
      upper = (r >> 24) << 8 | ((r >> 8) & 0xff);
      lower = ((r >> 16) & 0xff) << 8 | (r & 0xff);
    }
    result[l] = D(F(from[0][l], upper) << (3 * kApart) | F(from[1][l], upper) << (2 * kApart) |
                  F(from[2][l], lower) << kApart | F(from[3][l], lower));
  }
  merge(lanesOf<D>(warp, op.d), result, maskOf(warp, op));
}

constexpr OpClass kC = OpClass::kConvert;

const Instruction kRows[] = {
    {"cvt.rs.f16x2.f32", ternary<u32, f32, f32, u32, halves<false>>, "w:www", kC},
    {"cvt.rs.satfinite.f16x2.f32", ternary<u32, f32, f32, u32, halves<true>>, "w:www", kC},
    {"cvt.rs.bf16x2.f32", ternary<u32, f32, f32, u32, brains<false>>, "w:www", kC},
    {"cvt.rs.satfinite.bf16x2.f32", ternary<u32, f32, f32, u32, brains<true>>, "w:www", kC},
    {"cvt.rs.satfinite.e4m3x4.f32", four<u32, narrowOf<4, 3, 0x7e, 0x7f>, 8>, "w:wwwww", kC},
    {"cvt.rs.satfinite.e5m2x4.f32", four<u32, narrowOf<5, 2, 0x7b, 0x7f>, 8>, "w:wwwww", kC},
    {"cvt.rs.satfinite.e2m3x4.f32", four<u32, narrowOf<2, 3, 0x1f, 0x1f>, 8>, "w:wwwww", kC},
    {"cvt.rs.satfinite.e3m2x4.f32", four<u32, narrowOf<3, 2, 0x1f, 0x1f>, 8>, "w:wwwww", kC},
    {"cvt.rs.satfinite.e2m1x4.f32", four<u16, narrowOf<2, 1, 7, 7>, 4>, "h:wwwww", kC},
};

} // namespace

void addStochasticHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
