// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns MLIR's diagnostics, whose locations are the model's nodes, into lines for the user.
#include "lib/compiler/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

using namespace mlir;

namespace heddle::compiler {

/// "node 'conv1': " or "line 4, column 2: "; "" where a location says nothing. A reason that names
/// its node needs no other.
static std::string describePlace(Location loc, StringRef reason) {
  if (reason.starts_with("node ") || reason.starts_with("input "))
    return "";
  if (auto name = loc->findInstanceOf<NameLoc>())
    if (!name.getName().empty())
      return "node '" + name.getName().str() + "': ";
  auto place = loc->findInstanceOf<FileLineColLoc>();
  if (!place || place.getLine() == 0)
    return "";
  return "line " + std::to_string(place.getLine()) + ", column " +
         std::to_string(place.getColumn()) + ": ";
}

Diagnostics::Diagnostics(MLIRContext &context, StringRef model, bool keepRemarks)
    : model(model), keepRemarks(keepRemarks),
      handler(&context, [this](Diagnostic &diagnostic) { handle(diagnostic); }) {}

void Diagnostics::handle(Diagnostic &diagnostic) {
  std::string reason = diagnostic.str();
  for (Diagnostic &note : diagnostic.getNotes())
    // MLIR attaches the whole op, which is text for its authors.
    if (std::string text = note.str(); !StringRef(text).starts_with("see current operation"))
      reason += "; " + text;
  std::string body = model + ": " + describePlace(diagnostic.getLocation(), reason) + reason;
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    return add("error", body);
  case DiagnosticSeverity::Warning:
    return add("warning", body);
  case DiagnosticSeverity::Remark:
    if (keepRemarks)
      add("remark", body);
    return;
  case DiagnosticSeverity::Note:
    return;
  }
}

void Diagnostics::add(StringRef severity, const std::string &body) {
  sawError |= severity == "error";
  if (seen.insert(body).second)
    lines += severity.str() + ": " + body + "\n";
}

} // namespace heddle::compiler
