// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the graph dialect's ops.
#include "dialects/graph/Graph.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "dialects/graph/GraphDialect.cpp.inc"
#include "dialects/graph/GraphInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/graph/Graph.cpp.inc"

using namespace mlir;

namespace heddle::graph {

void GraphDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/graph/Graph.cpp.inc"
      >();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

Operation *GraphDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  return elements ? ConstantOp::create(builder, loc, elements).getOperation() : nullptr;
}

} // namespace heddle::graph
