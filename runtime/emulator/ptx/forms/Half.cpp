// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating point of 16 bits, single and in pairs (PTX ISA 9.0, 9.7.4).
#include "runtime/emulator/ptx/Forms.h"

namespace heddle::emulator::ptx {

// clang-format off
static constexpr Row kRows[] = {
    {"add[.rn][.ftz][.sat](.f16.f16x2)", "T = T T"},
    {"add[.rn](.bf16.bf16x2)", "T = T T", 78, "90"},
    {"sub[.rn][.ftz][.sat](.f16.f16x2)", "T = T T"},
    {"sub[.rn](.bf16.bf16x2)", "T = T T", 78, "90"},
    {"mul[.rn][.ftz][.sat](.f16.f16x2)", "T = T T"},
    {"mul[.rn](.bf16.bf16x2)", "T = T T", 78, "90"},
    {"fma.rn[.ftz][.sat](.f16.f16x2)", "T = T T T"},
    {"fma.rn[.ftz].relu(.f16.f16x2)", "T = T T T", 70, "80"},
    {"fma.rn[.relu](.bf16.bf16x2)", "T = T T T", 70, "80"},
    {"fma.rn.oob[.relu](.f16.f16x2.bf16.bf16x2)", "T = T T T", 81, "90"},
    {"neg[.ftz](.f16.f16x2)", "T = T", 60},
    {"neg(.bf16.bf16x2)", "T = T", 70, "80"},
    {"abs[.ftz](.f16.f16x2)", "T = T", 65},
    {"abs(.bf16.bf16x2)", "T = T", 70, "80"},
    {"min[.ftz][.NaN](.f16.f16x2)", "T = T T", 70, "80"},
    {"min[.NaN](.bf16.bf16x2)", "T = T T", 70, "80"},
    {"min[.ftz][.NaN].xorsign.abs(.f16.f16x2)", "T = T T", 72, "86"},
    {"min[.NaN].xorsign.abs(.bf16.bf16x2)", "T = T T", 72, "86"},
    {"max[.ftz][.NaN](.f16.f16x2)", "T = T T", 70, "80"},
    {"max[.NaN](.bf16.bf16x2)", "T = T T", 70, "80"},
    {"max[.ftz][.NaN].xorsign.abs(.f16.f16x2)", "T = T T", 72, "86"},
    {"max[.NaN].xorsign.abs(.bf16.bf16x2)", "T = T T", 72, "86"},
    {"tanh.approx(.f16.f16x2)", "T = T", 70},
    {"tanh.approx(.bf16.bf16x2)", "T = T", 78, "90"},
    {"ex2.approx(.f16.f16x2)", "T = T", 70},
    {"ex2.approx.ftz(.bf16.bf16x2)", "T = T", 78, "90"},
};
// clang-format on

std::span<const Row> halfRows() { return kRows; }

} // namespace heddle::emulator::ptx
