// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow and what steers a thread, a warp or a grid (PTX ISA 9.0, 9.7.12 and 9.7.19). call
// has its own rules in VerifyCalls.cpp.
#include "runtime/emulator/ptx/Forms.h"

namespace heddle::emulator::ptx {

// clang-format off
static constexpr Row kRows[] = {
    {"bra[.uni]", "label"},
    {"brx.idx[.uni]", "u32:r table", 60},
    {"ret[.uni]", ""},
    {"exit", ""},
    {"trap", ""},
    {"brkpt", ""},
    {"pmevent", "#0..15"},
    {"nanosleep.u32", "b32", 63},
    {"setmaxnreg(.inc.dec).sync.aligned.u32", "#24..256", 80, "90a|100a|110a|120a|100f|110f|120f"},
    {"griddepcontrol(.launch_dependents.wait)", "", 78, "90"},
};
// clang-format on

std::span<const Row> controlRows() { return kRows; }

} // namespace heddle::emulator::ptx
