// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention and RotaryEmbedding in terms of matrix products, softmax and movement. Query heads that
// share a key head are an axis of their own, so that keys and values broadcast and are not copied.
#include "passes/graph/decompose/Expansion.h"

#include <cmath>

using namespace mlir;

namespace heddle::graph {

/// [B, T, H * D] as [B, H, T, D].
static Value splitHeads(Expansion &e, Value value, int64_t heads) {
  if (!value || Expansion::type(value).getRank() == 4)
    return value;
  Dims d = Expansion::dims(value);
  AffineExpr count = e.constant(heads);
  value = e.reshape(value, {d[0], d[1], count, shape::quotient(d[2], count, e.shape.context())});
  return e.transpose(value, {0, 2, 1, 3});
}

/// [B, H, T, D] as [B, Hkv, H / Hkv, T, D].
static Value groupHeads(Expansion &e, Value value, AffineExpr keyHeads) {
  Dims d = Expansion::dims(value);
  if (d.size() != 4)
    return {};
  AffineExpr heads[] = {d[1]};
  AffineExpr group = shape::quotient(heads, keyHeads, e.shape.context());
  return e.reshape(value, {d[0], keyHeads, group, d[2], d[3]});
}

namespace {
struct Scores {
  AffineExpr batch, heads, keyHeads, queries, past, total;
  Type element;
};
} // namespace

/// The mask as a float to add, of at most rank 5 in [B, Hkv, H / Hkv, T, total]; null if there is
/// none.
static Value maskToAdd(Expansion &e, Value mask, const Scores &s) {
  Dims d = Expansion::dims(mask);
  Type given = Expansion::type(mask).getElementType();
  if (given.isInteger(1))
    mask = e.emit("where", {mask, e.scalar(0, s.element), e.scalar(-INFINITY, s.element)});
  mask = e.cast(mask, s.element);
  if (!d.empty() && shape::getConstant(d.back()) != 1 && !shape::provablyEqual(d.back(), s.total)) {
    // Keys that the mask does not reach are masked.
    Dims rest = d;
    rest.back() = s.total - d.back();
    Value fill = e.emit("expand", {e.scalar(-INFINITY, s.element), e.vector(rest)});
    mask = e.concat({mask, fill}, d.size() - 1);
    d.back() = s.total;
  }
  if (d.size() < 3)
    return mask;
  // The head axis becomes key heads and their groups.
  Dims split(d.begin(), d.end() - 3);
  AffineExpr heads = d[d.size() - 3];
  if (shape::getConstant(heads) == 1)
    split.append({e.constant(1), e.constant(1)});
  else
    split.append({s.keyHeads, shape::quotient(heads, s.keyHeads, e.shape.context())});
  split.append({d[d.size() - 2], d.back()});
  return e.reshape(mask, split);
}

static Value positions(Expansion &e, AffineExpr begin, AffineExpr end) {
  return e.emit("range", {e.number(begin), e.number(end), e.number(e.constant(1))});
}

/// Scores of keys after the query's own position become -inf.
static Value applyCausal(Expansion &e, Value scores, const Scores &s) {
  Value row = e.unsqueeze(positions(e, s.past, s.past + s.queries), 1); // [T, 1]
  Value column = positions(e, e.constant(0), s.total);                  // [total]
  Value isSeen = e.emit("less_or_equal", {column, row});
  return e.emit("where", {isSeen, scores, e.scalar(-INFINITY, s.element)});
}

/// Scores of keys that are padding become -inf.
static Value applyLengths(Expansion &e, Value scores, Value lengths, const Scores &s) {
  auto i64 = Builder(e.shape.context()).getI64Type();
  AffineExpr one = e.constant(1);
  Value length = e.reshape(e.cast(lengths, i64), {s.batch, one, one, one, one});
  Value isSeen = e.emit("less", {positions(e, e.constant(0), s.total), length});
  return e.emit("where", {isSeen, scores, e.scalar(-INFINITY, s.element)});
}

static Value softmax(Expansion &e, Value scores, const Scores &s) {
  int64_t code = e.shape.integer("softmax_precision", 0);
  Type precision = code ? getElementType(code, e.shape.context()) : s.element;
  if (!precision || !isa<FloatType>(precision)) {
    (void)e.shape.fail("softmax_precision must be a float type, got " + Twine(code));
    return {};
  }
  return e.cast(e.emit("softmax", {e.cast(scores, precision)}, {e.attr("axis", -1)}), s.element);
}

LogicalResult expandAttention(Expansion &e) {
  bool isFlat = e.shape.rank(0) == 3;
  int64_t queryHeads = e.shape.integer("q_num_heads", 0),
          keyHeads = e.shape.integer("kv_num_heads", 0);
  Value q = splitHeads(e, e.in(0), queryHeads), k = splitHeads(e, e.in(1), keyHeads),
        v = splitHeads(e, e.in(2), keyHeads);
  if (!q || !k || !v)
    return failure();
  Scores s;
  s.past = e.constant(0);
  if (e.in(4) && e.in(5)) {
    s.past = Expansion::dims(e.in(4))[2];
    k = e.concat({e.in(4), k}, 2);
    v = e.concat({e.in(5), v}, 2);
  }
  Value presentKey = k, presentValue = v;
  Dims query = Expansion::dims(q), key = Expansion::dims(k);
  s.batch = query[0], s.heads = query[1], s.queries = query[2];
  s.keyHeads = key[1], s.total = key[2];
  s.element = e.shape.element(0);

  double size = double(shape::getConstant(query[3]).value_or(0));
  if (size == 0 && !e.shape.op->hasAttr("scale"))
    return e.shape.unsupported("attention over heads whose size is not known, without scale");
  // The query is scaled before the product, whose sum could leave the range of f16.
  Value scaled = e.mul(groupHeads(e, q, s.keyHeads),
                       e.scalar(e.real("scale", 1 / std::sqrt(size)), s.element));
  Value turned = e.unsqueeze(e.transpose(k, {0, 1, 3, 2}), 2); // [B, Hkv, 1, D, total]
  Value raw = e.matmul(scaled, turned);                        // [B, Hkv, G, T, total]
  Value capped = raw;
  if (double cap = e.real("softcap", 0); cap > 0) {
    Value limit = e.scalar(cap, s.element);
    capped = e.mul(e.emit("tanh", {e.emit("div", {raw, limit})}), limit);
  }
  Value masked = capped;
  if (e.in(3))
    masked = e.add(masked, maskToAdd(e, e.in(3), s));
  if (e.shape.integer("is_causal", 0))
    masked = applyCausal(e, masked, s);
  if (e.in(6))
    masked = applyLengths(e, masked, e.in(6), s);
  Value weights = softmax(e, masked, s);
  Value y = e.matmul(weights, e.unsqueeze(v, 2)); // [B, Hkv, G, T, Dv]
  if (!y)
    return failure();
  AffineExpr valueSize = Expansion::dims(v)[3];
  y = e.reshape(y, {s.batch, s.heads, s.queries, valueSize});
  if (isFlat)
    y = e.reshape(e.transpose(y, {0, 2, 1, 3}), {s.batch, s.queries, s.heads * valueSize});

  SmallVector<Value> results{y, presentKey, presentValue};
  if (e.shape.op->getNumResults() > 3) {
    Value stages[] = {raw, capped, masked, weights};
    int64_t mode = e.shape.integer("qk_matmul_output_mode", 0);
    if (mode < 0 || mode > 3)
      return e.shape.fail("qk_matmul_output_mode must be in [0, 4), got " + Twine(mode));
    results.push_back(e.reshape(stages[mode], {s.batch, s.heads, s.queries, s.total}));
  }
  results.resize(e.shape.op->getNumResults());
  return e.replace(results);
}

LogicalResult expandRotaryEmbedding(Expansion &e) {
  bool isFlat = e.shape.rank(0) == 3;
  int64_t heads = e.shape.integer("num_heads", 0);
  if (isFlat && heads < 1)
    return e.shape.fail("num_heads must be given for an input of rank 3");
  if (e.shape.rank(0) != 3 && e.shape.rank(0) != 4)
    return e.shape.fail("x must have rank 3 or 4, got " + Twine(e.shape.rank(0)));
  Value x = e.in(0);
  Dims d = e.shape.dims(0);
  int64_t headAxis = isFlat ? 2 : 1;
  if (isFlat)
    x = e.reshape(x, {d[0], d[1], e.constant(heads),
                      shape::quotient(d[2], e.constant(heads), e.shape.context())});
  AffineExpr size = Expansion::dims(x)[3];
  int64_t rotary = e.shape.integer("rotary_embedding_dim", 0);
  AffineExpr turned = rotary ? e.constant(rotary) : size;
  AffineExpr half = turned.floorDiv(2);
  auto angles = [&](unsigned group) {
    Value cache = e.in(group);
    if (e.in(3))
      cache = e.emit("gather", {cache, e.in(3)}, {e.attr("axis", 0)});
    return cache && Expansion::type(cache).getRank() == 3 ? e.unsqueeze(cache, headAxis) : Value();
  };
  Value cosine = angles(1), sine = angles(2);
  if (!cosine || !sine)
    return e.shape.fail("cos_cache and sin_cache must be [positions, size / 2] with position_ids, "
                        "else [batch, sequence, size / 2]");
  bool isInterleaved = e.shape.integer("interleaved", 0);
  AffineExpr zero = e.constant(0);
  Value first = isInterleaved ? e.slice(x, 3, zero, turned, 2) : e.slice(x, 3, zero, half);
  Value second =
      isInterleaved ? e.slice(x, 3, e.constant(1), turned, 2) : e.slice(x, 3, half, turned);
  Value real = e.emit("sub", {e.mul(cosine, first), e.mul(sine, second)});
  Value imaginary = e.add(e.mul(sine, first), e.mul(cosine, second));
  if (!real || !imaginary)
    return failure();
  SmallVector<Value> parts{real, imaginary};
  if (isInterleaved) {
    Dims pairs = Expansion::dims(real);
    Value both = e.concat({e.unsqueeze(real, 4), e.unsqueeze(imaginary, 4)}, 4);
    pairs.back() = turned;
    parts = {e.reshape(both, pairs)};
  }
  if (rotary && !shape::provablyEqual(turned, size))
    parts.push_back(e.slice(x, 3, turned, size));
  Value y = e.concat(parts, 3);
  return e.replace({isFlat ? e.reshape(y, d) : y});
}

} // namespace heddle::graph
