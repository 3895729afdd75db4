// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cast, CastLike and BitCast: another element type, the same elements.
#include "passes/graph/form/Node.h"

using namespace mlir;

namespace heddle::graph::form {

/// Conversion straight from the operand's type, so that nothing rounds twice.
static LogicalResult lowerCast(Node &node) {
  RankedTensorType type = node.outType();
  if (node.inType(0) == type)
    return node.replace(node.in(0));
  bool saturate = node.integer("saturate", 1);
  Value input = node.in(0);
  return node.replace(node.map(type, [&](Body &body, Scalars at) {
    return body.convert(body.load(input, at), type.getElementType(), saturate);
  }));
}

static LogicalResult lowerBitCast(Node &node) {
  RankedTensorType type = node.outType();
  Type from = node.inType(0).getElementType(), to = type.getElementType();
  if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return node.unsupported("it casts between types of different widths");
  Value input = node.in(0);
  return node.replace(node.map(
      type, [&](Body &body, Scalars at) { return body.bitcast(body.load(input, at), to); }));
}

void addCasts(Registry &registry) {
  registry["cast"] = lowerCast;
  registry["cast_like"] = lowerCast;
  registry["bit_cast"] = lowerBitCast;
  registry["identity"] = [](Node &node) { return node.replace(node.in(0)); };
}

} // namespace heddle::graph::form
