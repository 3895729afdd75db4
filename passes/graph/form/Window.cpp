// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Geometry of sliding windows. See the header.
#include "passes/graph/form/Window.h"

using namespace mlir;

namespace heddle::graph::form {

FailureOr<SmallVector<int64_t>> Window::getKernel(const Node &node, ArrayRef<AffineExpr> sizes) {
  if (auto given = node.integers("kernel_shape"))
    return *given;
  SmallVector<int64_t> kernel;
  for (AffineExpr size : sizes) {
    auto constant = shape::getConstant(size);
    if (!constant)
      return node.unsupported("its kernel's shape is not known at compile time");
    kernel.push_back(*constant);
  }
  return kernel;
}

FailureOr<Window> Window::get(const Node &node, Dims in, Dims out, ArrayRef<int64_t> kernel) {
  Window window;
  unsigned rank = in.size();
  if (kernel.size() != rank)
    return node.unsupported("its kernel has " + Twine(kernel.size()) + " axes, its input has " +
                            Twine(rank));
  window.in = in;
  window.out = out;
  window.kernel.assign(kernel.begin(), kernel.end());
  window.strides = node.integers("strides", rank, 1);
  window.dilations = node.integers("dilations", rank, 1);
  window.ceil = node.integer("ceil_mode", 0);
  SmallVector<int64_t> pads = node.integers("pads", 2 * rank, 0);
  StringRef mode = node.text("auto_pad", "NOTSET");
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER")
    window.padding = mode == "SAME_UPPER" ? Padding::kSameUpper : Padding::kSameLower;
  if (mode != "NOTSET")
    pads.assign(2 * rank, 0);
  window.begin.assign(pads.begin(), pads.begin() + rank);
  window.end.assign(pads.begin() + rank, pads.end());
  if (window.padding == Padding::kExplicit)
    return window;
  // Padding derived from static sizes is explicit padding.
  for (unsigned axis = 0; axis < rank; ++axis) {
    auto i = shape::getConstant(in[axis]), o = shape::getConstant(out[axis]);
    if (!i || !o)
      return window;
    int64_t total = std::max<int64_t>(
        (*o - 1) * window.strides[axis] + (kernel[axis] - 1) * window.dilations[axis] + 1 - *i, 0);
    window.begin[axis] = window.padding == Padding::kSameUpper ? total / 2 : total - total / 2;
    window.end[axis] = total - window.begin[axis];
  }
  window.padding = Padding::kExplicit;
  return window;
}

int64_t Window::volume() const {
  int64_t volume = 1;
  for (int64_t size : kernel)
    volume *= size;
  return volume;
}

Dims Window::kernelDims(MLIRContext *context) const {
  return llvm::map_to_vector<6>(kernel,
                                [&](int64_t size) { return shape::constant(size, context); });
}

bool Window::isPointwise() const {
  for (unsigned axis = 0; axis < rank(); ++axis)
    if (kernel[axis] != 1 || strides[axis] != 1 || needsGuard(axis))
      return false;
  return true;
}

bool Window::needsGuard(unsigned axis) const {
  if (padding != Padding::kExplicit)
    return kernel[axis] > 1;
  if (begin[axis] > 0)
    return true;
  // Rounding down keeps the last window inside of the padded input.
  if (end[axis] <= 0 && begin[axis] == 0 && !ceil)
    return false;
  auto last =
      shape::getConstant(shape::simplify(in[axis] - ((out[axis] - 1) * strides[axis] - begin[axis] +
                                                     (kernel[axis] - 1) * dilations[axis])));
  return !last || *last < 1;
}

Scalar Window::padBegin(Body &body, unsigned axis) const {
  if (padding == Padding::kExplicit)
    return body.index(begin[axis]);
  Scalar needed = body.size((out[axis] - 1) * strides[axis] + (kernel[axis] - 1) * dilations[axis] +
                            1 - in[axis]);
  Scalar total = body.maximum(needed, body.index(0));
  Scalar half = total / body.index(2);
  return padding == Padding::kSameUpper ? half : total - half;
}

Scalar Window::start(Body &body, unsigned axis, Scalar output) const {
  return output * body.index(strides[axis]) - padBegin(body, axis);
}

SmallVector<Scalar> Window::locate(Body &body, Scalars output, Scalars offset,
                                   Scalar &inside) const {
  SmallVector<Scalar> position;
  for (unsigned axis = 0; axis < rank(); ++axis) {
    Scalar at = start(body, axis, output[axis]) + offset[axis] * body.index(dilations[axis]);
    position.push_back(at);
    if (!needsGuard(axis))
      continue;
    Scalar valid = body.inside(at, body.size(in[axis]));
    inside = inside ? inside & valid : valid;
  }
  return position;
}

} // namespace heddle::graph::form
