// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape rules of operators that move, copy, repeat or make elements.
#include "dialects/graph/ops/ShapeRules.h"

#include "mlir/IR/Builders.h"
#include <cmath>

using namespace mlir;
using heddle::shape::DerivedOp;

namespace heddle::graph {

static LogicalResult copyOf(OpShape &op, ArrayRef<AffineExpr> dims) {
  return op.give(dims, op.element(0));
}

/// One reshape target: 0 copies the input's size, -1 takes what is left; both may only show at run
/// time.
static LogicalResult reshape(OpShape &op) {
  auto target = op.values(1);
  if (!target)
    return op.unsupported("the shape must be known on the host before the model runs, it is "
                          "computed from tensor data");
  Dims input = op.dims(0), dims;
  bool allowZero = op.integer("allowzero", 0);
  int64_t inferred = -1;
  SmallVector<unsigned> unknown;
  for (auto [i, entry] : llvm::enumerate(*target)) {
    auto value = shape::getConstant(entry);
    if (value && *value < -1)
      return op.fail("shape must not have the entry " + Twine(*value));
    if (value == -1 && inferred >= 0)
      return op.fail("shape must not have two entries of -1");
    if (value == -1)
      inferred = i;
    if (value == 0 && !allowZero && i >= input.size())
      return op.fail("entry " + Twine(i) + " of shape is 0, but the input has rank " +
                     Twine(input.size()));
    if (!value && op.mayBeNegative(entry))
      unknown.push_back(i);
    if (value == 0 && !allowZero)
      dims.push_back(input[i]);
    else
      dims.push_back(value == -1 ? op.constant(1) : entry);
  }
  AffineExpr zero = op.constant(0), one = op.constant(1), minusOne = op.constant(-1);
  for (unsigned i : unknown) {
    if (!allowZero && i < input.size())
      dims[i] = op.symbols.derived(
          DerivedOp::kSelect,
          {op.symbols.derived(DerivedOp::kEqual, {dims[i], zero}), input[i], dims[i]});
  }
  Dims rest = dims;
  for (unsigned i : unknown)
    // At least 1: the quotient is computed even where no entry is -1, and must not divide by 0.
    rest[i] = op.symbols.derived(DerivedOp::kMax, {dims[i], one});
  AffineExpr remaining = shape::quotient(input, rest, op.context());
  if (inferred >= 0)
    dims[inferred] = remaining;
  for (unsigned i : unknown)
    dims[i] = op.symbols.derived(
        DerivedOp::kSelect,
        {op.symbols.derived(DerivedOp::kEqual, {dims[i], minusOne}), remaining, dims[i]});
  auto before = shape::getConstant(shape::simplify(shape::product(input, op.context())));
  auto after = shape::getConstant(shape::simplify(shape::product(dims, op.context())));
  if (before && after && *before != *after)
    return op.fail("the input has " + Twine(*before) + " elements and the shape asks for " +
                   Twine(*after));
  return copyOf(op, dims);
}

static LogicalResult flatten(OpShape &op) {
  int64_t rank = op.rank(0), axis = op.integer("axis", 1);
  if (axis < -rank || axis > rank)
    return op.fail("axis must be in [" + Twine(-rank) + ", " + Twine(rank) + "], got " +
                   Twine(axis));
  axis = axis < 0 ? axis + rank : axis;
  Dims dims = op.dims(0);
  return copyOf(op, {shape::product(ArrayRef(dims).take_front(axis), op.context()),
                     shape::product(ArrayRef(dims).drop_front(axis), op.context())});
}

static LogicalResult squeeze(OpShape &op) {
  Dims dims = op.dims(0), kept;
  SmallVector<int64_t> axes;
  if (op.in(1)) {
    auto given = op.constants(1, "the axes to squeeze");
    if (failed(given))
      return failure();
    auto normal = op.axes(*given, op.rank(0));
    if (failed(normal))
      return failure();
    axes = *normal;
    for (int64_t axis : axes)
      if (auto size = shape::getConstant(dims[axis]); size && *size != 1)
        return op.fail("axis " + Twine(axis) + " has size " + Twine(*size) +
                       ", only size 1 can be squeezed");
  } else {
    for (auto [i, dim] : llvm::enumerate(dims)) {
      auto size = shape::getConstant(dim);
      if (!size)
        return op.unsupported(
            "squeeze without axes on a dynamic shape: the result's rank would be dynamic");
      if (*size == 1)
        axes.push_back(i);
    }
  }
  for (auto [i, dim] : llvm::enumerate(dims))
    if (!llvm::is_contained(axes, int64_t(i)))
      kept.push_back(dim);
  return copyOf(op, kept);
}

static LogicalResult unsqueeze(OpShape &op) {
  auto given = op.constants(1, "the axes to insert");
  if (failed(given))
    return failure();
  int64_t rank = op.rank(0) + given->size();
  auto axes = op.axes(*given, rank);
  if (failed(axes))
    return failure();
  Dims input = op.dims(0), dims;
  for (int64_t i = 0, next = 0; i < rank; ++i)
    dims.push_back(llvm::is_contained(*axes, i) ? op.constant(1) : input[next++]);
  return copyOf(op, dims);
}

static LogicalResult transpose(OpShape &op) {
  Dims input = op.dims(0), dims;
  auto perm = op.integers("perm");
  if (!perm)
    perm = llvm::to_vector(llvm::reverse(llvm::to_vector(llvm::seq<int64_t>(0, input.size()))));
  auto axes = op.axes(*perm, input.size());
  if (failed(axes))
    return failure();
  if (axes->size() != input.size())
    return op.fail("perm must have " + Twine(input.size()) + " entries, got " +
                   Twine(axes->size()));
  for (int64_t axis : *axes)
    dims.push_back(input[axis]);
  return copyOf(op, dims);
}

static LogicalResult concat(OpShape &op) {
  Dims dims;
  if (op.op->getNumOperands() == 0)
    return op.fail("needs an input");
  auto first = cast<RankedTensorType>(op.op->getOperand(0).getType());
  auto axis = op.axis(op.integer("axis", 0), first.getRank());
  if (failed(axis))
    return failure();
  for (Value value : op.op->getOperands()) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() != first.getRank() || type.getElementType() != first.getElementType())
      return op.fail("inputs must have one rank and one element type");
    Dims next = shape::getDims(type);
    if (dims.empty()) {
      dims = next;
      continue;
    }
    for (auto [i, dim] : llvm::enumerate(next)) {
      auto a = shape::getConstant(dims[i]), b = shape::getConstant(dim);
      if (int64_t(i) == *axis)
        dims[i] = dims[i] + dim;
      else if (a && b && *a != *b)
        return op.fail("inputs must agree on axis " + Twine(i) + ", got " + Twine(*a) + " and " +
                       Twine(*b));
      else if (b)
        dims[i] = dim;
    }
  }
  return op.give(dims, first.getElementType());
}

static LogicalResult split(OpShape &op) {
  auto axis = op.axis(op.integer("axis", 0), op.rank(0));
  if (failed(axis))
    return failure();
  Dims dims = op.dims(0), sizes;
  int64_t count = op.op->getNumResults();
  if (op.in(1)) {
    auto given = op.values(1);
    if (!given)
      return op.unsupported("split sizes must be known on the host before the model runs");
    if (int64_t(given->size()) != count)
      return op.fail("split has " + Twine(given->size()) + " sizes for " + Twine(count) +
                     " outputs");
    sizes = *given;
  } else {
    AffineExpr chunk = dims[*axis].ceilDiv(op.integer("num_outputs", count));
    for (int64_t i = 0; i + 1 < count; ++i)
      sizes.push_back(chunk);
    sizes.push_back(dims[*axis] - chunk * (count - 1));
  }
  for (AffineExpr size : sizes) {
    dims[*axis] = size;
    if (failed(copyOf(op, dims)))
      return failure();
  }
  return success();
}

/// A slice bound as a position in [low, high]: negative ones count from the end.
static AffineExpr clampBound(OpShape &op, AffineExpr bound, AffineExpr size, AffineExpr low,
                             AffineExpr high) {
  AffineExpr zero = op.constant(0);
  auto value = shape::getConstant(bound);
  // Exporters write the largest and the smallest integers for "to the end".
  if (value && *value >= INT32_MAX)
    return high;
  if (value && *value <= INT32_MIN)
    return low;
  if (value ? *value < 0 : op.mayBeNegative(bound))
    bound =
        op.symbols.derived(DerivedOp::kSelect, {op.symbols.derived(DerivedOp::kLess, {bound, zero}),
                                                bound + size, bound});
  if (bound != low)
    bound = op.symbols.derived(DerivedOp::kMax, {bound, low});
  return bound == zero && low == zero ? zero : op.symbols.derived(DerivedOp::kMin, {bound, high});
}

static LogicalResult slice(OpShape &op) {
  auto starts = op.values(1), ends = op.values(2);
  if (!starts || !ends)
    return op.unsupported("starts and ends must be known on the host before the model runs");
  Dims dims = op.dims(0);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, starts->size()));
  SmallVector<int64_t> steps(starts->size(), 1);
  if (op.in(3)) {
    auto given = op.constants(3, "the axes of a slice");
    if (failed(given))
      return failure();
    axes = *given;
  }
  auto normal = op.axes(axes, op.rank(0));
  if (failed(normal))
    return failure();
  if (op.in(4)) {
    auto given = op.constants(4, "the steps of a slice");
    if (failed(given))
      return failure();
    steps = *given;
  }
  if (ends->size() != starts->size() || axes.size() != starts->size() ||
      steps.size() != starts->size())
    return op.fail("starts, ends, axes and steps must have one length");
  for (auto [i, axis] : llvm::enumerate(*normal)) {
    AffineExpr size = dims[axis], zero = op.constant(0);
    if (steps[i] == 0 || steps[i] == INT64_MIN)
      return op.fail("a step must not be " + Twine(steps[i]));
    AffineExpr length;
    if (steps[i] > 0) {
      AffineExpr start = clampBound(op, (*starts)[i], size, zero, size);
      AffineExpr end = clampBound(op, (*ends)[i], size, zero, size);
      length = (end - start).ceilDiv(steps[i]);
      if (start != zero)
        length = op.symbols.derived(DerivedOp::kMax, {length, zero});
    } else {
      AffineExpr start = clampBound(op, (*starts)[i], size, zero, size - 1);
      AffineExpr end = clampBound(op, (*ends)[i], size, op.constant(-1), size - 1);
      length = op.symbols.derived(DerivedOp::kMax, {(start - end).ceilDiv(-steps[i]), zero});
    }
    dims[axis] = length;
  }
  return copyOf(op, dims);
}

static LogicalResult expand(OpShape &op) {
  auto target = op.values(1);
  if (!target)
    return op.unsupported("the shape must be known on the host before the model runs");
  auto dims = op.broadcast(op.dims(0), *target);
  return failed(dims) ? failure() : copyOf(op, *dims);
}

static LogicalResult tile(OpShape &op) {
  auto repeats = op.values(1);
  if (!repeats)
    return op.unsupported("repeats must be known on the host before the model runs");
  Dims dims = op.dims(0);
  if (repeats->size() != dims.size())
    return op.fail("repeats must have " + Twine(dims.size()) + " entries, got " +
                   Twine(repeats->size()));
  for (auto [dim, repeat] : llvm::zip_equal(dims, *repeats))
    dim = dim * repeat;
  return copyOf(op, dims);
}

static LogicalResult pad(OpShape &op) {
  auto pads = op.values(1);
  if (!pads)
    return op.unsupported("pads must be known on the host before the model runs");
  Dims dims = op.dims(0);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, dims.size()));
  if (op.in(3)) {
    auto given = op.constants(3, "the axes to pad");
    if (failed(given))
      return failure();
    auto normal = op.axes(*given, dims.size());
    if (failed(normal))
      return failure();
    axes = *normal;
  }
  if (pads->size() != 2 * axes.size())
    return op.fail("pads must have " + Twine(2 * axes.size()) + " entries, got " +
                   Twine(pads->size()));
  for (auto [i, axis] : llvm::enumerate(axes))
    dims[axis] = dims[axis] + (*pads)[i] + (*pads)[i + axes.size()];
  return copyOf(op, dims);
}

static LogicalResult gather(OpShape &op) {
  auto axis = op.axis(op.integer("axis", 0), op.rank(0));
  if (failed(axis))
    return failure();
  Dims data = op.dims(0), dims(data.begin(), data.begin() + *axis);
  llvm::append_range(dims, op.dims(1));
  dims.append(data.begin() + *axis + 1, data.end());
  return copyOf(op, dims);
}

static LogicalResult gatherElements(OpShape &op) {
  if (failed(op.axis(op.integer("axis", 0), op.rank(0))))
    return failure();
  return op.rank(0) == op.rank(1) ? copyOf(op, op.dims(1))
                                  : op.fail("data and indices must have one rank");
}

static LogicalResult gatherNd(OpShape &op) {
  Dims data = op.dims(0), indices = op.dims(1);
  int64_t batch = op.integer("batch_dims", 0);
  if (indices.empty() || data.empty() || batch < 0 ||
      batch >= int64_t(std::min(data.size(), indices.size())))
    return op.fail("data and indices need more axes than batch_dims");
  auto depth = shape::getConstant(indices.back());
  if (!depth)
    return op.unsupported("the last size of indices must be static, it decides the result's rank");
  if (*depth < 1 || batch + *depth > int64_t(data.size()))
    return op.fail("the last size of indices must be in [1, rank of data - batch_dims], got " +
                   Twine(*depth));
  Dims dims(indices.begin(), indices.end() - 1);
  dims.append(data.begin() + batch + *depth, data.end());
  return copyOf(op, dims);
}

static LogicalResult scatter(OpShape &op) { return copyOf(op, op.dims(0)); }

static LogicalResult depthToSpace(OpShape &op) {
  int64_t block = op.integer("blocksize", 0);
  if (op.rank(0) != 4 || block < 1)
    return op.fail("needs four axes and a positive blocksize");
  Dims d = op.dims(0);
  return copyOf(op, {d[0], d[1].floorDiv(block * block), d[2] * block, d[3] * block});
}

static LogicalResult spaceToDepth(OpShape &op) {
  int64_t block = op.integer("blocksize", 0);
  if (op.rank(0) != 4 || block < 1)
    return op.fail("needs four axes and a positive blocksize");
  Dims d = op.dims(0);
  return copyOf(op, {d[0], d[1] * (block * block), d[2].floorDiv(block), d[3].floorDiv(block)});
}

static LogicalResult oneHot(OpShape &op) {
  auto depth = op.values(1);
  if (!depth) {
    auto number = op.numbers(1);
    if (number && number->size() == 1)
      depth = Dims{op.constant(int64_t(number->front()))};
  }
  if (!depth || depth->size() != 1)
    return op.unsupported(
        "depth must be one number that is known on the host before the model runs");
  auto axis = op.axis(op.integer("axis", -1), op.rank(0) + 1);
  if (failed(axis))
    return failure();
  Dims dims = op.dims(0);
  dims.insert(dims.begin() + *axis, depth->front());
  return op.give(dims, op.element(2));
}

static LogicalResult eyeLike(OpShape &op) {
  Type element =
      op.integer("dtype", 0) ? getElementType(op.integer("dtype", 0), op.context()) : op.element(0);
  return op.rank(0) == 2 && element ? op.give(op.dims(0), element)
                                    : op.fail("needs a matrix and a number type");
}

static LogicalResult range(OpShape &op) {
  auto start = op.values(0), limit = op.values(1), delta = op.values(2);
  if (start && limit && delta && start->size() == 1 && limit->size() == 1 && delta->size() == 1) {
    auto step = shape::getConstant(delta->front());
    if (!step)
      return op.unsupported("the step of a range must be known when the model is compiled");
    if (*step == 0)
      return op.fail("delta must not be 0");
    AffineExpr span = limit->front() - start->front();
    AffineExpr length = *step > 0 ? span.ceilDiv(*step) : (-span).ceilDiv(-*step);
    return copyOf(op, {op.symbols.derived(DerivedOp::kMax, {length, op.constant(0)})});
  }
  auto from = op.numbers(0), to = op.numbers(1), by = op.numbers(2);
  if (!from || !to || !by || from->size() != 1 || to->size() != 1 || by->size() != 1)
    return op.unsupported(
        "start, limit and delta must be integers known on the host, or constants");
  if (by->front() == 0)
    return op.fail("delta must not be 0");
  double length = std::max(std::ceil((to->front() - from->front()) / by->front()), 0.0);
  if (!(length < 2147483648.0))
    return op.fail("the range has too many elements");
  return copyOf(op, {op.constant(int64_t(length))});
}

static LogicalResult constantOfShape(OpShape &op) {
  auto target = op.values(0);
  if (!target)
    return op.unsupported("the shape must be known on the host before the model runs");
  auto value = op.op->getAttrOfType<ElementsAttr>("value");
  return op.give(*target, value ? value.getElementType() : Builder(op.context()).getF32Type());
}

static std::pair<int64_t, int64_t> shapeRange(OpShape &op) {
  int64_t rank = op.rank(0), start = op.integer("start", 0), end = op.integer("end", rank);
  start = std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
  end = std::clamp<int64_t>(end < 0 ? end + rank : end, 0, rank);
  return {start, std::max(start, end)};
}

static LogicalResult shapeOf(OpShape &op) {
  auto [start, end] = shapeRange(op);
  Dims dims = op.dims(0);
  if (failed(op.give({op.constant(end - start)}, Builder(op.context()).getI64Type())))
    return failure();
  op.host[op.op->getResult(0)] = Dims(dims.begin() + start, dims.begin() + end);
  return success();
}

static LogicalResult sizeOf(OpShape &op) {
  if (failed(op.give({}, Builder(op.context()).getI64Type())))
    return failure();
  op.host[op.op->getResult(0)] = Dims{shape::simplify(shape::product(op.dims(0), op.context()))};
  return success();
}

static LogicalResult resize(OpShape &op) {
  Dims dims = op.dims(0);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, dims.size()));
  if (auto given = op.integers("axes")) {
    auto normal = op.axes(*given, dims.size());
    if (failed(normal))
      return failure();
    axes = *normal;
  }
  // An empty tensor stands for none.
  auto scales = op.in(2) ? cast<RankedTensorType>(op.in(2).getType()) : RankedTensorType();
  bool isScaled = scales && !(scales.hasStaticShape() && scales.getNumElements() == 0);
  if (isScaled) {
    auto scales = op.numbers(2);
    if (!scales)
      return op.unsupported("scales must be known when the model is compiled");
    if (scales->size() != axes.size())
      return op.fail("scales must have " + Twine(axes.size()) + " entries, got " +
                     Twine(scales->size()));
    for (auto [axis, scale] : llvm::zip_equal(axes, *scales)) {
      auto size = shape::getConstant(dims[axis]);
      if (size)
        dims[axis] = op.constant(int64_t(std::floor(double(*size) * float(scale))));
      else if (scale == std::floor(scale))
        dims[axis] = dims[axis] * int64_t(scale);
      else if (1 / scale == std::floor(1 / scale))
        dims[axis] = dims[axis].floorDiv(int64_t(1 / scale));
      else
        return op.unsupported("a dynamic size cannot be scaled by a number that is not whole");
    }
    return copyOf(op, dims);
  }
  auto sizes = op.values(3);
  if (!sizes)
    return op.unsupported("sizes must be known on the host before the model runs");
  if (sizes->size() != axes.size())
    return op.fail("sizes must have " + Twine(axes.size()) + " entries, got " +
                   Twine(sizes->size()));
  StringRef policy = op.text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch") {
    // One scale for all axes: the smallest or the largest of the wanted ones.
    double scale = 0;
    for (auto [axis, size] : llvm::zip_equal(axes, *sizes)) {
      auto from = shape::getConstant(dims[axis]), to = shape::getConstant(size);
      if (!from || !to)
        return op.unsupported("keep_aspect_ratio_policy needs static sizes");
      double wanted = double(*to) / double(*from);
      bool isFirst = axis == axes.front();
      scale = isFirst                  ? wanted
              : policy == "not_larger" ? std::min(scale, wanted)
                                       : std::max(scale, wanted);
    }
    for (int64_t axis : axes)
      dims[axis] =
          op.constant(int64_t(std::round(scale * double(*shape::getConstant(dims[axis])))));
    return copyOf(op, dims);
  }
  for (auto [axis, size] : llvm::zip_equal(axes, *sizes))
    dims[axis] = size;
  return copyOf(op, dims);
}

static LogicalResult nonZero(OpShape &op) {
  return op.unsupported("the result's size depends on the data");
}

void addMovementRules(ShapeRules &rules) {
  rules["reshape"] = reshape;
  rules["flatten"] = flatten;
  rules["squeeze"] = squeeze;
  rules["unsqueeze"] = unsqueeze;
  rules["transpose"] = transpose;
  rules["concat"] = concat;
  rules["split"] = split;
  rules["slice"] = slice;
  rules["expand"] = expand;
  rules["tile"] = tile;
  rules["pad"] = pad;
  rules["gather"] = gather;
  rules["gather_elements"] = gatherElements;
  rules["gather_nd"] = gatherNd;
  for (StringRef name :
       {"scatter_elements", "scatter", "scatter_nd", "tensor_scatter", "trilu", "reverse_sequence"})
    rules[name] = scatter;
  rules["depth_to_space"] = depthToSpace;
  rules["space_to_depth"] = spaceToDepth;
  rules["one_hot"] = oneHot;
  rules["eye_like"] = eyeLike;
  rules["range"] = range;
  rules["constant_of_shape"] = constantOfShape;
  rules["shape"] = shapeOf;
  rules["size"] = sizeOf;
  rules["resize"] = resize;
  rules["non_zero"] = nonZero;
}

} // namespace heddle::graph
