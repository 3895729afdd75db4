// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape rules of matrix products, convolutions, pools and their quantised forms.
#include "dialects/graph/ops/ShapeRules.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using heddle::shape::DerivedOp;

namespace heddle::graph {

/// The type of A times B with broadcast batch axes; vectors are a row on the left and a column on
/// the right.
static FailureOr<Dims> product(OpShape &op, Dims a, Dims b) {
  if (a.empty() || b.empty())
    return op.fail("operands must have at least one axis");
  bool isRow = a.size() == 1, isColumn = b.size() == 1;
  if (isRow)
    a.insert(a.begin(), op.constant(1));
  if (isColumn)
    b.push_back(op.constant(1));
  auto k = shape::getConstant(a.back()), other = shape::getConstant(b[b.size() - 2]);
  if (k && other && *k != *other)
    return op.fail("inner sizes must agree, got " + Twine(*k) + " and " + Twine(*other));
  auto batch = op.broadcast(ArrayRef(a).drop_back(2), ArrayRef(b).drop_back(2));
  if (failed(batch))
    return failure();
  Dims dims = *batch;
  if (!isRow)
    dims.push_back(a[a.size() - 2]);
  if (!isColumn)
    dims.push_back(b.back());
  return dims;
}

static LogicalResult matmul(OpShape &op) {
  if (op.element(0) != op.element(1))
    return op.fail("operands must have one element type");
  auto dims = product(op, op.dims(0), op.dims(1));
  return failed(dims) ? failure() : op.give(*dims, op.element(0));
}

static LogicalResult matmulInteger(OpShape &op) {
  auto dims = product(op, op.dims(0), op.dims(1));
  return failed(dims) ? failure() : op.give(*dims, Builder(op.context()).getI32Type());
}

static LogicalResult qlinearMatmul(OpShape &op) {
  auto dims = product(op, op.dims(0), op.dims(3));
  return failed(dims) ? failure() : op.give(*dims, op.element(7));
}

static LogicalResult gemm(OpShape &op) {
  Dims a = op.dims(0), b = op.dims(1);
  if (a.size() != 2 || b.size() != 2)
    return op.fail("a and b must be matrices");
  if (op.integer("transA", 0))
    std::swap(a[0], a[1]);
  if (op.integer("transB", 0))
    std::swap(b[0], b[1]);
  auto dims = product(op, a, b);
  if (failed(dims))
    return failure();
  if (op.in(2)) {
    if (op.rank(2) > 2 || failed(op.broadcast(*dims, op.dims(2))))
      return op.rank(2) > 2 ? op.fail("c must have at most two axes") : failure();
  }
  return op.give(*dims, op.element(0));
}

/// One spatial axis of a window: how many positions it takes.
struct WindowAxis {
  AffineExpr input;
  AffineExpr kernel;
  int64_t stride, dilation, padBegin, padEnd;
};

static AffineExpr countPositions(OpShape &op, const WindowAxis &w, StringRef autoPad, bool isCeil) {
  AffineExpr span = (w.kernel - 1) * w.dilation + 1;
  if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER")
    return w.input.ceilDiv(w.stride);
  int64_t pads = autoPad == "VALID" ? 0 : w.padBegin + w.padEnd;
  AffineExpr room = w.input + pads - span;
  if (!isCeil)
    return room.floorDiv(w.stride) + 1;
  AffineExpr count = room.ceilDiv(w.stride) + 1;
  // A window that would start in the end padding does not count.
  int64_t begin = autoPad == "VALID" ? 0 : w.padBegin;
  AffineExpr last = (count - 1) * w.stride;
  AffineExpr fits = op.symbols.derived(DerivedOp::kLess, {last, w.input + begin});
  return op.symbols.derived(DerivedOp::kSelect, {fits, count, count - 1});
}

/// Reads strides, dilations and pads; `kernel` are the window's sizes.
static FailureOr<Dims> windowDims(OpShape &op, ArrayRef<AffineExpr> spatial,
                                  ArrayRef<AffineExpr> kernel, bool isCeil) {
  unsigned n = spatial.size();
  SmallVector<int64_t> ones(n, 1), zeros(2 * n, 0);
  auto strides = op.integers("strides").value_or(ones);
  auto dilations = op.integers("dilations").value_or(ones);
  auto pads = op.integers("pads").value_or(zeros);
  StringRef autoPad = op.text("auto_pad", "NOTSET");
  if (kernel.size() != n || strides.size() != n || dilations.size() != n || pads.size() != 2 * n)
    return op.fail("kernel_shape, strides, dilations and pads must fit " + Twine(n) +
                   " spatial axes");
  Dims result;
  for (unsigned i = 0; i < n; ++i) {
    if (strides[i] < 1 || dilations[i] < 1)
      return op.fail("strides and dilations must be positive");
    if (auto size = shape::getConstant(kernel[i]); size && *size < 1)
      return op.fail("kernel sizes must be positive");
    result.push_back(
        countPositions(op, {spatial[i], kernel[i], strides[i], dilations[i], pads[i], pads[i + n]},
                       autoPad, isCeil));
  }
  return result;
}

static FailureOr<Dims> convolution(OpShape &op, Dims x, Dims w) {
  if (x.size() < 3 || w.size() != x.size())
    return op.fail("x and w must have one rank of at least 3 (batch, channel, spatial axes)");
  int64_t groups = op.integer("group", 1);
  auto channels = shape::getConstant(x[1]), perGroup = shape::getConstant(w[1]),
       out = shape::getConstant(w[0]);
  if (groups < 1 || (channels && perGroup && *channels != *perGroup * groups))
    return op.fail("x has " + Twine(channels.value_or(-1)) + " channels, w takes " +
                   Twine(perGroup.value_or(-1)) + " in each of " + Twine(groups) + " groups");
  if (out && *out % groups)
    return op.fail("w has " + Twine(*out) + " output channels, not a multiple of " + Twine(groups) +
                   " groups");
  Dims kernel(w.begin() + 2, w.end());
  if (auto given = op.integers("kernel_shape")) {
    if (given->size() != kernel.size())
      return op.fail("kernel_shape must have " + Twine(kernel.size()) + " entries");
    for (auto [k, size] : llvm::zip_equal(kernel, *given))
      if (auto known = shape::getConstant(k); known && *known != size)
        return op.fail("kernel_shape says " + Twine(size) + ", w has " + Twine(*known));
  }
  auto spatial = windowDims(op, ArrayRef(x).drop_front(2), kernel, /*isCeil=*/false);
  if (failed(spatial))
    return failure();
  Dims dims{x[0], w[0]};
  llvm::append_range(dims, *spatial);
  return dims;
}

static LogicalResult conv(OpShape &op) {
  if (op.element(0) != op.element(1))
    return op.fail("x and w must have one element type");
  auto dims = convolution(op, op.dims(0), op.dims(1));
  return failed(dims) ? failure() : op.give(*dims, op.element(0));
}

static LogicalResult convInteger(OpShape &op) {
  auto dims = convolution(op, op.dims(0), op.dims(1));
  return failed(dims) ? failure() : op.give(*dims, Builder(op.context()).getI32Type());
}

static LogicalResult qlinearConv(OpShape &op) {
  auto dims = convolution(op, op.dims(0), op.dims(3));
  return failed(dims) ? failure() : op.give(*dims, op.element(7));
}

static LogicalResult convTranspose(OpShape &op) {
  Dims x = op.dims(0), w = op.dims(1);
  if (x.size() < 3 || w.size() != x.size())
    return op.fail("x and w must have one rank of at least 3 (batch, channel, spatial axes)");
  unsigned n = x.size() - 2;
  SmallVector<int64_t> ones(n, 1), zeros(2 * n, 0);
  auto strides = op.integers("strides").value_or(ones),
       dilations = op.integers("dilations").value_or(ones);
  auto pads = op.integers("pads").value_or(zeros);
  auto extra = op.integers("output_padding").value_or(SmallVector<int64_t>(n, 0));
  auto wanted = op.integers("output_shape");
  if (strides.size() != n || dilations.size() != n || pads.size() != 2 * n || extra.size() != n ||
      (wanted && wanted->size() != n))
    return op.fail("strides, dilations, pads, output_padding and output_shape must fit " +
                   Twine(n) + " spatial axes");
  StringRef autoPad = op.text("auto_pad", "NOTSET");
  Dims dims{x[0], w[1] * op.integer("group", 1)};
  for (unsigned i = 0; i < n; ++i) {
    if (strides[i] < 1 || dilations[i] < 1)
      return op.fail("strides and dilations must be positive");
    AffineExpr span = (w[i + 2] - 1) * dilations[i] + 1;
    if (wanted)
      dims.push_back(op.constant((*wanted)[i]));
    else if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER")
      dims.push_back(x[i + 2] * strides[i]);
    else
      dims.push_back((x[i + 2] - 1) * strides[i] + extra[i] + span -
                     (autoPad == "VALID" ? 0 : pads[i] + pads[i + n]));
  }
  return op.give(dims, op.element(0));
}

static LogicalResult pool(OpShape &op) {
  Dims x = op.dims(0);
  auto kernel = op.integers("kernel_shape");
  if (x.size() < 3 || !kernel)
    return op.fail(
        "needs kernel_shape and an input of at least 3 axes (batch, channel, spatial axes)");
  Dims sizes = llvm::map_to_vector<6>(*kernel, [&](int64_t size) { return op.constant(size); });
  auto spatial = windowDims(op, ArrayRef(x).drop_front(2), sizes, op.integer("ceil_mode", 0));
  if (failed(spatial))
    return failure();
  Dims dims{x[0], x[1]};
  llvm::append_range(dims, *spatial);
  if (failed(op.give(dims, op.element(0))))
    return failure();
  return op.op->getNumResults() > 1 ? op.give(dims, Builder(op.context()).getI64Type()) : success();
}

static LogicalResult globalPool(OpShape &op) {
  Dims dims = op.dims(0);
  if (dims.size() < 2)
    return op.fail("needs a batch and a channel axis");
  std::fill(dims.begin() + 2, dims.end(), op.constant(1));
  return op.give(dims, op.element(0));
}

static LogicalResult quantize(OpShape &op) {
  Type element = op.in(2) ? op.element(2)
                 : op.integer("output_dtype", 0)
                     ? getElementType(op.integer("output_dtype", 0), op.context())
                     : getElementType(2, op.context());
  return element ? op.give(op.dims(0), element) : op.fail("output_dtype must be a number type");
}

static LogicalResult dequantize(OpShape &op) {
  Type element = op.integer("output_dtype", 0)
                     ? getElementType(op.integer("output_dtype", 0), op.context())
                     : op.element(1);
  return element ? op.give(op.dims(0), element) : op.fail("output_dtype must be a number type");
}

static LogicalResult dynamicQuantize(OpShape &op) {
  Type u8 = getElementType(2, op.context());
  return failure(failed(op.give(op.dims(0), u8)) || failed(op.give({}, op.element(0))) ||
                 failed(op.give({}, u8)));
}

void addContractionRules(ShapeRules &rules) {
  rules["matmul"] = matmul;
  rules["matmul_integer"] = matmulInteger;
  rules["qlinear_matmul"] = qlinearMatmul;
  rules["gemm"] = gemm;
  rules["conv"] = conv;
  rules["conv_integer"] = convInteger;
  rules["qlinear_conv"] = qlinearConv;
  rules["conv_transpose"] = convTranspose;
  for (StringRef name : {"max_pool", "average_pool", "lp_pool"})
    rules[name] = pool;
  for (StringRef name : {"global_average_pool", "global_max_pool", "global_lp_pool"})
    rules[name] = globalPool;
  rules["quantize_linear"] = quantize;
  rules["dequantize_linear"] = dequantize;
  rules["dynamic_quantize_linear"] = dynamicQuantize;
}

} // namespace heddle::graph
