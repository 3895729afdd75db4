// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs passes and pipelines of the compiler on a module in text form, to look at one step at a
// time.
#include "lib/compiler/Register.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  heddle::compiler::registerDialects(registry);
  heddle::compiler::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "heddle-opt: passes of the Heddle compiler\n", registry));
}
