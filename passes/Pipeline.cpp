// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only place that orders passes; the reason stands beside each order constraint.
#include "passes/Pipeline.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/kernel/Passes.h"
#include "passes/plan/Passes.h"
#include "passes/ptx/Translate.h"

using namespace mlir;

namespace heddle {

void buildGraphPipeline(OpPassManager &manager, const PipelineOptions &options) {
  // Everything below asks for sizes.
  manager.addPass(graph::createInferShapes());
  // Expansions make nodes of ordinary operators, so they stand before these become kernels.
  manager.addPass(graph::createDecompose());
  manager.addPass(graph::createFormKernels());
  // Epilogues take what maps are left, so producers are fused first: a map between two others then
  // is one with them and the contraction sees a single reader.
  manager.addPass(graph::createFuseMaps());
  manager.addPass(graph::createFuseEpilogue());
  // A map that an epilogue has taken may have been what kept another from its reader.
  manager.addPass(graph::createFuseMaps());
  graph::LowerPrecisionOptions precision;
  precision.precision = options.precision;
  // After fusion, which must not see two contractions of equal operands as different.
  manager.addPass(graph::createLowerPrecision(precision));
  manager.addPass(createCanonicalizerPass());
  // After canonicalization, which makes equal kernels look alike.
  manager.addPass(createCSEPass());
}

void buildKernelPipeline(OpPassManager &manager, const PipelineOptions &options) {
  kernel::LowerKernelsOptions lower;
  lower.target = options.target;
  manager.addPass(kernel::createLowerKernels(lower));
}

namespace {
/// The first step of ptx::translateToPtx, for a look at what LLVM is given.
struct LowerToLlvm : PassWrapper<LowerToLlvm, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToLlvm)
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }
  void runOnOperation() override {
    if (failed(ptx::lowerToLlvm(getOperation())))
      signalPassFailure();
  }
};
} // namespace

void buildPtxPipeline(OpPassManager &manager) { manager.addPass(std::make_unique<LowerToLlvm>()); }

void buildPlanPipeline(OpPassManager &manager) { manager.addPass(plan::createBuildPlan()); }

namespace {
struct StageOptions : PassPipelineOptions<StageOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("architecture, such as sm_80"),
                             llvm::cl::init("sm_80")};
  Option<std::string> precision{*this, "precision", llvm::cl::desc("f32, tf32, f16 or bf16"),
                                llvm::cl::init("f32")};
  PipelineOptions get() const { return {target, precision}; }
};
} // namespace

void registerPipelines() {
  PassPipelineRegistration<StageOptions>("graph", "The graph stage: from operators to kernels",
                                         [](OpPassManager &manager, const StageOptions &options) {
                                           buildGraphPipeline(manager, options.get());
                                         });
  PassPipelineRegistration<StageOptions>("kernel",
                                         "The kernel stage: from kernels to code for one target",
                                         [](OpPassManager &manager, const StageOptions &options) {
                                           buildKernelPipeline(manager, options.get());
                                         });
  PassPipelineRegistration<>("ptx", "The start of the ptx stage: code in the llvm dialect",
                             buildPtxPipeline);
  PassPipelineRegistration<>("plan", "The plan stage: from launches to the host program",
                             buildPlanPipeline);
}

} // namespace heddle
