// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects what all passes report into one text: a model that cannot be compiled gets one report of
// all offending nodes.
#ifndef HEDDLE_LIB_COMPILER_DIAGNOSTICS_H
#define HEDDLE_LIB_COMPILER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"

namespace heddle::compiler {

/// Lives as long as a compile; diagnostics of its context go nowhere else.
class Diagnostics {
public:
  /// `model` is the name that lines begin with.
  Diagnostics(mlir::MLIRContext &context, llvm::StringRef model, bool keepRemarks);

  /// All lines in order, "error: MODEL: node 'x': reason"; equal lines once.
  const std::string &text() const { return lines; }
  bool hasErrors() const { return sawError; }
  /// Adds an error that no pass made.
  void error(llvm::StringRef reason) { add("error", model + ": " + reason.str()); }

private:
  void handle(mlir::Diagnostic &diagnostic);
  void add(llvm::StringRef severity, const std::string &body);

  std::string model;
  bool keepRemarks;
  bool sawError = false;
  std::string lines;
  llvm::StringSet<> seen;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_DIAGNOSTICS_H
