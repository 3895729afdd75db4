// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pad in all its modes, with negative pads (crops) and pads that depend on the inputs' shapes.
#include "passes/graph/form/Node.h"

using namespace mlir;

namespace heddle::graph::form {

namespace {

struct PaddedAxis {
  int64_t axis;
  AffineExpr begin, end;
};

} // namespace

static FailureOr<SmallVector<PaddedAxis>> getPads(Node &node) {
  int64_t rank = node.inType(0).getRank();
  std::optional<Dims> pads;
  if (auto given = node.integers("pads"))
    pads = llvm::map_to_vector<6>(*given, [&](int64_t v) { return node.expr(v); });
  else
    pads = node.values(1);
  if (!pads)
    return node.unsupported("its pads are not known before the model runs");
  SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < rank; ++axis)
    axes.push_back(axis);
  if (node.in(3)) {
    auto given = node.values(3);
    if (!given)
      return node.unsupported("its axes are not known before the model runs");
    axes.clear();
    for (AffineExpr axis : *given) {
      auto constant = shape::getConstant(axis);
      if (!constant)
        return node.unsupported("its axes depend on the inputs' shapes");
      axes.push_back(*constant < 0 ? *constant + rank : *constant);
    }
  }
  if (pads->size() != 2 * axes.size())
    return node.unsupported("it needs two pads an axis");
  SmallVector<PaddedAxis> result;
  for (auto [i, axis] : llvm::enumerate(axes))
    if (shape::getConstant((*pads)[i]) != 0 || shape::getConstant((*pads)[axes.size() + i]) != 0)
      result.push_back({axis, (*pads)[i], (*pads)[axes.size() + i]});
  return result;
}

/// a modulo b with the sign of b.
static Scalar floorModulo(Body &body, Scalar a, Scalar b) {
  return a - body.floorDivide(a, b) * b;
}

/// The coordinate that a mode reads for a position outside of [0, size).
static Scalar moveInside(Body &body, StringRef mode, Scalar position, Scalar size) {
  Scalar zero = body.index(0), last = size - 1;
  if (mode == "edge")
    return body.minimum(body.maximum(position, zero), last);
  if (mode == "wrap")
    return floorModulo(body, position, size);
  // Reflection repeats after twice the distance between the ends.
  Scalar period = body.maximum(last + last, body.index(1));
  Scalar phase = floorModulo(body, position, period);
  return body.select(phase < size, phase, period - phase);
}

static LogicalResult lowerPad(Node &node) {
  StringRef mode = node.text("mode", "constant");
  if (!llvm::is_contained({"constant", "reflect", "edge", "wrap"}, mode))
    return node.unsupported("mode \"" + mode + "\"");
  auto pads = getPads(node);
  if (failed(pads))
    return failure();
  if (pads->empty() && node.inType(0) == node.outType())
    return node.replace(node.in(0));
  Dims in = node.inDims(0);
  auto padValue = [&](Body &body) {
    if (!node.in(2))
      return body.constant(node.real("value", 0), node.outElement());
    return body.load(node.in(2), SmallVector<Scalar>(node.inType(2).getRank(), body.index(0)));
  };
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    SmallVector<Scalar> from(at.begin(), at.end());
    Scalar inside;
    for (const PaddedAxis &pad : *pads) {
      Scalar position = at[pad.axis] - body.size(pad.begin), size = body.size(in[pad.axis]);
      if (mode != "constant") {
        from[pad.axis] = moveInside(body, mode, position, size);
        continue;
      }
      from[pad.axis] = position;
      Scalar valid = body.inside(position, size);
      inside = inside ? inside & valid : valid;
    }
    if (!inside)
      return body.load(node.in(0), from);
    return body.branch(inside, [&] { return body.load(node.in(0), from); },
                       [&] { return padValue(body); });
  }));
}

void addPadding(Registry &registry) { registry["pad"] = lowerPad; }

} // namespace heddle::graph::form
