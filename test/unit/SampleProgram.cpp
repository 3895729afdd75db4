// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the sample program and keeps the tests' temporary files together.
#include "test/unit/SampleProgram.h"
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace heddle::test {

using namespace artifact;

static constexpr const char *kPtx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u32 pn)
{
  .reg .pred %p;
  .reg .b32 %i, %n, %block, %size;
  .reg .b64 %a, %b, %c, %offset;
  .reg .f32 %x, %y;
  mov.u32 %block, %ctaid.x;
  mov.u32 %size, %ntid.x;
  mov.u32 %i, %tid.x;
  mad.lo.s32 %i, %block, %size, %i;
  ld.param.u32 %n, [pn];
  setp.ge.s32 %p, %i, %n;
  @%p bra DONE;
  ld.param.u64 %a, [pa];
  ld.param.u64 %b, [pb];
  ld.param.u64 %c, [pc];
  cvta.to.global.u64 %a, %a;
  cvta.to.global.u64 %b, %b;
  cvta.to.global.u64 %c, %c;
  mul.wide.s32 %offset, %i, 4;
  add.s64 %a, %a, %offset;
  add.s64 %b, %b, %offset;
  add.s64 %c, %c, %offset;
  ld.global.f32 %x, [%a];
  ld.global.f32 %y, [%b];
  add.rn.f32 %x, %x, %y;
  st.global.f32 [%c], %x;
DONE:
  ret;
}
)";

uint32_t constant(Variant &variant, int64_t value) {
  for (uint32_t i = 0; i < variant.exprs.size(); ++i)
    if (variant.exprs[i].kind == ExprKind::kConstant && variant.exprs[i].value == value)
      return i;
  variant.exprs.push_back({.kind = ExprKind::kConstant, .value = value});
  return static_cast<uint32_t>(variant.exprs.size() - 1);
}

uint32_t binary(Variant &variant, ExprKind kind, uint32_t a, uint32_t b) {
  variant.exprs.push_back({.kind = kind, .a = a, .b = b});
  return static_cast<uint32_t>(variant.exprs.size() - 1);
}

ArtifactData sampleProgram() {
  ArtifactData data;
  data.producer = "heddle test";
  data.model = "sample";
  Variant &v = data.variants.emplace_back();
  v.target = "sm_80";
  v.ptxVersion = 80;
  v.ptx = kPtx;
  v.exprs.push_back({.kind = ExprKind::kSymbol, .a = 0});
  uint32_t n = 0, four = constant(v, 4), one = constant(v, 1);
  uint32_t elements = binary(v, ExprKind::kMul, n, four);
  uint32_t bytes = binary(v, ExprKind::kMul, elements, four);
  uint32_t grid = binary(v, ExprKind::kCeilDiv, elements, constant(v, 256));
  uint32_t fits = binary(v, ExprKind::kLess, n, constant(v, 1000));
  uint32_t sixteen = constant(v, 16), two = constant(v, 2);
  v.symbols = {{"n", SymbolKind::kInputDim, 0, 0, 0}};

  std::vector<uint8_t> weight(16);
  const float weightValues[] = {1, 2, 3, 4};
  std::memcpy(weight.data(), weightValues, sizeof weightValues);
  enum : uint32_t { kX, kY, kZ, kCopyOut, kShape, kWeightOut, kSum, kWeightIn };
  v.buffers.resize(8);
  v.buffers[kX] = {.kind = BufferKind::kInput, .size = bytes};
  v.buffers[kY] = {.kind = BufferKind::kInput, .size = bytes};
  v.buffers[kZ] = {.kind = BufferKind::kOutput, .size = bytes};
  v.buffers[kCopyOut] = {.kind = BufferKind::kOutput, .size = bytes};
  v.buffers[kShape] = {.kind = BufferKind::kOutput, .size = sixteen};
  v.buffers[kWeightOut] = {.kind = BufferKind::kOutput, .size = sixteen};
  v.buffers[kSum] = {.kind = BufferKind::kTemporary, .size = bytes, .first = 1, .last = 3};
  v.buffers[kWeightIn] = {
      .kind = BufferKind::kWeight, .size = sixteen, .weight = data.own(std::move(weight))};

  v.inputs = {{"x", DType::kF32, {n, four}, kX}, {"y", DType::kF32, {n, four}, kY}};
  v.outputs = {{"z", DType::kF32, {n, four}, kZ},
               {"copy", DType::kF32, {n, four}, kCopyOut},
               {"shape", DType::kI64, {two}, kShape},
               {"w", DType::kF32, {four}, kWeightOut}};
  v.kernels = {{"add", "sum of two", 8, 0}};
  auto add = [&](uint32_t a, uint32_t b, uint32_t c) {
    Launch launch;
    launch.grid = {grid, one, one};
    launch.block = {256, 1, 1};
    launch.args = {
        {.buffer = a}, {.buffer = b}, {.buffer = c}, {.kind = ArgKind::kInt32, .expr = elements}};
    return launch;
  };
  v.steps.push_back(Check{fits, "at most 999 rows are supported", {n}});
  v.steps.push_back(add(kX, kY, kSum));
  v.steps.push_back(add(kSum, kY, kZ));
  v.steps.push_back(Copy{kCopyOut, kX, bytes});
  v.steps.push_back(Store{kShape, DType::kI64, {n, four}});
  v.steps.push_back(Copy{kWeightOut, kWeightIn, sixteen});
  return data;
}

namespace {
struct Folder {
  Folder()
      : path(std::filesystem::temp_directory_path() /
             ("heddle-unit-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};
} // namespace

std::string temporaryPath(const std::string &name) {
  static Folder folder;
  return (folder.path / name).string();
}

std::vector<uint8_t> readBytes(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void writeBytes(const std::string &path, const std::vector<uint8_t> &bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

} // namespace heddle::test
