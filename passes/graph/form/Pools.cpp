// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pools: a loop over the window in the thread of each output element.
#include "passes/graph/form/Window.h"

#include <cmath>

using namespace mlir;

namespace heddle::graph::form {

static FailureOr<Window> getWindow(Node &node) {
  Dims in = node.inDims(0), out = node.outDims();
  if (in.size() < 3)
    return node.unsupported("its input needs a batch, channels and 1 or more spatial axes");
  auto kernel = node.integers("kernel_shape");
  if (!kernel)
    return node.unsupported("it has no kernel_shape");
  return Window::get(node, Dims(in.begin() + 2, in.end()), Dims(out.begin() + 2, out.end()),
                     *kernel);
}

/// The input element under a window element, or `outside` in the padding; in the compute type.
static Scalar loadWindow(Body &body, Node &node, const Window &window, Scalars at, Scalars offset,
                         llvm::function_ref<Scalar(Scalar)> change, Scalar outside) {
  Scalar inside;
  SmallVector<Scalar> where{at[0], at[1]};
  where.append(window.locate(body, at.drop_front(2), offset, inside));
  auto load = [&] { return change(body.loadWide(node.in(0), where)); };
  return inside ? body.guard(inside, load, outside) : load();
}

static Scalar same(Scalar x) { return x; }

/// Flat position in the input of the maximum, from its position in the window.
static Scalar flatIndex(Body &body, Node &node, const Window &window, Scalars at, Scalar position) {
  SmallVector<Scalar> offset = body.delinearize(position, window.kernelDims(node.op->getContext()));
  Scalar ignored;
  SmallVector<Scalar> spatial = window.locate(body, at.drop_front(2), offset, ignored);
  Dims dims(window.in);
  if (node.integer("storage_order", 0)) {
    std::reverse(spatial.begin(), spatial.end());
    std::reverse(dims.begin(), dims.end());
  }
  Dims all = node.inDims(0);
  all.resize(2);
  all.append(dims);
  SmallVector<Scalar> where{at[0], at[1]};
  where.append(spatial);
  return body.linearize(where, all);
}

static LogicalResult lowerMaxPool(Node &node) {
  auto window = getWindow(node);
  if (failed(window))
    return failure();
  Type type = getComputeType(node.inType(0).getElementType());
  bool isUnsigned = type.isUnsignedInteger();
  Dims kernel = window->kernelDims(node.op->getContext());
  bool hasIndices = node.op->getNumResults() > 1 && !node.op->getResult(1).use_empty();
  auto element = [&](Body &body, Scalars at, Scalars offset) {
    return loadWindow(body, node, *window, at, offset, same, body.lowest(type));
  };
  if (!hasIndices) {
    Value result = node.map(node.outType(), [&](Body &body, Scalars at) {
      auto kind = isUnsigned ? kernel::FoldKind::MaxU : kernel::FoldKind::Max;
      Scalar max =
          body.fold(kind, kernel, type, [&](Scalars offset) { return element(body, at, offset); });
      return body.convert(max, node.outElement());
    });
    node.op->getResult(0).replaceAllUsesWith(result);
    node.op->erase();
    return success();
  }
  return node.replace(node.mapMany({node.outType(0), node.outType(1)}, [&](Body &body, Scalars at) {
    auto kind = isUnsigned ? kernel::FoldKind::ArgMaxU : kernel::FoldKind::ArgMax;
    auto [max, position] = body.argFold(kind, kernel, type, [&](Scalars offset) {
      return std::pair{element(body, at, offset), body.linearize(offset, kernel)};
    });
    Scalar index = flatIndex(body, node, *window, at, position);
    return SmallVector<Scalar>{body.convert(max, node.outElement(0)),
                               body.convert(index, node.outElement(1))};
  }));
}

/// How many elements of a window are averaged.
static Scalar countElements(Body &body, Node &node, const Window &window, Scalars at, Type type) {
  bool includePads = node.integer("count_include_pad", 0);
  int64_t known = 1;
  Scalar count;
  for (unsigned axis = 0; axis < window.rank(); ++axis) {
    if (!window.needsGuard(axis)) {
      known *= window.kernel[axis];
      continue;
    }
    Scalar start = window.start(body, axis, at[2 + axis]);
    Scalar low = body.index(0), high = body.size(window.in[axis]);
    if (includePads && window.padding != Window::Padding::kExplicit) {
      known *= window.kernel[axis];
      continue;
    }
    if (includePads) {
      low = body.index(-window.begin[axis]);
      high = high + body.index(window.end[axis]);
    }
    // Window elements k with low <= start + k * dilation < high.
    Scalar step = body.index(window.dilations[axis]), zero = body.index(0);
    Scalar first = body.maximum(low - start, zero);
    first = (first + step - 1) / step;
    Scalar last = (body.maximum(high - start, zero) + step - 1) / step;
    Scalar here = body.minimum(last, body.index(window.kernel[axis])) - first;
    count = count ? count * here : here;
  }
  if (!count)
    return body.constant(known, type);
  return body.convert(count * body.index(known), type);
}

static LogicalResult lowerAveragePool(Node &node) {
  auto window = getWindow(node);
  if (failed(window))
    return failure();
  Type type = getComputeType(node.inType(0).getElementType());
  Dims kernel = window->kernelDims(node.op->getContext());
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar sum = body.fold(kernel::FoldKind::Add, kernel, type, [&](Scalars offset) {
      return loadWindow(body, node, *window, at, offset, same, body.constant(0, type));
    });
    return body.convert(sum / countElements(body, node, *window, at, type), node.outElement());
  }));
}

static LogicalResult lowerLpPool(Node &node) {
  auto window = getWindow(node);
  if (failed(window))
    return failure();
  Type type = getComputeType(node.inType(0).getElementType());
  Dims kernel = window->kernelDims(node.op->getContext());
  int64_t p = node.integer("p", 2);
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    auto power = [&](Scalar x) {
      if (p == 2)
        return x * x;
      Scalar magnitude = body.math<math::AbsFOp>(x);
      return p == 1 ? magnitude : body.math<math::PowFOp>(magnitude, body.constant(p, type));
    };
    Scalar sum = body.fold(kernel::FoldKind::Add, kernel, type, [&](Scalars offset) {
      return loadWindow(body, node, *window, at, offset, power, body.constant(0, type));
    });
    Scalar root = p == 1   ? sum
                  : p == 2 ? body.math<math::SqrtOp>(sum)
                           : body.math<math::PowFOp>(sum, body.constant(1.0 / p, type));
    return body.convert(root, node.outElement());
  }));
}

/// Local response normalisation: a window over channels.
static LogicalResult lowerLrn(Node &node) {
  Type type = getComputeType(node.inType(0).getElementType());
  int64_t size = node.integer("size", 1);
  double alpha = node.real("alpha", 1e-4), beta = node.real("beta", 0.75),
         bias = node.real("bias", 1);
  AffineExpr channels = node.inDims(0)[1];
  Value x = node.in(0);
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar sum = body.fold(kernel::FoldKind::Add, {node.expr(size)}, type, [&](Scalars k) {
      Scalar channel = at[1] - body.index((size - 1) / 2) + k[0];
      auto square = [&] {
        SmallVector<Scalar> where(at.begin(), at.end());
        where[1] = channel;
        Scalar v = body.loadWide(x, where);
        return v * v;
      };
      return body.guard(body.inside(channel, body.size(channels)), square, body.constant(0, type));
    });
    Scalar base = sum * (alpha / size) + bias;
    Scalar scale = body.math<math::PowFOp>(base, body.constant(beta, type));
    return body.convert(body.loadWide(x, at) / scale, node.outElement());
  }));
}

void addPools(Registry &registry) {
  registry["max_pool"] = lowerMaxPool;
  registry["average_pool"] = lowerAveragePool;
  registry["lp_pool"] = lowerLpPool;
  registry["lrn"] = lowerLrn;
}

} // namespace heddle::graph::form
