// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which schedule writes which kernel op on which target.
#include "lib/schedule/Schedules.h"

using namespace mlir;
using heddle::kernel::Math;

namespace heddle::schedule {

/// The type of the products on Tensor Cores, or `Native` where the plain cores compute: f32 stays
/// exact unless `math` says otherwise.
static Math chooseMath(kernel::ContractOp op) {
  Type element = op.getLhs().front().getTerminator()->getOperand(0).getType();
  if (element.isF16())
    return Math::F16;
  if (element.isBF16())
    return Math::BF16;
  return element.isF32() ? op.getMath() : Math::Native;
}

static FailureOr<Kernel> scheduleContract(kernel::ContractOp op, const Target &target,
                                          StringRef name) {
  Math math = chooseMath(op);
  if (math == Math::Native)
    return scheduleContractCores(op, name);
  DType type = math == Math::F16 ? DType::kF16 : math == Math::BF16 ? DType::kBF16 : DType::kF32;
  const MmaAtom *atom = findMmaSync(target, type, DType::kF32, math == Math::TF32);
  if (!atom || atom->m != 16 || atom->n != 8 || atom->k != (math == Math::TF32 ? 8 : 16)) {
    // Operands that are themselves 16 bits wide may use the plain cores: nothing is rounded that
    // was not.
    if (op.getMath() == Math::Native || math != op.getMath())
      return scheduleContractCores(op, name);
    return op->emitError("unsupported: target ")
           << target.name << " has no Tensor Core products in " << stringifyMath(math)
           << "; use --precision=f32 or sm_80 and newer";
  }
  return scheduleContractMma(op, name, math);
}

FailureOr<Kernel> schedule(Operation *op, const Target &target, StringRef name) {
  if (auto map = dyn_cast<kernel::MapOp>(op))
    return scheduleMap(map, name);
  if (auto reduce = dyn_cast<kernel::ReduceOp>(op))
    return scheduleReduce(reduce, name);
  if (auto rows = dyn_cast<kernel::RowsOp>(op))
    return scheduleRows(rows, name);
  if (auto contract = dyn_cast<kernel::ContractOp>(op))
    return scheduleContract(contract, target, name);
  return op->emitError("unsupported: no schedule writes '") << op->getName() << "'";
}

} // namespace heddle::schedule
