// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last MLIR lowering before LLVM IR. Indices are 32 bits wide, because address arithmetic in 64
// bits costs twice on a GPU and the plan has checked that no tensor is that large. Functions of
// math become calls of NVIDIA's libdevice, which states their error.
#include "passes/ptx/Translate.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace heddle::ptx {

namespace {

struct LowerToLlvm : PassWrapper<LowerToLlvm, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToLlvm)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, cf::ControlFlowDialect>();
  }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    options.overrideIndexBitwidth(32);
    LLVMTypeConverter converter(context, options);
    RewritePatternSet patterns(context);
    arith::populateExpandBFloat16Patterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    // libdevice first; what it lacks (fma, copysign, bit counts) is an LLVM intrinsic.
    populateLibDeviceConversionPatterns(converter, patterns, /*benefit=*/10);
    populateMathToLLVMConversionPatterns(converter, patterns);
    ConversionTarget target(*context);
    target.addLegalDialect<LLVM::LLVMDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalDialect<arith::ArithDialect, math::MathDialect, cf::ControlFlowDialect>();
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

LogicalResult lowerToLlvm(ModuleOp module) {
  PassManager pipeline(module.getContext());
  pipeline.addPass(createCanonicalizerPass());
  pipeline.addPass(createCSEPass());
  pipeline.addPass(createSCFToControlFlowPass());
  pipeline.addPass(std::make_unique<LowerToLlvm>());
  return pipeline.run(module);
}

} // namespace heddle::ptx
