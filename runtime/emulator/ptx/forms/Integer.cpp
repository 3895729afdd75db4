// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic, bits and shifts (PTX ISA 9.0, 9.7.1, 9.7.2 and 9.7.8).
#include "runtime/emulator/ptx/Forms.h"

namespace heddle::emulator::ptx {

// clang-format off
static constexpr Row kRows[] = {
    {"add($int)", "T = T T"},
    {"add.sat.s32", "T = T T"},
    {"add(.u16x2.s16x2)", "T = T T", 80, "90"},
    {"sub($int)", "T = T T"},
    {"sub.sat.s32", "T = T T"},
    {"mul(.hi.lo)($int)", "T = T T"},
    {"mul.wide(.u16.s16.u32.s32)", "2T = T T"},
    {"mad(.hi.lo)($int)", "T = T T T"},
    {"mad.hi.sat.s32", "T = T T T"},
    {"mad.wide(.u16.s16.u32.s32)", "2T = T T 2T"},
    {"mul24(.hi.lo)(.u32.s32)", "T = T T"},
    {"mad24(.hi.lo)(.u32.s32)", "T = T T T"},
    {"mad24.hi.sat.s32", "T = T T T"},
    {"sad($int)", "T = T T T"},
    {"div($int)", "T = T T"},
    {"rem($int)", "T = T T"},
    {"abs(.s16.s32.s64)", "T = T"},
    {"neg(.s16.s32.s64)", "T = T"},
    {"min($int)", "T = T T"},
    {"min(.u16x2.s16x2)", "T = T T", 80, "90"},
    {"min.relu(.s16x2.s32)", "T = T T", 80, "90"},
    {"min(.s16x2.s32).relu", "T = T T", 80, "90"}, // as nvcc prints it
    {"max($int)", "T = T T"},
    {"max(.u16x2.s16x2)", "T = T T", 80, "90"},
    {"max.relu(.s16x2.s32)", "T = T T", 80, "90"},
    {"max(.s16x2.s32).relu", "T = T T", 80, "90"}, // as nvcc prints it

    // Carries.
    {"add.cc(.u32.s32)", "T = T T"},
    {"add.cc(.u64.s64)", "T = T T", 43},
    {"addc[.cc](.u32.s32)", "T = T T"},
    {"addc[.cc](.u64.s64)", "T = T T", 43},
    {"sub.cc(.u32.s32)", "T = T T"},
    {"sub.cc(.u64.s64)", "T = T T", 43},
    {"subc[.cc](.u32.s32)", "T = T T"},
    {"subc[.cc](.u64.s64)", "T = T T", 43},
    {"mad(.hi.lo).cc(.u32.s32)", "T = T T T"},
    {"mad(.hi.lo).cc(.u64.s64)", "T = T T T", 43},
    {"madc(.hi.lo)[.cc](.u32.s32)", "T = T T T"},
    {"madc(.hi.lo)[.cc](.u64.s64)", "T = T T T", 43},

    // Bits.
    {"popc(.b32.b64)", "u32 = T"},
    {"clz(.b32.b64)", "u32 = T"},
    {"bfind[.shiftamt](.u32.s32.u64.s64)", "u32 = T"},
    {"fns.b32", "b32 = b32 b32 s32", 60},
    {"brev(.b32.b64)", "T = T"},
    {"bfe(.u32.s32.u64.s64)", "T = T u32 u32"},
    {"bfi(.b32.b64)", "T = T T u32 u32"},
    {"szext(.clamp.wrap)(.u32.s32)", "T = T u32", 76},
    {"bmsk(.clamp.wrap).b32", "b32 = b32 b32", 76},
    {"dp4a(.u32.s32)(.u32.s32)", "b32 = b32 b32 b32", 50},
    {"dp2a(.lo.hi)(.u32.s32)(.u32.s32)", "b32 = b32 b32 b32", 50},
    {"prmt.b32[.f4e.b4e.rc8.ecl.ecr.rc16]", "b32 = b32 b32 b32"},

    // Logic and shifts.
    {"and(.pred.b16.b32.b64)", "T = T! T!"},
    {"or(.pred.b16.b32.b64)", "T = T! T!"},
    {"xor(.pred.b16.b32.b64)", "T = T! T!"},
    {"not(.pred.b16.b32.b64)", "T = T!"},
    {"cnot(.b16.b32.b64)", "T = T"},
    {"lop3.b32", "b32 = b32 b32 b32 #0..255", 43},
    {"lop3(.or.and).b32", "b32_/P = b32 b32 b32 #0..255 pred!", 82},
    {"shf(.l.r)(.clamp.wrap).b32", "b32 = b32 b32 u32"},
    {"shl(.b16.b32.b64)", "T = T u32"},
    {"shr(.b16.b32.b64$int)", "T = T u32"},

    // Video instructions (9.7.18.2) on all parts of their registers.
    {"vadd2(.u32.s32)(.u32.s32)(.u32.s32)[.sat]", "b32 = b32:r b32:r b32:r"},
    {"vadd2(.u32.s32)(.u32.s32)(.u32.s32).add", "b32 = b32:r b32:r b32:r"},
    {"vadd4(.u32.s32)(.u32.s32)(.u32.s32)[.sat]", "b32 = b32:r b32:r b32:r"},
    {"vadd4(.u32.s32)(.u32.s32)(.u32.s32).add", "b32 = b32:r b32:r b32:r"},
    {"vsub2(.u32.s32)(.u32.s32)(.u32.s32)[.sat]", "b32 = b32:r b32:r b32:r"},
    {"vsub2(.u32.s32)(.u32.s32)(.u32.s32).add", "b32 = b32:r b32:r b32:r"},
    {"vsub4(.u32.s32)(.u32.s32)(.u32.s32)[.sat]", "b32 = b32:r b32:r b32:r"},
    {"vsub4(.u32.s32)(.u32.s32)(.u32.s32).add", "b32 = b32:r b32:r b32:r"},
    {"vavrg2(.u32.s32)(.u32.s32)(.u32.s32)[.sat]", "b32 = b32:r b32:r b32:r"},
    {"vavrg2(.u32.s32)(.u32.s32)(.u32.s32).add", "b32 = b32:r b32:r b32:r"},
    {"vavrg4(.u32.s32)(.u32.s32)(.u32.s32)[.sat]", "b32 = b32:r b32:r b32:r"},
    {"vavrg4(.u32.s32)(.u32.s32)(.u32.s32).add", "b32 = b32:r b32:r b32:r"},
    {"vabsdiff2(.u32.s32)(.u32.s32)(.u32.s32)[.sat]", "b32 = b32:r b32:r b32:r"},
    {"vabsdiff2(.u32.s32)(.u32.s32)(.u32.s32).add", "b32 = b32:r b32:r b32:r"},
    {"vabsdiff4(.u32.s32)(.u32.s32)(.u32.s32)[.sat]", "b32 = b32:r b32:r b32:r"},
    {"vabsdiff4(.u32.s32)(.u32.s32)(.u32.s32).add", "b32 = b32:r b32:r b32:r"},
    {"vmin2(.u32.s32)(.u32.s32)(.u32.s32)[.sat]", "b32 = b32:r b32:r b32:r"},
    {"vmin2(.u32.s32)(.u32.s32)(.u32.s32).add", "b32 = b32:r b32:r b32:r"},
    {"vmin4(.u32.s32)(.u32.s32)(.u32.s32)[.sat]", "b32 = b32:r b32:r b32:r"},
    {"vmin4(.u32.s32)(.u32.s32)(.u32.s32).add", "b32 = b32:r b32:r b32:r"},
    {"vmax2(.u32.s32)(.u32.s32)(.u32.s32)[.sat]", "b32 = b32:r b32:r b32:r"},
    {"vmax2(.u32.s32)(.u32.s32)(.u32.s32).add", "b32 = b32:r b32:r b32:r"},
    {"vmax4(.u32.s32)(.u32.s32)(.u32.s32)[.sat]", "b32 = b32:r b32:r b32:r"},
    {"vmax4(.u32.s32)(.u32.s32)(.u32.s32).add", "b32 = b32:r b32:r b32:r"},
    {"vset2(.u32.s32)(.u32.s32)($order)[.add]", "b32 = b32:r b32:r b32:r"},
    {"vset4(.u32.s32)(.u32.s32)($order)[.add]", "b32 = b32:r b32:r b32:r"},
};
// clang-format on

std::span<const Row> integerRows() { return kRows; }

} // namespace heddle::emulator::ptx
