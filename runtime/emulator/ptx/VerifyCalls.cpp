// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// call (PTX ISA 9.0, 9.7.12.5): what is passed must be what the function declares.
#include "runtime/emulator/ptx/Verifier.h"

namespace heddle::emulator::ptx {

bool Verifier::arguments(const Statement &statement, const Operand *list,
                         const std::vector<Variable> &formal, const char *what) {
  size_t given = list ? list->members.size() : 0;
  // "..." of C: an array of no size takes what is left.
  bool isOpen = !formal.empty() && formal.back().bytes == 0;
  if (isOpen ? given + 1 < formal.size() : given != formal.size())
    return fail(statement, "takes " + std::to_string(formal.size()) + " " + what + ", got " +
                               std::to_string(given));
  for (size_t i = 0; i < given; ++i) {
    const Operand &operand = list->members[i];
    auto found = functionVariables.find(operand.name);
    if (operand.kind != Operand::Kind::kName || found == functionVariables.end() ||
        found->second->space != Space::kParam)
      return fail(statement, std::string("the ") + what + " are variables in .param, \"" +
                                 operand.name + "\" is none");
    if (i < formal.size() && formal[i].bytes != 0 && found->second->bytes != formal[i].bytes)
      return fail(statement, "\"" + operand.name + "\" has " +
                                 std::to_string(found->second->bytes) +
                                 " bytes, the function takes " + std::to_string(formal[i].bytes));
  }
  return true;
}

/// call{.uni} {(result),} function {, (arguments)} {, targets or prototype};
bool Verifier::call(const Statement &statement) {
  key = "call";
  if (statement.modifiers.size() > 1 ||
      (statement.modifiers.size() == 1 && statement.modifiers[0] != "uni"))
    return fail(statement, "there is no such form: expected .uni or no modifier");
  const auto &operands = statement.operands;
  size_t at = 0;
  const Operand *results = nullptr, *args = nullptr;
  if (at < operands.size() && operands[at].kind == Operand::Kind::kVector)
    results = &operands[at++];
  if (at >= operands.size() || operands[at].kind != Operand::Kind::kName)
    return fail(statement, "the name of a function is expected");
  const Operand &callee = operands[at++];
  if (at < operands.size() && operands[at].kind == Operand::Kind::kVector)
    args = &operands[at++];
  const RegisterType *found = current->findRegister(callee.name);
  if (!found) {
    if (at != operands.size())
      return fail(statement, "a direct call ends with its arguments");
    const Function *function = module.findFunction(callee.name);
    if (!function)
      return fail(statement, "function \"" + callee.name + "\" is not declared");
    if (function->isEntry)
      return fail(statement, "\"" + callee.name + "\" is a kernel");
    calleesOf[current].insert(function);
    return arguments(statement, results, function->results, "results") &&
           arguments(statement, args, function->params, "arguments");
  }
  if (found->bytes != 8 || found->kind == RegisterKind::kFloat)
    return fail(statement, "\"" + callee.name + "\" must be an address of 64 bits");
  if (at + 1 != operands.size() || operands[at].kind != Operand::Kind::kName)
    return fail(statement, "a call through an address ends with its targets or its prototype");
  const std::string &last = operands[at].name;
  if (auto prototype = current->prototypes.find(last); prototype != current->prototypes.end())
    return arguments(statement, results, prototype->second.results, "results") &&
           arguments(statement, args, prototype->second.params, "arguments");
  auto targets = current->callTargets.find(last);
  if (targets == current->callTargets.end())
    return fail(statement, "\"" + last + "\" is neither .calltargets nor .callprototype");
  for (const std::string &name : targets->second) {
    const Function *function = module.findFunction(name);
    if (!function || function->isEntry)
      return fail(statement, "\"" + name + "\" is no function of this module");
    calleesOf[current].insert(function);
    if (!arguments(statement, results, function->results, "results") ||
        !arguments(statement, args, function->params, "arguments"))
      return false;
  }
  return true;
}

} // namespace heddle::emulator::ptx
