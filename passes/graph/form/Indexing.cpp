// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers and scatters. A scatter is written from the result's side: every element folds over the
// updates that could reach it, so that duplicates and reductions need no atomics and the result is
// the same on every run.
#include "passes/graph/form/Node.h"

using namespace mlir;

namespace heddle::graph::form {

/// Counts negative indices from the end and keeps wild ones inside of the tensor.
static Scalar wrapIndex(Body &body, Scalar index, AffineExpr size) {
  Scalar extent = body.size(size);
  index = body.toIndex(index);
  index = body.select(index < body.index(0), index + extent, index);
  Scalar last = extent - 1;
  return body.wrap(body.builder.createOrFold<arith::MinUIOp>(body.loc, index.value, last.value),
                   index.type);
}

static int64_t getAxis(Node &node, int64_t otherwise = 0) {
  int64_t axis = node.integer("axis", otherwise);
  return axis < 0 ? axis + node.inType(0).getRank() : axis;
}

static LogicalResult lowerGather(Node &node) {
  int64_t axis = getAxis(node), indexRank = node.inType(1).getRank();
  Dims data = node.inDims(0);
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar index = body.load(node.in(1), at.slice(axis, indexRank));
    SmallVector<Scalar> from(at.begin(), at.begin() + axis);
    from.push_back(wrapIndex(body, index, data[axis]));
    from.append(at.begin() + axis + indexRank, at.end());
    return body.load(node.in(0), from);
  }));
}

static LogicalResult lowerGatherElements(Node &node) {
  int64_t axis = getAxis(node);
  Dims data = node.inDims(0);
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    SmallVector<Scalar> from(at.begin(), at.end());
    from[axis] = wrapIndex(body, body.load(node.in(1), at), data[axis]);
    return body.load(node.in(0), from);
  }));
}

/// The index tuple at `lead` of an index tensor.
static SmallVector<Scalar> loadTuple(Body &body, Node &node, Scalars lead, int64_t length,
                                     ArrayRef<AffineExpr> sizes) {
  SmallVector<Scalar> tuple;
  for (int64_t i = 0; i < length; ++i) {
    SmallVector<Scalar> at(lead.begin(), lead.end());
    at.push_back(body.index(i));
    tuple.push_back(wrapIndex(body, body.load(node.in(1), at), sizes[i]));
  }
  return tuple;
}

static LogicalResult lowerGatherNd(Node &node) {
  int64_t batch = node.integer("batch_dims", 0), indexRank = node.inType(1).getRank();
  auto length = shape::getConstant(node.inDims(1).back());
  if (!length)
    return node.unsupported("the length of its index tuples is not known at compile time");
  Dims data = node.inDims(0);
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    SmallVector<Scalar> from(at.begin(), at.begin() + batch);
    from.append(loadTuple(body, node, at.take_front(indexRank - 1), *length,
                          ArrayRef(data).drop_front(batch)));
    from.append(at.begin() + indexRank - 1, at.end());
    return body.load(node.in(0), from);
  }));
}

//===----------------------------------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------------------------------===//

namespace {

/// The updates that may reach one element of the result.
struct Candidates {
  Dims sizes;                                          // their index space
  llvm::function_ref<Scalar(Body &, Scalars)> reaches; // i1
  llvm::function_ref<Scalar(Body &, Scalars)> update;  // the value, in the element type
};

} // namespace

static Scalar combine(Body &body, StringRef reduction, Scalar old, Scalar x) {
  if (reduction == "add")
    return old.type.isInteger(1) ? (old | x) : old + x;
  if (reduction == "mul")
    return old.type.isInteger(1) ? (old & x) : old * x;
  return reduction == "max" ? body.maximum(old, x) : body.minimum(old, x);
}

static Scalar scatter(Body &body, StringRef reduction, Scalar old, const Candidates &candidates) {
  using kernel::FoldKind;
  if (reduction == "none") {
    // The last update wins: fold its position plus one, where anything below one means none.
    Type i32 = body.builder.getI32Type();
    Scalar one = body.integer(1, i32), none = body.integer(0, i32);
    Scalar last = body.fold(FoldKind::Max, candidates.sizes, i32, [&](Scalars k) {
      Scalar position = body.convert(body.linearize(k, candidates.sizes), i32);
      return body.select(candidates.reaches(body, k), position + one, none);
    });
    return body.branch(
        last < one, [&] { return old; },
        [&] {
          Scalar position = body.toIndex(last - one);
          return candidates.update(body, body.delinearize(position, candidates.sizes));
        });
  }
  Type type = getComputeType(old.type);
  bool isUnsigned = old.isUnsigned(), isBool = type.isInteger(1);
  FoldKind kind = FoldKind::Add;
  Scalar neutral = body.constant(0, type);
  if (reduction == "mul") {
    kind = isBool ? FoldKind::And : FoldKind::Mul;
    neutral = body.constant(1, type);
  } else if (reduction == "max") {
    kind = isUnsigned ? FoldKind::MaxU : FoldKind::Max;
    neutral = body.lowest(type);
  } else if (reduction == "min") {
    kind = isUnsigned ? FoldKind::MinU : FoldKind::Min;
    neutral = body.highest(type);
  } else if (isBool) {
    kind = FoldKind::Or;
  }
  Scalar folded = body.fold(kind, candidates.sizes, type, [&](Scalars k) {
    return body.guard(
        candidates.reaches(body, k), [&] { return body.widen(candidates.update(body, k)); },
        neutral);
  });
  return body.convert(combine(body, reduction, body.widen(old), folded), old.type);
}

static bool isReduction(StringRef name) {
  return llvm::is_contained({"none", "add", "mul", "max", "min"}, name);
}

/// An update reaches elements that differ from its own place along the axis only.
static LogicalResult lowerScatterElements(Node &node) {
  int64_t axis = getAxis(node);
  Dims data = node.inDims(0), indices = node.inDims(1);
  StringRef reduction = node.text("reduction", "none");
  if (!isReduction(reduction))
    return node.unsupported("reduction \"" + reduction + "\"");
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar inRange;
    for (int64_t other = 0; other < int64_t(data.size()); ++other) {
      if (other == axis || shape::provablyEqual(data[other], indices[other]))
        continue;
      Scalar valid = at[other] < body.size(indices[other]);
      inRange = inRange ? inRange & valid : valid;
    }
    auto place = [&](Scalars k) {
      SmallVector<Scalar> from(at.begin(), at.end());
      from[axis] = k[0];
      return from;
    };
    auto reaches = [&](Body &b, Scalars k) {
      return equal(wrapIndex(b, b.load(node.in(1), place(k)), data[axis]), at[axis]);
    };
    auto update = [&](Body &b, Scalars k) { return b.load(node.in(2), place(k)); };
    Scalar old = body.load(node.in(0), at);
    auto scattered = [&] {
      return scatter(body, reduction, old, {{indices[axis]}, reaches, update});
    };
    return inRange ? body.guard(inRange, scattered, old) : scattered();
  }));
}

static LogicalResult lowerScatterNd(Node &node) {
  Dims data = node.inDims(0), indices = node.inDims(1);
  auto length = shape::getConstant(indices.back());
  if (!length)
    return node.unsupported("the length of its index tuples is not known at compile time");
  StringRef reduction = node.text("reduction", "none");
  if (!isReduction(reduction))
    return node.unsupported("reduction \"" + reduction + "\"");
  Dims lead(indices.begin(), indices.end() - 1);
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    auto reaches = [&](Body &b, Scalars k) {
      Scalar all = b.integer(1, b.builder.getI1Type());
      for (auto [i, index] : llvm::enumerate(loadTuple(b, node, k, *length, data)))
        all = all & equal(index, at[i]);
      return all;
    };
    auto update = [&](Body &b, Scalars k) {
      SmallVector<Scalar> from(k.begin(), k.end());
      from.append(at.begin() + *length, at.end());
      return b.load(node.in(2), from);
    };
    Scalar old = body.load(node.in(0), at);
    if (lead.empty()) {
      return body.branch(
          reaches(body, {}),
          [&] {
            Scalar x = update(body, {});
            if (reduction == "none")
              return x;
            return body.convert(combine(body, reduction, body.widen(old), body.widen(x)), old.type);
          },
          [&] { return old; });
    }
    return scatter(body, reduction, old, {lead, reaches, update});
  }));
}

/// Writes `update` into a cache at the position of each batch entry, around the end if circular.
static LogicalResult lowerTensorScatter(Node &node) {
  Dims cache = node.inDims(0), update = node.inDims(1);
  int64_t axis = node.integer("axis", -2);
  axis += axis < 0 ? int64_t(cache.size()) : 0;
  bool circular = node.text("mode", "linear") == "circular";
  return node.replace(node.map(node.outType(), [&](Body &body, Scalars at) {
    Scalar start = body.index(0);
    if (node.in(2))
      start = body.toIndex(body.load(node.in(2), {at[0]}));
    Scalar offset = at[axis] - start;
    if (circular)
      offset = body.select(offset < body.index(0), offset + body.size(cache[axis]), offset);
    return body.branch(
        body.inside(offset, body.size(update[axis])),
        [&] {
          SmallVector<Scalar> from(at.begin(), at.end());
          from[axis] = offset;
          return body.load(node.in(1), from);
        },
        [&] { return body.load(node.in(0), at); });
  }));
}

void addIndexing(Registry &registry) {
  registry["gather"] = lowerGather;
  registry["gather_elements"] = lowerGatherElements;
  registry["gather_nd"] = lowerGatherNd;
  registry["scatter_elements"] = lowerScatterElements;
  registry["scatter"] = lowerScatterElements;
  registry["scatter_nd"] = lowerScatterNd;
  registry["tensor_scatter"] = lowerTensorScatter;
}

} // namespace heddle::graph::form
