// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ONNX operators there are, and how their ops are built: read from the graph dialect's op
// list, so that an operator that is added there can be imported.
#ifndef HEDDLE_LIB_IMPORT_OPERATORTABLE_H
#define HEDDLE_LIB_IMPORT_OPERATORTABLE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringMap.h"

namespace heddle::import {

struct Operator {
  mlir::OperationName name;
  /// Ascending opset versions at which the operator changed.
  llvm::ArrayRef<int> versions;
  /// Operand groups where absent operands may stand before given ones; 0 for ops without any.
  unsigned groups = 0;
  /// Results that the op always has.
  unsigned fixedResults = 0;
};

class OperatorTable {
public:
  explicit OperatorTable(mlir::MLIRContext *context);
  /// Null if the dialect has no such operator.
  const Operator *find(llvm::StringRef onnxName) const;

private:
  llvm::StringMap<Operator> operators;
};

} // namespace heddle::import

#endif
