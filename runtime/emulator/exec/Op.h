// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A decoded instruction. Handlers see registers only: immediates, special registers and addresses
// of variables are registers that are filled before the kernel starts (exec/Kernel.h).
#ifndef HEDDLE_RUNTIME_EMULATOR_EXEC_OP_H
#define HEDDLE_RUNTIME_EMULATOR_EXEC_OP_H

#include <cstdint>

namespace heddle::emulator {

struct Warp;
struct Op;
using Handler = void (*)(Warp &, const Op &);

/// What the counters tell apart.
enum class OpClass : uint16_t {
  kInteger,
  kFloat,
  kSpecialFunction,
  kConvert,
  kMove,
  kGlobal,
  kShared,
  kLocal,
  kParam,
  kAtomic,
  kBranch,
  kBarrier,
  kShuffle,
  kTensor,
  kNone, ///< not an instruction of the program
  kCount
};

/// 64 bytes: a cache line. Registers are byte offsets into the warp's register file, predicates
/// are indices into its predicates.
struct alignas(64) Op {
  Handler run = nullptr;
  uint32_t d = 0, a = 0, b = 0, c = 0;
  uint32_t guard = 0;     ///< predicate; 0 is true in all lanes
  uint32_t guardFlip = 0; ///< all ones for "@!p"
  int64_t imm = 0;
  uint32_t target = 0; ///< of a branch: index of the op
  uint32_t join = 0;   ///< of a branch: where its lanes meet again; kNoJoin: at the exit; of a
                       ///< memory op: MemoryOrder
  const uint32_t *more = nullptr;
  uint32_t line = 0;
  OpClass kind = OpClass::kNone;
  uint16_t bytes = 0; ///< that a lane of a memory op moves
};
static_assert(sizeof(Op) == 64);

constexpr uint32_t kNoJoin = ~0u;
constexpr uint32_t kLaneCount = 32;
constexpr uint32_t kAllLanes = ~0u;
/// Op::imm of instructions whose lanes may meet from different places: bar.warp.sync.
constexpr int64_t kMeetsElsewhere = 1;

/// Op::join of loads, stores and atomics, for the checks: bits.
enum MemoryOrder : uint32_t {
  kStrongAccess = 1, ///< volatile, relaxed, acquire, release, atomic
  kAcquireAccess = 2,
  kReleaseAccess = 4
};

/// Addresses that are no host addresses. Offsets in shared, local and parameter memory start above
/// zero, so that a null pointer is found.
constexpr uint64_t kSharedWindow = 0x7e0000000000;
constexpr uint64_t kLocalWindow = 0x7e1000000000;
constexpr uint64_t kParamWindow = 0x7e2000000000;
constexpr uint64_t kWindowBytes = 0x1000000000;
constexpr uint32_t kSharedBase = 1024;
constexpr uint32_t kLocalBase = 1024;

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_EXEC_OP_H
