// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TopK by ranks: one kernel counts for every element how many come before it, another picks for
// every place the element of that rank. Quadratic in the axis, exact, and stable.
#include "passes/graph/form/Node.h"

using namespace mlir;

namespace heddle::graph::form {

/// The coordinates with another one along an axis.
static SmallVector<Scalar> moved(Scalars at, int64_t axis, Scalar position) {
  SmallVector<Scalar> result(at.begin(), at.end());
  result[axis] = position;
  return result;
}

/// How many elements of the axis come before this one; equal ones keep their order.
static Value createRanks(Node &node, int64_t axis, bool largest) {
  Dims dims = node.inDims(0);
  Type i32 = node.builder.getI32Type();
  return node.map(shape::getTensorType(dims, i32), [&](Body &body, Scalars at) {
    Scalar own = body.loadWide(node.in(0), at);
    return body.fold(kernel::FoldKind::Add, {dims[axis]}, i32, [&](Scalars k) {
      Scalar other = body.loadWide(node.in(0), moved(at, axis, k[0]));
      Scalar before = largest ? other > own : other < own;
      before = before | (equal(other, own) & (k[0] < at[axis]));
      return body.select(before, body.integer(1, i32), body.integer(0, i32));
    });
  });
}

static LogicalResult lowerTopK(Node &node) {
  int64_t rank = node.inType(0).getRank(), axis = node.integer("axis", -1);
  axis += axis < 0 ? rank : 0;
  AffineExpr size = node.inDims(0)[axis];
  Value ranks = createRanks(node, axis, node.integer("largest", 1));
  return node.replace(node.mapMany({node.outType(0), node.outType(1)}, [&](Body &body, Scalars at) {
    Type i32 = body.builder.getI32Type();
    auto [found, index] = body.argFold(kernel::FoldKind::ArgMax, {size}, i32, [&](Scalars k) {
      Scalar position = body.load(ranks, moved(at, axis, k[0]));
      Scalar isHere = equal(position, body.convert(at[axis], i32));
      return std::pair{body.select(isHere, body.integer(1, i32), body.integer(0, i32)), k[0]};
    });
    Scalar value = body.load(node.in(0), moved(at, axis, index));
    return SmallVector<Scalar>{value, body.convert(index, node.outElement(1))};
  }));
}

void addSorting(Registry &registry) { registry["top_k"] = lowerTopK; }

} // namespace heddle::graph::form
