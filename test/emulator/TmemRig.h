// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels around tcgen05 instructions: shared memory and tensor memory are filled from global
// memory, the instructions run, and all of tensor memory is stored. Shares nothing with the
// emulator.
#ifndef HEDDLE_TEST_EMULATOR_TMEMRIG_H
#define HEDDLE_TEST_EMULATOR_TMEMRIG_H

#include "test/emulator/EmulatedDevice.h"
#include <cstdlib>
#include <sstream>

namespace heddle::emulator::test {

constexpr uint32_t kTileBytes = 40960, kTmemLanes = 128, kTmemColumns = 512;
constexpr uint32_t kTmemWords = kTmemLanes * kTmemColumns;
constexpr uint32_t kTileStart = 1024; ///< shared address of the tile, which the tests rely on

/// A process has one GPU: the first that it asks for. False: it has another one.
inline bool useGpu(const std::string &name) {
  static const std::string first = name;
  setenv("HEDDLE_EMU_GPU", first.c_str(), 1);
  setenv("HEDDLE_EMU_TIMEOUT", "60", 1);
  return first == name;
}

inline std::string registers32(const char *prefix) {
  std::string text = "{";
  for (int i = 0; i < 32; ++i)
    text += (i ? ", " : "") + (prefix + std::to_string(i));
  return text + "}";
}

/// Moves all of the warp's lanes between tensor memory and global memory at %d2, 32 columns a time.
inline std::string moveTmem(bool isLoad) {
  std::ostringstream text;
  std::string label = isLoad ? "readback" : "fill";
  text << "mov.u32 %c0, 0;\nmov.b64 %d5, %d2;\nmov.u32 %c1, %c3;\n" << label << ":\n";
  if (isLoad)
    text << "tcgen05.ld.sync.aligned.32x32b.x32.b32 " << registers32("%v") << ", [%c1];\n"
         << "tcgen05.wait::ld.sync.aligned;\n";
  for (int i = 0; i < 32; ++i)
    text << (isLoad
                 ? "st.global.b32 [%d5+" + std::to_string(4 * i) + "], %v" + std::to_string(i)
                 : "ld.global.b32 %v" + std::to_string(i) + ", [%d5+" + std::to_string(4 * i) + "]")
         << ";\n";
  if (!isLoad)
    text << "tcgen05.st.sync.aligned.32x32b.x32.b32 [%c1], " << registers32("%v")
         << ";\ntcgen05.wait::st.sync.aligned;\n";
  text << "add.u32 %c1, %c1, 32;\nadd.u64 %d5, %d5, 128;\nadd.u32 %c0, %c0, 32;\n"
       << "setp.lt.u32 %p1, %c0, 512;\n@%p1 bra " << label << ";\n";
  return text.str();
}

/// `body` is executed by one thread of the first block; %d3 and %d4 hold da and db, %r20 the
/// base of tensor memory, %r21 a number, %r22 the address of the tile, %d6 another number.
inline std::string tmemKernel(const std::string &body, int blocks, const std::string &target,
                              bool commits = true) {
  std::string group = ".cta_group::" + std::to_string(blocks);
  std::ostringstream text;
  text
      << ".version 8.8\n.target " << target << "\n.address_size 64\n"
      << ".visible .entry k(.param .b64 image, .param .b64 tensor, .param .b64 da, .param .b64 db, "
         ".param .b32 number, .param .b64 other)\n"
      << (blocks == 2 ? ".reqnctapercluster 2\n" : "")
      << "{\n.reg .pred %p<8>;\n.reg .b16 %h<2>;\n.reg .b32 %r<64>;\n.reg .b32 %v<32>;\n"
      << ".reg .b32 %c<8>;\n.reg .b64 %d<32>;\n.shared .align 1024 .b8 tile[" << kTileBytes
      << "];\n.shared .align 8 .b64 ready;\n.shared .align 4 .b32 base;\n"
      << "ld.param.b64 %d0, [image];\nld.param.b64 %d1, [tensor];\nld.param.b64 %d3, [da];\n"
      << "ld.param.b64 %d4, [db];\nld.param.b32 %r21, [number];\nld.param.b64 %d6, [other];\n"
      << "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmul.wide.u32 %d7, %r2, " << kTileBytes
      << ";\nadd.u64 %d0, %d0, %d7;\nmul.wide.u32 %d7, %r2, " << 4 * kTmemWords
      << ";\nadd.u64 %d1, %d1, %d7;\n"
      // The tile.
      << "mul.lo.u32 %r3, %r1, 16;\ncvt.u64.u32 %d7, %r3;\nadd.u64 %d0, %d0, %d7;\n"
      << "mov.u32 %r22, tile;\nadd.u32 %r4, %r22, %r3;\nmov.u32 %r5, 0;\ncopy:\n"
      << "ld.global.v4.b32 {%r6, %r7, %r8, %r9}, [%d0];\n"
      << "st.shared.v4.b32 [%r4], {%r6, %r7, %r8, %r9};\nadd.u64 %d0, %d0, 2048;\n"
      << "add.u32 %r4, %r4, 2048;\nadd.u32 %r5, %r5, 2048;\nsetp.lt.u32 %p1, %r5, " << kTileBytes
      << ";\n@%p1 bra copy;\nfence.proxy.async;\n"
      << "setp.eq.u32 %p2, %r1, 0;\n@%p2 mbarrier.init.shared.b64 [ready], 1;\n"
      << "@%p2 fence.mbarrier_init.release.cluster;\n"
      // All columns; warp w fills the lanes 32 w and on.
      << "shr.u32 %r10, %r1, 5;\nsetp.ne.u32 %p3, %r10, 0;\n@%p3 bra allocated;\n"
      << "tcgen05.alloc" << group << ".sync.aligned.shared::cta.b32 [base], 512;\n"
      << "tcgen05.relinquish_alloc_permit" << group << ".sync.aligned;\nallocated:\n"
      << "bar.sync 0;\nld.shared.b32 %r20, [base];\nshl.b32 %r11, %r10, 21;\n"
      << "add.u32 %c3, %r20, %r11;\nmul.wide.u32 %d7, %r1, " << 4 * kTmemColumns
      << ";\nadd.u64 %d2, %d1, %d7;\n"
      << moveTmem(false) << "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
      << (blocks == 2 ? "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n" : "")
      << "tcgen05.fence::after_thread_sync;\nor.b32 %r12, %r1, %r2;\nsetp.ne.u32 %p4, %r12, 0;\n"
      << "@%p4 bra issued;\n"
      << body;
  if (commits)
    text << (blocks == 2 ? "mov.b16 %h0, 3;\ntcgen05.commit.cta_group::2.mbarrier::arrive::one."
                           "shared::cluster.multicast::cluster.b64 [ready], %h0;\n"
                         : "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
                           "[ready];\n");
  text << "issued:\n";
  if (commits)
    text << "wait:\nmbarrier.try_wait.parity.shared.b64 %p5, [ready], 0;\n@!%p5 bra wait;\n";
  text << "bar.sync 0;\ntcgen05.fence::after_thread_sync;\n"
       << moveTmem(true) << "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
       << (blocks == 2 ? "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n" : "")
       << "@%p3 bra end;\ntcgen05.dealloc" << group << ".sync.aligned.b32 %r20, 512;\nend:\n"
       << "ret;\n}\n";
  return text.str();
}

/// Runs it; the tensor memory of the blocks behind each other is replaced by what it holds then.
/// The result is empty or the report.
inline std::string runTmem(const std::string &text, int blocks, const std::vector<uint8_t> &image,
                           std::vector<uint32_t> &tensor, uint64_t da, uint64_t db, uint32_t number,
                           uint64_t other) {
  useGpu("b200");
  Module module(text);
  if (module.code != CUDA_SUCCESS)
    return module.error;
  Buffer<uint8_t> imageBuffer(image);
  Buffer<uint32_t> tensorBuffer(tensor);
  CUresult result = module.launch("k", unsigned(blocks), 128, 0, imageBuffer.address(),
                                  tensorBuffer.address(), da, db, number, other);
  if (result == CUDA_SUCCESS)
    result = cuCtxSynchronize();
  if (result != CUDA_SUCCESS)
    return heddle_emu_last_report();
  tensor = tensorBuffer.read();
  return "";
}

} // namespace heddle::emulator::test

#endif // HEDDLE_TEST_EMULATOR_TMEMRIG_H
