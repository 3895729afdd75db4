// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame in which every schedule writes its kernel: one `llvm.func` with a pointer for each
// tensor and an i32 for each run-time size, index arithmetic, guarded loops, element access with
// the layout of tensors, and regions of kernel ops put inside.
#ifndef HEDDLE_LIB_DEVICE_KERNELBUILDER_H
#define HEDDLE_LIB_DEVICE_KERNELBUILDER_H

#include "dialects/kernel/Kernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include <functional>

namespace heddle::device {

using mlir::Type;
using mlir::Value;
using Values = llvm::SmallVector<Value>;

/// A kernel while it is being written. Values are `index` unless said otherwise; `index` is 32 bits
/// and unsigned here.
class KernelBuilder {
public:
  /// Starts the function for `op`, whose captured tensors become its inputs in order of first use.
  KernelBuilder(mlir::Operation *op, llvm::StringRef name, int64_t threads);

  mlir::OpBuilder b;
  mlir::Location loc;

  // Numbers.
  Value index(int64_t value);
  Value i32(int64_t value);
  /// A size that may only be known at run time; then it is a parameter.
  Value size(mlir::AffineExpr expr);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value div(Value x, Value y);
  Value rem(Value x, Value y);
  Value less(Value x, Value y); // unsigned, i1
  Value both(Value x, Value y); // i1
  Value minimum(Value x, Value y);
  Value toInteger(Value index, Type type);
  Value zero(Type type);

  // Threads.
  Value threadId();
  Value blockId(unsigned axis = 0);
  void barrier();
  /// The value of the lane whose number differs in the bits of `mask`.
  Value shuffleXor(Value value, int64_t mask);

  // Control.
  void when(Value condition, llvm::function_ref<void()> body);
  /// `condition ? body() : otherwise`, evaluated only if needed.
  Value guarded(Value condition, Type type, llvm::function_ref<Value()> body, Value otherwise);
  /// for (i = from; i < to; i += step) state = body(i, state)
  Values loop(Value from, Value to, Value step, llvm::ArrayRef<Value> state,
              llvm::function_ref<Values(Value, llvm::ArrayRef<Value>)> body);

  // Positions.
  /// Row-major coordinates of a linear position.
  Values delinearize(Value linear, llvm::ArrayRef<mlir::AffineExpr> dims);
  Value linearize(llvm::ArrayRef<Value> at, llvm::ArrayRef<mlir::AffineExpr> dims);

  // Memory.
  Value load(Value tensor, Value linear);
  void store(unsigned output, Value linear, Value value);
  /// Shared memory of the block: `elems` of `type`, 16-byte aligned. Gives a pointer.
  Value shared(Type type, int64_t elems);
  Value element(Value pointer, Type type, Value position);
  Value loadShared(Value pointer, Type type, Value position, unsigned alignment = 0);
  void storeShared(Value pointer, Type type, Value position, Value value, unsigned alignment = 0);

  // Regions.
  /// Clones the ops of a region's block for these arguments; gives the terminator's operands. With
  /// `fold`, folds at the top level are made by it instead of by a loop of one thread.
  using MakeFold = llvm::function_ref<Values(kernel::FoldOp, mlir::IRMapping &)>;
  Values inlined(mlir::Region &region, llvm::ArrayRef<Value> arguments, MakeFold fold = nullptr,
                 mlir::IRMapping *outer = nullptr);

  // Folds.
  Values neutral(kernel::FoldOp fold);
  Values combine(kernel::FoldOp fold, llvm::ArrayRef<Value> x, llvm::ArrayRef<Value> y);

  /// Turns what regions left (kernel.load, size, fold) into code and completes the signature.
  void finish();

  mlir::LLVM::LLVMFuncOp func;
  Values inputs; // tensors of the enclosing function, bases of reshapes
  llvm::SmallVector<mlir::AffineExpr> scalars; // one i32 parameter each
  int64_t threads;

private:
  Value pointer(Value base);
  void lowerFold(kernel::FoldOp fold);

  mlir::Operation *op;
  llvm::DenseMap<Value, Value> pointers;
  Values outputs;
  llvm::DenseMap<mlir::AffineExpr, Value> sizes;
};

/// The tensor whose memory `tensor` is: itself, or what it reshapes.
Value getBase(Value tensor);

} // namespace heddle::device

#endif
