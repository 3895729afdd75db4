// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating point of 32 and 64 bits (PTX ISA 9.0, 9.7.3) and sums of mixed precision (9.7.5).
#include "runtime/emulator/ptx/Forms.h"

namespace heddle::emulator::ptx {

// clang-format off
static constexpr Row kRows[] = {
    {"testp(.finite.infinite.number.notanumber.normal.subnormal)(.f32.f64)", "pred = T"},
    {"copysign(.f32.f64)", "T = T T"},
    {"add[$rnd][.ftz][.sat].f32", "T = T T"},
    {"add[$rnd].f64", "T = T T"},
    {"add[$rnd][.ftz].f32x2", "b64 = b64:r b64:r", 86, "100"},
    {"sub[$rnd][.ftz][.sat].f32", "T = T T"},
    {"sub[$rnd].f64", "T = T T"},
    {"sub[$rnd][.ftz].f32x2", "b64 = b64:r b64:r", 86, "100"},
    {"mul[$rnd][.ftz][.sat].f32", "T = T T"},
    {"mul[$rnd].f64", "T = T T"},
    {"mul[$rnd][.ftz].f32x2", "b64 = b64:r b64:r", 86, "100"},
    {"fma($rnd)[.ftz][.sat].f32", "T = T T T"},
    {"fma($rnd).f64", "T = T T T"},
    {"fma($rnd)[.ftz].f32x2", "b64 = b64:r b64:r b64:r", 86, "100"},
    {"mad($rnd)[.ftz][.sat].f32", "T = T T T"},
    {"mad($rnd).f64", "T = T T T"},
    {"div(.approx.full)[.ftz].f32", "T = T T"},
    {"div($rnd)[.ftz].f32", "T = T T"},
    {"div($rnd).f64", "T = T T"},
    {"abs[.ftz].f32", "T = T"},
    {"abs.f64", "T = T"},
    {"neg[.ftz].f32", "T = T"},
    {"neg.f64", "T = T"},
    {"min[.ftz].f32", "T = T T"},
    {"min[.ftz].NaN.f32", "T = T T", 70, "80"},
    {"min[.ftz][.NaN].xorsign.abs.f32", "T = T T", 72, "86"},
    {"min[.ftz][.NaN][.abs].f32", "T = T T T", 88, "100"},
    {"min.f64", "T = T T"},
    {"max[.ftz].f32", "T = T T"},
    {"max[.ftz].NaN.f32", "T = T T", 70, "80"},
    {"max[.ftz][.NaN].xorsign.abs.f32", "T = T T", 72, "86"},
    {"max[.ftz][.NaN][.abs].f32", "T = T T T", 88, "100"},
    {"max.f64", "T = T T"},
    {"rcp.approx[.ftz].f32", "T = T"},
    {"rcp($rnd)[.ftz].f32", "T = T"},
    {"rcp($rnd).f64", "T = T"},
    {"rcp.approx.ftz.f64", "T = T"},
    {"sqrt.approx[.ftz].f32", "T = T"},
    {"sqrt($rnd)[.ftz].f32", "T = T"},
    {"sqrt($rnd).f64", "T = T"},
    {"rsqrt.approx[.ftz].f32", "T = T"},
    {"rsqrt.approx[.ftz].f64", "T = T"},
    {"sin.approx[.ftz].f32", "T = T"},
    {"cos.approx[.ftz].f32", "T = T"},
    {"lg2.approx[.ftz].f32", "T = T"},
    {"ex2.approx[.ftz].f32", "T = T"},
    {"tanh.approx.f32", "T = T", 70},

    // Mixed precision.
    {"add[$rnd][.sat].f32(.f16.bf16)", "f32 = T f32", 86, "100"},
    {"sub[$rnd][.sat].f32(.f16.bf16)", "f32 = T f32", 86, "100"},
    {"fma($rnd)[.sat].f32(.f16.bf16)", "f32 = T T f32", 86, "100"},
};
// clang-format on

std::span<const Row> floatRows() { return kRows; }

} // namespace heddle::emulator::ptx
