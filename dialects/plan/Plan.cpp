// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of the plan dialect: what the writer of artifacts relies on.
#include "dialects/plan/Plan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/plan/PlanDialect.cpp.inc"
#include "dialects/plan/PlanEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/plan/PlanTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/plan/Plan.cpp.inc"

using namespace mlir;

namespace heddle::plan {

void PlanDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/plan/PlanTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/plan/Plan.cpp.inc"
      >();
}

LogicalResult LaunchOp::verify() {
  // launch-1: the grid has three sizes.
  if (getGrid().getNumResults() != 3)
    return emitOpError("grid needs 3 sizes, got ") << getGrid().getNumResults();
  // launch-2: the block has one to three sizes.
  if (getBlock().empty() || getBlock().size() > 3)
    return emitOpError("block needs 1 to 3 sizes, got ") << getBlock().size();
  return success();
}

LogicalResult StoreOp::verify() {
  // store-1: the host writes integers, bool, f32 and f64.
  Type type = getElementType();
  if (type.isF32() || type.isF64() || type.isInteger(1))
    return success();
  if (auto integer = dyn_cast<IntegerType>(type); integer && integer.getWidth() >= 8)
    return success();
  return emitOpError("element type must be an integer of 8 bits or more, bool, f32 or f64, got ")
         << type;
}

LogicalResult CheckOp::verify() {
  // check-1: two numbers are compared.
  if (getNumbers().getNumResults() != 2)
    return emitOpError("needs 2 numbers, got ") << getNumbers().getNumResults();
  return success();
}

} // namespace heddle::plan
