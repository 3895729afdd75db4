// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, stmatrix and mma.sync.
//
// A 32-bit register over the lanes, in lane order, is a matrix of 8 rows of 16 bytes: lane 4g + t
// has bytes 4t to 4t + 3 of row g. All fragments of mma.sync are made of such tiles: register r of
// A is the tile with rows 8 * (r & 1) and the columns of 16 bytes number r >> 1; register r of B is
// tile r of B transposed. (PTX ISA 9.0, "Matrix fragments for mma.m16n8k*".)
#include "runtime/emulator/handlers/Access.h"
#include "runtime/emulator/handlers/HalfLanes.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

bool wholeWarp(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (mask == kAllLanes)
    return true;
  if (mask != 0)
    reportFault(warp, op, Fault::kDivergence, u32(__builtin_ctz(mask)),
                "the instruction works on a whole warp, but some of its 32 lanes are missing");
  return false;
}

/// Host addresses of the rows: lane 8m + i has row i of matrix m.
template <u32 kMatrices> bool rowAddresses(Warp &warp, const Op &op, Lanes &lanes) {
  constexpr u32 mask = kMatrices == 4 ? kAllLanes : (1u << (8 * kMatrices)) - 1;
  Shape shape = locate<Place::kShared>(warp, op, mask, op.a, 16, lanes);
  return shape != Shape::kNone;
}

template <u32 kMatrices, bool kTranspose> void loadMatrix(Warp &warp, const Op &op) {
  Lanes lanes;
  if (!wholeWarp(warp, op) || !rowAddresses<kMatrices>(warp, op, lanes))
    return;
  // A destination may be the register with the addresses; those are read by now.
  for (u32 m = 0; m < kMatrices; ++m) {
    u8 *d = lanesOf<u8>(warp, op.more[m]);
    for (u32 row = 0; row < 8; ++row) {
      const u8 *from = reinterpret_cast<const u8 *>(lanes.at[8 * m + row]);
      if (!kTranspose) {
        __builtin_memcpy(d + 16 * row, from, 16);
        continue;
      }
      for (u32 column = 0; column < 8; ++column)
        __builtin_memcpy(d + 16 * column + 2 * row, from + 2 * column, 2);
    }
  }
}
template <u32 kMatrices, bool kTranspose> void storeMatrix(Warp &warp, const Op &op) {
  Lanes lanes;
  if (!wholeWarp(warp, op) || !rowAddresses<kMatrices>(warp, op, lanes))
    return;
  for (u32 m = 0; m < kMatrices; ++m) {
    const u8 *tile = lanesOf<u8>(warp, op.more[m]);
    for (u32 row = 0; row < 8; ++row) {
      u8 *to = reinterpret_cast<u8 *>(lanes.at[8 * m + row]);
      for (u32 column = 0; column < 8; ++column)
        __builtin_memcpy(to + 2 * column,
                         kTranspose ? tile + 16 * column + 2 * row : tile + 16 * row + 2 * column,
                         2);
    }
  }
}

// Elements of operands: how many a register holds in 16 bytes, and how they are read.
struct Half {
  using Value = f32;
  static constexpr u32 kRow = 8;
  static void read(f32 *to, const u8 *tile) { loadHalves<64>(to, (const u16 *)tile); }
};
struct Brain {
  using Value = f32;
  static constexpr u32 kRow = 8;
  static void read(f32 *to, const u8 *tile) { loadBrains<64>(to, (const u16 *)tile); }
};
struct Tf32 {
  using Value = f32;
  static constexpr u32 kRow = 4;
  static void read(f32 *to, const u8 *tile) {
    for (u32 i = 0; i < 32; ++i)
      to[i] = floatOf(((const u32 *)tile)[i] & ~0x1fffu); // the rest of the fraction is not looked at
  }
};
template <typename T> struct Byte {
  using Value = s32;
  static constexpr u32 kRow = 16;
  static void read(s32 *to, const u8 *tile) {
    for (u32 i = 0; i < 128; ++i)
      to[i] = ((const T *)tile)[i];
  }
};

/// acc[16][8] += a[16][K] * b[K][8]; 8 rows at a time, so that 8 sums are in flight.
template <u32 K> void multiply(f32 (&acc)[16][8], const f32 (&a)[16][K], const f32 (&b)[K][8]) {
#if defined(__AVX2__) && defined(__FMA__)
  for (u32 half = 0; half < 16; half += 8) {
    __m256 sum[8];
    for (u32 i = 0; i < 8; ++i)
      sum[i] = _mm256_load_ps(acc[half + i]);
    for (u32 k = 0; k < K; ++k) {
      __m256 row = _mm256_load_ps(b[k]);
      for (u32 i = 0; i < 8; ++i)
        sum[i] = _mm256_fmadd_ps(_mm256_broadcast_ss(&a[half + i][k]), row, sum[i]);
    }
    for (u32 i = 0; i < 8; ++i)
      _mm256_store_ps(acc[half + i], sum[i]);
  }
#else
  for (u32 i = 0; i < 16; ++i)
    for (u32 k = 0; k < K; ++k)
      for (u32 j = 0; j < 8; ++j)
        acc[i][j] = __builtin_fmaf(a[i][k], b[k][j], acc[i][j]);
#endif
}
template <u32 K> void multiply(s32 (&acc)[16][8], const s32 (&a)[16][K], const s32 (&b)[K][8]) {
  for (u32 i = 0; i < 16; ++i)
    for (u32 k = 0; k < K; ++k)
      for (u32 j = 0; j < 8; ++j)
        acc[i][j] = s32(u32(acc[i][j]) + u32(a[i][k]) * u32(b[k][j]));
}

template <class A, class B, u32 K>
void readOperands(Warp &warp, const u32 *aSlots, const u32 *bSlots,
                  typename A::Value (&a)[16][K], typename B::Value (&b)[K][8]) {
  constexpr u32 kRow = A::kRow, kTiles = K / kRow;
  alignas(64) typename A::Value tile[8 * kRow];
  for (u32 t = 0; t < kTiles; ++t) {
    for (u32 top = 0; top < 2; ++top) {
      A::read(tile, lanesOf<u8>(warp, aSlots[2 * t + top]));
      for (u32 g = 0; g < 8; ++g)
        for (u32 k = 0; k < kRow; ++k)
          a[8 * top + g][t * kRow + k] = tile[g * kRow + k];
    }
    alignas(64) typename B::Value columns[8 * kRow];
    B::read(columns, lanesOf<u8>(warp, bSlots[t]));
    for (u32 k = 0; k < kRow; ++k)
      for (u32 n = 0; n < 8; ++n)
        b[t * kRow + k][n] = columns[n * kRow + k];
  }
}

/// op.more: D, A, B, C registers one after the other.
template <class A, class B, u32 K> void multiplyWide(Warp &warp, const Op &op) {
  using Value = typename A::Value;
  if (!wholeWarp(warp, op))
    return;
  constexpr u32 kA = 2 * K / A::kRow, kB = K / A::kRow;
  const u32 *slots = op.more;
  alignas(64) Value a[16][K], b[K][8], acc[16][8];
  readOperands<A, B, K>(warp, slots + 4, slots + 4 + kA, a, b);
  for (u32 r = 0; r < 4; r += 2) {
    const Value *even = lanesOf<Value>(warp, slots[4 + kA + kB + r]);
    const Value *odd = lanesOf<Value>(warp, slots[4 + kA + kB + r + 1]);
    for (u32 l = 0; l < kLaneCount; ++l) {
      acc[4 * r + l / 4][2 * (l % 4)] = even[l];
      acc[4 * r + l / 4][2 * (l % 4) + 1] = odd[l];
    }
  }
  multiply<K>(acc, a, b);
  for (u32 r = 0; r < 4; r += 2) {
    Value *even = lanesOf<Value>(warp, slots[r]), *odd = lanesOf<Value>(warp, slots[r + 1]);
    for (u32 l = 0; l < kLaneCount; ++l) {
      even[l] = acc[4 * r + l / 4][2 * (l % 4)];
      odd[l] = acc[4 * r + l / 4][2 * (l % 4) + 1];
    }
  }
}
/// With f16 sums: two registers of pairs.
template <u32 K> void multiplyNarrow(Warp &warp, const Op &op) {
  if (!wholeWarp(warp, op))
    return;
  constexpr u32 kA = K / 4, kB = K / 8;
  const u32 *slots = op.more;
  alignas(64) f32 a[16][K], b[K][8], acc[16][8];
  readOperands<Half, Half, K>(warp, slots + 2, slots + 2 + kA, a, b);
  for (u32 r = 0; r < 2; ++r)
    loadHalves<64>(acc[8 * r], lanesOf<u16>(warp, slots[2 + kA + kB + r]));
  multiply<K>(acc, a, b);
  for (u32 r = 0; r < 2; ++r)
    storeHalves<64>(lanesOf<u16>(warp, slots[r]), acc[8 * r]);
}

/// m8n8k4 in f64: a row g, k t; b k t, column g; c row g, columns 2t and 2t + 1.
void multiplyDouble(Warp &warp, const Op &op) {
  if (!wholeWarp(warp, op))
    return;
  const f64 *a = lanesOf<f64>(warp, op.more[2]), *b = lanesOf<f64>(warp, op.more[3]);
  const f64 *c[] = {lanesOf<f64>(warp, op.more[4]), lanesOf<f64>(warp, op.more[5])};
  f64 result[2][kLaneCount];
  for (u32 l = 0; l < kLaneCount; ++l)
    for (u32 i = 0; i < 2; ++i) {
      f64 sum = c[i][l];
      for (u32 k = 0; k < 4; ++k)
        sum = __builtin_fma(a[4 * (l / 4) + k], b[4 * (2 * (l % 4) + i) + k], sum);
      result[i][l] = sum;
    }
  for (u32 i = 0; i < 2; ++i)
    __builtin_memcpy(lanesOf<f64>(warp, op.more[i]), result[i], sizeof result[i]);
}

constexpr OpClass kT = OpClass::kTensor;

// The text: registers of D, A, B and C, a letter each as in Instruction.
const Instruction kRows[] = {
    {"ldmatrix.x1", loadMatrix<1, false>, nullptr, OpClass::kShared},
    {"ldmatrix.x2", loadMatrix<2, false>, nullptr, OpClass::kShared},
    {"ldmatrix.x4", loadMatrix<4, false>, nullptr, OpClass::kShared},
    {"ldmatrix.x1.trans", loadMatrix<1, true>, nullptr, OpClass::kShared},
    {"ldmatrix.x2.trans", loadMatrix<2, true>, nullptr, OpClass::kShared},
    {"ldmatrix.x4.trans", loadMatrix<4, true>, nullptr, OpClass::kShared},
    {"stmatrix.x1", storeMatrix<1, false>, nullptr, OpClass::kShared},
    {"stmatrix.x2", storeMatrix<2, false>, nullptr, OpClass::kShared},
    {"stmatrix.x4", storeMatrix<4, false>, nullptr, OpClass::kShared},
    {"stmatrix.x1.trans", storeMatrix<1, true>, nullptr, OpClass::kShared},
    {"stmatrix.x2.trans", storeMatrix<2, true>, nullptr, OpClass::kShared},
    {"stmatrix.x4.trans", storeMatrix<4, true>, nullptr, OpClass::kShared},
    {"mma.m16n8k16.f32.f16.f16.f32", multiplyWide<Half, Half, 16>, "wwww wwww ww wwww", kT},
    {"mma.m16n8k8.f32.f16.f16.f32", multiplyWide<Half, Half, 8>, "wwww ww w wwww", kT},
    {"mma.m16n8k16.f32.bf16.bf16.f32", multiplyWide<Brain, Brain, 16>, "wwww wwww ww wwww", kT},
    {"mma.m16n8k8.f32.bf16.bf16.f32", multiplyWide<Brain, Brain, 8>, "wwww ww w wwww", kT},
    {"mma.m16n8k8.f32.tf32.tf32.f32", multiplyWide<Tf32, Tf32, 8>, "wwww wwww ww wwww", kT},
    {"mma.m16n8k4.f32.tf32.tf32.f32", multiplyWide<Tf32, Tf32, 4>, "wwww ww w wwww", kT},
    {"mma.m16n8k16.f16.f16.f16.f16", multiplyNarrow<16>, "ww wwww ww ww", kT},
    {"mma.m16n8k8.f16.f16.f16.f16", multiplyNarrow<8>, "ww ww w ww", kT},
    {"mma.m16n8k32.s32.s8.s8.s32", multiplyWide<Byte<s8>, Byte<s8>, 32>, "wwww wwww ww wwww", kT},
    {"mma.m16n8k32.s32.u8.s8.s32", multiplyWide<Byte<u8>, Byte<s8>, 32>, "wwww wwww ww wwww", kT},
    {"mma.m16n8k32.s32.s8.u8.s32", multiplyWide<Byte<s8>, Byte<u8>, 32>, "wwww wwww ww wwww", kT},
    {"mma.m16n8k32.s32.u8.u8.s32", multiplyWide<Byte<u8>, Byte<u8>, 32>, "wwww wwww ww wwww", kT},
    {"mma.m16n8k16.s32.s8.s8.s32", multiplyWide<Byte<s8>, Byte<s8>, 16>, "wwww ww w wwww", kT},
    {"mma.m16n8k16.s32.u8.s8.s32", multiplyWide<Byte<u8>, Byte<s8>, 16>, "wwww ww w wwww", kT},
    {"mma.m16n8k16.s32.s8.u8.s32", multiplyWide<Byte<s8>, Byte<u8>, 16>, "wwww ww w wwww", kT},
    {"mma.m16n8k16.s32.u8.u8.s32", multiplyWide<Byte<u8>, Byte<u8>, 16>, "wwww ww w wwww", kT},
    {"mma.m8n8k4.f64.f64.f64.f64", multiplyDouble, "dd d d dd", kT},
};

} // namespace

void addTensorHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
