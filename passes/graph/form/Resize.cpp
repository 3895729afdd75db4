// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resize (and Upsample): every result element is a weighted sum over the few input elements around
// its place in the input. The weight is a function of the distance, so that linear and cubic, with
// and without antialiasing, are one loop; nearest is a single load.
#include "passes/graph/form/Node.h"

#include <cmath>

using namespace mlir;

namespace heddle::graph::form {

namespace {

struct ResizedAxis {
  int64_t axis, position; // position: among the listed axes
  AffineExpr in, out;
  std::optional<double> scale; // absent: the quotient of the sizes
  int64_t taps = 1;
};

struct ResizeSpec {
  Node &node;
  StringRef mode, coordinates, nearest;
  bool antialias, excludeOutside;
  double cubicA;
  SmallVector<ResizedAxis> axes;
  int64_t listed = 0; // number of listed axes, for roi
  Type type;          // in which places are computed
};

} // namespace

static Scalar axisScale(Body &body, const ResizeSpec &spec, const ResizedAxis &axis) {
  if (axis.scale)
    return body.constant(*axis.scale, spec.type);
  return body.convert(body.size(axis.out), spec.type) / body.convert(body.size(axis.in), spec.type);
}

/// The place in the input that belongs to an output coordinate.
static Scalar place(Body &body, const ResizeSpec &spec, const ResizedAxis &axis, Scalar output) {
  Type type = spec.type;
  Scalar x = body.convert(output, type), in = body.convert(body.size(axis.in), type);
  Scalar scale = axisScale(body, spec, axis), width = scale * in;
  Scalar zero = body.constant(0, type), one = body.constant(1, type);
  if (!axis.scale)
    width = body.convert(body.size(axis.out), type);
  Scalar isPoint = equal(width, one);
  if (spec.coordinates == "asymmetric")
    return x / scale;
  if (spec.coordinates == "align_corners") {
    Scalar divisor = body.select(isPoint, one, width - 1);
    return body.select(isPoint, zero, x * (in - 1) / divisor);
  }
  if (spec.coordinates == "tf_crop_and_resize") {
    auto roi = [&](int64_t i) {
      return body.convert(body.load(spec.node.in(1), {body.index(i)}), type);
    };
    Scalar begin = roi(axis.position), end = roi(spec.listed + axis.position);
    Scalar divisor = body.select(isPoint, one, width - 1);
    Scalar inside = body.select(isPoint, (end - begin) * (in - 1) / 2.0,
                                x * (end - begin) * (in - 1) / divisor);
    return inside + begin * (in - 1);
  }
  Scalar half = (x + 0.5) / scale - 0.5;
  if (spec.coordinates == "pytorch_half_pixel")
    return body.select(isPoint, body.constant(-0.5, type), half);
  if (spec.coordinates == "half_pixel_symmetric") {
    Scalar adjustment = body.convert(body.size(axis.out), type) / width;
    return (in / 2.0) * (one - adjustment) + half;
  }
  return half;
}

static Scalar clampIndex(Body &body, Scalar index, AffineExpr size) {
  return body.maximum(body.minimum(index, body.size(size) - 1), body.index(0));
}

static Scalar nearestIndex(Body &body, const ResizeSpec &spec, const ResizedAxis &axis, Scalar x) {
  Scalar rounded;
  if (spec.nearest == "floor")
    rounded = body.math<math::FloorOp>(x);
  else if (spec.nearest == "ceil")
    rounded = body.math<math::CeilOp>(x);
  else if (spec.nearest == "round_prefer_ceil")
    rounded = body.math<math::FloorOp>(x + 0.5);
  else
    rounded = body.math<math::CeilOp>(x - 0.5);
  return clampIndex(body, body.toIndex(rounded), axis.in);
}

/// Weight of an element at a distance, in units of the wider of the two grids.
static Scalar weight(Body &body, const ResizeSpec &spec, Scalar distance) {
  Scalar d = body.math<math::AbsFOp>(distance), zero = body.constant(0, d.type);
  if (spec.mode == "linear")
    return body.maximum(body.constant(1, d.type) - d, zero);
  double a = spec.cubicA;
  Scalar near = ((d * (a + 2)) - (a + 3)) * d * d + 1;
  Scalar far = ((d * a - 5 * a) * d + 8 * a) * d - 4 * a;
  return body.select(d <= body.constant(1, d.type), near, body.select(d < 2, far, zero));
}

/// The tap `k` of an axis: its index (not yet clamped) and its weight.
static std::pair<Scalar, Scalar> tap(Body &body, const ResizeSpec &spec, const ResizedAxis &axis,
                                     Scalar x, Scalar k) {
  Scalar base = body.math<math::FloorOp>(x);
  Scalar index = body.toIndex(base) + k - body.index(axis.taps / 2 - 1);
  Scalar distance = body.convert(index, spec.type) - x;
  if (spec.antialias)
    distance = distance * std::min(axis.scale.value_or(1), 1.0);
  Scalar w = weight(body, spec, distance);
  if (spec.excludeOutside)
    w = body.select(body.inside(index, body.size(axis.in)), w, body.constant(0, w.type));
  return {index, w};
}

static Scalar interpolate(Body &body, const ResizeSpec &spec, Scalars at, Scalars places) {
  Dims sizes;
  for (const ResizedAxis &axis : spec.axes)
    sizes.push_back(spec.node.expr(axis.taps));
  Scalar sum = body.fold(kernel::FoldKind::Add, sizes, spec.type, [&](Scalars k) {
    SmallVector<Scalar> from(at.begin(), at.end());
    Scalar product;
    for (auto [i, axis] : llvm::enumerate(spec.axes)) {
      auto [index, w] = tap(body, spec, axis, places[i], k[i]);
      from[axis.axis] = clampIndex(body, index, axis.in);
      product = product ? product * w : w;
    }
    return product * body.convert(body.load(spec.node.in(0), from), spec.type);
  });
  if (!spec.antialias && !spec.excludeOutside)
    return sum;
  for (auto [i, axis] : llvm::enumerate(spec.axes))
    sum = sum / body.fold(kernel::FoldKind::Add, {spec.node.expr(axis.taps)}, spec.type,
                          [&, &axis = axis, i = i](Scalars k) {
                            return tap(body, spec, axis, places[i], k[0]).second;
                          });
  return sum;
}

static Scalar finish(Body &body, Scalar x, Type type) {
  if (isa<FloatType>(type))
    return body.convert(x, type);
  return body.saturate(body.math<math::RoundEvenOp>(x), type);
}

static Value createResize(const ResizeSpec &spec) {
  Node &node = spec.node;
  return node.map(node.outType(), [&](Body &body, Scalars at) {
    SmallVector<Scalar> places;
    Scalar outside;
    for (const ResizedAxis &axis : spec.axes) {
      Scalar x = place(body, spec, axis, at[axis.axis]);
      places.push_back(x);
      if (spec.coordinates != "tf_crop_and_resize")
        continue;
      Scalar last = body.convert(body.size(axis.in) - 1, spec.type);
      Scalar isOut = (x < 0) | (x > last);
      outside = outside ? outside | isOut : isOut;
    }
    auto compute = [&] {
      if (spec.mode != "nearest")
        return finish(body, interpolate(body, spec, at, places), node.outElement());
      SmallVector<Scalar> from(at.begin(), at.end());
      for (auto [i, axis] : llvm::enumerate(spec.axes))
        from[axis.axis] = nearestIndex(body, spec, axis, places[i]);
      return body.load(node.in(0), from);
    };
    if (!outside)
      return compute();
    Scalar value = body.constant(node.real("extrapolation_value", 0), node.outElement());
    return body.branch(outside, [&] { return value; }, compute);
  });
}

//===----------------------------------------------------------------------------------------------===//
// Reading the node
//===----------------------------------------------------------------------------------------------===//

/// Scales by listed axis; empty where the sizes decide. Failure: not known.
static FailureOr<SmallVector<double>> getScales(Node &node, unsigned scalesAt, unsigned sizesAt,
                                                ArrayRef<int64_t> axes) {
  SmallVector<double> scales;
  if (auto array = dyn_cast_or_null<ArrayAttr>(node.attr("scales"))) {
    for (auto scale : array.getAsRange<FloatAttr>())
      scales.push_back(scale.getValueAsDouble());
    return scales;
  }
  bool hasScales = node.in(scalesAt) && shape::getConstant(node.inDims(scalesAt)[0]) != 0;
  if (hasScales) {
    auto known = node.numbers(scalesAt);
    if (!known)
      return node.unsupported("its scales are not known at compile time");
    return *known;
  }
  StringRef policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch")
    return scales;
  auto sizes = node.values(sizesAt);
  double common = 0;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    auto size = sizes ? shape::getConstant((*sizes)[i]) : std::nullopt;
    auto in = shape::getConstant(node.inDims(0)[axis]);
    if (!size || !in)
      return node.unsupported("keep_aspect_ratio_policy needs sizes known at compile time");
    double scale = double(*size) / double(*in);
    common = i == 0                   ? scale
             : policy == "not_larger" ? std::min(common, scale)
                                      : std::max(common, scale);
  }
  scales.assign(axes.size(), common);
  return scales;
}

/// Places are f64 where the nearest element hangs on their last bit: f32 is exact for whole scales
/// and for powers of two.
static Type placeType(const ResizeSpec &spec) {
  Node &node = spec.node;
  if (node.outElement().isF64())
    return node.builder.getF64Type();
  bool isExact = llvm::all_of(spec.axes, [](const ResizedAxis &axis) {
    int exponent;
    return axis.scale &&
           (std::floor(*axis.scale) == *axis.scale || std::frexp(*axis.scale, &exponent) == 0.5);
  });
  return spec.mode == "nearest" && !isExact ? Type(node.builder.getF64Type())
                                            : Type(node.builder.getF32Type());
}

static LogicalResult lowerResize(Node &node, unsigned scalesAt, unsigned sizesAt,
                                 StringRef coordinates) {
  ResizeSpec spec{node,
                  node.text("mode", "nearest"),
                  node.text("coordinate_transformation_mode", coordinates),
                  node.text("nearest_mode", "round_prefer_floor"),
                  node.integer("antialias", 0) != 0,
                  node.integer("exclude_outside", 0) != 0,
                  node.real("cubic_coeff_a", -0.75),
                  {},
                  0,
                  {}};
  if (coordinates == "asymmetric" && !node.attr("nearest_mode"))
    spec.nearest = "floor";
  Dims in = node.inDims(0), out = node.outDims();
  SmallVector<int64_t> axes;
  if (auto given = node.integers("axes"))
    for (int64_t axis : *given)
      axes.push_back(axis < 0 ? axis + int64_t(in.size()) : axis);
  else
    for (int64_t axis = 0; axis < int64_t(in.size()); ++axis)
      axes.push_back(axis);
  auto scales = getScales(node, scalesAt, sizesAt, axes);
  if (failed(scales))
    return failure();
  if (!scales->empty() && scales->size() != axes.size())
    return node.unsupported("it needs one scale an axis");
  spec.listed = axes.size();
  bool crops = spec.coordinates == "tf_crop_and_resize";
  for (auto [i, axis] : llvm::enumerate(axes)) {
    ResizedAxis resized{axis, int64_t(i), in[axis], out[axis], std::nullopt, 1};
    if (!scales->empty())
      resized.scale = (*scales)[i];
    else if (shape::getConstant(in[axis]) && shape::getConstant(out[axis]) &&
             shape::getConstant(in[axis]) != 0)
      resized.scale =
          double(*shape::getConstant(out[axis])) / double(*shape::getConstant(in[axis]));
    bool isSame = shape::provablyEqual(in[axis], out[axis]) && resized.scale.value_or(1) == 1;
    if (isSame && !crops)
      continue;
    int64_t reach = spec.mode == "cubic" ? 2 : 1;
    resized.taps = 2 * reach;
    if (spec.antialias) {
      if (!resized.scale)
        return node.unsupported("antialias needs scales known at compile time");
      resized.taps = 2 - 2 * (int64_t(std::floor(-reach / std::min(*resized.scale, 1.0))) + 1);
      resized.taps = std::max(resized.taps, 2 * reach);
    }
    spec.axes.push_back(resized);
  }
  if (spec.axes.empty())
    return node.replace(node.reshape(node.in(0), out));
  spec.type = placeType(spec);
  return node.replace(createResize(spec));
}

void addResize(Registry &registry) {
  registry["resize"] = [](Node &node) { return lowerResize(node, 2, 3, "half_pixel"); };
  registry["upsample"] = [](Node &node) { return lowerResize(node, 1, 3, "asymmetric"); };
}

} // namespace heddle::graph::form
