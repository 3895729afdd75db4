// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of any rank as implicit matrix products: the right operand's region finds the input
// element for (channel and kernel offset, output position), so that no im2col tensor exists.
// Depthwise convolutions have no matrix in them and become a loop a thread.
#include "passes/graph/form/Convolution.h"

using namespace mlir;

namespace heddle::graph::form {

namespace {

struct Geometry {
  Window window;
  int64_t groups;
  AffineExpr batch, channels, channelsPerGroup, outPerGroup; // channels: of the input
  Dims out;                                                  // spatial sizes of the result
};

} // namespace

static bool isDepthwise(const Geometry &g) {
  auto perGroup = shape::getConstant(g.channelsPerGroup), out = shape::getConstant(g.outPerGroup);
  return g.groups > 1 && perGroup == 1 && out && *out <= 2;
}

static Type getElement(const ConvSpec &spec) {
  return spec.productType ? spec.productType
                          : cast<RankedTensorType>(spec.x.getType()).getElementType();
}

/// The element of the input, or zero in the padding.
static Scalar loadInput(Body &body, const ConvSpec &spec, const Geometry &g, Scalar batch,
                        Scalar channel, Scalars output, Scalars offset) {
  Scalar inside;
  SmallVector<Scalar> position = g.window.locate(body, output, offset, inside);
  auto load = [&] {
    SmallVector<Scalar> at{batch, channel};
    at.append(position);
    Scalar x = body.load(spec.x, at);
    return spec.mapX ? spec.mapX(body, x) : x;
  };
  if (!inside)
    return load();
  return body.guard(inside, load, body.constant(0, getElement(spec)));
}

static Scalar finish(Body &body, Node &node, const ConvSpec &spec, Scalar acc, Scalar channel) {
  if (spec.bias)
    acc = acc + body.convert(body.load(spec.bias, {channel}), acc.type);
  return body.convert(spec.epilogue ? spec.epilogue(body, acc, channel) : acc, node.outElement());
}

static Value lowerDepthwise(Node &node, const ConvSpec &spec, const Geometry &g) {
  Type accumulator =
      spec.productType ? spec.productType : getComputeType(node.inType(0).getElementType());
  Dims kernel = g.window.kernelDims(node.op->getContext());
  return node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar group = at[1] / body.size(g.outPerGroup);
    Scalar sum = body.fold(kernel::FoldKind::Add, kernel, accumulator, [&](Scalars offset) {
      Scalar x = loadInput(body, spec, g, at[0], group, at.drop_front(2), offset);
      SmallVector<Scalar> where{at[1], body.index(0)};
      where.append(offset.begin(), offset.end());
      Scalar w = body.load(spec.w, where);
      w = spec.mapW ? spec.mapW(body, w, at[1]) : w;
      return body.convert(x, accumulator) * body.convert(w, accumulator);
    });
    return finish(body, node, spec, sum, at[1]);
  });
}

/// Coordinates of the result for (b, m, n), where b counts batches and groups.
static Dims resultCoordinates(const Geometry &g, MLIRContext *context) {
  AffineExpr d0 = getAffineDimExpr(0, context), d1 = getAffineDimExpr(1, context);
  Dims where;
  if (g.groups == 1)
    where = {d0, d1};
  else
    where = {d0.floorDiv(g.groups), (d0 % g.groups) * g.outPerGroup + d1};
  where.append(delinearizeExpr(getAffineDimExpr(2, context), g.out));
  return where;
}

static Scalar groupOf(Body &body, const Geometry &g, Scalar b) {
  return g.groups == 1 ? body.index(0) : b % body.index(g.groups);
}

static Scalar outChannel(Body &body, const Geometry &g, Scalar b, Scalar m) {
  return g.groups == 1 ? m : groupOf(body, g, b) * body.size(g.outPerGroup) + m;
}

/// The input as [batch * groups, channels per group, positions], for kernels of size 1.
static Value lowerAsMatmul(Node &node, const ConvSpec &spec, const Geometry &g,
                           const Node::Contract &contract, Node::Element lhs) {
  Value x = node.reshape(spec.x, {contract.sizes[0], contract.sizes[3], contract.sizes[2]});
  return node.contract(
      contract, lhs,
      [&](Body &body, Scalars at) {
        Scalar v = body.load(x, at);
        return spec.mapX ? spec.mapX(body, v) : v;
      },
      [&](Body &body, Scalars bmn, Scalar acc) {
        return finish(body, node, spec, acc, outChannel(body, g, bmn[0], bmn[1]));
      });
}

static Value lowerImplicit(Node &node, const ConvSpec &spec, const Geometry &g) {
  MLIRContext *context = node.op->getContext();
  Dims kernel = g.window.kernelDims(context);
  AffineExpr k = g.channelsPerGroup * g.window.volume();
  Node::Contract contract{node.outType(),
                          {g.batch * g.groups, g.outPerGroup, shape::product(g.out, context), k},
                          resultCoordinates(g, context),
                          getElement(spec),
                          isFew(shape::product(g.out, context))};
  Value w = g.groups == 1 ? node.reshape(spec.w, {g.outPerGroup, k})
                          : node.reshape(spec.w, {node.expr(g.groups), g.outPerGroup, k});
  auto lhs = [&](Body &body, Scalars at) {
    Scalar v = g.groups == 1 ? body.load(w, {at[1], at[2]})
                             : body.load(w, {groupOf(body, g, at[0]), at[1], at[2]});
    return spec.mapW ? spec.mapW(body, v, outChannel(body, g, at[0], at[1])) : v;
  };
  if (g.window.isPointwise())
    return lowerAsMatmul(node, spec, g, contract, lhs);
  Dims inner{g.channelsPerGroup};
  inner.append(kernel);
  auto rhs = [&](Body &body, Scalars at) {
    SmallVector<Scalar> output = body.delinearize(at[2], g.out);
    SmallVector<Scalar> offset = body.delinearize(at[1], inner);
    Scalar batch = g.groups == 1 ? at[0] : at[0] / body.index(g.groups);
    Scalar channel = offset[0];
    if (g.groups != 1)
      channel = groupOf(body, g, at[0]) * body.size(g.channelsPerGroup) + channel;
    return loadInput(body, spec, g, batch, channel, output, Scalars(offset).drop_front());
  };
  return node.contract(contract, lhs, rhs, [&](Body &body, Scalars bmn, Scalar acc) {
    return finish(body, node, spec, acc, outChannel(body, g, bmn[0], bmn[1]));
  });
}

LogicalResult lowerConvolution(Node &node, const ConvSpec &spec) {
  Dims x = shape::getDims(cast<RankedTensorType>(spec.x.getType()));
  Dims w = shape::getDims(cast<RankedTensorType>(spec.w.getType()));
  Dims out = node.outDims();
  if (x.size() < 3 || w.size() != x.size())
    return node.unsupported("its input needs a batch, channels and 1 or more spatial axes");
  Dims spatial(x.begin() + 2, x.end()), result(out.begin() + 2, out.end());
  auto kernel = Window::getKernel(node, Dims(w.begin() + 2, w.end()));
  if (failed(kernel))
    return failure();
  auto window = Window::get(node, spatial, result, *kernel);
  if (failed(window))
    return failure();
  int64_t groups = node.integer("group", 1);
  Geometry g{*window, groups, x[0],
             x[1],    w[1],   shape::quotient({w[0]}, {node.expr(groups)}, node.op->getContext()),
             result};
  return node.replace(isDepthwise(g) ? lowerDepthwise(node, spec, g)
                                     : lowerImplicit(node, spec, g));
}

static LogicalResult lowerConv(Node &node) {
  ConvSpec spec;
  spec.x = node.in(0);
  spec.w = node.in(1);
  spec.bias = node.in(2);
  return lowerConvolution(node, spec);
}

//===----------------------------------------------------------------------------------------------===//
// Transposed convolution
//===----------------------------------------------------------------------------------------------===//

/// Padding at the beginning of each axis of the *output*.
static SmallVector<int64_t> transposedPads(Node &node, const Geometry &g, LogicalResult &status) {
  unsigned rank = g.window.rank();
  SmallVector<int64_t> pads = node.integers("pads", 2 * rank, 0);
  StringRef mode = node.text("auto_pad", "NOTSET");
  bool hasShape = node.integers("output_shape").has_value();
  if (!hasShape && (mode == "NOTSET" || mode == "VALID"))
    return SmallVector<int64_t>(pads.begin(), pads.begin() + rank);
  SmallVector<int64_t> extra = node.integers("output_padding", rank, 0), begin;
  for (unsigned axis = 0; axis < rank; ++axis) {
    int64_t reach = (g.window.kernel[axis] - 1) * g.window.dilations[axis] + 1;
    auto total = shape::getConstant(shape::simplify(
        (g.window.in[axis] - 1) * g.window.strides[axis] + extra[axis] + reach - g.out[axis]));
    if (!total) {
      status = node.unsupported("its padding depends on the inputs' shapes");
      return pads;
    }
    int64_t sum = std::max<int64_t>(*total, 0);
    begin.push_back(mode == "SAME_UPPER" ? sum / 2 : sum - sum / 2);
  }
  return begin;
}

/// out[o] = sum over k of x[(o + pad - k * dilation) / stride] where that divides.
static LogicalResult lowerConvTranspose(Node &node) {
  MLIRContext *context = node.op->getContext();
  Dims x = node.inDims(0), w = node.inDims(1), out = node.outDims();
  auto kernelShape = Window::getKernel(node, Dims(w.begin() + 2, w.end()));
  if (failed(kernelShape))
    return failure();
  auto window = Window::get(node, Dims(x.begin() + 2, x.end()), Dims(out.begin() + 2, out.end()),
                            *kernelShape);
  if (failed(window))
    return failure();
  int64_t groups = node.integer("group", 1);
  AffineExpr perGroup = shape::quotient({x[1]}, {node.expr(groups)}, context);
  Geometry g{*window, groups, x[0], x[1], perGroup, w[1], Dims(out.begin() + 2, out.end())};
  LogicalResult status = success();
  SmallVector<int64_t> pads = transposedPads(node, g, status);
  if (failed(status))
    return failure();
  Dims inner{perGroup};
  inner.append(g.window.kernelDims(context));
  Node::Contract contract{node.outType(),
                          {g.batch * groups, g.outPerGroup, shape::product(g.out, context),
                           perGroup * g.window.volume()},
                          resultCoordinates(g, context),
                          node.inType(0).getElementType(),
                          false};
  Type element = node.inType(0).getElementType();
  auto channelOf = [&](Body &body, Scalar b, Scalar inGroup) {
    return groups == 1 ? inGroup : groupOf(body, g, b) * body.size(perGroup) + inGroup;
  };
  auto lhs = [&](Body &body, Scalars at) {
    SmallVector<Scalar> where = body.delinearize(at[2], inner);
    where[0] = channelOf(body, at[0], where[0]);
    where.insert(where.begin() + 1, at[1]);
    return body.load(node.in(1), where);
  };
  auto rhs = [&](Body &body, Scalars at) {
    SmallVector<Scalar> offset = body.delinearize(at[1], inner);
    SmallVector<Scalar> output = body.delinearize(at[2], g.out);
    SmallVector<Scalar> where{groups == 1 ? at[0] : at[0] / body.index(groups),
                              channelOf(body, at[0], offset[0])};
    Scalar inside = body.integer(1, body.builder.getI1Type());
    for (unsigned axis = 0; axis < g.window.rank(); ++axis) {
      Scalar scaled = output[axis] + body.index(pads[axis]) -
                      offset[axis + 1] * body.index(g.window.dilations[axis]);
      Scalar stride = body.index(g.window.strides[axis]);
      // A negative position is a huge unsigned one before the division, which `inside` would miss.
      Scalar position = scaled / stride;
      inside = inside & (scaled >= body.index(0)) & equal(scaled % stride, body.index(0)) &
               body.inside(position, body.size(g.window.in[axis]));
      where.push_back(position);
    }
    return body.guard(
        inside, [&] { return body.load(node.in(0), where); }, body.constant(0, element));
  };
  return node.replace(node.contract(contract, lhs, rhs, [&](Body &body, Scalars bmn, Scalar acc) {
    Scalar channel = outChannel(body, g, bmn[0], bmn[1]);
    if (Value bias = node.in(2))
      acc = acc + body.convert(body.load(bias, {channel}), acc.type);
    return body.convert(acc, node.outElement());
  }));
}

void addConvolutions(Registry &registry) {
  registry["conv"] = lowerConv;
  registry["conv_transpose"] = lowerConvTranspose;
}

} // namespace heddle::graph::form
