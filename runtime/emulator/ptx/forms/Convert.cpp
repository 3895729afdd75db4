// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of values and of addresses (PTX ISA 9.0, 9.7.9.20 to 9.7.9.24). mov has its own rules
// in VerifyMove.cpp.
#include "runtime/emulator/ptx/Forms.h"

namespace heddle::emulator::ptx {

// clang-format off
static constexpr Row kRows[] = {
    // Integers.
    {"cvt($int8)($int8)", "U+ = T+"},
    {"cvt.sat(.u8.u16.u32.u64)(.s8.s16.s32.s64)", "U+ = T+"},
    {"cvt.sat.s8(.u8.u16.u32.u64)", "U+ = T+"},
    {"cvt.sat.s16(.u16.u32.u64)", "U+ = T+"},
    {"cvt.sat.s32(.u32.u64)", "U+ = T+"},
    {"cvt.sat.s64.u64", "U+ = T+"},
    {"cvt.sat.u8(.u16.u32.u64)", "U+ = T+"},
    {"cvt.sat.u16(.u32.u64)", "U+ = T+"},
    {"cvt.sat.u32.u64", "U+ = T+"},
    {"cvt.sat.s8(.s16.s32.s64)", "U+ = T+"},
    {"cvt.sat.s16(.s32.s64)", "U+ = T+"},
    {"cvt.sat.s32.s64", "U+ = T+"},
    {"cvt($rnd)(.f16.f32.f64)($int8)", "U = T+"},
    {"cvt($rnd).sat(.f16.f32.f64)($int8)", "U = T+"},
    {"cvt($rnd).bf16($int8)", "U = T", 78, "90"},
    {"cvt($rndi)($int8)(.f16.f64)", "U+ = T"},
    {"cvt($rndi)[.ftz]($int8).f32", "U+ = T"},
    {"cvt($rndi).sat($int8)(.f16.f64)", "U+ = T"},
    {"cvt($rndi)[.ftz].sat($int8).f32", "U+ = T"},
    {"cvt($rndi)($int8).bf16", "U = T", 78, "90"},

    // Between floats, and to whole numbers.
    {"cvt[$rndi][.ftz][.sat].f32.f32", "U = T"},
    {"cvt[$rndi][.sat].f64.f64", "U = T"},
    {"cvt[$rndi][.sat].f16.f16", "U = T"},
    {"cvt[$rndi].bf16.bf16", "U = T", 78, "90"},
    {"cvt[.ftz][.sat].f64.f32", "U = T"},
    {"cvt($rnd)[.ftz][.sat].f32.f64", "U = T"},
    {"cvt($rnd)[.ftz][.sat].f16.f32", "U = T"},
    {"cvt($rnd)[.sat].f16.f64", "U = T"},
    {"cvt[.ftz][.sat].f32.f16", "U = T"},
    {"cvt[.sat].f64.f16", "U = T"},
    {"cvt(.rn.rz).bf16.f32", "U = T", 70, "80"},
    {"cvt(.rm.rp).bf16.f32", "U = T", 70, "80"},
    {"cvt($rnd).bf16(.f16.f64)", "U = T", 78, "90"},
    {"cvt.f32.bf16", "U = T", 71, "80"},
    {"cvt.ftz.f32.bf16", "U = T", 78, "90"},
    {"cvt.f64.bf16", "U = T", 78, "90"},
    {"cvt($rnd).f16.bf16", "U = T", 78, "90"},
    {"cvt(.rn.rz).relu(.f16.bf16).f32", "U = T", 70, "80"},
    {"cvt(.rn.rz).satfinite.f16.f32", "U = T", 81},
    {"cvt(.rn.rz).relu.satfinite.f16.f32", "U = T", 81, "80"},
    {"cvt(.rn.rz)[.relu].satfinite.bf16.f32", "U = T", 81, "80"},
    {"cvt(.rn.rz)[.relu](.f16x2.bf16x2).f32", "U = T T", 70, "80"},
    {"cvt(.rn.rz)[.relu].satfinite(.f16x2.bf16x2).f32", "U = T T", 81, "80"},
    {"cvt.rs[.relu][.satfinite](.f16x2.bf16x2).f32", "U = T T b32:r", 87, "100a|103a"},
    {"cvt.rna.tf32.f32", "b32 = T", 70, "80"},
    {"cvt.rna.satfinite.tf32.f32", "b32 = T", 81, "80"},
    {"cvt(.rn.rz)[.relu].tf32.f32", "b32 = T", 78, "90"},
    {"cvt(.rn.rz)[.relu].satfinite.tf32.f32", "b32 = T", 86, "100"},

    // Floats of 8 bits and fewer, in pairs.
    {"cvt.rn.satfinite[.relu](.e4m3x2.e5m2x2).f32", "b16 = T T", 81, "89"},
    {"cvt.rn.satfinite[.relu](.e4m3x2.e5m2x2).f32", "b16 = T T", 78, "90"},
    {"cvt.rn.satfinite[.relu](.e4m3x2.e5m2x2).f16x2", "b16 = T", 81, "89"},
    {"cvt.rn.satfinite[.relu](.e4m3x2.e5m2x2).f16x2", "b16 = T", 78, "90"},
    {"cvt.rn[.relu].f16x2(.e4m3x2.e5m2x2)", "U = b16:r", 81, "89"},
    {"cvt.rn[.relu].f16x2(.e4m3x2.e5m2x2)", "U = b16:r", 78, "90"},
    {"cvt.rn.satfinite[.relu](.e2m3x2.e3m2x2).f32", "b16 = T T", 86, "100a|110a|120a|100f|110f|120f"},
    {"cvt.rn[.relu].f16x2(.e2m3x2.e3m2x2)", "U = b16:r", 86, "100a|110a|120a|100f|110f|120f"},
    {"cvt.rn.satfinite[.relu].e2m1x2.f32", "b8 = T T", 86, "100a|110a|120a|100f|110f|120f"},
    {"cvt.rn[.relu].f16x2.e2m1x2", "U = b8:r", 86, "100a|110a|120a|100f|110f|120f"},
    {"cvt(.rz.rp)[.satfinite].ue8m0x2.f32", "b16 = T T", 86, "100a|110a|120a|100f|110f|120f"},
    {"cvt(.rz.rp)[.satfinite].ue8m0x2.bf16x2", "b16 = T", 86, "100a|110a|120a|100f|110f|120f"},
    {"cvt.rn.bf16x2.ue8m0x2", "U = b16:r", 86, "100a|110a|120a|100f|110f|120f"},
    {"cvt.rs[.relu].satfinite(.e4m3x4.e5m2x4.e2m3x4.e3m2x4).f32", "b32 = T*4 b32:r", 87, "100a|103a"},
    {"cvt.rs[.relu].satfinite.e2m1x4.f32", "b16 = T*4 b32:r", 87, "100a|103a"},
    {"cvt.pack.sat(.u16.s16)(.s32)", "u32 = T T", 65},
    {"cvt.pack.sat(.u8.s8).s32.b32", "u32 = s32 s32 b32", 65},

    // Addresses.
    {"cvta(.global.shared.local.const)(.u64)", "T = sym"},
    {"cvta.param(.u64)", "T = sym", 77},
    {"cvta.shared::cta(.u64)", "T = sym", 78},
    {"cvta.shared::cluster(.u64)", "T = sym", 78, "90"},
    {"cvta.to(.global.shared.local.const)(.u64)", "T = T:r"},
    {"cvta.to.param(.u64)", "T = T:r", 77},
    {"cvta.to.shared::cta(.u64)", "T = T:r", 78},
    {"cvta.to.shared::cluster(.u64)", "T = T:r", 78, "90"},
    {"isspacep(.global.shared.local)", "pred = u64:r"},
    {"isspacep.const", "pred = u64:r", 31},
    {"isspacep.shared::cta", "pred = u64:r", 78},
    {"isspacep.param", "pred = u64:r", 77},
    {"isspacep.shared::cluster", "pred = u64:r", 78, "90"},
    {"mapa(.u32.u64)", "T = T:r u32", 78, "90"},
    {"mapa.shared::cluster(.u32.u64)", "T = sym u32", 78, "90"},
    {"getctarank(.u32.u64)", "u32 = T:r", 78, "90"},
    {"getctarank.shared::cluster(.u32.u64)", "u32 = sym", 78, "90"},
};
// clang-format on

std::span<const Row> convertRows() { return kRows; }

} // namespace heddle::emulator::ptx
