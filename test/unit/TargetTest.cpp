// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of targets, Tensor Core instructions, GPUs and element types check themselves.
#include "heddle/Target.h"
#include "runtime/ChooseCode.h"
#include <gtest/gtest.h>
#include <set>

using namespace heddle;

// Names are unique, rows ascend, and limits are those of the architecture's facts.
TEST(Target, Rows) {
  std::set<std::string_view> names;
  int previous = 0;
  for (const Target &t : targets()) {
    EXPECT_TRUE(names.insert(t.name).second);
    EXPECT_GT(t.major * 10 + t.minor, previous);
    previous = t.major * 10 + t.minor;
    std::string expected = "sm_" + std::to_string(t.major) + std::to_string(t.minor);
    EXPECT_EQ(t.name, expected + (t.exactOnly ? "a" : ""));
    EXPECT_EQ(t.sharedPerBlockBytes, t.sharedPerSmBytes - t.sharedReservedBytes);
    EXPECT_EQ(t.llvmFeatures(), "+ptx" + std::to_string(t.ptxVersion));
    EXPECT_FALSE(t.hasWgmma && t.hasTcgen05);
    EXPECT_TRUE(!t.hasTma || t.hasMbarrier);
  }
}

// Unknown names are answered with the known ones.
TEST(Target, Lookup) {
  EXPECT_EQ((*findTarget("sm_90a"))->major, 9);
  std::string text = findTarget("sm_90").status().text();
  EXPECT_NE(text.find("sm_80"), std::string::npos);
  EXPECT_NE(text.find("did you mean \"sm_90a\""), std::string::npos);
  EXPECT_EQ((*findGpu("RTX 4090"))->target, "sm_89");
  EXPECT_EQ((*findGpu("H200"))->sms, 132);
  EXPECT_NE(findGpu("gtx9000").status().text().find("h100"), std::string::npos);
  EXPECT_EQ((*targetForComputeCapability(8, 6))->name, "sm_86");
  EXPECT_EQ((*targetForComputeCapability(9, 0))->name, "sm_90a");
  EXPECT_EQ((*targetForComputeCapability(12, 1))->name, "sm_89"); // by its PTX
  EXPECT_FALSE(targetForComputeCapability(7, 0).ok());
}

// An operand's registers hold exactly its share of the tile: M * K bits over all threads.
TEST(MmaAtoms, RegistersFitTheTile) {
  for (const MmaAtom &atom : mmaAtoms()) {
    auto bitsOf = [&](int rows, int cols, DType dtype) {
      return rows * cols * static_cast<int>(bits(dtype));
    };
    if (atom.kind == MmaKind::kMmaSync) {
      EXPECT_EQ(atom.aRegisters * 32 * atom.threads, bitsOf(atom.m, atom.k, atom.a)) << atom.name;
      EXPECT_EQ(atom.bRegisters * 32 * atom.threads, bitsOf(atom.k, atom.n, atom.b)) << atom.name;
    }
    if (atom.kind != MmaKind::kTcgen05) {
      EXPECT_EQ(atom.cRegisters * 32 * atom.threads, bitsOf(atom.m, atom.n, atom.accumulator))
          << atom.name;
    }
    // One instruction takes 128 bits of K a row on Turing to Ampere's small forms, 256 at most.
    EXPECT_LE(atom.k * static_cast<int>(bits(atom.a)), 256) << atom.name;
  }
  EXPECT_EQ(findMmaSync(**findTarget("sm_80"), DType::kF16, DType::kF32, false)->k, 16);
  EXPECT_EQ(findMmaSync(**findTarget("sm_75"), DType::kF16, DType::kF32, false)->k, 8);
  EXPECT_EQ(findMmaSync(**findTarget("sm_75"), DType::kBF16, DType::kF32, false), nullptr);
  EXPECT_EQ(findMmaSync(**findTarget("sm_80"), DType::kF8E4M3FN, DType::kF32, false), nullptr);
}

// Every GPU names a target that exists and fits its compute capability.
TEST(Gpus, Targets) {
  for (const Gpu &gpu : gpus()) {
    Result<const Target *> target = findTarget(gpu.target);
    ASSERT_TRUE(target.ok()) << gpu.name;
    EXPECT_TRUE((*target)->cubinRunsOn(gpu.major, gpu.minor)) << gpu.name;
    EXPECT_EQ((*target)->sharedPerSmBytes, gpu.sharedPerSmBytes) << gpu.name;
  }
}

// The cubin of the same major version runs on later minor ones; `a` code runs on its own alone.
TEST(ChooseCode, Rules) {
  static const uint8_t kCode[4] = {};
  artifact::ArtifactData data;
  for (const char *name : {"sm_80", "sm_90a"}) {
    artifact::Variant &v = data.variants.emplace_back();
    v.target = name;
    v.ptx = "ptx";
    v.cubin = kCode;
    v.kernels.resize(1);
  }
  auto choose = [&](int major, int minor, bool emulated) -> std::string {
    Result<runtime::CodeChoice> choice = runtime::chooseCode(data, major, minor, emulated);
    if (!choice.ok())
      return choice.status().text();
    return choice->variant->target +
           (choice->form == runtime::CodeForm::kCubin ? " cubin" : " ptx");
  };
  EXPECT_EQ(choose(8, 0, false), "sm_80 cubin");
  EXPECT_EQ(choose(8, 9, false), "sm_80 cubin");
  EXPECT_EQ(choose(8, 0, true), "sm_80 ptx");
  EXPECT_EQ(choose(9, 0, false), "sm_90a cubin");
  EXPECT_EQ(choose(9, 0, true), "sm_90a ptx");
  EXPECT_EQ(choose(10, 0, false), "sm_80 ptx");
  EXPECT_EQ(choose(12, 0, false), "sm_80 ptx");
  EXPECT_NE(choose(7, 5, false).find("compile with --target=sm_75"), std::string::npos);
  data.variants[0].target = "sm_999x"; // of a newer compiler
  EXPECT_NE(choose(8, 0, false).find("the file has code for sm_999x, sm_90a"), std::string::npos);
}

// The rows of DType.def are consistent.
TEST(DType, Rows) {
  std::set<int> codes;
  for (const DTypeFacts &row : kDTypes) {
    EXPECT_TRUE(codes.insert(row.onnx).second);
    EXPECT_EQ(dtypeFromOnnx(row.onnx), row.dtype);
    EXPECT_EQ(dtypeFromName(row.name), row.dtype);
  }
  EXPECT_EQ(dtypeFromOnnx(8), std::nullopt); // string
  EXPECT_EQ(byteSize(DType::kI4, 3), 2);
  EXPECT_EQ(byteSize(DType::kU2, 5), 2);
  EXPECT_EQ(byteSize(DType::kF64, INT64_MAX), std::nullopt);
  EXPECT_EQ(byteSize(DType::kF32, -1), std::nullopt);
  EXPECT_TRUE(isSigned(DType::kI4) && !isSigned(DType::kU8) && !isInteger(DType::kBool));
}
