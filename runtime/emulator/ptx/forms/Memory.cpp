// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores, hints and copies of a thread's own (PTX ISA 9.0, 9.7.9). Spaces have rows of their
// own, because they have their own hints; so have vectors of 128 bits and those of 256.
#include "runtime/emulator/ptx/Forms.h"

namespace heddle::emulator::ptx {

// clang-format off
static constexpr Row kRows[] = {
    // ld
    {"ld[.weak][$space][.ca.cg.cs.cv.lu][.v2.v4]($mem32)", "T*v_+ = [a]"},
    {"ld[.weak][$space][.ca.cg.cs.cv.lu][.v2]($mem64)", "T*v_+ = [a]"},
    {"ld[.weak][.shared::cta][.v2.v4]($mem32)", "T*v_+ = [a]", 78},
    {"ld[.weak][.shared::cta][.v2]($mem64)", "T*v_+ = [a]", 78},
    {"ld[.weak].shared::cluster[.v2.v4]($mem32)", "T*v_+ = [a]", 78, "90"},
    {"ld[.weak].shared::cluster[.v2]($mem64)", "T*v_+ = [a]", 78, "90"},
    {"ld[.weak](.const.param)[.v2.v4]($mem32)", "T*v_+ = [a]"},
    {"ld[.weak](.const.param)[.v2]($mem64)", "T*v_+ = [a]"},
    {"ld[.weak](.param::entry.param::func)[.v2.v4]($mem32)", "T*v_+ = [a]", 83},
    {"ld[.weak](.param::entry.param::func)[.v2]($mem64)", "T*v_+ = [a]", 83},
    {"ld.volatile[.global.shared][.v2.v4]($mem32)", "T*v_+ = [a]"},
    {"ld.volatile[.global.shared][.v2]($mem64)", "T*v_+ = [a]"},
    {"ld(.relaxed.acquire)($scope)[.global.shared][.v2.v4]($mem32)", "T*v_+ = [a]", 60},
    {"ld(.relaxed.acquire)($scope)[.global.shared][.v2]($mem64)", "T*v_+ = [a]", 60},
    {"ld(.relaxed.acquire)($scope).shared::cta[.v2.v4]($mem32)", "T*v_+ = [a]", 78},
    {"ld(.relaxed.acquire)($scope).shared::cta[.v2]($mem64)", "T*v_+ = [a]", 78},
    {"ld(.relaxed.acquire).cluster[.global.shared.shared::cta.shared::cluster][.v2.v4]($mem32)", "T*v_+ = [a]", 78, "90"},
    {"ld(.relaxed.acquire).cluster[.global.shared.shared::cta.shared::cluster][.v2]($mem64)", "T*v_+ = [a]", 78, "90"},
    {"ld(.relaxed.acquire)($scope).shared::cluster[.v2.v4]($mem32)", "T*v_+ = [a]", 78, "90"},
    {"ld(.relaxed.acquire)($scope).shared::cluster[.v2]($mem64)", "T*v_+ = [a]", 78, "90"},
    {"ld.mmio.relaxed.sys[.global]($mem32$mem64)", "T+ = [a]", 82},
    {"ld[.weak][.global][$evict][.L2::64B.L2::128B][.v2.v4]($mem32)", "T*v_+ = [a]", 74},
    {"ld[.weak][.global][$evict][.L2::64B.L2::128B][.v2]($mem64)", "T*v_+ = [a]", 74},
    {"ld[.weak][.global][$evict].L2::256B[.v2.v4]($mem32)", "T*v_+ = [a]", 74, "80"},
    {"ld[.weak][.global][$evict].L2::256B[.v2]($mem64)", "T*v_+ = [a]", 74, "80"},
    {"ld[.weak][.global][$evict].L2::cache_hint[$prefetch][.v2.v4]($mem32)", "T*v_+ = [a] b64:r", 74, "80"},
    {"ld[.weak][.global][$evict].L2::cache_hint[$prefetch][.v2]($mem64)", "T*v_+ = [a] b64:r", 74, "80"},
    {"ld[.weak].global[$evict](.v8)(.b32.u32.s32.f32)", "T*v_ = [a]", 88, "100"},
    {"ld[.weak].global[$evict](.v4)(.b64.u64.s64.f64)", "T*v_ = [a]", 88, "100"},
    {"ld.global[.ca.cg.cs].nc[.v2.v4]($mem32)", "T*v_+ = [a]"},
    {"ld.global[.ca.cg.cs].nc[.v2]($mem64)", "T*v_+ = [a]"},
    {"ld.global.nc[$evict][.L2::64B.L2::128B][.v2.v4]($mem32)", "T*v_+ = [a]", 74},
    {"ld.global.nc[$evict][.L2::64B.L2::128B][.v2]($mem64)", "T*v_+ = [a]", 74},
    {"ld.global.nc[$evict].L2::256B[.v2.v4]($mem32)", "T*v_+ = [a]", 74, "80"},
    {"ld.global.nc[$evict].L2::256B[.v2]($mem64)", "T*v_+ = [a]", 74, "80"},
    {"ld.global.nc[$evict].L2::cache_hint[$prefetch][.v2.v4]($mem32)", "T*v_+ = [a] b64:r", 74, "80"},
    {"ld.global.nc[$evict].L2::cache_hint[$prefetch][.v2]($mem64)", "T*v_+ = [a] b64:r", 74, "80"},
    {"ld.global.nc[$evict](.v8)(.b32.u32.s32.f32)", "T*v_ = [a]", 88, "100"},
    {"ld.global.nc[$evict](.v4)(.b64.u64.s64.f64)", "T*v_ = [a]", 88, "100"},
    {"ldu[.global][.v2.v4]($mem32)", "T*v_+ = [a]"},
    {"ldu[.global][.v2]($mem64)", "T*v_+ = [a]"},

    // st
    {"st[.weak][$space][.wb.cg.cs.wt][.v2.v4]($mem32)", "[a] T*v+"},
    {"st[.weak][$space][.wb.cg.cs.wt][.v2]($mem64)", "[a] T*v+"},
    {"st[.weak].shared::cta[.v2.v4]($mem32)", "[a] T*v+", 78},
    {"st[.weak].shared::cta[.v2]($mem64)", "[a] T*v+", 78},
    {"st[.weak].shared::cluster[.v2.v4]($mem32)", "[a] T*v+", 78, "90"},
    {"st[.weak].shared::cluster[.v2]($mem64)", "[a] T*v+", 78, "90"},
    {"st[.weak].param[.v2.v4]($mem32)", "[a] T*v+"},
    {"st[.weak].param[.v2]($mem64)", "[a] T*v+"},
    {"st[.weak].param::func[.v2.v4]($mem32)", "[a] T*v+", 83},
    {"st[.weak].param::func[.v2]($mem64)", "[a] T*v+", 83},
    {"st.volatile[.global.shared][.v2.v4]($mem32)", "[a] T*v+"},
    {"st.volatile[.global.shared][.v2]($mem64)", "[a] T*v+"},
    {"st(.relaxed.release)($scope)[.global.shared][.v2.v4]($mem32)", "[a] T*v+", 60},
    {"st(.relaxed.release)($scope)[.global.shared][.v2]($mem64)", "[a] T*v+", 60},
    {"st(.relaxed.release)($scope).shared::cta[.v2.v4]($mem32)", "[a] T*v+", 78},
    {"st(.relaxed.release)($scope).shared::cta[.v2]($mem64)", "[a] T*v+", 78},
    {"st(.relaxed.release).cluster[.global.shared.shared::cta.shared::cluster][.v2.v4]($mem32)", "[a] T*v+", 78, "90"},
    {"st(.relaxed.release).cluster[.global.shared.shared::cta.shared::cluster][.v2]($mem64)", "[a] T*v+", 78, "90"},
    {"st(.relaxed.release)($scope).shared::cluster[.v2.v4]($mem32)", "[a] T*v+", 78, "90"},
    {"st(.relaxed.release)($scope).shared::cluster[.v2]($mem64)", "[a] T*v+", 78, "90"},
    {"st.mmio.relaxed.sys[.global]($mem32$mem64)", "[a] T+", 82},
    {"st[.weak][.global][$evict][.v2.v4]($mem32)", "[a] T*v+", 74},
    {"st[.weak][.global][$evict][.v2]($mem64)", "[a] T*v+", 74},
    {"st[.weak][.global][$evict].L2::cache_hint[.v2.v4]($mem32)", "[a] T*v+ b64:r", 74, "80"},
    {"st[.weak][.global][$evict].L2::cache_hint[.v2]($mem64)", "[a] T*v+ b64:r", 74, "80"},
    {"st[.weak].global[$evict](.v8)(.b32.u32.s32.f32)", "[a] T*v", 88, "100"},
    {"st[.weak].global[$evict](.v4)(.b64.u64.s64.f64)", "[a] T*v", 88, "100"},
    {"st.async[.weak].shared::cluster.mbarrier::complete_tx::bytes[.v2.v4](.b32.u32.s32.f32)", "[s] T*v [s]", 81, "90"},
    {"st.async[.weak].shared::cluster.mbarrier::complete_tx::bytes[.v2](.b64.u64.s64.f64)", "[s] T*v [s]", 81, "90"},

    // Hints.
    {"prefetch(.L1.L2)", "[x]"},
    {"prefetch(.global.local)(.L1.L2)", "[a]"},
    {"prefetch.global(.L2::evict_last.L2::evict_normal)", "[a]", 74, "80"},
    {"prefetchu.L1", "[x]"},
    {"prefetch[.const.param].tensormap", "[x]", 80, "90"},
    {"discard[.global].L2", "[a] #128", 74, "80"},
    {"applypriority[.global].L2::evict_normal", "[a] #128", 74, "80"},
    {"createpolicy.fractional($l2)[.L2::evict_first.L2::evict_unchanged].b64", "b64 = f32?", 74, "80"},
    {"createpolicy.range[.global]($l2)[.L2::evict_first.L2::evict_unchanged].b64", "b64 = [a] b32 b32", 74, "80"},
    {"createpolicy.cvt.L2.b64", "b64 = b64:r", 74, "80"},

    // Copies into shared memory by a thread.
    {"cp.async.ca(.shared.shared::cta).global", "[s] [g] #4,8,16 b32?", 70, "80"},
    {"cp.async.ca(.shared.shared::cta).global($prefetch)", "[s] [g] #4,8,16 b32?", 74, "80"},
    {"cp.async.ca(.shared.shared::cta).global", "[s] [g] #4,8,16 pred!", 75, "80"},
    {"cp.async.ca(.shared.shared::cta).global($prefetch)", "[s] [g] #4,8,16 pred!", 75, "80"},
    {"cp.async.ca(.shared.shared::cta).global.L2::cache_hint[$prefetch]", "[s] [g] #4,8,16 b64:r", 74, "80"},
    {"cp.async.ca(.shared.shared::cta).global.L2::cache_hint[$prefetch]", "[s] [g] #4,8,16 b32 b64:r", 74, "80"},
    {"cp.async.cg(.shared.shared::cta).global", "[s] [g] #16 b32?", 70, "80"},
    {"cp.async.cg(.shared.shared::cta).global($prefetch)", "[s] [g] #16 b32?", 74, "80"},
    {"cp.async.cg(.shared.shared::cta).global", "[s] [g] #16 pred!", 75, "80"},
    {"cp.async.cg(.shared.shared::cta).global($prefetch)", "[s] [g] #16 pred!", 75, "80"},
    {"cp.async.cg(.shared.shared::cta).global.L2::cache_hint[$prefetch]", "[s] [g] #16 b64:r", 74, "80"},
    {"cp.async.cg(.shared.shared::cta).global.L2::cache_hint[$prefetch]", "[s] [g] #16 b32 b64:r", 74, "80"},
    {"cp.async.commit_group", "", 70, "80"},
    {"cp.async.wait_group", "#", 70, "80"},
    {"cp.async.wait_all", "", 70, "80"},
};
// clang-format on

std::span<const Row> memoryRows() { return kRows; }

} // namespace heddle::emulator::ptx
