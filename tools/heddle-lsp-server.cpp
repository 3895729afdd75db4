// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The language server for modules in text form: an editor shows errors, types and definitions.
#include "lib/compiler/Register.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  heddle::compiler::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry)) ? 1 : 0;
}
