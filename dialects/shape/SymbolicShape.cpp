// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbolic shapes as affine maps on tensor types, and the module's table of symbols. See the header
// for the idea.
#include "dialects/shape/SymbolicShape.h"

#include "mlir/IR/Builders.h"
#include <algorithm>
#include <numeric>

using namespace mlir;

namespace heddle::shape {

SmallVector<AffineExpr> getDims(RankedTensorType type) {
  MLIRContext *context = type.getContext();
  if (auto map = llvm::dyn_cast_or_null<AffineMapAttr>(type.getEncoding()))
    return llvm::to_vector(map.getValue().getResults());
  assert(type.hasStaticShape() && "a dynamic tensor type needs its sizes as encoding");
  return llvm::map_to_vector(type.getShape(),
                             [&](int64_t size) { return constant(size, context); });
}

AffineExpr getDim(RankedTensorType type, int64_t axis) { return getDims(type)[axis]; }

static unsigned countSymbols(ArrayRef<AffineExpr> exprs) {
  unsigned count = 0;
  for (AffineExpr expr : exprs)
    expr.walk([&](AffineExpr e) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
        count = std::max(count, symbol.getPosition() + 1);
    });
  return count;
}

AffineMap getMap(ArrayRef<AffineExpr> exprs, MLIRContext *context) {
  return AffineMap::get(0, countSymbols(exprs), exprs, context);
}

RankedTensorType getTensorType(ArrayRef<AffineExpr> dims, Type elementType) {
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> sizes;
  for (AffineExpr dim : dims) {
    sizes.push_back(simplify(dim));
    shape.push_back(getConstant(sizes.back()).value_or(ShapedType::kDynamic));
  }
  if (llvm::none_of(shape, ShapedType::isDynamic))
    return RankedTensorType::get(shape, elementType);
  return RankedTensorType::get(shape, elementType,
                               AffineMapAttr::get(getMap(sizes, elementType.getContext())));
}

AffineExpr simplify(AffineExpr expr) { return simplifyAffineExpr(expr, 0, countSymbols(expr)); }

AffineExpr product(ArrayRef<AffineExpr> factors, MLIRContext *context) {
  AffineExpr result = constant(1, context);
  for (AffineExpr factor : factors)
    result = result * factor;
  return result;
}

/// Splits a product into its constant and its other factors.
static int64_t collectFactors(ArrayRef<AffineExpr> exprs, SmallVectorImpl<AffineExpr> &factors) {
  int64_t scale = 1;
  SmallVector<AffineExpr> work(exprs.begin(), exprs.end());
  while (!work.empty()) {
    AffineExpr expr = work.pop_back_val();
    if (auto value = getConstant(expr)) {
      scale *= *value;
      continue;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (binary && expr.getKind() == AffineExprKind::Mul) {
      work.push_back(binary.getLHS());
      work.push_back(binary.getRHS());
      continue;
    }
    factors.push_back(expr);
  }
  return scale;
}

AffineExpr quotient(ArrayRef<AffineExpr> numerator, ArrayRef<AffineExpr> denominator,
                    MLIRContext *context) {
  SmallVector<AffineExpr> above, below;
  int64_t scaleAbove = collectFactors(numerator, above);
  int64_t scaleBelow = collectFactors(denominator, below);
  SmallVector<AffineExpr> rest;
  for (AffineExpr factor : below) {
    auto *same = llvm::find(above, factor);
    if (same != above.end())
      above.erase(same);
    else
      rest.push_back(factor);
  }
  int64_t common = std::max<int64_t>(std::gcd(scaleAbove, scaleBelow), 1);
  llvm::sort(above, [](AffineExpr a, AffineExpr b) { return hash_value(a) < hash_value(b); });
  AffineExpr top = product(above, context) * (scaleAbove / common);
  AffineExpr bottom = product(rest, context) * (scaleBelow / common);
  if (getConstant(bottom) == 1)
    return simplify(top);
  if (getConstant(bottom) == 0)
    return constant(0, context);
  return simplify(top.floorDiv(bottom));
}

bool provablyEqual(AffineExpr a, AffineExpr b) {
  return a == b || getConstant(simplify(a - b)) == 0;
}

bool haveEqualCounts(RankedTensorType a, RankedTensorType b) {
  MLIRContext *context = a.getContext();
  SmallVector<AffineExpr> from = getDims(a), to = getDims(b);
  return provablyEqual(product(from, context), product(to, context)) ||
         getConstant(quotient(from, to, context)) == 1;
}

std::optional<int64_t> getConstant(AffineExpr expr) {
  if (auto value = dyn_cast<AffineConstantExpr>(expr))
    return value.getValue();
  return std::nullopt;
}

static constexpr StringLiteral kAttribute = "graph.symbols";
static constexpr StringLiteral kDerivedNames[] = {"min",   "max",  "broadcast",
                                                  "equal", "less", "select"};
static constexpr StringLiteral kKindNames[] = {"input_dim", "input_element", "derived"};

ArrayAttr Symbols::entries() {
  if (auto attr = module->getAttrOfType<ArrayAttr>(kAttribute))
    return attr;
  return ArrayAttr::get(module.getContext(), {});
}

int64_t Symbols::size() { return entries().size(); }

Symbols::Entry Symbols::get(int64_t position) {
  auto entry = cast<DictionaryAttr>(entries()[position]);
  auto number = [&](StringRef key) {
    auto attr = entry.getAs<IntegerAttr>(key);
    return attr ? attr.getInt() : 0;
  };
  Entry result;
  StringRef kind = entry.getAs<StringAttr>("kind").getValue();
  result.kind = SymbolKind(std::find(std::begin(kKindNames), std::end(kKindNames), kind) -
                           std::begin(kKindNames));
  if (auto name = entry.getAs<StringAttr>("name"))
    result.name = name.getValue();
  result.input = number("input");
  result.index = number("index");
  if (result.kind == SymbolKind::kDerived) {
    StringRef op = entry.getAs<StringAttr>("op").getValue();
    result.op = DerivedOp(std::find(std::begin(kDerivedNames), std::end(kDerivedNames), op) -
                          std::begin(kDerivedNames));
    result.operands = entry.getAs<AffineMapAttr>("operands").getValue();
  }
  return result;
}

AffineExpr Symbols::append(DictionaryAttr entry) {
  SmallVector<Attribute> all(entries().begin(), entries().end());
  auto *same = llvm::find(all, entry);
  int64_t position = same - all.begin();
  if (same == all.end()) {
    all.push_back(entry);
    module->setAttr(kAttribute, ArrayAttr::get(module.getContext(), all));
  }
  return getAffineSymbolExpr(position, module.getContext());
}

AffineExpr Symbols::inputDim(StringRef name, int64_t input, int64_t axis) {
  Builder builder(module.getContext());
  for (int64_t i = 0; !name.empty() && i < size(); ++i) {
    Entry entry = get(i);
    if (entry.kind == SymbolKind::kInputDim && entry.name == name)
      return builder.getAffineSymbolExpr(i);
  }
  return append(
      builder.getDictionaryAttr({builder.getNamedAttr("kind", builder.getStringAttr(kKindNames[0])),
                                 builder.getNamedAttr("name", builder.getStringAttr(name)),
                                 builder.getNamedAttr("input", builder.getI64IntegerAttr(input)),
                                 builder.getNamedAttr("index", builder.getI64IntegerAttr(axis))}));
}

AffineExpr Symbols::inputElement(StringRef name, int64_t input, int64_t index) {
  Builder builder(module.getContext());
  return append(
      builder.getDictionaryAttr({builder.getNamedAttr("kind", builder.getStringAttr(kKindNames[1])),
                                 builder.getNamedAttr("name", builder.getStringAttr(name)),
                                 builder.getNamedAttr("input", builder.getI64IntegerAttr(input)),
                                 builder.getNamedAttr("index", builder.getI64IntegerAttr(index))}));
}

/// The value of a derived operation where its operands decide it without being bound; null where
/// they do not.
static AffineExpr foldDerived(DerivedOp op, ArrayRef<AffineExpr> operands) {
  MLIRContext *context = operands[0].getContext();
  auto first = getConstant(operands[0]);
  if (op == DerivedOp::kSelect) {
    if (first)
      return *first ? operands[1] : operands[2];
    return provablyEqual(operands[1], operands[2]) ? operands[1] : AffineExpr();
  }
  auto second = getConstant(operands[1]);
  bool equal = provablyEqual(operands[0], operands[1]);
  switch (op) {
  case DerivedOp::kMin:
  case DerivedOp::kMax:
    if (equal)
      return operands[0];
    if (auto difference = getConstant(simplify(operands[0] - operands[1])))
      return (*difference < 0) == (op == DerivedOp::kMin) ? operands[0] : operands[1];
    return {};
  case DerivedOp::kBroadcast:
    if (equal || second == 1)
      return operands[0];
    if (first == 1)
      return operands[1];
    return {};
  case DerivedOp::kEqual:
    if (equal)
      return constant(1, context);
    return first && second ? constant(0, context) : AffineExpr();
  case DerivedOp::kLess:
    if (auto difference = getConstant(simplify(operands[0] - operands[1])))
      return constant(*difference < 0, context);
    return {};
  case DerivedOp::kSelect:
    break;
  }
  return {};
}

AffineExpr Symbols::derived(DerivedOp op, ArrayRef<AffineExpr> operands) {
  SmallVector<AffineExpr> simple = llvm::map_to_vector(operands, simplify);
  if (AffineExpr folded = foldDerived(op, simple))
    return folded;
  Builder builder(module.getContext());
  return append(builder.getDictionaryAttr(
      {builder.getNamedAttr("kind", builder.getStringAttr(kKindNames[2])),
       builder.getNamedAttr("op", builder.getStringAttr(kDerivedNames[static_cast<int>(op)])),
       builder.getNamedAttr("operands", AffineMapAttr::get(getMap(simple, module.getContext())))}));
}

} // namespace heddle::shape
