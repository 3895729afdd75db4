// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of sizes. Every operation is checked for overflow.
#include "runtime/Expressions.h"
#include <algorithm>
#include <cstring>

namespace heddle::runtime {

using artifact::Expr;
using artifact::ExprId;
using artifact::ExprKind;
using artifact::Symbol;
using artifact::SymbolKind;

Result<int64_t> Sizes::at(ExprId id) const {
  if (failures[id])
    return invalidArgument(reasons[failures[id] - 1]);
  return values[id];
}

Result<Dims> Sizes::at(const std::vector<ExprId> &ids) const {
  Dims dims;
  for (ExprId id : ids) {
    HEDDLE_TRY_ASSIGN(int64_t value, at(id));
    dims.push_back(value);
  }
  return dims;
}

Evaluator::Evaluator(const artifact::Variant &variant)
    : variant(variant), order(variant.exprs.size()), neededSymbols(variant.exprs.size()) {
  for (uint32_t i = 0; i < variant.exprs.size(); ++i) {
    const Expr &e = variant.exprs[i];
    order[i] = i;
    if (e.kind == ExprKind::kSymbol)
      neededSymbols[i] = e.a + 1;
    else if (e.kind == ExprKind::kSelect)
      neededSymbols[i] = std::max({neededSymbols[e.a], neededSymbols[e.b], neededSymbols[e.c]});
    else if (e.kind != ExprKind::kConstant)
      neededSymbols[i] = std::max(neededSymbols[e.a], neededSymbols[e.b]);
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return neededSymbols[a] != neededSymbols[b] ? neededSymbols[a] < neededSymbols[b] : a < b;
  });
  for (const Symbol &symbol : variant.symbols)
    if (symbol.kind == SymbolKind::kInputElement)
      elements.emplace_back(symbol.input, symbol.index);
}

static int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b > 0); }

/// For every kind but Constant, Symbol and Select.
static Result<int64_t> apply(ExprKind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  auto overflow = [&](const char *op) {
    return invalidArgument("the size " + std::to_string(a) + op + std::to_string(b) +
                           " does not fit 64 bits");
  };
  switch (kind) {
  case ExprKind::kAdd:
    if (__builtin_add_overflow(a, b, &result))
      return overflow(" + ");
    return result;
  case ExprKind::kMul:
    if (__builtin_mul_overflow(a, b, &result))
      return overflow(" * ");
    return result;
  case ExprKind::kFloorDiv:
  case ExprKind::kCeilDiv:
  case ExprKind::kMod:
    if (b <= 0)
      return invalidArgument("a size is " + std::to_string(a) + " divided by " + std::to_string(b) +
                             "; the divisor must be positive");
    if (kind == ExprKind::kMod)
      return a - floorDiv(a, b) * b;
    return kind == ExprKind::kFloorDiv ? floorDiv(a, b) : ceilDiv(a, b);
  case ExprKind::kMin:
    return std::min(a, b);
  case ExprKind::kMax:
    return std::max(a, b);
  case ExprKind::kBroadcast:
    if (a == b || b == 1)
      return a;
    if (a == 1)
      return b;
    return invalidArgument("dimensions " + std::to_string(a) + " and " + std::to_string(b) +
                           " do not broadcast: they must be equal, or one of them 1");
  case ExprKind::kEqual:
    return static_cast<int64_t>(a == b);
  case ExprKind::kLess:
    return static_cast<int64_t>(a < b);
  default:
    return invalidArgument("an expression is of unknown kind");
  }
}

Result<int64_t> readInteger(const TensorView &tensor, uint64_t index) {
  uint64_t width = bits(tensor.dtype) / 8;
  if (width == 0 || index >= tensor.bytes.size() / width)
    return invalidArgument("element " + std::to_string(index) +
                           " is needed to compute a shape, "
                           "but the tensor has " +
                           std::to_string(width ? tensor.bytes.size() / width : 0) + " elements");
  uint64_t raw = 0; // little endian, as every host that has an NVIDIA GPU
  std::memcpy(&raw, tensor.bytes.data() + index * width, width);
  if (tensor.dtype == DType::kBool)
    return static_cast<int64_t>(raw != 0);
  if (isSigned(tensor.dtype)) {
    unsigned shift = 64 - 8 * static_cast<unsigned>(width);
    return static_cast<int64_t>(raw << shift) >> shift;
  }
  if (raw > static_cast<uint64_t>(INT64_MAX))
    return invalidArgument("element " + std::to_string(index) + " is " + std::to_string(raw) +
                           ", too large for a size");
  return static_cast<int64_t>(raw);
}

Sizes Evaluator::evaluate(std::span<const TensorView> inputs) const {
  Sizes sizes;
  sizes.values.resize(variant.exprs.size());
  sizes.failures.resize(variant.exprs.size());
  std::vector<int64_t> symbolValues(variant.symbols.size());
  std::vector<uint32_t> symbolFailures(variant.symbols.size());
  auto fail = [&](const Status &status) {
    sizes.reasons.push_back(status.text());
    return static_cast<uint32_t>(sizes.reasons.size());
  };
  auto evaluateOne = [&](uint32_t i) {
    const Expr &e = variant.exprs[i];
    int64_t &value = sizes.values[i];
    uint32_t &failure = sizes.failures[i];
    if (e.kind == ExprKind::kConstant) {
      value = e.value;
    } else if (e.kind == ExprKind::kSymbol) {
      value = symbolValues[e.a];
      failure = symbolFailures[e.a];
    } else if (e.kind == ExprKind::kSelect) {
      uint32_t chosen = sizes.values[e.a] != 0 ? e.b : e.c;
      value = sizes.values[chosen];
      failure = sizes.failures[e.a] ? sizes.failures[e.a] : sizes.failures[chosen];
    } else if ((failure = sizes.failures[e.a] ? sizes.failures[e.a] : sizes.failures[e.b]) == 0) {
      Result<int64_t> result = apply(e.kind, sizes.values[e.a], sizes.values[e.b]);
      if (result.ok())
        value = *result;
      else
        failure = fail(result.status());
    }
  };

  size_t next = 0;
  auto evaluateUpTo = [&](uint32_t boundSymbols) {
    for (; next < order.size() && neededSymbols[order[next]] <= boundSymbols; ++next)
      evaluateOne(order[next]);
  };
  for (uint32_t s = 0; s < variant.symbols.size(); ++s) {
    evaluateUpTo(s);
    const Symbol &symbol = variant.symbols[s];
    if (symbol.kind == SymbolKind::kInputDim) {
      symbolValues[s] = inputs[symbol.input].dims[symbol.index];
    } else if (symbol.kind == SymbolKind::kDerived) {
      symbolValues[s] = sizes.values[symbol.expr];
      symbolFailures[s] = sizes.failures[symbol.expr];
    } else {
      Result<int64_t> element = readInteger(inputs[symbol.input], symbol.index);
      if (element.ok())
        symbolValues[s] = *element;
      else
        symbolFailures[s] =
            fail(element.takeStatus().in("input \"" + variant.inputs[symbol.input].name + "\""));
    }
  }
  evaluateUpTo(static_cast<uint32_t>(variant.symbols.size()));
  return sizes;
}

static constexpr unsigned kMaxDescribedDepth = 4;

static std::string describe(const artifact::Variant &variant, ExprId id, unsigned depth) {
  const Expr &e = variant.exprs[id];
  if (e.kind == ExprKind::kConstant)
    return std::to_string(e.value);
  if (e.kind == ExprKind::kSymbol) {
    const std::string &name = variant.symbols[e.a].name;
    return name.empty() ? "s" + std::to_string(e.a) : name;
  }
  if (depth == 0)
    return "...";
  std::string a = describe(variant, e.a, depth - 1);
  std::string b = describe(variant, e.b, depth - 1);
  switch (e.kind) {
  case ExprKind::kAdd:
    return "(" + a + " + " + b + ")";
  case ExprKind::kMul:
    return a + " * " + b;
  case ExprKind::kFloorDiv:
    return "floor(" + a + " / " + b + ")";
  case ExprKind::kCeilDiv:
    return "ceil(" + a + " / " + b + ")";
  case ExprKind::kMod:
    return "(" + a + " mod " + b + ")";
  case ExprKind::kMin:
    return "min(" + a + ", " + b + ")";
  case ExprKind::kMax:
    return "max(" + a + ", " + b + ")";
  case ExprKind::kBroadcast:
    return "broadcast(" + a + ", " + b + ")";
  case ExprKind::kEqual:
    return "(" + a + " == " + b + ")";
  case ExprKind::kLess:
    return "(" + a + " < " + b + ")";
  default:
    return "(" + a + " ? " + b + " : " + describe(variant, e.c, depth - 1) + ")";
  }
}

std::string describe(const artifact::Variant &variant, ExprId id) {
  return describe(variant, id, kMaxDescribedDepth);
}

std::string describe(const artifact::Variant &variant, const std::vector<ExprId> &ids) {
  std::string text = "[";
  for (size_t i = 0; i < ids.size(); ++i)
    text += (i ? ", " : "") + describe(variant, ids[i]);
  return text + "]";
}

} // namespace heddle::runtime
