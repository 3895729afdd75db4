// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers dialects and passes; a new one is one line here.
#include "lib/compiler/Register.h"

#include "dialects/graph/Graph.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/plan/Plan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Pipeline.h"
#include "passes/graph/Passes.h"
#include "passes/kernel/Passes.h"
#include "passes/plan/Passes.h"

using namespace mlir;

namespace heddle::compiler {

void registerDialects(DialectRegistry &registry) {
  registry.insert<graph::GraphDialect, kernel::KernelDialect, plan::PlanDialect>();
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                  math::MathDialect, NVVM::NVVMDialect, scf::SCFDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

void registerPasses() {
  registerTransformsPasses();
  graph::registerGraphPasses();
  kernel::registerKernelPasses();
  plan::registerPlanPasses();
  registerPipelines();
}

} // namespace heddle::compiler
