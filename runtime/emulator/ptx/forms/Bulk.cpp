// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bulk asynchronous copies, of bytes in a row and of boxes of tensors (PTX ISA 9.0, 9.7.9.25
// to 9.7.9.28).
#include "runtime/emulator/ptx/Forms.h"

namespace heddle::emulator::ptx {

// clang-format off
#define FAMILY "100a|110a|100f|110f"
#define GROUP "(.cta_group::1.cta_group::2)"
// Loads of a mode: the coordinates, what follows the mbarrier, and the targets of both spaces.
#define LOADS(D, MODE, M, MORE, TO_CLUSTER, CLUSTER_TARGET, TO_BLOCK, BLOCK_TARGET) \
    {"cp.async.bulk.tensor." D "d.shared::cluster.global" MODE ".mbarrier::complete_tx::bytes", "[s] " M " [s]" MORE, TO_CLUSTER, CLUSTER_TARGET}, \
    {"cp.async.bulk.tensor." D "d.shared::cluster.global" MODE ".mbarrier::complete_tx::bytes.L2::cache_hint", "[s] " M " [s]" MORE " b64:r", TO_CLUSTER, CLUSTER_TARGET}, \
    {"cp.async.bulk.tensor." D "d.shared::cluster.global" MODE ".mbarrier::complete_tx::bytes.multicast::cluster", "[s] " M " [s]" MORE " b16", TO_CLUSTER, CLUSTER_TARGET}, \
    {"cp.async.bulk.tensor." D "d.shared::cluster.global" MODE ".mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint", "[s] " M " [s]" MORE " b16 b64:r", TO_CLUSTER, CLUSTER_TARGET}, \
    {"cp.async.bulk.tensor." D "d.shared::cluster.global" MODE ".mbarrier::complete_tx::bytes" GROUP, "[s] " M " [s]" MORE, 86, FAMILY}, \
    {"cp.async.bulk.tensor." D "d.shared::cluster.global" MODE ".mbarrier::complete_tx::bytes" GROUP ".L2::cache_hint", "[s] " M " [s]" MORE " b64:r", 86, FAMILY}, \
    {"cp.async.bulk.tensor." D "d.shared::cluster.global" MODE ".mbarrier::complete_tx::bytes.multicast::cluster" GROUP, "[s] " M " [s]" MORE " b16", 86, FAMILY}, \
    {"cp.async.bulk.tensor." D "d.shared::cluster.global" MODE ".mbarrier::complete_tx::bytes.multicast::cluster" GROUP ".L2::cache_hint", "[s] " M " [s]" MORE " b16 b64:r", 86, FAMILY}, \
    {"cp.async.bulk.tensor." D "d.shared::cta.global" MODE ".mbarrier::complete_tx::bytes", "[s] " M " [s]" MORE, TO_BLOCK, BLOCK_TARGET}, \
    {"cp.async.bulk.tensor." D "d.shared::cta.global" MODE ".mbarrier::complete_tx::bytes.L2::cache_hint", "[s] " M " [s]" MORE " b64:r", TO_BLOCK, BLOCK_TARGET}, \
    {"cp.async.bulk.tensor." D "d.shared::cta.global" MODE ".mbarrier::complete_tx::bytes" GROUP, "[s] " M " [s]" MORE, 86, FAMILY}, \
    {"cp.async.bulk.tensor." D "d.shared::cta.global" MODE ".mbarrier::complete_tx::bytes" GROUP ".L2::cache_hint", "[s] " M " [s]" MORE " b64:r", 86, FAMILY},
#define STORES(D, MODE, M, VERSION, TARGET) \
    {"cp.async.bulk.tensor." D "d.global.shared::cta" MODE ".bulk_group", M " [s]", VERSION, TARGET}, \
    {"cp.async.bulk.tensor." D "d.global.shared::cta" MODE ".bulk_group.L2::cache_hint", M " [s] b64:r", VERSION, TARGET},
#define REDUCTIONS(D, MODE, M) \
    {"cp.reduce.async.bulk.tensor." D "d.global.shared::cta(.add.min.max.inc.dec.and.or.xor)" MODE ".bulk_group", M " [s]", 80, "90"}, \
    {"cp.reduce.async.bulk.tensor." D "d.global.shared::cta(.add.min.max.inc.dec.and.or.xor)" MODE ".bulk_group.L2::cache_hint", M " [s] b64:r", 80, "90"},
#define PREFETCHES(D, MODE, M, MORE, VERSION, TARGET) \
    {"cp.async.bulk.prefetch.tensor." D "d.L2.global" MODE, M MORE, VERSION, TARGET}, \
    {"cp.async.bulk.prefetch.tensor." D "d.L2.global" MODE ".L2::cache_hint", M MORE " b64:r", VERSION, TARGET},
#define TENSOR(D) \
    LOADS(#D, "[.tile]", "[m" #D "]", "", 80, "90", 86, "90") \
    STORES(#D, "[.tile]", "[m" #D "]", 80, "90") \
    REDUCTIONS(#D, "[.tile]", "[m" #D "]") \
    PREFETCHES(#D, "[.tile]", "[m" #D "]", "", 80, "90")
#define IM2COL(D, N) \
    LOADS(#D, ".im2col", "[m" #D "]", " b16*" #N, 80, "90", 86, "90") \
    LOADS(#D, ".im2col::w", "[m" #D "]", " b16*2", 86, FAMILY, 86, "100") \
    LOADS(#D, ".im2col::w::128", "[m" #D "]", " b16*2", 86, FAMILY, 86, FAMILY) \
    STORES(#D, ".im2col_no_offs", "[m" #D "]", 80, "90") \
    REDUCTIONS(#D, ".im2col_no_offs", "[m" #D "]") \
    PREFETCHES(#D, ".im2col", "[m" #D "]", " b16*" #N, 80, "90") \
    PREFETCHES(#D, "(.im2col::w.im2col::w::128)", "[m" #D "]", " b16*2", 86, FAMILY)
static constexpr Row kRows[] = {
    // Bytes in a row.
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", "[s] [g] b32:16n [s]", 80, "90"},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint", "[s] [g] b32:16n [s] b64:r", 80, "90"},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster", "[s] [g] b32:16n [s] b16", 80, "90"},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint", "[s] [g] b32:16n [s] b16 b64:r", 80, "90"},
    {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes", "[s] [g] b32:16n [s]", 86, "90"},
    {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint", "[s] [g] b32:16n [s] b64:r", 86, "90"},
    {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes", "[s] [s] b32:16n [s]", 80, "90"},
    {"cp.async.bulk.global.shared::cta.bulk_group", "[g] [s] b32:16n", 80, "90"},
    {"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint", "[g] [s] b32:16n b64:r", 80, "90"},
    {"cp.async.bulk.global.shared::cta.bulk_group.cp_mask", "[g] [s] b32:16n b16", 86, "100"},
    {"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask", "[g] [s] b32:16n b64:r b16", 86, "100"},
    {"cp.async.bulk.prefetch.L2.global", "[g] b32:16n", 80, "90"},
    {"cp.async.bulk.prefetch.L2.global.L2::cache_hint", "[g] b32:16n b64:r", 80, "90"},
    {"cp.async.bulk.commit_group", "", 80, "90"},
    {"cp.async.bulk.wait_group[.read]", "#", 80, "90"},
    {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes(.and.or.xor)(.b32)", "[s] [s] b32:16n [s]", 80, "90"},
    {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add(.u32.s32.u64)", "[s] [s] b32:16n [s]", 80, "90"},
    {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes(.min.max)(.u32.s32)", "[s] [s] b32:16n [s]", 80, "90"},
    {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes(.inc.dec).u32", "[s] [s] b32:16n [s]", 80, "90"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group(.and.or.xor)(.b32.b64)", "[g] [s] b32:16n", 80, "90"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint(.and.or.xor)(.b32.b64)", "[g] [s] b32:16n b64:r", 80, "90"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add(.u32.s32.u64.f32.f64)", "[g] [s] b32:16n", 80, "90"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add(.u32.s32.u64.f32.f64)", "[g] [s] b32:16n b64:r", 80, "90"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group(.min.max)(.u32.s32.u64.s64.f16.bf16)", "[g] [s] b32:16n", 80, "90"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint(.min.max)(.u32.s32.u64.s64.f16.bf16)", "[g] [s] b32:16n b64:r", 80, "90"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group(.inc.dec).u32", "[g] [s] b32:16n", 80, "90"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz(.f16.bf16)", "[g] [s] b32:16n", 80, "90"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.noftz(.f16.bf16)", "[g] [s] b32:16n b64:r", 80, "90"},

    {"st.bulk[.weak][.shared::cta]", "[a] b64:8n #0..0", 86, "100"},

    // Boxes of tensors, by dimension.
    TENSOR(1)
    TENSOR(2)
    TENSOR(3)
    TENSOR(4)
    TENSOR(5)
    IM2COL(3, 1)
    IM2COL(4, 2)
    IM2COL(5, 3)
    LOADS("2", ".tile::gather4", "[m5]", "", 86, FAMILY, 86, "100")
    STORES("2", ".tile::scatter4", "[m5]", 86, FAMILY)
    PREFETCHES("2", ".tile::gather4", "[m5]", "", 86, FAMILY)

    // Tensor maps in memory.
    {"tensormap.replace.tile.global_address[.global.shared::cta].b1024.b64", "[a] b64", 83, "90a|100a|110a|120a|100f|110f|120f"},
    {"tensormap.replace.tile.rank[.global.shared::cta].b1024.b32", "[a] b32", 83, "90a|100a|110a|120a|100f|110f|120f"},
    {"tensormap.replace.tile(.box_dim.global_dim.element_stride)[.global.shared::cta].b1024.b32", "[a] #0..4 b32", 83, "90a|100a|110a|120a|100f|110f|120f"},
    {"tensormap.replace.tile.global_stride[.global.shared::cta].b1024.b64", "[a] #0..4 b64", 83, "90a|100a|110a|120a|100f|110f|120f"},
    {"tensormap.replace.tile.elemtype[.global.shared::cta].b1024.b32", "[a] #0..12", 83, "90a|100a|110a|120a|100f|110f|120f"},
    {"tensormap.replace.tile.elemtype[.global.shared::cta].b1024.b32", "[a] #0..15", 87, "100a|110a|120a|100f|110f|120f"},
    {"tensormap.replace.tile.interleave_layout[.global.shared::cta].b1024.b32", "[a] #0..2", 83, "90a|100a|110a|120a|100f|110f|120f"},
    {"tensormap.replace.tile.swizzle_mode[.global.shared::cta].b1024.b32", "[a] #0..3", 83, "90a|100a|110a|120a|100f|110f|120f"},
    {"tensormap.replace.tile.swizzle_atomicity[.global.shared::cta].b1024.b32", "[a] #0..3", 86, "100a|110a|120a|100f|110f|120f"},
    {"tensormap.replace.tile.fill_mode[.global.shared::cta].b1024.b32", "[a] #0..1", 83, "90a|100a|110a|120a|100f|110f|120f"},
    {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release(.cta.cluster.gpu.sys).sync.aligned", "[g] [s] #128", 83, "90"},
};
// clang-format on

std::span<const Row> bulkRows() { return kRows; }

} // namespace heddle::emulator::ptx
