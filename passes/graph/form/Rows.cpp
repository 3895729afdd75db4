// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that fold a row and then compute every element of it: softmax and the normalisations.
// Statistics are f32 (f64 for f64) and the result is rounded once.
#include "passes/graph/form/Node.h"

#include <cmath>

using namespace mlir;

namespace heddle::graph::form {

namespace {

/// A row of `x`: sizes of its axes, and loads of its elements inside and outside of folds.
struct RowView {
  Node &node;
  Value x;
  SmallVector<int64_t> axes;
  Dims sizes;
  int64_t rank;
  Type type; // of the statistics

  RowView(Node &node, Value x, ArrayRef<int64_t> axes) : node(node), x(x), axes(axes) {
    auto tensor = cast<RankedTensorType>(x.getType());
    rank = tensor.getRank();
    type = getComputeType(tensor.getElementType());
    for (int64_t axis : axes)
      sizes.push_back(shape::getDim(tensor, axis));
  }
  SmallVector<Scalar> where(Scalars outer, Scalars inside) const {
    SmallVector<Scalar> at;
    for (int64_t axis = 0, o = 0, i = 0; axis < rank; ++axis)
      at.push_back(llvm::is_contained(axes, axis) ? inside[i++] : outer[o++]);
    return at;
  }
  Scalar fold(Body &body, kernel::FoldKind kind, Scalars outer,
              llvm::function_ref<Scalar(Scalar)> change) const {
    return body.fold(kind, sizes, type,
                     [&](Scalars k) { return change(body.loadWide(x, where(outer, k))); });
  }
  Scalar count(Body &body) const {
    return body.convert(body.size(shape::product(sizes, node.op->getContext())), type);
  }
};

} // namespace

static int64_t getAxis(Node &node, int64_t otherwise) {
  int64_t axis = node.integer("axis", otherwise);
  return axis < 0 ? axis + node.inType(0).getRank() : axis;
}

/// From the axis to the last one.
static SmallVector<int64_t> trailingAxes(Node &node) {
  SmallVector<int64_t> axes;
  for (int64_t axis = getAxis(node, -1); axis < node.inType(0).getRank(); ++axis)
    axes.push_back(axis);
  return axes;
}

using Finish = std::function<Scalar(Body &, Scalar x, Scalars at)>;
/// Builds the statistics of a row and returns what makes an element from its input.
using Start = llvm::function_ref<Finish(Body &, const RowView &, Scalars outer)>;

static Value createRows(const RowView &view, RankedTensorType type, Start start) {
  return view.node.rows({type}, view.axes, [&](Body &body, Scalars outer) {
    Finish finish = start(body, view, outer);
    return [&view, type, finish](Body &body, Scalars at) {
      Scalar y = finish(body, body.loadWide(view.x, at), at);
      return SmallVector<Scalar>{body.convert(y, type.getElementType())};
    };
  })[0];
}

//===----------------------------------------------------------------------------------------------===//
// Softmax and its kin
//===----------------------------------------------------------------------------------------------===//

static LogicalResult lowerSoftmax(Node &node, bool isLog) {
  if (node.inType(0).getRank() == 0)
    return node.unsupported("its input has no axes");
  RowView view(node, node.in(0), {getAxis(node, -1)});
  return node.replace(createRows(
      view, node.outType(), [&](Body &body, const RowView &row, Scalars outer) -> Finish {
        Scalar max = row.fold(body, kernel::FoldKind::Max, outer, [](Scalar x) { return x; });
        Scalar sum = row.fold(body, kernel::FoldKind::Add, outer,
                              [&](Scalar x) { return body.math<math::ExpOp>(x - max); });
        if (isLog) {
          Scalar shift = body.math<math::LogOp>(sum);
          return [=](Body &, Scalar x, Scalars) { return x - max - shift; };
        }
        return [=](Body &b, Scalar x, Scalars) { return b.math<math::ExpOp>(x - max) / sum; };
      }));
}

static LogicalResult lowerHardmax(Node &node) {
  int64_t axis = getAxis(node, -1);
  RowView view(node, node.in(0), {axis});
  return node.replace(createRows(
      view, node.outType(), [&](Body &body, const RowView &row, Scalars outer) -> Finish {
        auto [max, index] =
            body.argFold(kernel::FoldKind::ArgMax, row.sizes, row.type, [&](Scalars k) {
              return std::pair{body.loadWide(row.x, row.where(outer, k)), k[0]};
            });
        return [axis, first = index](Body &b, Scalar x, Scalars at) {
          return b.select(equal(at[axis], first), b.constant(1, x.type), b.constant(0, x.type));
        };
      }));
}

static LogicalResult lowerLpNormalization(Node &node) {
  int64_t p = node.integer("p", 2);
  RowView view(node, node.in(0), {getAxis(node, -1)});
  return node.replace(createRows(
      view, node.outType(), [&](Body &body, const RowView &row, Scalars outer) -> Finish {
        Scalar norm = row.fold(body, kernel::FoldKind::Add, outer, [&](Scalar x) {
          return p == 2 ? x * x : body.math<math::AbsFOp>(x);
        });
        norm = p == 2 ? body.math<math::SqrtOp>(norm) : norm;
        Scalar zero = body.constant(0, norm.type), isZero = equal(norm, zero);
        // A row of zeros stays one.
        return [=](Body &b, Scalar x, Scalars) { return b.select(isZero, zero, x / norm); };
      }));
}

//===----------------------------------------------------------------------------------------------===//
// Normalisation to mean 0 and variance 1
//===----------------------------------------------------------------------------------------------===//

static Scalar foldMean(Body &body, const RowView &row, Scalars outer) {
  return row.fold(body, kernel::FoldKind::Add, outer, [](Scalar x) { return x; }) / row.count(body);
}

static Scalar foldVariance(Body &body, const RowView &row, Scalars outer, Scalar mean) {
  return row.fold(body, kernel::FoldKind::Add, outer, [&](Scalar x) {
    Scalar distance = x - mean;
    return distance * distance;
  }) / row.count(body);
}

static Scalar inverseRoot(Body &body, Scalar variance, double epsilon) {
  return body.constant(1, variance.type) / body.math<math::SqrtOp>(variance + epsilon);
}

/// Mean 0 and variance 1, then `scale` and `shift` (either may be null).
static Value createNormalization(const RowView &view, RankedTensorType type, double epsilon,
                                 llvm::function_ref<Scalar(Body &, Scalars)> scale,
                                 llvm::function_ref<Scalar(Body &, Scalars)> shift) {
  return createRows(view, type, [&](Body &body, const RowView &row, Scalars outer) -> Finish {
    Scalar mean = foldMean(body, row, outer);
    Scalar factor = inverseRoot(body, foldVariance(body, row, outer, mean), epsilon);
    return [=](Body &b, Scalar x, Scalars at) {
      Scalar y = (x - mean) * factor;
      if (scale)
        y = y * b.convert(scale(b, at), y.type);
      return shift ? y + b.convert(shift(b, at), y.type) : y;
    };
  });
}

/// The statistics as results of their own, where something uses them.
static Value createStatistic(Node &node, const RowView &row, unsigned result, double epsilon) {
  AffineExpr count = shape::product(row.sizes, node.op->getContext());
  return node.reduce(node.outType(result), true, count, [&](Body &body, Scalars at) {
    SmallVector<Scalar> outer;
    for (int64_t axis = 0; axis < row.rank; ++axis)
      if (!llvm::is_contained(row.axes, axis))
        outer.push_back(at[axis]);
    Scalar mean = foldMean(body, row, outer);
    Scalar value =
        result == 1 ? mean : inverseRoot(body, foldVariance(body, row, outer, mean), epsilon);
    return body.convert(value, node.outElement(result));
  });
}

static LogicalResult lowerLayerNormalization(Node &node) {
  RowView view(node, node.in(0), trailingAxes(node));
  double epsilon = node.real("epsilon", 1e-5);
  Dims dims = node.outDims();
  auto scale = [&](Body &body, Scalars at) { return body.loadBroadcast(node.in(1), at, dims); };
  auto shift = [&](Body &body, Scalars at) { return body.loadBroadcast(node.in(2), at, dims); };
  llvm::function_ref<Scalar(Body &, Scalars)> optionalShift = nullptr;
  if (node.in(2))
    optionalShift = shift;
  Value y = createNormalization(view, node.outType(), epsilon, scale, optionalShift);
  SmallVector<Value> results{y};
  for (unsigned result = 1; result < node.op->getNumResults(); ++result)
    results.push_back(createStatistic(node, view, result, epsilon));
  return node.replace(results);
}

static LogicalResult lowerRmsNormalization(Node &node) {
  RowView view(node, node.in(0), trailingAxes(node));
  double epsilon = node.real("epsilon", 1e-5);
  Dims dims = node.outDims();
  Value scale = node.in(1);
  return node.replace(createRows(
      view, node.outType(), [&](Body &body, const RowView &row, Scalars outer) -> Finish {
        Scalar square =
            row.fold(body, kernel::FoldKind::Add, outer, [](Scalar x) { return x * x; });
        Scalar factor = inverseRoot(body, square / row.count(body), epsilon);
        return [=](Body &b, Scalar x, Scalars at) {
          Scalar y = x * factor;
          return scale ? y * b.convert(b.loadBroadcast(scale, at, dims), y.type) : y;
        };
      }));
}

static LogicalResult lowerInstanceNormalization(Node &node) {
  SmallVector<int64_t> axes;
  for (int64_t axis = 2; axis < node.inType(0).getRank(); ++axis)
    axes.push_back(axis);
  RowView view(node, node.in(0), axes);
  auto scale = [&](Body &body, Scalars at) { return body.load(node.in(1), {at[1]}); };
  auto shift = [&](Body &body, Scalars at) { return body.load(node.in(2), {at[1]}); };
  return node.replace(
      createNormalization(view, node.outType(), node.real("epsilon", 1e-5), scale, shift));
}

/// The groups become an axis of their own: [batch, groups, elements of a group].
static LogicalResult lowerGroupNormalization(Node &node) {
  MLIRContext *context = node.op->getContext();
  Dims in = node.inDims(0);
  AffineExpr groups = node.expr(node.integer("num_groups", 1));
  AffineExpr perGroup = shape::quotient({in[1]}, {groups}, context);
  AffineExpr positions = shape::product(ArrayRef(in).drop_front(2), context);
  Dims flat{in[0], groups, perGroup * positions};
  Value x = node.reshape(node.in(0), flat);
  RowView view(node, x, {2});
  // Up to opset 20 there is one scale a group, afterwards one a channel.
  auto parameter = [&](unsigned group) {
    return [&, group](Body &body, Scalars at) {
      bool perChannel = shape::provablyEqual(node.inDims(group)[0], in[1]);
      Scalar channel = at[1] * body.size(perGroup) + at[2] / body.size(positions);
      return body.load(node.in(group), {perChannel ? channel : at[1]});
    };
  };
  auto scale = parameter(1), shift = parameter(2);
  Value y = createNormalization(view, shape::getTensorType(flat, node.outElement()),
                                node.real("epsilon", 1e-5), scale, shift);
  return node.replace(node.reshape(y, in));
}

static LogicalResult lowerMeanVarianceNormalization(Node &node) {
  SmallVector<int64_t> axes = node.integers("axes").value_or(SmallVector<int64_t>{0, 2, 3});
  for (int64_t &axis : axes)
    axis += axis < 0 ? node.inType(0).getRank() : 0;
  llvm::sort(axes);
  RowView view(node, node.in(0), axes);
  return node.replace(createRows(
      view, node.outType(), [&](Body &body, const RowView &row, Scalars outer) -> Finish {
        Scalar mean = foldMean(body, row, outer);
        Scalar deviation = body.math<math::SqrtOp>(foldVariance(body, row, outer, mean)) + 1e-9;
        return [=](Body &, Scalar x, Scalars) { return (x - mean) / deviation; };
      }));
}

/// Training: mean and variance are those of the batch, and the running ones move toward them.
static LogicalResult lowerBatchTraining(Node &node) {
  double epsilon = node.real("epsilon", 1e-5), momentum = node.real("momentum", 0.9);
  SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < node.inType(0).getRank(); ++axis)
    if (axis != 1)
      axes.push_back(axis);
  RowView view(node, node.in(0), axes);
  auto scale = [&](Body &body, Scalars at) { return body.load(node.in(1), {at[1]}); };
  auto shift = [&](Body &body, Scalars at) { return body.load(node.in(2), {at[1]}); };
  SmallVector<Value> results{createNormalization(view, node.outType(), epsilon, scale, shift)};
  AffineExpr count = shape::product(view.sizes, node.op->getContext());
  for (unsigned result = 1; result < node.op->getNumResults(); ++result)
    results.push_back(node.reduce(node.outType(result), true, count, [&](Body &body, Scalars at) {
      Scalar value = foldMean(body, view, at);
      if (result == 2)
        value = foldVariance(body, view, at, value);
      Scalar running = body.convert(body.load(node.in(2 + result), at), value.type);
      return body.convert(running * momentum + value * (1 - momentum), node.outElement(result));
    }));
  return node.replace(results);
}

/// Constant parameters make one factor and one summand a channel: y = x * a + b.
static Value createFoldedBatchNormalization(Node &node, double epsilon) {
  SmallVector<SmallVector<double>> parameters;
  for (unsigned group = 1; group <= 4; ++group) {
    auto numbers = node.numbers(group);
    if (!numbers)
      return {};
    parameters.push_back(std::move(*numbers));
  }
  Type type = getComputeType(node.outElement());
  SmallVector<Attribute> factors, summands;
  for (size_t c = 0; c < parameters[0].size(); ++c) {
    double factor = parameters[0][c] / std::sqrt(parameters[3][c] + epsilon);
    factors.push_back(FloatAttr::get(type, factor));
    summands.push_back(FloatAttr::get(type, parameters[1][c] - parameters[2][c] * factor));
  }
  auto tensor = RankedTensorType::get({int64_t(factors.size())}, type);
  auto weight = [&](ArrayRef<Attribute> values) -> Value {
    return kernel::WeightOp::create(node.builder, node.loc,
                                    cast<ElementsAttr>(DenseElementsAttr::get(tensor, values)))
        .getOutput();
  };
  Value a = weight(factors), b = weight(summands);
  return node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar channel = at.size() > 1 ? at[1] : body.index(0);
    Scalar y = body.loadWide(node.in(0), at) * body.load(a, {channel}) + body.load(b, {channel});
    return body.convert(y, node.outElement());
  });
}

/// Inference: each channel has a given mean and variance.
static LogicalResult lowerBatchNormalization(Node &node) {
  if (node.integer("training_mode", 0))
    return lowerBatchTraining(node);
  double epsilon = node.real("epsilon", 1e-5);
  Value y = createFoldedBatchNormalization(node, epsilon);
  if (!y)
    y = node.map(node.outType(), [&](Body &body, Scalars at) {
      Scalar x = body.loadWide(node.in(0), at);
      Scalar channel = at.size() > 1 ? at[1] : body.index(0);
      auto parameter = [&](unsigned group) {
        return body.convert(body.load(node.in(group), {channel}), x.type);
      };
      Scalar factor = parameter(1) * inverseRoot(body, parameter(4), epsilon);
      return body.convert((x - parameter(3)) * factor + parameter(2), node.outElement());
    });
  node.op->getResult(0).replaceAllUsesWith(y);
  for (Value extra : node.op->getResults().drop_front())
    if (!extra.use_empty())
      return node.unsupported("its statistics are used");
  node.op->erase();
  return success();
}

void addRows(Registry &registry) {
  registry["softmax"] = [](Node &node) { return lowerSoftmax(node, false); };
  registry["log_softmax"] = [](Node &node) { return lowerSoftmax(node, true); };
  registry["hardmax"] = lowerHardmax;
  registry["lp_normalization"] = lowerLpNormalization;
  registry["layer_normalization"] = lowerLayerNormalization;
  registry["rms_normalization"] = lowerRmsNormalization;
  registry["instance_normalization"] = lowerInstanceNormalization;
  registry["group_normalization"] = lowerGroupNormalization;
  registry["mean_variance_normalization"] = lowerMeanVarianceNormalization;
  registry["batch_normalization"] = lowerBatchNormalization;
}

} // namespace heddle::graph::form
