// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel around a bulk copy, and its launch.
#include "test/emulator/BulkRig.h"
#include <algorithm>
#include <cstdlib>

extern "C" const char *heddle_emu_last_report();

namespace heddle::emulator::test {

namespace {

std::string replaced(std::string text, const std::string &what, const std::string &by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

const char *const kHead = R"(.version 9.0
.target TARGET
.address_size 64
.visible .entry k(.param .align 128 .b8 map[128], .param .b64 in, .param .b64 out,
                  .param .align 4 .b8 numbers[40], .param .align 4 .b8 expected[16])
.reqntid 64
{
.reg .b64 %in, %out, %map, %to, %d<20>;
.reg .b32 %t, %box, %bar, %rank, %n<10>, %r<40>, %i, %a, %x, %expect;
.reg .b16 %h<4>, %e<9>;
.reg .pred %p<9>, %q<9>;
.shared .align 1024 .b8 theBox[BOXBYTES];
.shared .align 8 .b64 theBar;
mov.u32 %t, %tid.x;
mov.u32 %rank, %cluster_ctarank;
mov.u32 %box, theBox;
mov.u32 %bar, theBar;
ld.param.b64 %in, [in];
ld.param.b64 %out, [out];
mov.b64 %map, map;
cvta.param.u64 %map, %map;
)";
const char *const kFill = R"(mov.u32 %i, %t;
$fill:
setp.ge.u32 %q1, %i, BOXBYTES;
@%q1 bra $filled;
mov.u32 %x, 0xa5;
FILLBYNUMBERS
add.u32 %a, %box, %i;
st.shared.b8 [%a], %x;
add.u32 %i, %i, 64;
bra $fill;
$filled:
setp.eq.u32 %q2, %t, 0;
@%q2 mbarrier.init.shared.b64 [%bar], 1;
fence.mbarrier_init.release.cluster;
fence.proxy.async;
shl.b32 %i, %rank, 2;
cvt.u64.u32 %to, %i;
mov.u64 %d19, expected;
add.u64 %d19, %d19, %to;
ld.param.b32 %expect, [%d19];
setp.ne.u32 %q3, %expect, 0;
and.pred %q4, %q2, %q3;
@%q4 mbarrier.arrive.expect_tx.shared.b64 _, [%bar], %expect;
bar.sync 0;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
@!%q2 bra $wait;
)";
const char *const kTail = R"(
$wait:
bar.sync 0;
AFTERWARDS
@!%q3 bra $done;
$spin:
mbarrier.try_wait.parity.shared.b64 %q5, [%bar], 0;
@!%q5 bra $spin;
$done:
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
mul.lo.u32 %i, %rank, BOXBYTES;
cvt.u64.u32 %to, %i;
add.u64 %to, %to, %out;
shl.b32 %i, %t, 2;
$dump:
setp.ge.u32 %q1, %i, BOXBYTES;
@%q1 bra $end;
add.u32 %a, %box, %i;
ld.shared.b32 %x, [%a];
cvt.u64.u32 %d19, %i;
add.u64 %d19, %d19, %to;
st.global.b32 [%d19], %x;
add.u32 %i, %i, 256;
bra $dump;
$end:
ret;
}
)";

} // namespace

uint8_t numberAt(uint32_t i, uint32_t rank) { return static_cast<uint8_t>(3 * i + 5 + 16 * rank); }

std::string bulkText(const BulkCase &test) {
  std::string numbers;
  for (size_t i = 0; i < test.numbers.size() && i < 10; ++i)
    numbers +=
        "ld.param.b32 %n" + std::to_string(i) + ", [numbers+" + std::to_string(4 * i) + "];\n" +
        (i < 4 ? "cvt.u16.u32 %h" + std::to_string(i) + ", %n" + std::to_string(i) + ";\n" : "");
  std::string fill = "mul.lo.u32 %x, %i, 3;\nadd.u32 %x, %x, 5;\nshl.b32 %a, %rank, 4;\n"
                     "add.u32 %x, %x, %a;";
  std::string text = kHead + numbers + kFill + test.body + kTail;
  text = replaced(text, "AFTERWARDS", test.afterwards);
  text = replaced(text, "FILLBYNUMBERS", test.fillsWithNumbers ? fill : "");
  text = replaced(text, "BOXBYTES", std::to_string(test.boxBytes));
  return replaced(text, "TARGET", test.target);
}

BulkResult runBulk(const BulkCase &test, const Bytes &memory,
                   const std::function<CUtensorMap(const void *)> &makeMap) {
  setenv("HEDDLE_EMU_GPU", test.target.find("sm_10") == 0 ? "b200" : "h100", 1);
  BulkResult result;
  auto failed = [&](CUresult code) {
    if (code && !result.code) {
      result.code = code;
      result.report = heddle_emu_last_report();
    }
    return code != CUDA_SUCCESS;
  };
  CUcontext context;
  if (failed(cuInit(0)) || failed(cuDevicePrimaryCtxRetain(&context, 0)) ||
      failed(cuCtxSetCurrent(context)))
    return result;
  CUmodule module = nullptr;
  CUfunction function;
  CUdeviceptr in = 0, out = 0;
  size_t outBytes = size_t(test.boxBytes) * test.blocks;
  std::string text = bulkText(test);
  if (failed(cuModuleLoadData(&module, text.c_str())) ||
      failed(cuModuleGetFunction(&function, module, "k")) ||
      failed(cuMemAlloc(&in, std::max<size_t>(memory.size(), 1))) ||
      failed(cuMemAlloc(&out, outBytes)) || failed(cuMemcpyHtoD(in, memory.data(), memory.size())))
    return result;
  alignas(64) CUtensorMap map = makeMap(reinterpret_cast<const void *>(in));
  int32_t numbers[10] = {};
  std::copy_n(test.numbers.begin(), std::min<size_t>(test.numbers.size(), 10), numbers);
  uint32_t expected[4] = {};
  std::copy_n(test.expected.begin(), std::min<size_t>(test.expected.size(), 4), expected);
  void *arguments[] = {&map, &in, &out, numbers, expected};
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {test.blocks, 1, 1};
  CUlaunchConfig config = {};
  config.gridDimX = test.blocks;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 64;
  config.attrs = &attribute;
  config.numAttrs = 1;
  if (failed(cuLaunchKernelEx(&config, function, arguments, nullptr)) || failed(cuCtxSynchronize()))
    return result;
  result.memory.resize(memory.size());
  result.boxes.resize(outBytes);
  failed(cuMemcpyDtoH(result.memory.data(), in, memory.size()));
  failed(cuMemcpyDtoH(result.boxes.data(), out, outBytes));
  failed(cuMemFree(in));
  failed(cuMemFree(out));
  failed(cuModuleUnload(module));
  return result;
}

BulkResult runBulk(const BulkCase &test, const Bytes &memory) {
  return runBulk(test, memory, [](const void *) { return CUtensorMap{}; });
}

} // namespace heddle::emulator::test
