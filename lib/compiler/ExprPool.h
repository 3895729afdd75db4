// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Affine expressions over the module's symbols as the artifact's pool of nodes.
#ifndef HEDDLE_LIB_COMPILER_EXPRPOOL_H
#define HEDDLE_LIB_COMPILER_EXPRPOOL_H

#include "dialects/shape/SymbolicShape.h"
#include "heddle/Artifact.h"
#include <map>
#include <tuple>

namespace heddle::compiler {

/// Appends nodes to a pool; equal nodes are shared, so a size that many tensors have is one node.
class ExprPool {
public:
  explicit ExprPool(std::vector<artifact::Expr> &pool) : pool(pool) {}

  artifact::ExprId add(mlir::AffineExpr expr);
  std::vector<artifact::ExprId> add(mlir::AffineMap map);
  artifact::ExprId constant(int64_t value);
  artifact::ExprId node(artifact::ExprKind kind, artifact::ExprId a, artifact::ExprId b,
                        artifact::ExprId c = 0);

private:
  artifact::ExprId intern(const artifact::Expr &expr);
  std::vector<artifact::Expr> &pool;
  std::map<std::tuple<artifact::ExprKind, uint32_t, uint32_t, uint32_t, int64_t>, artifact::ExprId>
      known;
};

/// The module's symbols as those of an artifact; their expressions go to `pool`.
std::vector<artifact::Symbol> makeSymbols(mlir::ModuleOp module, ExprPool &pool,
                                          const std::vector<artifact::Value> &inputs);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_EXPRPOOL_H
