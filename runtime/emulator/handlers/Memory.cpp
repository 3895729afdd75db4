// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ld and st of every space, width and vector length, cp.async and prefetches.
#include "runtime/emulator/handlers/Access.h"

namespace heddle::emulator::HEDDLE_EMU_ISA {

namespace {

typedef u32 Quad __attribute__((vector_size(16), may_alias, aligned(4)));

/// A whole warp reads shared memory; false: not done.
template <typename R, typename M> bool loadShared(Warp &warp, const Op &op) {
  alignas(64) u32 at[kLaneCount];
  if (!sharedOffsets(warp, op, sizeof(M), at))
    return false;
  R *d = lanesOf<R>(warp, op.d);
  const u8 *shared = warp.block->shared;
  switch (shapeOf(at, sizeof(M))) {
  case Shape::kUniform: {
    R value = R(*reinterpret_cast<const M *>(shared + at[0]));
    LANES d[l] = value;
    return true;
  }
  case Shape::kContiguous: {
    const M *from = reinterpret_cast<const M *>(shared + at[0]);
    LANES d[l] = R(from[l]);
    return true;
  }
  default:
    for (u32 l = 0; l < kLaneCount; ++l)
      d[l] = R(*reinterpret_cast<const M *>(shared + at[l]));
    return true;
  }
}
template <typename R, typename M> bool storeShared(Warp &warp, const Op &op) {
  alignas(64) u32 at[kLaneCount];
  if (!sharedOffsets(warp, op, sizeof(M), at))
    return false;
  const R *value = lanesOf<R>(warp, op.d);
  u8 *shared = warp.block->shared;
  if (shapeOf(at, sizeof(M)) == Shape::kContiguous) {
    M *to = reinterpret_cast<M *>(shared + at[0]);
    LANES to[l] = M(value[l]);
    return true;
  }
  for (u32 l = 0; l < kLaneCount; ++l)
    *reinterpret_cast<M *>(shared + at[l]) = M(value[l]);
  return true;
}

/// R: the register's type, M: what is in memory.
template <Place kPlace, typename R, typename M> void load(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (kPlace == Place::kShared && mask == kAllLanes && loadShared<R, M>(warp, op))
    return;
  Lanes lanes;
  Shape shape = locate<kPlace>(warp, op, mask, op.a, sizeof(M), Use::kRead, lanes);
  if (shape == Shape::kNone)
    return;
  R *d = lanesOf<R>(warp, op.d);
  if (shape == Shape::kContiguous) {
    const M *from = reinterpret_cast<const M *>(lanes.at[0]);
    if constexpr (sizeof(R) == sizeof(M)) {
      __builtin_memcpy(d, from, sizeof(M) * kLaneCount);
    } else {
      LANES d[l] = R(from[l]);
    }
    return;
  }
  if (shape == Shape::kUniform) {
    R value = R(*reinterpret_cast<const M *>(lanes.at[0]));
    LANES d[l] = (mask & kLaneBit[l]) ? value : d[l];
    return;
  }
  if (mask == kAllLanes) {
    for (u32 l = 0; l < kLaneCount; ++l)
      d[l] = R(*reinterpret_cast<const M *>(lanes.at[l]));
    return;
  }
  for (; mask; mask &= mask - 1) {
    u32 l = firstLane(mask);
    d[l] = R(*reinterpret_cast<const M *>(lanes.at[l]));
  }
}

template <Place kPlace, typename R, typename M> void store(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  if (kPlace == Place::kShared && mask == kAllLanes && storeShared<R, M>(warp, op))
    return;
  Lanes lanes;
  Shape shape = locate<kPlace>(warp, op, mask, op.a, sizeof(M), Use::kWrite, lanes);
  if (shape == Shape::kNone)
    return;
  const R *value = lanesOf<R>(warp, op.d);
  if (shape == Shape::kContiguous) {
    M *to = reinterpret_cast<M *>(lanes.at[0]);
    if constexpr (sizeof(R) == sizeof(M)) {
      __builtin_memcpy(to, value, sizeof(M) * kLaneCount);
    } else {
      LANES to[l] = M(value[l]);
    }
    return;
  }
  for (; mask; mask &= mask - 1) {
    u32 l = firstLane(mask);
    *reinterpret_cast<M *>(lanes.at[l]) = M(value[l]);
  }
}

/// Four lanes of four words each: rows become columns.
inline void transpose(Quad &r0, Quad &r1, Quad &r2, Quad &r3) {
  Quad t0 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
  Quad t1 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
  Quad t2 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
  Quad t3 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
  r0 = __builtin_shufflevector(t0, t1, 0, 1, 4, 5);
  r1 = __builtin_shufflevector(t0, t1, 2, 3, 6, 7);
  r2 = __builtin_shufflevector(t2, t3, 0, 1, 4, 5);
  r3 = __builtin_shufflevector(t2, t3, 2, 3, 6, 7);
}

/// Rows of four words, one for each lane, become four registers.
template <typename Row> inline void spreadQuads(u32 *const (&d)[4], const Row &row) {
  for (u32 l = 0; l < kLaneCount; l += 4) {
    Quad r[4];
    for (u32 i = 0; i < 4; ++i)
      r[i] = *reinterpret_cast<const Quad *>(row(l + i));
    transpose(r[0], r[1], r[2], r[3]);
    for (u32 i = 0; i < 4; ++i)
      *reinterpret_cast<Quad *>(d[i] + l) = r[i];
  }
}
inline void repeatQuad(u32 *const (&d)[4], const void *from) {
  u32 value[4];
  __builtin_memcpy(value, from, 16);
  for (u32 i = 0; i < 4; ++i) {
    u32 *to = d[i];
    LANES to[l] = value[i];
  }
}

/// v4.b32, the form that fast kernels live on.
template <Place kPlace> void loadQuads(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  Lanes lanes;
  if (kPlace == Place::kShared && mask == kAllLanes) {
    alignas(64) u32 at[kLaneCount];
    if (sharedOffsets(warp, op, 16, at)) {
      u32 *d[4];
      for (u32 i = 0; i < 4; ++i)
        d[i] = lanesOf<u32>(warp, op.more[i]);
      const u8 *shared = warp.block->shared;
      if (shapeOf(at, 16) == Shape::kUniform)
        return repeatQuad(d, shared + at[0]);
      return spreadQuads(d, [&](u32 l) { return shared + at[l]; });
    }
  }
  Shape shape = locate<kPlace>(warp, op, mask, op.a, 16, Use::kRead, lanes);
  if (shape == Shape::kNone)
    return;
  u32 *d[4];
  for (u32 i = 0; i < 4; ++i)
    d[i] = lanesOf<u32>(warp, op.more[i]);
  if (mask == kAllLanes) {
    if (shape == Shape::kUniform)
      return repeatQuad(d, reinterpret_cast<const void *>(lanes.at[0]));
    if (shape == Shape::kContiguous)
      return spreadQuads(d, [&](u32 l) { return lanes.at[0] + l * 16; });
    return spreadQuads(d, [&](u32 l) { return lanes.at[l]; });
  }
  for (; mask; mask &= mask - 1) {
    u32 l = firstLane(mask);
    const u32 *from = reinterpret_cast<const u32 *>(lanes.at[l]);
    for (u32 i = 0; i < 4; ++i)
      d[i][l] = from[i];
  }
}
template <Place kPlace> void storeQuads(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  Lanes lanes;
  Shape shape = locate<kPlace>(warp, op, mask, op.a, 16, Use::kWrite, lanes);
  if (shape == Shape::kNone)
    return;
  const u32 *value[4];
  for (u32 i = 0; i < 4; ++i)
    value[i] = lanesOf<u32>(warp, op.more[i]);
  if (mask == kAllLanes) {
    if (shape == Shape::kContiguous)
      LANES lanes.at[l] = lanes.at[0] + l * 16;
    for (u32 l = 0; l < kLaneCount; l += 4) {
      Quad r[4];
      for (u32 i = 0; i < 4; ++i)
        r[i] = *reinterpret_cast<const Quad *>(value[i] + l);
      transpose(r[0], r[1], r[2], r[3]);
      for (u32 i = 0; i < 4; ++i)
        *reinterpret_cast<Quad *>(lanes.at[l + i]) = r[i];
    }
    return;
  }
  for (; mask; mask &= mask - 1) {
    u32 l = firstLane(mask);
    u32 *to = reinterpret_cast<u32 *>(lanes.at[l]);
    for (u32 i = 0; i < 4; ++i)
      to[i] = value[i][l];
  }
}

template <Place kPlace, typename R, typename M, u32 kCount>
void loadVector(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  Lanes lanes;
  Shape shape = locate<kPlace>(warp, op, mask, op.a, sizeof(M) * kCount, Use::kRead, lanes);
  if (shape == Shape::kNone)
    return;
  R *d[kCount];
  for (u32 i = 0; i < kCount; ++i)
    d[i] = lanesOf<R>(warp, op.more[i]);
  if (shape == Shape::kContiguous) {
    const M *from = reinterpret_cast<const M *>(lanes.at[0]);
    for (u32 i = 0; i < kCount; ++i)
      LANES d[i][l] = R(from[l * kCount + i]);
    return;
  }
  for (; mask; mask &= mask - 1) {
    u32 l = firstLane(mask);
    const M *from = reinterpret_cast<const M *>(lanes.at[l]);
    for (u32 i = 0; i < kCount; ++i)
      d[i][l] = R(from[i]);
  }
}
template <Place kPlace, typename R, typename M, u32 kCount>
void storeVector(Warp &warp, const Op &op) {
  u32 mask = maskOf(warp, op);
  Lanes lanes;
  Shape shape = locate<kPlace>(warp, op, mask, op.a, sizeof(M) * kCount, Use::kWrite, lanes);
  if (shape == Shape::kNone)
    return;
  const R *value[kCount];
  for (u32 i = 0; i < kCount; ++i)
    value[i] = lanesOf<R>(warp, op.more[i]);
  if (shape == Shape::kContiguous) {
    M *to = reinterpret_cast<M *>(lanes.at[0]);
    for (u32 i = 0; i < kCount; ++i)
      LANES to[l * kCount + i] = M(value[i][l]);
    return;
  }
  for (; mask; mask &= mask - 1) {
    u32 l = firstLane(mask);
    M *to = reinterpret_cast<M *>(lanes.at[l]);
    for (u32 i = 0; i < kCount; ++i)
      to[i] = M(value[i][l]);
  }
}

/// Kernel parameters at a fixed place: the same for all lanes.
template <typename R, typename M> void loadParameter(Warp &warp, const Op &op) {
  M value;
  __builtin_memcpy(&value, warp.block->launch->params + op.imm, sizeof(M));
  u32 mask = maskOf(warp, op);
  R *d = lanesOf<R>(warp, op.d);
  R wide = R(value);
  if (mask == kAllLanes) {
    LANES d[l] = wide;
  } else {
    LANES d[l] = (mask & kLaneBit[l]) ? wide : d[l];
  }
}

void nothing(Warp &, const Op &) {}

constexpr OpClass kG = OpClass::kGlobal, kS = OpClass::kShared, kL = OpClass::kLocal,
                  kP = OpClass::kParam;

#define WIDTH(space, place, kind, mname, M, rname, R)                                              \
  {"ld." space "." mname "." rname, load<place, R, M>, nullptr, kind}, {                           \
    "st." space "." mname "." rname, store<place, R, M>, nullptr, kind                             \
  }
#define VECTOR(space, place, kind, mname, M, rname, R)                                             \
  {"ld." space ".v2." mname "." rname, loadVector<place, R, M, 2>, nullptr, kind},                 \
      {"st." space ".v2." mname "." rname, storeVector<place, R, M, 2>, nullptr, kind},            \
      {"ld." space ".v4." mname "." rname, loadVector<place, R, M, 4>, nullptr, kind}, {           \
    "st." space ".v4." mname "." rname, storeVector<place, R, M, 4>, nullptr, kind                 \
  }
#define SPACE(space, place, kind)                                                                  \
  WIDTH(space, place, kind, "u8", u8, "b16", u16),                                                 \
      WIDTH(space, place, kind, "u8", u8, "b32", u32),                                             \
      WIDTH(space, place, kind, "u8", u8, "b64", u64),                                             \
      WIDTH(space, place, kind, "s8", s8, "b16", u16),                                             \
      WIDTH(space, place, kind, "s8", s8, "b32", u32),                                             \
      WIDTH(space, place, kind, "s8", s8, "b64", u64),                                             \
      WIDTH(space, place, kind, "u16", u16, "b16", u16),                                           \
      WIDTH(space, place, kind, "u16", u16, "b32", u32),                                           \
      WIDTH(space, place, kind, "u16", u16, "b64", u64),                                           \
      WIDTH(space, place, kind, "s16", s16, "b16", u16),                                           \
      WIDTH(space, place, kind, "s16", s16, "b32", u32),                                           \
      WIDTH(space, place, kind, "s16", s16, "b64", u64),                                           \
      WIDTH(space, place, kind, "u32", u32, "b32", u32),                                           \
      WIDTH(space, place, kind, "u32", u32, "b64", u64),                                           \
      WIDTH(space, place, kind, "s32", s32, "b32", u32),                                           \
      WIDTH(space, place, kind, "s32", s32, "b64", u64),                                           \
      WIDTH(space, place, kind, "u64", u64, "b64", u64),                                           \
      VECTOR(space, place, kind, "u8", u8, "b16", u16),                                            \
      VECTOR(space, place, kind, "u8", u8, "b32", u32),                                            \
      VECTOR(space, place, kind, "s8", s8, "b16", u16),                                            \
      VECTOR(space, place, kind, "s8", s8, "b32", u32),                                            \
      VECTOR(space, place, kind, "u16", u16, "b16", u16),                                          \
      VECTOR(space, place, kind, "u16", u16, "b32", u32),                                          \
      VECTOR(space, place, kind, "s16", s16, "b32", u32),                                          \
      {"ld." space ".v2.u32.b32", loadVector<place, u32, u32, 2>, nullptr, kind},                  \
      {"st." space ".v2.u32.b32", storeVector<place, u32, u32, 2>, nullptr, kind},                 \
      {"ld." space ".v8.u32.b32", loadVector<place, u32, u32, 8>, nullptr, kind},                  \
      {"st." space ".v8.u32.b32", storeVector<place, u32, u32, 8>, nullptr, kind},                 \
      {"ld." space ".v4.u32.b32", loadQuads<place>, nullptr, kind},                                \
      {"st." space ".v4.u32.b32", storeQuads<place>, nullptr, kind},                               \
      VECTOR(space, place, kind, "u64", u64, "b64", u64)
#define PARAMETER(mname, M, rname, R)                                                              \
  {"ld.param.fixed." mname "." rname, loadParameter<R, M>, nullptr, kP}

const Instruction kRows[] = {
    SPACE("global", Place::kGlobal, kG),   SPACE("shared", Place::kShared, kS),
    SPACE("local", Place::kLocal, kL),     SPACE("generic", Place::kGeneric, kG),
    SPACE("param", Place::kParam, kP),     PARAMETER("u8", u8, "b16", u16),
    PARAMETER("u8", u8, "b32", u32),       PARAMETER("u8", u8, "b64", u64),
    PARAMETER("s8", s8, "b16", u16),       PARAMETER("s8", s8, "b32", u32),
    PARAMETER("s8", s8, "b64", u64),       PARAMETER("u16", u16, "b16", u16),
    PARAMETER("u16", u16, "b32", u32),     PARAMETER("u16", u16, "b64", u64),
    PARAMETER("s16", s16, "b16", u16),     PARAMETER("s16", s16, "b32", u32),
    PARAMETER("s16", s16, "b64", u64),     PARAMETER("u32", u32, "b32", u32),
    PARAMETER("u32", u32, "b64", u64),     PARAMETER("s32", s32, "b32", u32),
    PARAMETER("s32", s32, "b64", u64),     PARAMETER("u64", u64, "b64", u64),
    SPACE("cluster", Place::kCluster, kS), {"nothing", nothing, "", OpClass::kNone},
};

} // namespace

void addMemoryHandlers(HandlerTable &table) { addRows(table, kRows); }

} // namespace heddle::emulator::HEDDLE_EMU_ISA
