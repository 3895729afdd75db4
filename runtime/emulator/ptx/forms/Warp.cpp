// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lanes of a warp do together (PTX ISA 9.0, 9.7.9.6, 9.7.13.12 to 9.7.13.17), matrices in
// registers aside.
#include "runtime/emulator/ptx/Forms.h"

namespace heddle::emulator::ptx {

// clang-format off
static constexpr Row kRows[] = {
    {"shfl.sync(.up.down.bfly.idx).b32", "b32/p = b32 b32 b32 b32", 60},
    {"vote.sync(.all.any.uni).pred", "pred = pred! b32", 60},
    {"vote.sync.ballot.b32", "b32 = pred! b32", 60},
    {"match.any.sync(.b32.b64)", "b32 = T b32", 60},
    {"match.all.sync(.b32.b64)", "b32_/p = T b32", 60},
    {"activemask.b32", "b32 =", 62},
    {"redux.sync(.add.min.max)(.u32.s32)", "T = T b32", 70, "80"},
    {"redux.sync(.and.or.xor).b32", "T = T b32", 70, "80"},
    {"redux.sync(.min.max)[.abs][.NaN].f32", "T = T b32", 86, "100a|100f"},
    {"elect.sync", "b32_/P = b32", 80, "90"},
    {"ldmatrix.sync.aligned^.m8n8.x1[.trans][.shared].b16", "b32*1 = [s]", 65},
    {"ldmatrix.sync.aligned^.m8n8(.x2.x4)[.trans][.shared].b16", "b32*x = [s]", 65},
    {"ldmatrix.sync.aligned^.m8n8(.x1.x2.x4)[.trans].shared::cta.b16", "b32*x = [s]", 78},
    {"ldmatrix.sync.aligned^.m16n16(.x1.x2).trans[.shared.shared::cta].b8", "b32*2x = [s]", 86, "100a|110a|120a|100f|110f|120f"},
    {"ldmatrix.sync.aligned^.m16n16(.x1.x2).trans[.shared.shared::cta].b8x16(.b6x16_p32.b4x16_p64)", "b32*2x = [s]", 86, "100a|110a|120a|100f|110f|120f"},
    {"ldmatrix.sync.aligned^.m8n16(.x1.x2.x4)[.shared.shared::cta].b8x16(.b6x16_p32.b4x16_p64)", "b32*x = [s]", 86, "100a|110a|120a|100f|110f|120f"},
    {"stmatrix.sync.aligned^.m8n8(.x1.x2.x4)[.trans][.shared.shared::cta].b16", "[s] b32*x", 78, "90"},
    {"stmatrix.sync.aligned^.m16n8(.x1.x2.x4).trans[.shared.shared::cta].b8", "[s] b32*x", 86, "100a|110a|120a|100f|110f|120f"},
    {"movmatrix.sync.aligned.m8n8.trans.b16", "b32 = b32:r", 78},
};
// clang-format on

std::span<const Row> warpRows() { return kRows; }

} // namespace heddle::emulator::ptx
