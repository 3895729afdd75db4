// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces kernel ops by launches of functions that the schedules write. Kernels that come out
// alike, as the layers of a network do, are kept once: a schedule's output does not depend on the
// tensors' names.
#include "passes/kernel/Passes.h"

#include "dialects/shape/SymbolicShape.h"
#include "lib/schedule/Schedules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

namespace heddle::kernel {
#define GEN_PASS_DEF_LOWERKERNELS
#include "passes/kernel/Passes.h.inc"
} // namespace heddle::kernel

using namespace mlir;

namespace heddle::kernel {

namespace {

/// A name that tells what the kernel computes: its kind, a number, and the node that it came from.
std::string makeName(Operation *op, unsigned number) {
  std::string name = (op->getName().stripDialect() + "_" + Twine(number)).str();
  std::string node;
  if (auto loc = op->getLoc()->findInstanceOf<NameLoc>())
    node = loc.getName().str();
  if (node.size() > 40)
    node.resize(40);
  for (char &c : node)
    if (!llvm::isAlnum(c))
      c = '_';
  return node.empty() ? name : name + "_" + node;
}

struct LowerKernels : impl::LowerKernelsBase<LowerKernels> {
  using LowerKernelsBase::LowerKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto row = findTarget(target);
    if (!row.ok()) {
      emitError(module.getLoc()) << row.status().text();
      return signalPassFailure();
    }
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main)
      return;
    SmallVector<Operation *> kernels;
    for (Operation &op : main.getBody().getOps())
      if (isa<MapOp, ReduceOp, RowsOp, ContractOp>(op))
        kernels.push_back(&op);
    bool failed = false;
    for (Operation *op : kernels)
      failed |= mlir::failed(lower(op, **row));
    if (failed)
      signalPassFailure();
  }

private:
  LogicalResult lower(Operation *op, const Target &row) {
    auto written = schedule::schedule(op, row, kTemporaryName);
    if (mlir::failed(written))
      return failure();
    StringAttr callee = share(written->func, op);
    MLIRContext *context = &getContext();
    OpBuilder builder(op);
    auto launch = LaunchOp::create(
        builder, op->getLoc(), op->getResultTypes(), FlatSymbolRefAttr::get(callee),
        AffineMapAttr::get(shape::getMap(written->grid, context)),
        builder.getDenseI64ArrayAttr({written->threads, 1, 1}), builder.getI64IntegerAttr(0),
        AffineMapAttr::get(shape::getMap(written->scalars, context)), written->inputs);
    op->replaceAllUsesWith(launch.getOutputs());
    op->erase();
    return success();
  }

  /// The name under which the function is kept: its own, or that of an equal one.
  StringAttr share(LLVM::LLVMFuncOp func, Operation *op) {
    ModuleOp module = getOperation();
    SmallVector<LLVM::GlobalOp> globals;
    for (auto global : module.getOps<LLVM::GlobalOp>())
      if (global.getName().starts_with(kTemporaryName))
        globals.push_back(global);
    std::string text;
    llvm::raw_string_ostream stream(text);
    for (auto global : globals)
      global.print(stream);
    func->print(stream, OpPrintingFlags().useLocalScope());
    auto [known, isNew] = names.try_emplace(text);
    if (!isNew) {
      func.erase();
      for (auto global : globals)
        global.erase();
      return known->second;
    }
    std::string name = makeName(op, names.size() - 1);
    for (auto global : globals) {
      std::string globalName = name + global.getName().substr(kTemporaryName.size()).str();
      auto symbol = StringAttr::get(&getContext(), globalName);
      func->walk([&](LLVM::AddressOfOp address) {
        if (address.getGlobalName() == global.getName())
          address.setGlobalName(symbol);
      });
      global.setSymName(globalName);
    }
    func.setSymName(name);
    known->second = StringAttr::get(&getContext(), name);
    return known->second;
  }

  static constexpr StringLiteral kTemporaryName = "heddle_kernel_being_written";
  llvm::StringMap<StringAttr> names;
};

} // namespace

} // namespace heddle::kernel
