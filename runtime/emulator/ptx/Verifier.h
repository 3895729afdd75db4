// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state behind verify(): what is declared where, and which forms an instruction's text can be.
#ifndef HEDDLE_RUNTIME_EMULATOR_PTX_VERIFIER_H
#define HEDDLE_RUNTIME_EMULATOR_PTX_VERIFIER_H

#include "runtime/emulator/ptx/Forms.h"
#include "runtime/emulator/ptx/Targets.h"
#include <set>
#include <unordered_set>

namespace heddle::emulator::ptx {

class Verifier {
public:
  Verifier(Module &module, std::string &error)
      : module(module), error(error), table(FormTable::get()) {}
  bool run();

private:
  /// What one instruction text, "add.rn.f32", can be.
  struct Candidates {
    std::vector<const Form *> forms; ///< whose modifiers fit
    std::vector<std::vector<uint8_t>>
        orders; ///< of the modifiers, if it is another than the table's
    Binding binding;
    std::string problem; ///< if there are none
  };
  /// Why an operand does not fit, and at which operand that showed.
  struct Mismatch {
    size_t operand = 0;
    std::string text;
  };

  // Verify.cpp: the module, its functions and directives.
  bool header();
  bool directives(const Function &function);
  bool parameters(const Function &function);
  bool body(Function &function);
  bool declareVariables(const Function &function);
  bool collectLabels(const Function &function);
  bool statement(Statement &statement);
  bool sharedBytes(const Function &function);
  bool failAt(uint32_t line, const std::string &what);
  bool fail(const Statement &statement, const std::string &what);
  bool available(const char *what, uint16_t version, const char *targets, std::string &problem);

  // VerifyForms.cpp: which form an instruction is.
  const Candidates &candidates(const Statement &statement);
  std::string modifierProblem(const Statement &statement, const std::vector<uint16_t> &ids);
  bool instruction(Statement &statement);
  bool fits(const Statement &statement, const Form &form, const Binding &binding, Mismatch &why);

  // VerifyOperands.cpp
  bool value(const Statement &statement, const Operand &operand, const OperandShape &shape,
             const Binding &binding, bool isResult, std::string &why);
  bool scalar(const Operand &operand, ValueType type, const OperandShape &shape, bool isResult,
              std::string &why, bool isPart = false);
  bool number(const Operand &operand, ValueType type, const OperandShape &shape, std::string &why);
  bool registerFits(const std::string &name, const RegisterType &found, ValueType type, bool isWide,
                    std::string &why);
  bool address(const Statement &statement, const Operand &operand, const OperandShape &shape,
               std::string &why);
  bool coordinates(const Operand &operand, const OperandShape &shape, std::string &why);
  bool symbolInSpace(const Operand &operand, Space space, bool isAny, std::string &why);
  const Variable *findVariable(const std::string &name);
  std::string undeclared(const std::string &name) const;

  // VerifyMove.cpp
  bool move(const Statement &statement);
  bool moveVector(const Statement &statement, ValueType type);
  bool special(const std::string &name, ValueType type, bool isAnyWidth, std::string &why);

  // VerifyCalls.cpp
  bool call(const Statement &statement);
  bool arguments(const Statement &statement, const Operand *list,
                 const std::vector<Variable> &formal, const char *what);

  Module &module;
  std::string &error;
  const FormTable &table;
  TargetName target;
  const Function *current = nullptr;
  std::unordered_map<std::string, Candidates> known;
  std::unordered_map<std::string_view, const Variable *> moduleVariables, functionVariables;
  std::unordered_set<std::string_view> labels, branchTables;
  std::unordered_map<const Function *, std::set<const Variable *>>
      sharedOf; ///< of the module, named in it
  std::unordered_map<const Function *, std::set<const Function *>> calleesOf;
  uint64_t visited = 0;
  std::string key;
};

} // namespace heddle::emulator::ptx

#endif // HEDDLE_RUNTIME_EMULATOR_PTX_VERIFIER_H
