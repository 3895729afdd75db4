// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes affine expressions into the artifact's pool.
#include "lib/compiler/ExprPool.h"

using namespace mlir;
using heddle::artifact::ExprId;
using heddle::artifact::ExprKind;

namespace heddle::compiler {

ExprId ExprPool::intern(const artifact::Expr &expr) {
  auto key = std::make_tuple(expr.kind, expr.a, expr.b, expr.c, expr.value);
  auto [entry, isNew] = known.try_emplace(key, static_cast<ExprId>(pool.size()));
  if (isNew)
    pool.push_back(expr);
  return entry->second;
}

ExprId ExprPool::constant(int64_t value) {
  return intern({.kind = ExprKind::kConstant, .value = value});
}

ExprId ExprPool::node(ExprKind kind, ExprId a, ExprId b, ExprId c) {
  return intern({.kind = kind, .a = a, .b = b, .c = c, .value = 0});
}

ExprId ExprPool::add(AffineExpr expr) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return constant(cast<AffineConstantExpr>(expr).getValue());
  case AffineExprKind::SymbolId:
    return node(ExprKind::kSymbol, cast<AffineSymbolExpr>(expr).getPosition(), 0);
  case AffineExprKind::DimId:
    break;
  default:
    auto binary = cast<AffineBinaryOpExpr>(expr);
    ExprId a = add(binary.getLHS()), b = add(binary.getRHS());
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return node(ExprKind::kAdd, a, b);
    case AffineExprKind::Mul:
      return node(ExprKind::kMul, a, b);
    case AffineExprKind::FloorDiv:
      return node(ExprKind::kFloorDiv, a, b);
    case AffineExprKind::CeilDiv:
      return node(ExprKind::kCeilDiv, a, b);
    default:
      return node(ExprKind::kMod, a, b);
    }
  }
  assert(false && "sizes are expressions over symbols alone");
  return constant(0);
}

std::vector<ExprId> ExprPool::add(AffineMap map) {
  std::vector<ExprId> ids;
  for (AffineExpr expr : map.getResults())
    ids.push_back(add(expr));
  return ids;
}

static ExprKind getKind(shape::DerivedOp op) {
  switch (op) {
  case shape::DerivedOp::kMin:
    return ExprKind::kMin;
  case shape::DerivedOp::kMax:
    return ExprKind::kMax;
  case shape::DerivedOp::kBroadcast:
    return ExprKind::kBroadcast;
  case shape::DerivedOp::kEqual:
    return ExprKind::kEqual;
  case shape::DerivedOp::kLess:
    return ExprKind::kLess;
  case shape::DerivedOp::kSelect:
    return ExprKind::kSelect;
  }
  return ExprKind::kMin;
}

std::vector<artifact::Symbol> makeSymbols(ModuleOp module, ExprPool &pool,
                                          const std::vector<artifact::Value> &inputs) {
  std::vector<artifact::Symbol> result;
  shape::Symbols symbols(module);
  for (int64_t i = 0; i < symbols.size(); ++i) {
    shape::Symbols::Entry entry = symbols.get(i);
    artifact::Symbol symbol;
    symbol.name = entry.name.str();
    symbol.input = static_cast<uint32_t>(entry.input);
    symbol.index = static_cast<uint32_t>(entry.index);
    switch (entry.kind) {
    case shape::SymbolKind::kInputDim:
      symbol.kind = artifact::SymbolKind::kInputDim;
      if (symbol.name.empty() && symbol.input < inputs.size())
        symbol.name = inputs[symbol.input].name + ".dims[" + std::to_string(symbol.index) + "]";
      break;
    case shape::SymbolKind::kInputElement:
      symbol.kind = artifact::SymbolKind::kInputElement;
      symbol.name += "[" + std::to_string(symbol.index) + "]";
      break;
    case shape::SymbolKind::kDerived: {
      symbol.kind = artifact::SymbolKind::kDerived;
      std::vector<ExprId> operands = pool.add(entry.operands);
      operands.resize(3);
      symbol.expr = pool.node(getKind(entry.op), operands[0], operands[1],
                              entry.op == shape::DerivedOp::kSelect ? operands[2] : 0);
      break;
    }
    }
    result.push_back(std::move(symbol));
  }
  return result;
}

} // namespace heddle::compiler
