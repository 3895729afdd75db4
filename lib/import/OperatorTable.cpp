// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks every registered op of the graph dialect for its ONNX operator.
#include "lib/import/OperatorTable.h"

#include "dialects/graph/Graph.h"

using namespace mlir;

namespace heddle::import {

/// The number of operand groups, which only an instance of the op tells.
static unsigned countGroups(OperationName name, MLIRContext *context) {
  OperationState state(UnknownLoc::get(context), name);
  Operation *op = Operation::create(state);
  auto sizes = op->getInherentAttr("operandSegmentSizes");
  auto array = sizes ? dyn_cast_or_null<DenseI32ArrayAttr>(*sizes) : DenseI32ArrayAttr();
  unsigned groups = array ? array.size() : 0;
  op->destroy();
  return groups;
}

OperatorTable::OperatorTable(MLIRContext *context) {
  // The look-up by dialect needs an order of names that it has not got when many dialects are
  // loaded.
  for (RegisteredOperationName name : context->getRegisteredOperations()) {
    auto *interface = name.getInterface<graph::OnnxOperator>();
    if (!interface)
      continue;
    Operator entry{name, interface->getOnnxVersions(), countGroups(name, context), 0};
    if (name.hasTrait<OpTrait::OneResult>())
      entry.fixedResults = 1;
    else if (name.hasTrait<OpTrait::NResults<2>::Impl>())
      entry.fixedResults = 2;
    else if (name.hasTrait<OpTrait::NResults<3>::Impl>())
      entry.fixedResults = 3;
    operators.try_emplace(interface->getOnnxName(), entry);
  }
}

const Operator *OperatorTable::find(StringRef onnxName) const {
  auto found = operators.find(onnxName);
  return found == operators.end() ? nullptr : &found->second;
}

} // namespace heddle::import
