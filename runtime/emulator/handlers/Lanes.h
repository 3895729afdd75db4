// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How handlers reach the lanes of registers. Loops over the 32 lanes are written plainly; the
// compiler makes vector instructions of them. Everything is in the namespace of an instruction set
// and nothing of it is an inline function of std, so that no code for a newer processor is shared
// with the rest of the library.
#ifndef HEDDLE_RUNTIME_EMULATOR_HANDLERS_LANES_H
#define HEDDLE_RUNTIME_EMULATOR_HANDLERS_LANES_H

#include "runtime/emulator/exec/Handlers.h"
#include "runtime/emulator/exec/Warp.h"
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef HEDDLE_EMU_ISA
#error "handlers are compiled with HEDDLE_EMU_ISA set"
#endif

// Registers of one instruction are the same or do not overlap, so a lane depends on itself alone.
#if defined(__clang__)
#define LANES                                                                                      \
  _Pragma("clang loop vectorize(assume_safety)") for (uint32_t l = 0; l < kLaneCount; ++l)
#else
#define LANES _Pragma("GCC ivdep") for (uint32_t l = 0; l < kLaneCount; ++l)
#endif

namespace heddle::emulator::HEDDLE_EMU_ISA {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using s8 = int8_t;
using s16 = int16_t;
using s32 = int32_t;
using s64 = int64_t;
using f32 = float;
using f64 = double;

template <typename T> static inline T *lanesOf(Warp &warp, u32 slot) {
  return reinterpret_cast<T *>(__builtin_assume_aligned(warp.registers + slot, 64));
}

/// The lanes in which an op takes effect.
static inline u32 maskOf(const Warp &warp, const Op &op) {
  return warp.active & (warp.predicates[op.guard] ^ op.guardFlip);
}

alignas(64) static constexpr u32 kLaneBit[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/// Writes the lanes of a mask and keeps the others.
template <typename T> static inline void merge(T *to, const T *from, u32 mask) {
  LANES to[l] = (mask & kLaneBit[l]) ? from[l] : to[l];
}

static inline void setPredicate(Warp &warp, u32 predicate, u32 value, u32 mask) {
  u32 &p = warp.predicates[predicate];
  p = (p & ~mask) | (value & mask);
}

template <typename D, typename A, D (*F)(A)> static void unary(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  D *d = lanesOf<D>(warp, op.d);
  const A *a = lanesOf<A>(warp, op.a);
  if (mask == kAllLanes) {
    LANES d[l] = F(a[l]);
    return;
  }
  alignas(64) D result[kLaneCount];
  LANES result[l] = F(a[l]);
  merge(d, result, mask);
}

template <typename D, typename A, typename B, D (*F)(A, B)>
static void binary(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  D *d = lanesOf<D>(warp, op.d);
  const A *a = lanesOf<A>(warp, op.a);
  const B *b = lanesOf<B>(warp, op.b);
  if (mask == kAllLanes) {
    LANES d[l] = F(a[l], b[l]);
    return;
  }
  alignas(64) D result[kLaneCount];
  LANES result[l] = F(a[l], b[l]);
  merge(d, result, mask);
}

template <typename D, typename A, typename B, typename C, D (*F)(A, B, C)>
static void ternary(Warp &warp, const Op &first) {
  const Op *next = &first;
  // Long runs of one instruction, as matrix products have, need no dispatch in between.
  while (maskOf(warp, *next) == kAllLanes) {
    D *d = lanesOf<D>(warp, next->d);
    const A *a = lanesOf<A>(warp, next->a);
    const B *b = lanesOf<B>(warp, next->b);
    const C *c = lanesOf<C>(warp, next->c);
    LANES d[l] = F(a[l], b[l], c[l]);
    if (warp.pc->run != first.run)
      return;
    next = warp.pc++;
  }
  const Op &op = *next;
  u32 mask = maskOf(warp, op);
  D *d = lanesOf<D>(warp, op.d);
  const A *a = lanesOf<A>(warp, op.a);
  const B *b = lanesOf<B>(warp, op.b);
  const C *c = lanesOf<C>(warp, op.c);
  alignas(64) D result[kLaneCount];
  LANES result[l] = F(a[l], b[l], c[l]);
  merge(d, result, mask);
}

template <size_t N> static inline void addRows(HandlerTable &table, const Instruction (&rows)[N]) {
  table.add(rows, N);
}

} // namespace heddle::emulator::HEDDLE_EMU_ISA

#endif // HEDDLE_RUNTIME_EMULATOR_HANDLERS_LANES_H
