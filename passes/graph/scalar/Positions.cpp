// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index algebra on affine expressions. See the header.
#include "passes/graph/scalar/Positions.h"

using namespace mlir;

namespace heddle::graph::form {

Dims delinearizeExpr(AffineExpr position, ArrayRef<AffineExpr> dims) {
  Dims result(dims.size());
  int64_t outermost = -1;
  for (int64_t axis = dims.size() - 1; axis >= 0; --axis)
    if (shape::getConstant(dims[axis]) != 1)
      outermost = axis;
  for (int64_t axis = dims.size() - 1; axis >= 0; --axis) {
    if (shape::getConstant(dims[axis]) == 1) {
      result[axis] = shape::constant(0, position.getContext());
    } else if (axis == outermost) {
      result[axis] = position;
    } else {
      result[axis] = position % dims[axis];
      position = position.floorDiv(dims[axis]);
    }
  }
  return result;
}

/// The shortest runs of axes, from (i, j) on, that hold the same number of elements.
static std::optional<std::pair<size_t, size_t>>
findGroup(ArrayRef<AffineExpr> from, ArrayRef<AffineExpr> to, MLIRContext *context) {
  for (size_t total = 2; total <= from.size() + to.size(); ++total)
    for (size_t i = 1; i < total && i <= from.size(); ++i) {
      size_t j = total - i;
      if (j <= to.size() && shape::provablyEqual(shape::product(from.take_front(i), context),
                                                 shape::product(to.take_front(j), context)))
        return std::pair{i, j};
    }
  return std::nullopt;
}

Dims mapThroughReshape(ArrayRef<AffineExpr> from, ArrayRef<AffineExpr> to, MLIRContext *context) {
  Dims result(to.size(), shape::constant(0, context));
  // Axes of size 1 take no part.
  Dims sizes, coordinates, targets;
  SmallVector<size_t> places;
  for (auto [axis, size] : llvm::enumerate(from))
    if (shape::getConstant(size) != 1) {
      sizes.push_back(size);
      coordinates.push_back(getAffineDimExpr(axis, context));
    }
  for (auto [axis, size] : llvm::enumerate(to))
    if (shape::getConstant(size) != 1) {
      targets.push_back(size);
      places.push_back(axis);
    }
  size_t i = 0, j = 0;
  while (j < targets.size()) {
    auto group = findGroup(ArrayRef(sizes).drop_front(i), ArrayRef(targets).drop_front(j), context);
    // What cannot be matched is one group.
    auto [di, dj] = group.value_or(std::pair{sizes.size() - i, targets.size() - j});
    AffineExpr position = shape::constant(0, context);
    for (size_t k = i; k < i + di; ++k)
      position = position * sizes[k] + coordinates[k];
    Dims parts = delinearizeExpr(position, ArrayRef(targets).slice(j, dj));
    for (size_t k = 0; k < dj; ++k)
      result[places[j + k]] = parts[k];
    i += di;
    j += dj;
  }
  return result;
}

unsigned countSymbols(ArrayRef<AffineExpr> exprs) {
  unsigned symbols = 0;
  for (AffineExpr expr : exprs)
    expr.walk([&](AffineExpr e) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
        symbols = std::max(symbols, symbol.getPosition() + 1);
    });
  return symbols;
}

} // namespace heddle::graph::form
