// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that only move elements: each is a map whose region loads from another place. Those
// that keep the order of elements are a kernel.reshape, which is no code at all.
#include "passes/graph/form/Node.h"

using namespace mlir;

namespace heddle::graph::form {

static int64_t normalize(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

static LogicalResult lowerReshape(Node &node) {
  return node.replace(node.reshape(node.in(0), node.outDims()));
}

static LogicalResult lowerTranspose(Node &node) {
  int64_t rank = node.outType().getRank();
  SmallVector<int64_t> perm;
  for (int64_t i = rank - 1; i >= 0; --i)
    perm.push_back(i);
  if (auto given = node.integers("perm"))
    perm = *given;
  Value input = node.in(0);
  Dims in = node.inDims(0);
  // Moving axes of size 1 does not move elements.
  SmallVector<int64_t> moved;
  for (int64_t axis : perm)
    if (shape::getConstant(in[axis]) != 1)
      moved.push_back(axis);
  if (llvm::is_sorted(moved))
    return node.replace(node.reshape(input, node.outDims()));
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    SmallVector<Scalar> from(rank);
    for (auto [out, axis] : llvm::enumerate(perm))
      from[axis] = at[out];
    return body.load(input, from);
  }));
}

static LogicalResult lowerExpand(Node &node) {
  Dims dims = node.outDims();
  Value input = node.in(0);
  if (node.inType(0) == node.outType())
    return node.replace(input);
  return node.replace(node.map(
      node.outType(), [&](Body &body, Scalars at) { return body.loadBroadcast(input, at, dims); }));
}

static LogicalResult lowerTile(Node &node) {
  Dims in = node.inDims(0), out = node.outDims();
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    SmallVector<Scalar> from;
    for (auto [axis, size] : llvm::enumerate(in)) {
      if (shape::getConstant(size) == 1)
        from.push_back(body.index(0));
      else if (shape::provablyEqual(size, out[axis]))
        from.push_back(at[axis]);
      else
        from.push_back(at[axis] % body.size(size));
    }
    return body.load(node.in(0), from);
  }));
}

//===----------------------------------------------------------------------------------------------===//
// Slices and joins
//===----------------------------------------------------------------------------------------------===//

namespace {

/// One sliced axis: output i reads begin + i * step.
struct SliceAxis {
  int64_t axis;
  AffineExpr begin; // as given
  int64_t step;
};

} // namespace

/// The first element read, clamped as ONNX says; folded where everything is constant.
static Scalar sliceBegin(Body &body, const SliceAxis &slice, AffineExpr size) {
  Scalar extent = body.size(size), begin = body.size(slice.begin), zero = body.index(0);
  begin = body.select(begin < zero, begin + extent, begin);
  Scalar last = slice.step < 0 ? extent - 1 : extent;
  return body.maximum(body.minimum(begin, last), zero);
}

static Value createSlice(Node &node, RankedTensorType type, ArrayRef<SliceAxis> slices) {
  Dims in = node.inDims(0);
  return node.map(type, [&](Body &body, Scalars at) {
    SmallVector<Scalar> from(at.begin(), at.end());
    for (const SliceAxis &slice : slices)
      from[slice.axis] =
          sliceBegin(body, slice, in[slice.axis]) + at[slice.axis] * body.index(slice.step);
    return body.load(node.in(0), from);
  });
}

/// Values of an attribute (old opsets) or of an operand.
static std::optional<Dims> known(Node &node, StringRef name, unsigned group) {
  if (auto given = node.integers(name))
    return llvm::map_to_vector<6>(*given, [&](int64_t v) { return node.expr(v); });
  return node.values(group);
}

static LogicalResult lowerSlice(Node &node) {
  int64_t rank = node.outType().getRank();
  if (node.inType(0) == node.outType() && !node.in(4))
    return node.replace(node.in(0));
  auto starts = known(node, "starts", 1), axes = known(node, "axes", 3),
       steps = known(node, "steps", 4);
  if (!starts)
    return node.unsupported("its starts are not known before the model runs");
  if ((node.in(3) && !axes) || (node.in(4) && !steps))
    return node.unsupported("its axes or steps are not known before the model runs");
  SmallVector<SliceAxis> slices;
  for (auto [i, start] : llvm::enumerate(*starts)) {
    auto axis = axes ? shape::getConstant((*axes)[i]) : std::optional<int64_t>(i);
    auto step = steps ? shape::getConstant((*steps)[i]) : std::optional<int64_t>(1);
    if (!axis || !step)
      return node.unsupported("its axes or steps depend on the inputs' shapes");
    // Clamped to what any size can be, so that index arithmetic cannot overflow.
    if (auto begin = shape::getConstant(start))
      start = node.expr(std::clamp<int64_t>(*begin, -(int64_t(1) << 31), (int64_t(1) << 31) - 1));
    *step = std::clamp<int64_t>(*step, -(int64_t(1) << 30), int64_t(1) << 30);
    slices.push_back({normalize(*axis, rank), start, *step});
  }
  return node.replace(createSlice(node, node.outType(), slices));
}

static LogicalResult lowerSplit(Node &node) {
  int64_t axis = normalize(node.integer("axis", 0), node.outType().getRank());
  AffineExpr begin = node.expr(0);
  SmallVector<Value> results;
  for (unsigned i = 0; i < node.op->getNumResults(); ++i) {
    results.push_back(createSlice(node, node.outType(i), {{axis, begin, 1}}));
    begin = begin + node.outDims(i)[axis];
  }
  return node.replace(results);
}

/// Reads from the operand that holds position `at[axis]`.
static Scalar selectPart(Body &body, ArrayRef<Value> parts, int64_t axis, Scalars at,
                         AffineExpr begin) {
  SmallVector<Scalar> from(at.begin(), at.end());
  from[axis] = at[axis] - body.size(begin);
  if (parts.size() == 1)
    return body.load(parts[0], from);
  AffineExpr end = begin + shape::getDim(cast<RankedTensorType>(parts[0].getType()), axis);
  return body.branch(
      at[axis] < body.size(end), [&] { return body.load(parts[0], from); },
      [&] { return selectPart(body, parts.drop_front(), axis, at, end); });
}

static LogicalResult lowerConcat(Node &node) {
  int64_t axis = normalize(node.integer("axis", 0), node.outType().getRank());
  SmallVector<Value> parts;
  for (Value part : node.op->getOperands()) {
    auto size = shape::getConstant(shape::getDim(cast<RankedTensorType>(part.getType()), axis));
    if (size != 0)
      parts.push_back(part);
  }
  if (parts.empty())
    parts.push_back(node.op->getOperand(0));
  if (parts.size() == 1 && parts[0].getType() == node.outType())
    return node.replace(parts[0]);
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    return selectPart(body, parts, axis, at, node.expr(0));
  }));
}

//===----------------------------------------------------------------------------------------------===//
// Padding, in all modes, with negative pads (crops) and pads that depend on the inputs' shapes
//===----------------------------------------------------------------------------------------------===//

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
static Scalar floorModulo(Body &body, Scalar a, Scalar b) { return a - body.floorDivide(a, b) * b; }

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
    return body.branch(
        inside, [&] { return body.load(node.in(0), from); }, [&] { return padValue(body); });
  }));
}

//===----------------------------------------------------------------------------------------------===//
// Blocks of space and depth
//===----------------------------------------------------------------------------------------------===//

static LogicalResult lowerDepthToSpace(Node &node) {
  Dims out = node.outDims();
  int64_t size = node.integer("blocksize", node.integer("block_size", 1));
  bool isDcr = node.text("mode", "DCR") == "DCR";
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar block = body.index(size);
    Scalar cell = (at[2] % block) * block + at[3] % block;
    Scalar channel = isDcr ? cell * body.size(out[1]) + at[1] : at[1] * block * block + cell;
    return body.load(node.in(0), {at[0], channel, at[2] / block, at[3] / block});
  }));
}

static LogicalResult lowerSpaceToDepth(Node &node) {
  Dims in = node.inDims(0);
  int64_t size = node.integer("blocksize", node.integer("block_size", 1));
  bool isDcr = node.text("mode", "DCR") == "DCR";
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar block = body.index(size), cells = block * block, channels = body.size(in[1]);
    Scalar cell = isDcr ? at[1] / channels : at[1] % cells;
    Scalar channel = isDcr ? at[1] % channels : at[1] / cells;
    return body.load(node.in(0),
                     {at[0], channel, at[2] * block + cell / block, at[3] * block + cell % block});
  }));
}

/// Keeps one triangle of each matrix.
static LogicalResult lowerTrilu(Node &node) {
  bool upper = node.integer("upper", 1);
  int64_t rank = node.outType().getRank();
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar k = body.index(0);
    if (Value diagonal = node.in(1)) {
      SmallVector<Scalar> zeros(node.inType(1).getRank(), body.index(0));
      k = body.toIndex(body.load(diagonal, zeros));
    }
    Scalar distance = at[rank - 1] - at[rank - 2];
    Scalar keep = upper ? distance >= k : distance <= k;
    return body.guard(
        keep, [&] { return body.load(node.in(0), at); }, body.constant(0, node.outElement()));
  }));
}

/// Reverses the first `length` steps of every batch entry.
static LogicalResult lowerReverseSequence(Node &node) {
  int64_t batch = node.integer("batch_axis", 1), time = node.integer("time_axis", 0);
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar length = body.toIndex(body.load(node.in(1), {at[batch]}));
    SmallVector<Scalar> from(at.begin(), at.end());
    from[time] = body.select(at[time] < length, length - 1 - at[time], at[time]);
    return body.load(node.in(0), from);
  }));
}

void addMovement(Registry &registry) {
  for (StringRef name : {"reshape", "flatten", "squeeze", "unsqueeze"})
    registry[name] = lowerReshape;
  registry["transpose"] = lowerTranspose;
  registry["expand"] = lowerExpand;
  registry["tile"] = lowerTile;
  registry["slice"] = lowerSlice;
  registry["split"] = lowerSplit;
  registry["concat"] = lowerConcat;
  registry["pad"] = lowerPad;
  registry["depth_to_space"] = lowerDepthToSpace;
  registry["space_to_depth"] = lowerSpaceToDepth;
  registry["trilu"] = lowerTrilu;
  registry["reverse_sequence"] = lowerReverseSequence;
}

} // namespace heddle::graph::form
