// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words that many patterns share, as "$name".
#include "runtime/emulator/ptx/Forms.h"

namespace heddle::emulator::ptx {

namespace {

struct WordSet {
  std::string_view name, words;
};

// clang-format off
constexpr WordSet kSets[] = {
    {"int", ".u16.s16.u32.s32.u64.s64"},
    {"int8", ".u8.s8.u16.s16.u32.s32.u64.s64"},
    {"rnd", ".rn.rz.rm.rp"},
    {"rndi", ".rni.rzi.rmi.rpi"},
    {"bool", ".and.or.xor"},
    {"order", ".eq.ne.lt.le.gt.ge"},
    {"unordered", ".equ.neu.ltu.leu.gtu.geu.num.nan"},
    {"space", ".global.shared.local"},
    {"sharedNew", ".shared::cta.shared::cluster"},
    {"scope", ".cta.gpu.sys"},
    {"sem", ".relaxed.acquire.release.acq_rel"},
    {"evict", ".L1::evict_normal.L1::evict_unchanged.L1::evict_first.L1::evict_last.L1::no_allocate"},
    {"prefetch", ".L2::64B.L2::128B.L2::256B"},
    {"l2", ".L2::evict_last.L2::evict_normal.L2::evict_first.L2::evict_unchanged"},
    {"mem32", ".b8.u8.s8.b16.u16.s16.b32.u32.s32.f32"},
    {"mem64", ".b64.u64.s64.f64"},
    {"narrow", ".e4m3.e5m2.e3m2.e2m3.e2m1"},
    {"collector", ".collector::a::fill.collector::a::use.collector::a::lastuse.collector::a::discard"},
    {"collectorB", ".collector::b0::fill.collector::b0::use.collector::b0::lastuse.collector::b0::discard"
                   ".collector::b1::fill.collector::b1::use.collector::b1::lastuse.collector::b1::discard"
                   ".collector::b2::fill.collector::b2::use.collector::b2::lastuse.collector::b2::discard"
                   ".collector::b3::fill.collector::b3::use.collector::b3::lastuse.collector::b3::discard"}};
// clang-format on

/// ".m64n8k16.m64n16k16...": a warpgroup's shapes, all N or those of integers.
std::string shapes(const char *k, bool isInteger) {
  std::string result;
  for (int n = 8; n <= 256; n += 8)
    if (!isInteger || n == 8 || n == 24 || n % 16 == 0)
      result += ".m64n" + std::to_string(n) + k;
  return result;
}

} // namespace

std::string_view wordSet(std::string_view name) {
  static const std::string k8 = shapes("k8", false), k16 = shapes("k16", false),
                           k32 = shapes("k32", false), integers = shapes("k32", true),
                           bits = shapes("k256", true);
  if (name.starts_with("n8k"))
    return name == "n8k8" ? k8 : name == "n8k16" ? k16 : k32;
  if (name.starts_with("n16k"))
    return name == "n16k32" ? integers : bits;
  for (const WordSet &set : kSets)
    if (set.name == name)
      return set.words;
  return {};
}

} // namespace heddle::emulator::ptx
