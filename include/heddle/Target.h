// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the architectures, their Tensor Core instructions and the GPUs can do, as tables. Code that
// depends on an architecture asks for a named capability, never for a number.
#ifndef HEDDLE_TARGET_H
#define HEDDLE_TARGET_H

#include "heddle/DType.h"
#include "heddle/Status.h"
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heddle {

/// One architecture that PTX is emitted for.
struct Target {
  std::string_view name; ///< "sm_90a": as ptxas, LLVM and `.target` spell it
  int major;             ///< compute capability
  int minor;
  bool exactOnly; ///< the `a` suffix: PTX and cubin run on this compute capability alone
  /// PTX ISA to emit, 80 = 8.0: the lowest that has what the target's kernels use, because the
  /// driver must know it to compile the text.
  int ptxVersion;

  int64_t sharedPerBlockBytes; ///< with opt-in
  int64_t sharedPerSmBytes;
  int64_t sharedReservedBytes; ///< taken by the system from each block's share
  int threadsPerSm;
  int blocksPerSm;
  int64_t registersPerSm; ///< 32-bit

  bool hasBf16;      ///< bf16 arithmetic and mma
  bool hasFp8;       ///< e4m3 and e5m2 conversions
  bool hasTf32Mma;   ///< mma.sync on f32 rounded to 10 bits
  bool hasCpAsync;   ///< cp.async global to shared
  bool hasLdMatrix;  ///< ldmatrix
  bool hasStMatrix;  ///< stmatrix
  bool hasMbarrier;  ///< mbarrier objects with try_wait
  bool hasCluster;   ///< thread block clusters, distributed shared memory
  bool hasTma;       ///< cp.async.bulk.tensor
  bool hasWgmma;     ///< warpgroup mma from shared memory
  bool hasTcgen05;   ///< mma with tensor memory
  bool hasSetMaxReg; ///< setmaxnreg
  bool hasPdl;       ///< griddepcontrol: programmatic dependent launch

  /// "+ptx80": what LLVM's `-mattr` takes; the cpu is `name`.
  std::string llvmFeatures() const;
  /// Whether code for this target runs as machine code on a GPU of compute capability major.minor.
  bool cubinRunsOn(int gpuMajor, int gpuMinor) const;
  /// Whether the driver of a GPU of that compute capability can compile this target's PTX.
  bool ptxRunsOn(int gpuMajor, int gpuMinor) const;
};

enum class MmaKind : uint8_t { kMmaSync, kWgmma, kTcgen05 };

/// One Tensor Core instruction: D[M, N] = A[M, K] * B[K, N] + C, by `threads` threads.
struct MmaAtom {
  std::string_view name; ///< "m16n8k16.f32.f16.f16"
  MmaKind kind;
  int m, n, k; ///< n is the largest that the instruction takes
  int nStep;   ///< n may be any multiple of this up to `n`; 0: only `n`
  DType a, b;  ///< element types; a tf32 operand is kF32 with `tf32` set
  DType accumulator;
  bool tf32;
  int threads;
  int minMajor, minMinor; ///< first compute capability that has it
  bool later;             ///< later compute capabilities have it as well
  /// 32-bit registers a thread holds; 0 for an operand that is read from shared or tensor memory.
  int aRegisters, bRegisters, cRegisters;
};

/// One product, with the dense rates that its maker states; 0: it cannot.
struct Gpu {
  std::string_view name;    ///< "h200": what --device=emu:NAME takes
  std::string_view display; ///< "NVIDIA H200": what cuDeviceGetName says
  std::string_view target;  ///< Target::name that serves it best
  int major, minor;
  int sms;
  int boostMHz;
  double f16TFlops, f8TFlops, i8TOps, tf32TFlops, f32TFlops;
  int64_t memoryBytes;
  double bandwidthGBs;
  int64_t l2Bytes;
  int64_t sharedPerSmBytes;
};

std::span<const Target> targets();
std::span<const MmaAtom> mmaAtoms();
std::span<const Gpu> gpus();

/// The row of that name.
/// Errors:  kNotFound with the list of known names. "sm_90" is not "sm_90a": the text says so.
Result<const Target *> findTarget(std::string_view name);
/// Case, blanks, '-' and '_' do not count: "RTX 4090" is "rtx4090".
Result<const Gpu *> findGpu(std::string_view name);
/// The target that serves a GPU of this compute capability best.
Result<const Target *> targetForComputeCapability(int major, int minor);
bool hasAtom(const Target &target, const MmaAtom &atom);
/// The mma.sync rows of a target for these operand types, the largest K first.
const MmaAtom *findMmaSync(const Target &target, DType operand, DType accumulator, bool tf32);

} // namespace heddle

#endif // HEDDLE_TARGET_H
