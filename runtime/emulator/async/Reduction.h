// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cp.reduce.async.bulk and cp.reduce.async.bulk.tensor do to each element: old = old op
// source, each on its own atomically (PTX ISA 9.0, 9.7.9.27.4.2).
#ifndef HEDDLE_RUNTIME_EMULATOR_ASYNC_REDUCTION_H
#define HEDDLE_RUNTIME_EMULATOR_ASYNC_REDUCTION_H

#include <cstdint>
#include <string_view>

namespace heddle::emulator {

enum class ReduceOp : uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kCount };
enum class ReduceType : uint8_t { kU32, kS32, kU64, kS64, kF16, kBF16, kF32, kF64, kCount };

struct Reduction {
  ReduceOp op = ReduceOp::kAdd;
  ReduceType type = ReduceType::kU32;
  bool flushes = false; ///< f32: subnormal numbers count as zero
};

/// "add", "u32"; false: there is none of this name. "b32" and "b64" are kU32 and kU64.
bool findReduceOp(std::string_view name, ReduceOp &op);
bool findReduceType(std::string_view name, ReduceType &type);
uint32_t reduceTypeBytes(ReduceType type);

/// Whether an instruction has this combination: to global memory, to shared memory, and through a
/// tensor map.
enum class ReduceTarget : uint8_t { kGlobal, kShared, kTensor };
bool isReduction(ReduceTarget target, ReduceOp op, ReduceType type);

/// `bytes` is a multiple of the element's size; `to` is aligned to it.
void reduceInto(const Reduction &reduction, uint8_t *to, const uint8_t *from, uint32_t bytes);

} // namespace heddle::emulator

#endif // HEDDLE_RUNTIME_EMULATOR_ASYNC_REDUCTION_H
