// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape rules of operators that are expressed by simpler ones: Einsum, Attention, RotaryEmbedding.
#include "dialects/graph/ops/EinsumEquation.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace heddle::graph {

//===----------------------------------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------------------------------===//

static constexpr StringLiteral kDots = "...";

/// Labels of one term; `ellipsisRank` axes stand under its ellipsis.
static FailureOr<EinsumEquation::Labels> parseTerm(OpShape &op, StringRef term,
                                                   int64_t ellipsisRank) {
  EinsumEquation::Labels labels;
  bool hasEllipsis = false;
  while (!term.empty()) {
    if (term.consume_front(kDots)) {
      if (hasEllipsis)
        return op.fail("equation has two ellipses in one term");
      hasEllipsis = true;
      for (int64_t i = ellipsisRank; i > 0; --i)
        labels.push_back(EinsumEquation::kEllipsis + int(i));
      continue;
    }
    char letter = term.front();
    if (!llvm::isAlpha(letter))
      return op.fail("equation has '" + Twine(letter) + "', expected letters, '...', ',' and '->'");
    labels.push_back(letter);
    term = term.drop_front();
  }
  return labels;
}

static LogicalResult bindSizes(OpShape &op, EinsumEquation &equation, unsigned input,
                               ArrayRef<AffineExpr> dims) {
  for (auto [label, size] : llvm::zip_equal(equation.inputs[input], dims)) {
    auto [found, isNew] = equation.sizes.try_emplace(label, size);
    if (isNew)
      continue;
    auto both = op.broadcast(found->second, size);
    if (failed(both))
      return failure();
    found->second = *both;
  }
  return success();
}

/// Without `->`, the output has the ellipsis and then the letters that occur once, sorted.
static EinsumEquation::Labels implicitOutput(const EinsumEquation &equation, int64_t ellipsisRank) {
  EinsumEquation::Labels all, output;
  for (const auto &labels : equation.inputs)
    llvm::append_range(all, labels);
  for (int64_t i = ellipsisRank; i > 0; --i)
    output.push_back(EinsumEquation::kEllipsis + int(i));
  for (int letter = 0; letter < EinsumEquation::kEllipsis; ++letter)
    if (llvm::count(all, letter) == 1)
      output.push_back(letter);
  return output;
}

FailureOr<EinsumEquation> parseEinsum(OpShape &op) {
  std::string text = op.text("equation", "").str();
  llvm::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  auto [left, right] = StringRef(text).split("->");
  bool isExplicit = StringRef(text).contains("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != op.op->getNumOperands())
    return op.fail("equation has " + Twine(terms.size()) + " terms for " +
                   Twine(op.op->getNumOperands()) + " inputs");
  EinsumEquation equation;
  int64_t widest = 0;
  for (auto [i, term] : llvm::enumerate(terms)) {
    bool hasEllipsis = term.contains(kDots);
    auto dims = shape::getDims(cast<RankedTensorType>(op.op->getOperand(i).getType()));
    int64_t hidden = int64_t(dims.size()) - int64_t(term.size()) + (hasEllipsis ? 3 : 0);
    if (hidden < 0 || (hidden > 0 && !hasEllipsis))
      return op.fail("equation's term '" + term + "' does not fit an input of rank " +
                     Twine(dims.size()));
    auto labels = parseTerm(op, term, hidden);
    if (failed(labels))
      return failure();
    if (labels->size() != dims.size())
      return op.fail("equation's term '" + term + "' does not fit an input of rank " +
                     Twine(dims.size()));
    widest = std::max(widest, hidden);
    equation.inputs.push_back(*labels);
    if (failed(bindSizes(op, equation, i, dims)))
      return failure();
  }
  if (!isExplicit) {
    equation.output = implicitOutput(equation, widest);
    return equation;
  }
  auto output = parseTerm(op, right, widest);
  if (failed(output))
    return failure();
  for (int label : *output)
    if (!equation.sizes.contains(label) || llvm::count(*output, label) != 1)
      return op.fail("equation's output has a label that no input has, or has it twice");
  equation.output = *output;
  return equation;
}

static LogicalResult einsum(OpShape &op) {
  auto equation = parseEinsum(op);
  if (failed(equation))
    return failure();
  Type element = cast<RankedTensorType>(op.op->getOperand(0).getType()).getElementType();
  for (Value value : op.op->getOperands())
    if (cast<RankedTensorType>(value.getType()).getElementType() != element)
      return op.fail("inputs must have one element type");
  Dims dims = llvm::map_to_vector<6>(equation->output,
                                     [&](int label) { return equation->sizes.lookup(label); });
  return op.give(dims, element);
}

//===----------------------------------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------------------------------===//

/// Sizes [batch, heads, sequence, size] of q, k or v of rank 4, or of rank 3 with its heads side by
/// side.
static FailureOr<Dims> headDims(OpShape &op, unsigned group, StringRef headsName) {
  Dims d = op.dims(group);
  if (d.size() == 4)
    return d;
  if (d.size() != 3)
    return op.fail("q, k and v must have rank 3 or 4, got " + Twine(d.size()));
  int64_t heads = op.integer(headsName, 0);
  if (heads < 1)
    return op.fail(headsName + " must be given and positive for inputs of rank 3");
  auto width = shape::getConstant(d[2]);
  if (width && *width % heads)
    return op.fail(Twine(*width) + " is not a multiple of " + headsName + " = " + Twine(heads));
  AffineExpr count = op.constant(heads);
  return Dims{d[0], count, d[1], shape::quotient(d[2], count, op.context())};
}

static LogicalResult agree(OpShape &op, AffineExpr a, AffineExpr b, StringRef what) {
  auto x = shape::getConstant(a), y = shape::getConstant(b);
  if (x && y && *x != *y)
    return op.fail(what + " must agree, got " + Twine(*x) + " and " + Twine(*y));
  return success();
}

/// The key/value cache makes the keys' and values' sequence longer.
static LogicalResult appendPast(OpShape &op, Dims &k, Dims &v) {
  if (bool(op.in(4)) != bool(op.in(5)))
    return op.fail("past_key and past_value must be given together");
  if (!op.in(4))
    return success();
  if (op.rank(4) != 4 || op.rank(5) != 4)
    return op.fail("past_key and past_value must have rank 4");
  Dims pastKey = op.dims(4), pastValue = op.dims(5);
  if (failed(agree(op, pastKey[1], k[1], "heads of past_key and k")) ||
      failed(agree(op, pastKey[3], k[3], "head sizes of past_key and k")) ||
      failed(agree(op, pastValue[1], v[1], "heads of past_value and v")) ||
      failed(agree(op, pastValue[3], v[3], "head sizes of past_value and v")) ||
      failed(agree(op, pastKey[2], pastValue[2], "lengths of past_key and past_value")))
    return failure();
  k[2] = k[2] + pastKey[2];
  v[2] = v[2] + pastValue[2];
  return success();
}

static LogicalResult attention(OpShape &op) {
  if (op.rank(0) != op.rank(1) || op.rank(0) != op.rank(2))
    return op.fail("q, k and v must have one rank");
  auto q = headDims(op, 0, "q_num_heads"), k = headDims(op, 1, "kv_num_heads"),
       v = headDims(op, 2, "kv_num_heads");
  if (failed(q) || failed(k) || failed(v))
    return failure();
  if (failed(agree(op, (*q)[3], (*k)[3], "head sizes of q and k")) ||
      failed(agree(op, (*k)[1], (*v)[1], "heads of k and v")) ||
      failed(agree(op, (*k)[2], (*v)[2], "lengths of k and v")) ||
      failed(agree(op, (*q)[0], (*k)[0], "batches of q and k")) || failed(appendPast(op, *k, *v)))
    return failure();
  auto heads = shape::getConstant((*q)[1]), keyHeads = shape::getConstant((*k)[1]);
  if (!heads || !keyHeads)
    return op.unsupported("attention over a number of heads that is not known at compile time");
  if (*keyHeads < 1 || *heads % *keyHeads)
    return op.fail("q has " + Twine(*heads) + " heads, not a multiple of k's " + Twine(*keyHeads));
  if (op.in(3) && op.rank(3) > 4)
    return op.fail("attn_mask must have at most 4 axes");
  Dims y{(*q)[0], (*q)[1], (*q)[2], (*v)[3]};
  if (op.rank(0) == 3)
    y = {(*q)[0], (*q)[2], (*q)[1] * (*v)[3]};
  Dims weights{(*q)[0], (*q)[1], (*q)[2], (*k)[2]};
  std::pair<Dims, Type> all[] = {
      {y, op.element(0)}, {*k, op.element(1)}, {*v, op.element(2)}, {weights, op.element(0)}};
  if (op.op->getNumResults() > std::size(all))
    return op.fail("has more than 4 results");
  for (auto &[dims, element] : ArrayRef(all).take_front(op.op->getNumResults()))
    if (failed(op.give(dims, element)))
      return failure();
  return success();
}

static LogicalResult rotaryEmbedding(OpShape &op) {
  if (op.rank(0) != 3 && op.rank(0) != 4)
    return op.fail("x must have rank 3 or 4, got " + Twine(op.rank(0)));
  if (op.rank(0) == 3 && op.integer("num_heads", 0) < 1)
    return op.fail("num_heads must be given and positive for an input of rank 3");
  return op.give(op.dims(0), op.element(0));
}

//===----------------------------------------------------------------------------------------------===//
// Losses, windows, crops
//===----------------------------------------------------------------------------------------------===//

static LogicalResult loss(OpShape &op) {
  Dims scores = op.dims(0), target = op.dims(1);
  if (scores.size() < 2 || target.size() + 1 != scores.size())
    return op.fail("needs scores of [batch, classes, ...] and a target of [batch, ...]");
  if (!isa<IntegerType>(op.element(1)))
    return op.fail("target must have integers");
  StringRef reduction = op.text("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    return op.fail("reduction must be 'none', 'sum' or 'mean', got '" + reduction + "'");
  if (failed(op.give(reduction == "none" ? target : Dims(), op.element(0))))
    return failure();
  if (op.op->getNumResults() > 2)
    return op.fail("has more than 2 results");
  return op.op->getNumResults() > 1 ? op.give(scores, op.element(0)) : success();
}

static LogicalResult window(OpShape &op) {
  auto size = op.values(0);
  if (!size || size->size() != 1)
    return op.unsupported("the size must be known on the host before the model runs");
  Type element = getElementType(op.integer("output_datatype", 1), op.context());
  if (!element)
    return op.fail("output_datatype must be a number type");
  return op.give(*size, element);
}

static LogicalResult centerCropPad(OpShape &op) {
  Dims dims = op.dims(0);
  auto target = op.values(1);
  if (!target)
    return op.unsupported("the shape must be known on the host before the model runs");
  auto axes =
      op.axes(op.integers("axes").value_or(llvm::to_vector(llvm::seq<int64_t>(0, dims.size()))),
              dims.size());
  if (failed(axes))
    return failure();
  if (axes->size() != target->size())
    return op.fail("shape must have one entry for each of " + Twine(axes->size()) + " axes");
  for (auto [axis, size] : llvm::zip_equal(*axes, *target))
    dims[axis] = size;
  return op.give(dims, op.element(0));
}

void addCompositeRules(ShapeRules &rules) {
  rules["negative_log_likelihood_loss"] = rules["softmax_cross_entropy_loss"] = loss;
  for (StringRef name : {"hann_window", "hamming_window", "blackman_window"})
    rules[name] = window;
  rules["center_crop_pad"] = centerCropPad;
  rules["einsum"] = einsum;
  rules["attention"] = attention;
  rules["rotary_embedding"] = rotaryEmbedding;
}

} // namespace heddle::graph
