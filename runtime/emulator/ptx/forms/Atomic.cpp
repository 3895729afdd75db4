// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations and reductions (PTX ISA 9.0, 9.7.13.6 to 9.7.13.9).
#include "runtime/emulator/ptx/Forms.h"

namespace heddle::emulator::ptx {

// clang-format off
static constexpr Row kRows[] = {
    {"atom[$sem][$scope][.global.shared](.exch.and.or.xor)(.b32.b64)", "T_ = [a] T"},
    {"atom[$sem][$scope][.global.shared].add(.u32.s32.u64.f32.f64)", "T_ = [a] T"},
    {"atom[$sem][$scope][.global.shared](.min.max)(.u32.s32.u64.s64)", "T_ = [a] T"},
    {"atom[$sem][$scope][.global.shared](.inc.dec).u32", "T_ = [a] T"},
    {"atom[$sem][$scope][.global.shared].cas(.b32.b64)", "T_ = [a] T T"},
    {"atom[$sem][$scope][.global.shared].cas.b16", "T_ = [a] T T", 63},
    {"atom[$sem][.cta.gpu][.global.shared].exch.b128", "T_ = [a] T", 83, "90"},
    {"atom[$sem].sys[.global.shared].exch.b128", "T_ = [a] T", 84, "90"},
    {"atom[$sem][.cta.gpu][.global.shared].cas.b128", "T_ = [a] T T", 83, "90"},
    {"atom[$sem].sys[.global.shared].cas.b128", "T_ = [a] T T", 84, "90"},
    {"atom[$sem][$scope][.global.shared].add.noftz(.f16.f16x2)", "T_ = [a] T", 63},
    {"atom[$sem][$scope][.global.shared].add.noftz(.bf16.bf16x2)", "T = [a] T", 78, "90"},
    {"atom[$sem].cluster[.global.shared$sharedNew](.exch.and.or.xor)(.b32.b64)", "T_ = [a] T", 78, "90"},
    {"atom[$sem].cluster[.global.shared$sharedNew].add(.u32.s32.u64.f32.f64)", "T_ = [a] T", 78, "90"},
    {"atom[$sem].cluster[.global.shared$sharedNew](.min.max)(.u32.s32.u64.s64)", "T_ = [a] T", 78, "90"},
    {"atom[$sem].cluster[.global.shared$sharedNew](.inc.dec).u32", "T_ = [a] T", 78, "90"},
    {"atom[$sem].cluster[.global.shared$sharedNew].cas(.b16.b32.b64)", "T_ = [a] T T", 78, "90"},
    {"atom[$sem][$scope].shared::cta(.exch.and.or.xor)(.b32.b64)", "T_ = [a] T", 78},
    {"atom[$sem][$scope].shared::cta.add(.u32.s32.u64.f32.f64)", "T_ = [a] T", 78},
    {"atom[$sem][$scope].shared::cta(.min.max)(.u32.s32.u64.s64)", "T_ = [a] T", 78},
    {"atom[$sem][$scope].shared::cta(.inc.dec).u32", "T_ = [a] T", 78},
    {"atom[$sem][$scope].shared::cta.cas(.b16.b32.b64)", "T_ = [a] T T", 78},
    {"atom[$sem][$scope].shared::cluster(.exch.and.or.xor)(.b32.b64)", "T_ = [a] T", 78, "90"},
    {"atom[$sem][$scope].shared::cluster.add(.u32.s32.u64.f32.f64)", "T_ = [a] T", 78, "90"},
    {"atom[$sem][$scope].shared::cluster(.min.max)(.u32.s32.u64.s64)", "T_ = [a] T", 78, "90"},
    {"atom[$sem][$scope].shared::cluster(.inc.dec).u32", "T_ = [a] T", 78, "90"},
    {"atom[$sem][$scope].shared::cluster.cas(.b16.b32.b64)", "T_ = [a] T T", 78, "90"},
    {"atom[$sem][$scope].global.add(.v2.v4).f32", "T*v_ = [a] T*v", 81, "90"},
    {"atom[$sem][$scope].global(.add.min.max).noftz(.v2.v4.v8)(.f16.bf16)", "T*v_ = [a] T*v", 81, "90"},
    {"atom[$sem][$scope].global(.add.min.max).noftz(.v2.v4)(.f16x2.bf16x2)", "T*v_ = [a] T*v", 81, "90"},

    {"red[.relaxed.release][$scope][.global.shared](.and.or.xor)(.b32.b64)", "[a] T"},
    {"red[.relaxed.release][$scope][.global.shared].add(.u32.s32.u64.f32.f64)", "[a] T"},
    {"red[.relaxed.release][$scope][.global.shared](.min.max)(.u32.s32.u64.s64)", "[a] T"},
    {"red[.relaxed.release][$scope][.global.shared](.inc.dec).u32", "[a] T"},
    {"red[.relaxed.release][$scope][.global.shared].add.noftz(.f16.f16x2)", "[a] T", 63},
    {"red[.relaxed.release][$scope][.global.shared].add.noftz(.bf16.bf16x2)", "[a] T", 78, "90"},
    {"red[.relaxed.release].cluster[.global.shared$sharedNew](.and.or.xor)(.b32.b64)", "[a] T", 78, "90"},
    {"red[.relaxed.release].cluster[.global.shared$sharedNew].add(.u32.s32.u64.f32.f64)", "[a] T", 78, "90"},
    {"red[.relaxed.release].cluster[.global.shared$sharedNew](.min.max)(.u32.s32.u64.s64)", "[a] T", 78, "90"},
    {"red[.relaxed.release].cluster[.global.shared$sharedNew](.inc.dec).u32", "[a] T", 78, "90"},
    {"red[.relaxed.release][$scope].shared::cta(.and.or.xor)(.b32.b64)", "[a] T", 78},
    {"red[.relaxed.release][$scope].shared::cta.add(.u32.s32.u64.f32.f64)", "[a] T", 78},
    {"red[.relaxed.release][$scope].shared::cta(.min.max)(.u32.s32.u64.s64)", "[a] T", 78},
    {"red[.relaxed.release][$scope].shared::cluster(.and.or.xor)(.b32.b64)", "[a] T", 78, "90"},
    {"red[.relaxed.release][$scope].shared::cluster.add(.u32.s32.u64.f32.f64)", "[a] T", 78, "90"},
    {"red[.relaxed.release][$scope].shared::cluster(.min.max)(.u32.s32.u64.s64)", "[a] T", 78, "90"},
    // As the ISA's examples have it.
    {"atom[$sem][$scope].global(.v2.v4).f32.add", "T*v_ = [a] T*v", 81, "90"},
    {"atom[$sem][$scope].global(.v2.v4.v8)(.f16.bf16)(.add.min.max).noftz", "T*v_ = [a] T*v", 81, "90"},
    {"atom[$sem][$scope].global(.v2.v4)(.f16x2.bf16x2)(.add.min.max).noftz", "T*v_ = [a] T*v", 81, "90"},
    {"red[.relaxed.release][$scope].global(.v2.v4).f32.add", "[a] T*v", 81, "90"},
    {"red[.relaxed.release][$scope].global(.v2.v4.v8)(.f16.bf16)(.add.min.max).noftz", "[a] T*v", 81, "90"},
    {"red[.relaxed.release][$scope].global(.v2.v4)(.f16x2.bf16x2)(.add.min.max).noftz", "[a] T*v", 81, "90"},
    {"red[.relaxed.release][$scope].global.add(.v2.v4).f32", "[a] T*v", 81, "90"},
    {"red[.relaxed.release][$scope].global(.add.min.max).noftz(.v2.v4.v8)(.f16.bf16)", "[a] T*v", 81, "90"},
    {"red[.relaxed.release][$scope].global(.add.min.max).noftz(.v2.v4)(.f16x2.bf16x2)", "[a] T*v", 81, "90"},
    {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes(.inc.dec).u32", "[s] T [s]", 81, "90"},
    {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes(.min.max)(.u32.s32)", "[s] T [s]", 81, "90"},
    {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add(.u32.s32.u64)", "[s] T [s]", 81, "90"},
    {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes(.and.or.xor).b32", "[s] T [s]", 81, "90"},
};
// clang-format on

std::span<const Row> atomicRows() { return kRows; }

} // namespace heddle::emulator::ptx
