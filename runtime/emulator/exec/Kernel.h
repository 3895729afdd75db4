// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A decoded kernel: its ops, the registers that are filled before it starts, and what a launch must
// know of it.
#ifndef HEDDLE_RUNTIME_EMULATOR_EXEC_KERNEL_H
#define HEDDLE_RUNTIME_EMULATOR_EXEC_KERNEL_H

#include "runtime/emulator/exec/Op.h"
#include <deque>
#include <string>
#include <vector>

namespace heddle::emulator {

/// A register that is filled before the kernel starts.
struct Constant {
  uint32_t slot;
  uint32_t bytes;
  uint64_t value;
};

enum class Special : uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kNwarpId,
  kLaneMaskEq,
  kLaneMaskLt,
  kLaneMaskLe,
  kLaneMaskGt,
  kLaneMaskGe,
  kSmId,
  kNsmId,
  kGridId,
  kDynamicShared,
  kWorkspaceHigh,
  kWorkspaceLow,
  kTotalShared,
  kClusterIdX,
  kClusterIdY,
  kClusterIdZ,
  kNclusterIdX,
  kNclusterIdY,
  kNclusterIdZ,
  kClusterCtaidX,
  kClusterCtaidY,
  kClusterCtaidZ,
  kClusterNctaidX,
  kClusterNctaidY,
  kClusterNctaidZ,
  kClusterCtarank,
  kClusterNctarank,
  kCount
};

struct SpecialRegister {
  Special which;
  uint32_t slot;
  uint32_t bytes; ///< 2, 4 or 8
};

struct Parameter {
  std::string name;
  uint32_t offset;
  uint32_t bytes;
};

/// A kernel that can be launched.
struct Kernel {
  std::string name;
  std::vector<Op> ops;
  std::deque<std::vector<uint32_t>> tables; ///< what Op::more points to
  uint32_t registerBytes = 0;               ///< of a warp
  uint32_t predicates = 1;
  std::vector<Constant> constants;
  std::vector<SpecialRegister> specials;
  std::vector<Parameter> params;
  uint32_t paramBytes = 0;
  uint32_t sharedBytes = 0; ///< static
  // For the texts of findings.
  std::vector<Parameter> sharedVariables;
  std::vector<std::string> registerNames, wgmmaRegisters;
  uint32_t localBytes = 0; ///< a thread
  uint32_t maxThreads = 0; ///< 0: not limited by the kernel
  uint32_t requiredThreads[3] = {0, 0, 0};
  uint32_t maxDynamicShared = 48 * 1024;
  uint32_t cluster[3] = {0, 0, 0}; ///< .reqnctapercluster; 0: the launch says
  uint32_t maxClusterRank = 0;     ///< .maxclusterrank; 0: not limited by the kernel
};

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_EXEC_KERNEL_H
