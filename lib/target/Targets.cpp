// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The architectures, a row each. Limits: CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability". PTX versions: the lowest that LLVM 22 selects every instruction of the
// target's kernels for and that ptxas 13.0 assembles.
#include "heddle/Target.h"

namespace heddle {

static constexpr int64_t kKiB = 1024;

// The capability columns are the history of the machine: each architecture names what it has.
static constexpr Target kTargets[] = {
    {.name = "sm_75",
     .major = 7,
     .minor = 5,
     .exactOnly = false,
     .ptxVersion = 78,
     .sharedPerBlockBytes = 64 * kKiB,
     .sharedPerSmBytes = 64 * kKiB,
     .sharedReservedBytes = 0,
     .threadsPerSm = 1024,
     .blocksPerSm = 16,
     .registersPerSm = 65536,
     .hasBf16 = false,
     .hasFp8 = false,
     .hasTf32Mma = false,
     .hasCpAsync = false,
     .hasLdMatrix = true,
     .hasStMatrix = false,
     .hasMbarrier = false,
     .hasCluster = false,
     .hasTma = false,
     .hasWgmma = false,
     .hasTcgen05 = false,
     .hasSetMaxReg = false,
     .hasPdl = false},
    {.name = "sm_80",
     .major = 8,
     .minor = 0,
     .exactOnly = false,
     .ptxVersion = 80,
     .sharedPerBlockBytes = 163 * kKiB,
     .sharedPerSmBytes = 164 * kKiB,
     .sharedReservedBytes = kKiB,
     .threadsPerSm = 2048,
     .blocksPerSm = 32,
     .registersPerSm = 65536,
     .hasBf16 = true,
     .hasFp8 = false,
     .hasTf32Mma = true,
     .hasCpAsync = true,
     .hasLdMatrix = true,
     .hasStMatrix = false,
     .hasMbarrier = false,
     .hasCluster = false,
     .hasTma = false,
     .hasWgmma = false,
     .hasTcgen05 = false,
     .hasSetMaxReg = false,
     .hasPdl = false},
    {.name = "sm_86",
     .major = 8,
     .minor = 6,
     .exactOnly = false,
     .ptxVersion = 80,
     .sharedPerBlockBytes = 99 * kKiB,
     .sharedPerSmBytes = 100 * kKiB,
     .sharedReservedBytes = kKiB,
     .threadsPerSm = 1536,
     .blocksPerSm = 16,
     .registersPerSm = 65536,
     .hasBf16 = true,
     .hasFp8 = false,
     .hasTf32Mma = true,
     .hasCpAsync = true,
     .hasLdMatrix = true,
     .hasStMatrix = false,
     .hasMbarrier = false,
     .hasCluster = false,
     .hasTma = false,
     .hasWgmma = false,
     .hasTcgen05 = false,
     .hasSetMaxReg = false,
     .hasPdl = false},
    {.name = "sm_87",
     .major = 8,
     .minor = 7,
     .exactOnly = false,
     .ptxVersion = 80,
     .sharedPerBlockBytes = 163 * kKiB,
     .sharedPerSmBytes = 164 * kKiB,
     .sharedReservedBytes = kKiB,
     .threadsPerSm = 1536,
     .blocksPerSm = 16,
     .registersPerSm = 65536,
     .hasBf16 = true,
     .hasFp8 = false,
     .hasTf32Mma = true,
     .hasCpAsync = true,
     .hasLdMatrix = true,
     .hasStMatrix = false,
     .hasMbarrier = false,
     .hasCluster = false,
     .hasTma = false,
     .hasWgmma = false,
     .hasTcgen05 = false,
     .hasSetMaxReg = false,
     .hasPdl = false},
    // PTX ISA 8.4: mma with e4m3 and e5m2 operands on sm_89.
    {.name = "sm_89",
     .major = 8,
     .minor = 9,
     .exactOnly = false,
     .ptxVersion = 84,
     .sharedPerBlockBytes = 99 * kKiB,
     .sharedPerSmBytes = 100 * kKiB,
     .sharedReservedBytes = kKiB,
     .threadsPerSm = 1536,
     .blocksPerSm = 24,
     .registersPerSm = 65536,
     .hasBf16 = true,
     .hasFp8 = true,
     .hasTf32Mma = true,
     .hasCpAsync = true,
     .hasLdMatrix = true,
     .hasStMatrix = false,
     .hasMbarrier = false,
     .hasCluster = false,
     .hasTma = false,
     .hasWgmma = false,
     .hasTcgen05 = false,
     .hasSetMaxReg = false,
     .hasPdl = false},
    // PTX ISA 8.6: cp.async.bulk with a shared::cta destination.
    {.name = "sm_90a",
     .major = 9,
     .minor = 0,
     .exactOnly = true,
     .ptxVersion = 86,
     .sharedPerBlockBytes = 227 * kKiB,
     .sharedPerSmBytes = 228 * kKiB,
     .sharedReservedBytes = kKiB,
     .threadsPerSm = 2048,
     .blocksPerSm = 32,
     .registersPerSm = 65536,
     .hasBf16 = true,
     .hasFp8 = true,
     .hasTf32Mma = true,
     .hasCpAsync = true,
     .hasLdMatrix = true,
     .hasStMatrix = true,
     .hasMbarrier = true,
     .hasCluster = true,
     .hasTma = true,
     .hasWgmma = true,
     .hasTcgen05 = false,
     .hasSetMaxReg = true,
     .hasPdl = true},
    {.name = "sm_100a",
     .major = 10,
     .minor = 0,
     .exactOnly = true,
     .ptxVersion = 86,
     .sharedPerBlockBytes = 227 * kKiB,
     .sharedPerSmBytes = 228 * kKiB,
     .sharedReservedBytes = kKiB,
     .threadsPerSm = 2048,
     .blocksPerSm = 32,
     .registersPerSm = 65536,
     .hasBf16 = true,
     .hasFp8 = true,
     .hasTf32Mma = true,
     .hasCpAsync = true,
     .hasLdMatrix = true,
     .hasStMatrix = true,
     .hasMbarrier = true,
     .hasCluster = true,
     .hasTma = true,
     .hasWgmma = false,
     .hasTcgen05 = true,
     .hasSetMaxReg = true,
     .hasPdl = true},
    {.name = "sm_103a",
     .major = 10,
     .minor = 3,
     .exactOnly = true,
     .ptxVersion = 88,
     .sharedPerBlockBytes = 227 * kKiB,
     .sharedPerSmBytes = 228 * kKiB,
     .sharedReservedBytes = kKiB,
     .threadsPerSm = 2048,
     .blocksPerSm = 32,
     .registersPerSm = 65536,
     .hasBf16 = true,
     .hasFp8 = true,
     .hasTf32Mma = true,
     .hasCpAsync = true,
     .hasLdMatrix = true,
     .hasStMatrix = true,
     .hasMbarrier = true,
     .hasCluster = true,
     .hasTma = true,
     .hasWgmma = false,
     .hasTcgen05 = true,
     .hasSetMaxReg = true,
     .hasPdl = true},
    {.name = "sm_120a",
     .major = 12,
     .minor = 0,
     .exactOnly = true,
     .ptxVersion = 87,
     .sharedPerBlockBytes = 99 * kKiB,
     .sharedPerSmBytes = 100 * kKiB,
     .sharedReservedBytes = kKiB,
     .threadsPerSm = 1536,
     .blocksPerSm = 24,
     .registersPerSm = 65536,
     .hasBf16 = true,
     .hasFp8 = true,
     .hasTf32Mma = true,
     .hasCpAsync = true,
     .hasLdMatrix = true,
     .hasStMatrix = true,
     .hasMbarrier = true,
     .hasCluster = true,
     .hasTma = true,
     .hasWgmma = false,
     .hasTcgen05 = false,
     .hasSetMaxReg = true,
     .hasPdl = true},
};

std::span<const Target> targets() { return kTargets; }

std::string Target::llvmFeatures() const { return "+ptx" + std::to_string(ptxVersion); }

// CUDA C++ Programming Guide, "Binary Compatibility": a cubin runs on its major version at the same
// or a higher minor version, and never on another major version.
bool Target::cubinRunsOn(int gpuMajor, int gpuMinor) const {
  if (exactOnly)
    return gpuMajor == major && gpuMinor == minor;
  return gpuMajor == major && gpuMinor >= minor;
}

bool Target::ptxRunsOn(int gpuMajor, int gpuMinor) const {
  if (exactOnly)
    return gpuMajor == major && gpuMinor == minor;
  return gpuMajor > major || (gpuMajor == major && gpuMinor >= minor);
}

Result<const Target *> findTarget(std::string_view name) {
  std::string known;
  std::string hint;
  for (const Target &row : kTargets) {
    if (row.name == name)
      return &row;
    if (row.exactOnly && row.name.substr(0, row.name.size() - 1) == name)
      hint = "; did you mean \"" + std::string(row.name) + "\"?";
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return notFound("target \"" + std::string(name) + "\" is not known; known targets: " + known +
                  hint);
}

Result<const Target *> targetForComputeCapability(int major, int minor) {
  const Target *best = nullptr;
  for (const Target &row : kTargets)
    if (row.cubinRunsOn(major, minor))
      best = &row; // rows ascend
  if (!best)
    for (const Target &row : kTargets)
      if (row.ptxRunsOn(major, minor))
        best = &row;
  if (best)
    return best;
  return notFound("no target serves compute capability " + std::to_string(major) + "." +
                  std::to_string(minor) + "; the oldest that is served is 7.5");
}

} // namespace heddle
