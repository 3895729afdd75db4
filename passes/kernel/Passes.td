// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the kernel stage, from kernel ops to code.
#ifndef HEDDLE_PASSES_KERNEL_PASSES_TD
#define HEDDLE_PASSES_KERNEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerKernels : Pass<"kernel-lower", "::mlir::ModuleOp"> {
  let summary = "Write each kernel as a function for one target, by its schedule";
  let description = [{
    Does:     turns every kernel.map, reduce, rows and contract into an llvm.func and a kernel.launch of it; equal kernels share one.
    Needs:    kernels (graph-form-kernels) in `main`.
    Leaves:   kernel.launch, weight, host_values and reshape in `main`; functions of scf, arith, math, llvm and nvvm ops beside it.
    Numerics: sums of a contraction or a shared fold are made in another order than a sequential loop's.
    Example:  a kernel.map of 1000 elements becomes a launch of 4 blocks of 256 threads.
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_80\"", "architecture, such as sm_80">];
  let dependentDialects = ["::heddle::kernel::KernelDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif
