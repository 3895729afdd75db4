// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of a warpgroup (PTX ISA 9.0, 9.7.15): A in shared memory behind a descriptor, or in
// registers.
#include "runtime/emulator/ptx/Forms.h"

namespace heddle::emulator::ptx {

// clang-format off
static constexpr Row kRows[] = {
    {"wgmma.fence.sync.aligned", "", 80, "90a"},
    {"wgmma.commit_group.sync.aligned", "", 80, "90a"},
    {"wgmma.wait_group.sync.aligned", "#0..7", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n8k16).f32.f16.f16", "f32*n/2 = b64:r b64:r pred! #-1,1 #-1,1 #0..1 #0..1", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n8k16).f32.f16.f16", "f32*n/2 = b32*4 b64:r pred! #-1,1 #-1,1 #0..1", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n8k16).f16.f16.f16", "b32*n/4 = b64:r b64:r pred! #-1,1 #-1,1 #0..1 #0..1", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n8k16).f16.f16.f16", "b32*n/4 = b32*4 b64:r pred! #-1,1 #-1,1 #0..1", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n8k16).f32.bf16.bf16", "f32*n/2 = b64:r b64:r pred! #-1,1 #-1,1 #0..1 #0..1", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n8k16).f32.bf16.bf16", "f32*n/2 = b32*4 b64:r pred! #-1,1 #-1,1 #0..1", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n8k8).f32.tf32.tf32", "f32*n/2 = b64:r b64:r pred! #-1,1 #-1,1", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n8k8).f32.tf32.tf32", "f32*n/2 = b32*4 b64:r pred! #-1,1 #-1,1", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n8k32).f32(.e4m3.e5m2)(.e4m3.e5m2)", "f32*n/2 = b64:r b64:r pred! #-1,1 #-1,1", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n8k32).f32(.e4m3.e5m2)(.e4m3.e5m2)", "f32*n/2 = b32*4 b64:r pred! #-1,1 #-1,1", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n8k32).f16(.e4m3.e5m2)(.e4m3.e5m2)", "b32*n/4 = b64:r b64:r pred! #-1,1 #-1,1", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n8k32).f16(.e4m3.e5m2)(.e4m3.e5m2)", "b32*n/4 = b32*4 b64:r pred! #-1,1 #-1,1", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n16k32)[.satfinite].s32.s8.s8", "s32*n/2 = b64:r b64:r pred!", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n16k32)[.satfinite].s32.u8.u8", "s32*n/2 = b64:r b64:r pred!", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n16k32)[.satfinite].s32.s8.u8", "s32*n/2 = b64:r b64:r pred!", 84, "90a"},
    {"wgmma.mma_async.sync.aligned($n16k32)[.satfinite].s32.u8.s8", "s32*n/2 = b64:r b64:r pred!", 84, "90a"},
    {"wgmma.mma_async.sync.aligned($n16k32)[.satfinite].s32.s8.s8", "s32*n/2 = b32*4 b64:r pred!", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n16k32)[.satfinite].s32.u8.u8", "s32*n/2 = b32*4 b64:r pred!", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n16k32)[.satfinite].s32.s8.u8", "s32*n/2 = b32*4 b64:r pred!", 84, "90a"},
    {"wgmma.mma_async.sync.aligned($n16k32)[.satfinite].s32.u8.s8", "s32*n/2 = b32*4 b64:r pred!", 84, "90a"},
    {"wgmma.mma_async.sync.aligned($n16k256).s32.b1.b1.and.popc", "s32*n/2 = b64:r b64:r pred!", 80, "90a"},
    {"wgmma.mma_async.sync.aligned($n16k256).s32.b1.b1.and.popc", "s32*n/2 = b32*4 b64:r pred!", 80, "90a"},
};
// clang-format on

std::span<const Row> wgmmaRows() { return kRows; }

} // namespace heddle::emulator::ptx
