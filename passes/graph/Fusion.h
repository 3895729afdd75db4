// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both fusion passes ask of kernels: who reads a value and where, what a region costs, how
// coordinates pass through a reshape, and how a region is inlined.
#ifndef HEDDLE_PASSES_GRAPH_FUSION_H
#define HEDDLE_PASSES_GRAPH_FUSION_H

#include "dialects/kernel/Kernel.h"
#include "dialects/shape/SymbolicShape.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "passes/graph/scalar/Positions.h"

namespace heddle::graph::fusion {

using form::Dims;
using form::mapThroughReshape;

/// All reads of a value, directly or through reshapes that always fit.
struct Readers {
  llvm::SmallVector<kernel::LoadOp> loads;
  /// Another user, or null.
  mlir::Operation *other = nullptr;
  static Readers of(mlir::Operation *producer);
};

/// The kernel in whose region an op stands; null outside of kernels.
mlir::Operation *getKernel(mlir::Operation *inner);
/// The kernel all whose loads they are; null if there are several or none.
mlir::Operation *getOnlyKernel(llvm::ArrayRef<kernel::LoadOp> loads);
/// The tensor that a load reads, looking through reshapes.
mlir::Value getSource(kernel::LoadOp load);

bool hasFold(mlir::Operation *kernel);
/// Work of one evaluation in units of a simple instruction; index arithmetic is free.
int64_t getCost(mlir::Region &region);
/// Only loads and index arithmetic, without branches.
bool isPlainMovement(kernel::MapOp map);
/// A map's load whose coordinates are the map's own, of a tensor of the map's shape.
bool isIdentity(kernel::LoadOp load, kernel::MapOp map);

/// Copies a block's ops without the terminator, folding on the way; gives the terminator's
/// operands. Loads found in `known` become that value.
llvm::SmallVector<mlir::Value>
inlineBlock(mlir::OpBuilder &builder, mlir::Block &block, mlir::ValueRange arguments,
            const llvm::DenseMap<mlir::Operation *, mlir::Value> &known);

/// Erases a kernel that nothing but unused reshapes uses, with these.
void eraseWithReshapes(mlir::Operation *kernel);
/// Erases unused kernels and their inputs, and merges equal scalar ops in the others.
void cleanUp(mlir::Operation *root);

/// A remark that something stays as it is, and why.
void remarkMissed(mlir::Operation *op, llvm::StringRef pass, const llvm::Twine &reason);

} // namespace heddle::graph::fusion

#endif
