// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of all passes, stage by stage.
#ifndef HEDDLE_PASSES_PIPELINE_H
#define HEDDLE_PASSES_PIPELINE_H

#include "mlir/Pass/PassManager.h"
#include <string>

namespace heddle {

/// What the stages depend on besides the module.
struct PipelineOptions {
  std::string target = "sm_80";
  std::string precision = "f32";
};

/// From the model's operators to kernels, for all targets alike.
void buildGraphPipeline(mlir::OpPassManager &manager, const PipelineOptions &options);
/// From kernels to code for one target.
void buildKernelPipeline(mlir::OpPassManager &manager, const PipelineOptions &options);
/// Lowers the kernels to the llvm dialect, as the way to PTX begins; `main` stays.
void buildPtxPipeline(mlir::OpPassManager &manager);
/// From launches to the host program.
void buildPlanPipeline(mlir::OpPassManager &manager);

/// Makes the stages known as --graph, --kernel, --ptx and --plan, the first two with the options
/// `target` and `precision`.
void registerPipelines();

} // namespace heddle

#endif // HEDDLE_PASSES_PIPELINE_H
