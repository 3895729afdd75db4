// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Window functions of signal processing, and the crop or pad around a centre.
#include "passes/graph/decompose/Expansion.h"

#include <numbers>

using namespace mlir;

namespace heddle::graph {

/// a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N), where N is the size, or the size - 1 if not
/// periodic.
static LogicalResult expandWindow(Expansion &e, double a0, double a1, double a2) {
  auto size = e.shape.values(0);
  if (!size || size->size() != 1)
    return e.shape.unsupported("the size must be known on the host before the model runs");
  Type f32 = Builder(e.shape.context()).getF32Type();
  AffineExpr count = size->front();
  AffineExpr period = e.shape.integer("periodic", 1) ? count : count - 1;
  Value n = e.emit("range", {e.number(e.constant(0)), e.number(count), e.number(e.constant(1))});
  Value phase = e.mul(e.cast(n, f32), e.scalar(2 * std::numbers::pi, f32));
  phase = e.emit("div", {phase, e.cast(e.number(period), f32)});
  auto wave = [&](double amplitude, double harmonic) {
    Value angle = e.mul(phase, e.scalar(harmonic, f32));
    return e.mul(e.emit("cos", {angle}), e.scalar(amplitude, f32));
  };
  Value window = e.emit("sub", {e.scalar(a0, f32), wave(a1, 1)});
  if (a2 != 0)
    window = e.add(window, wave(a2, 2));
  auto result = cast<RankedTensorType>(e.shape.op->getResult(0).getType());
  return e.replace({e.cast(window, result.getElementType())});
}

// The constants are those of the ONNX specification.
LogicalResult expandHannWindow(Expansion &e) { return expandWindow(e, 0.5, 0.5, 0); }
LogicalResult expandHammingWindow(Expansion &e) {
  return expandWindow(e, 25.0 / 46, 1 - 25.0 / 46, 0);
}
LogicalResult expandBlackmanWindow(Expansion &e) { return expandWindow(e, 0.42, 0.5, 0.08); }

LogicalResult expandCenterCropPad(Expansion &e) {
  Value value = e.in(0);
  Dims from = e.shape.dims(0);
  Dims to = shape::getDims(cast<RankedTensorType>(e.shape.op->getResult(0).getType()));
  Type element = e.shape.element(0);
  for (int64_t axis = 0; axis < int64_t(from.size()); ++axis) {
    if (shape::provablyEqual(from[axis], to[axis]))
      continue;
    auto before = shape::getConstant(from[axis]), after = shape::getConstant(to[axis]);
    if (!before || !after)
      return e.shape.unsupported("a crop or pad of an axis whose size is not known");
    if (*after < *before) {
      int64_t begin = (*before - *after) / 2;
      value = e.slice(value, axis, e.constant(begin), e.constant(begin + *after));
      continue;
    }
    int64_t begin = (*after - *before) / 2, end = *after - *before - begin;
    SmallVector<Value> parts;
    for (int64_t count : {begin, int64_t(-1), end}) {
      if (count < 0)
        parts.push_back(value);
      Dims margin = Expansion::dims(value);
      if (count <= 0 || !value)
        continue;
      margin[axis] = e.constant(count);
      parts.push_back(e.emit("expand", {e.scalar(0, element), e.vector(margin)}));
    }
    value = e.concat(parts, axis);
  }
  return e.replace({value});
}

} // namespace heddle::graph
