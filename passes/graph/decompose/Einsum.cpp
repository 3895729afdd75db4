// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Einsum as matrix products. Inputs are combined from left to right; of each pair, labels that both
// and the rest need are batch axes, labels that only the pair has are the summed axis, and the
// others are rows and columns. A label twice in one input is its diagonal, a label of one input
// alone that the output lacks is summed before.
#include "dialects/graph/ops/EinsumEquation.h"
#include "passes/graph/decompose/Expansion.h"

using namespace mlir;

namespace heddle::graph {

using Labels = EinsumEquation::Labels;

namespace {
struct Term {
  Labels labels;
  Value value;

  int64_t axisOf(int label) const { return llvm::find(labels, label) - labels.begin(); }
  bool has(int label) const { return llvm::is_contained(labels, label); }
};
} // namespace

/// The axes in the order of `order`, which has all of the term's labels.
static Term reorder(Expansion &e, const Term &term, const Labels &order) {
  auto perm = llvm::map_to_vector(order, [&](int label) { return term.axisOf(label); });
  return {order, e.transpose(term.value, perm)};
}

/// Replaces two axes of one label by their diagonal.
static FailureOr<Term> takeDiagonals(Expansion &e, Term term) {
  for (size_t i = 0; i < term.labels.size(); ++i) {
    size_t j = i + 1;
    while (j < term.labels.size() && term.labels[j] != term.labels[i])
      ++j;
    if (j == term.labels.size())
      continue;
    auto size = shape::getConstant(Expansion::dims(term.value)[i]);
    if (!size || shape::getConstant(Expansion::dims(term.value)[j]) != size)
      return e.shape.unsupported("einsum over the diagonal of axes whose sizes are not known");
    // Both axes last and merged: the diagonal is every (size + 1)-th element.
    SmallVector<int64_t> perm;
    Labels rest;
    for (size_t axis = 0; axis < term.labels.size(); ++axis)
      if (axis != i && axis != j) {
        perm.push_back(axis);
        rest.push_back(term.labels[axis]);
      }
    perm.append({int64_t(i), int64_t(j)});
    rest.push_back(term.labels[i]);
    Value value = e.transpose(term.value, perm);
    Dims merged = Expansion::dims(value);
    merged.pop_back();
    merged.back() = e.constant(*size * *size);
    value = e.slice(e.reshape(value, merged), merged.size() - 1, e.constant(0), merged.back(),
                    *size + 1);
    term = {rest, value};
    i = size_t(-1);
  }
  return term;
}

static Term sumUnused(Expansion &e, const Term &term, const Labels &needed) {
  Labels kept;
  SmallVector<int64_t> axes;
  for (auto [axis, label] : llvm::enumerate(term.labels)) {
    if (llvm::is_contained(needed, label))
      kept.push_back(label);
    else
      axes.push_back(axis);
  }
  return {kept, e.reduceSum(term.value, axes)};
}

static AffineExpr extent(Expansion &e, const Term &term, const Labels &labels) {
  AffineExpr result = e.constant(1);
  Dims dims = Expansion::dims(term.value);
  for (int label : labels)
    result = result * dims[term.axisOf(label)];
  return result;
}

/// The term as [batch..., rows, columns].
static Value asMatrix(Expansion &e, const Term &term, const Labels &batch, const Labels &rows,
                      const Labels &columns) {
  Labels order;
  for (const Labels *part : {&batch, &rows, &columns})
    llvm::append_range(order, *part);
  if (!term.value)
    return {};
  Dims dims, sizes = Expansion::dims(term.value);
  for (int label : batch)
    dims.push_back(sizes[term.axisOf(label)]);
  dims.push_back(extent(e, term, rows));
  dims.push_back(extent(e, term, columns));
  return e.reshape(reorder(e, term, order).value, dims);
}

/// Product of two terms, with what no later term or output needs summed.
static Term combine(Expansion &e, Term a, Term b, const Labels &needed) {
  Labels neededByA = needed, neededByB = needed;
  llvm::append_range(neededByA, b.labels);
  llvm::append_range(neededByB, a.labels);
  a = sumUnused(e, a, neededByA);
  b = sumUnused(e, b, neededByB);
  if (!a.value || !b.value)
    return {};
  Labels batch, rows, columns, summed;
  for (int label : a.labels) {
    if (!b.has(label))
      rows.push_back(label);
    else
      (llvm::is_contained(needed, label) ? batch : summed).push_back(label);
  }
  llvm::copy_if(b.labels, std::back_inserter(columns), [&](int label) { return !a.has(label); });
  Value product =
      e.matmul(asMatrix(e, a, batch, rows, summed), asMatrix(e, b, batch, summed, columns));
  if (!product)
    return {};
  Labels labels = batch;
  Dims dims = Expansion::dims(product);
  dims.pop_back_n(2);
  for (auto [part, term] : {std::pair(&rows, &a), std::pair(&columns, &b)})
    for (int label : *part) {
      labels.push_back(label);
      dims.push_back(Expansion::dims(term->value)[term->axisOf(label)]);
    }
  return {labels, e.reshape(product, dims)};
}

LogicalResult expandEinsum(Expansion &e) {
  auto equation = parseEinsum(e.shape);
  if (failed(equation))
    return failure();
  SmallVector<Term> terms;
  for (auto [labels, value] : llvm::zip_equal(equation->inputs, e.shape.op->getOperands())) {
    auto term = takeDiagonals(e, {labels, value});
    if (failed(term))
      return failure();
    terms.push_back(*term);
  }
  Term result = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) {
    Labels needed = equation->output;
    for (const Term &later : ArrayRef(terms).drop_front(i + 1))
      llvm::append_range(needed, later.labels);
    result = combine(e, result, terms[i], needed);
  }
  result = sumUnused(e, result, equation->output);
  if (!result.value)
    return failure();
  return e.replace({reorder(e, result, equation->output).value});
}

} // namespace heddle::graph
