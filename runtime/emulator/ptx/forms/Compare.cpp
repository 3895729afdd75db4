// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison and selection (PTX ISA 9.0, 9.7.6 and 9.7.7).
#include "runtime/emulator/ptx/Forms.h"

namespace heddle::emulator::ptx {

// clang-format off
static constexpr Row kRows[] = {
    {"setp(.eq.ne)(.b16.b32.b64)", "pred_/p = T T"},
    {"setp(.eq.ne)($bool)(.b16.b32.b64)", "pred_/p = T T pred!"},
    {"setp($order)(.s16.s32.s64)", "pred_/p = T T"},
    {"setp($order)($bool)(.s16.s32.s64)", "pred_/p = T T pred!"},
    {"setp($order.lo.ls.hi.hs)(.u16.u32.u64)", "pred_/p = T T"},
    {"setp($order.lo.ls.hi.hs)($bool)(.u16.u32.u64)", "pred_/p = T T pred!"},
    {"setp($order$unordered)[.ftz].f32", "pred_/p = T T"},
    {"setp($order$unordered)($bool)[.ftz].f32", "pred_/p = T T pred!"},
    {"setp($order$unordered).f64", "pred_/p = T T"},
    {"setp($order$unordered)($bool).f64", "pred_/p = T T pred!"},
    {"setp($order$unordered)[.ftz](.f16)", "pred = T T"},
    {"setp($order$unordered)[.ftz].f16x2", "pred/P = T T"},
    {"setp($order$unordered)($bool)[.ftz](.f16)", "pred = T T pred:r!"},
    {"setp($order$unordered)($bool)[.ftz].f16x2", "pred/P = T T pred:r!"},
    {"setp($order$unordered)(.bf16)", "pred = T T", 78, "90"},
    {"setp($order$unordered).bf16x2", "pred/P = T T", 78, "90"},
    {"setp($order$unordered)($bool)(.bf16)", "pred = T T pred:r!", 78, "90"},
    {"setp($order$unordered)($bool).bf16x2", "pred/P = T T pred:r!", 78, "90"},

    {"set(.eq.ne)(.u32.s32.f32)(.b16.b32.b64)", "U = T T"},
    {"set(.eq.ne)($bool)(.u32.s32.f32)(.b16.b32.b64)", "U = T T pred!"},
    {"set($order)(.u32.s32.f32)(.s16.s32.s64)", "U = T T"},
    {"set($order)($bool)(.u32.s32.f32)(.s16.s32.s64)", "U = T T pred!"},
    {"set($order.lo.ls.hi.hs)(.u32.s32.f32)(.u16.u32.u64)", "U = T T"},
    {"set($order.lo.ls.hi.hs)($bool)(.u32.s32.f32)(.u16.u32.u64)", "U = T T pred!"},
    {"set($order$unordered)[.ftz](.u32.s32.f32).f32", "U = T T"},
    {"set($order$unordered)($bool)[.ftz](.u32.s32.f32).f32", "U = T T pred!"},
    {"set($order$unordered)(.u32.s32.f32).f64", "U = T T"},
    {"set($order$unordered)($bool)(.u32.s32.f32).f64", "U = T T pred!"},
    {"set($order$unordered)[.ftz].f16.f16", "U = T T"},
    {"set($order$unordered)[.ftz](.u16.s16.u32.s32).f16", "U = T T", 65},
    {"set($order$unordered)[.ftz](.f16x2).f16x2", "U = T T"},
    {"set($order$unordered)[.ftz](.u32.s32).f16x2", "U = T T", 65},
    {"set($order$unordered)(.bf16.u16.s16.u32.s32).bf16", "U = T T", 78, "90"},
    {"set($order$unordered)(.bf16x2).bf16x2", "U = T T", 78, "90"},
    {"set($order$unordered)(.u32.s32).bf16x2", "U = T T", 78, "90"},

    {"selp(.b16.b32.b64$int.f32.f64)", "T = T T pred!"},
    {"slct(.b16.b32.b64$int.f32.f64).s32", "U = U U T"},
    {"slct[.ftz](.b16.b32.b64$int.f32.f64).f32", "U = U U T"},
};
// clang-format on

std::span<const Row> compareRows() { return kRows; }

} // namespace heddle::emulator::ptx
