// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets contractions of f32 operands make their products in a narrower type on Tensor Cores. Sums
// stay f32, and so does every tensor.
#include "passes/graph/Passes.h"

namespace heddle::graph {

#define GEN_PASS_DEF_LOWERPRECISION
#include "passes/graph/Passes.h.inc"

using namespace mlir;

static void lowerPrecision(Operation *root, kernel::Math math) {
  root->walk([&](kernel::ContractOp contract) {
    Operation *yield = contract.getLhs().front().getTerminator();
    if (yield->getOperand(0).getType().isF32())
      contract.setMath(math);
  });
}

namespace {
struct LowerPrecision : impl::LowerPrecisionBase<LowerPrecision> {
  using LowerPrecisionBase::LowerPrecisionBase;
  void runOnOperation() override {
    if (precision == "f32")
      return;
    std::optional<kernel::Math> math = kernel::symbolizeMath(precision);
    if (!math || *math == kernel::Math::Native) {
      emitError(getOperation().getLoc())
          << "precision must be f32, tf32, f16 or bf16, got \"" << precision << "\"";
      return signalPassFailure();
    }
    lowerPrecision(getOperation(), *math);
  }
};
} // namespace

} // namespace heddle::graph
