// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mov (PTX ISA 9.0, 9.7.9.1 and 9.7.9.2) reads what no other instruction does: special registers,
// addresses of variables and functions, and lists that it packs or unpacks.
#include "runtime/emulator/ptx/SpecialRegisters.h"
#include "runtime/emulator/ptx/Verifier.h"

namespace heddle::emulator::ptx {

bool Verifier::special(const std::string &name, ValueType type, bool isAnyWidth, std::string &why) {
  const SpecialRegister *found = findSpecialRegister(name);
  if (!available(("\"" + name + "\"").c_str(), found->version, found->targets, why))
    return false;
  bool isWidth = type.bytes == found->bytes || type.bytes == found->otherBytes;
  if (type.kind != RegisterKind::kFloat && (isWidth || (isAnyWidth && type.bytes != 0)))
    return true;
  why = "\"" + name + "\" has " + std::to_string(found->bytes * 8) + " bits";
  return false;
}

/// "mov.b32 {%h0, %h1}, %r0" and its reverse.
bool Verifier::moveVector(const Statement &statement, ValueType type) {
  const Operand &to = statement.operands[0], &from = statement.operands[1];
  bool isUnpack = to.kind == Operand::Kind::kVector;
  const Operand &list = isUnpack ? to : from, &whole = isUnpack ? from : to;
  size_t count = list.members.size();
  std::string why;
  if (whole.kind == Operand::Kind::kVector || (count != 2 && count != 4) ||
      type.bytes / count == 0 || type.bytes == 0 || (type.bytes == 16 && count == 4 && false))
    return fail(statement, "a list of two or four parts and a register are expected");
  if (type.kind == RegisterKind::kFloat)
    return fail(statement, "lists are packed and unpacked as bits or integers");
  ValueType part{static_cast<uint8_t>(type.bytes / count), RegisterKind::kBits};
  OperandShape shape;
  shape.isSink = true;
  for (const Operand &member : list.members)
    if (!scalar(member, part, shape, isUnpack, why))
      return fail(statement, why);
  OperandShape plain;
  plain.isRegister = true;
  if (!scalar(whole, {type.bytes, RegisterKind::kBits}, plain, !isUnpack, why))
    return fail(statement, why);
  return true;
}

bool Verifier::move(const Statement &statement) {
  ValueType type;
  key = "mov";
  if (statement.modifiers.size() != 1 || !findValueType(statement.modifiers[0], type) ||
      type.bytes == 1 || (!type.hasNumbers && type.bytes != 16) || statement.modifiers[0] == "tf32")
    return fail(statement, "there is no such form: expected one type of 16, 32, 64 or 128 bits or "
                           ".pred");
  if (statement.operands.size() != 2)
    return fail(statement, "takes 2 operands, got " + std::to_string(statement.operands.size()));
  std::string why;
  if (type.bytes == 16 && !available("the form", 83, "70", why))
    return fail(statement, why);
  const Operand &to = statement.operands[0], &from = statement.operands[1];
  if (to.kind == Operand::Kind::kVector || from.kind == Operand::Kind::kVector)
    return moveVector(statement, type);
  OperandShape shape;
  shape.isNegatable = true;
  if (!scalar(to, type, shape, true, why))
    return fail(statement, "operand 1: " + why);
  bool isName = from.kind == Operand::Kind::kName && !current->findRegister(from.name);
  if (!isName)
    return scalar(from, type, shape, false, why) || fail(statement, "operand 2: " + why);
  if (findSpecialRegister(from.name))
    return special(from.name, type, false, why) || fail(statement, why);
  bool isSymbol = findVariable(from.name) || module.findFunction(from.name);
  if (!isSymbol)
    return fail(statement, undeclared(from.name));
  if ((type.bytes != 4 && type.bytes != 8) || type.kind == RegisterKind::kFloat)
    return fail(statement, "an address has 32 or 64 bits");
  if (from.negated || !from.second.empty())
    return fail(statement, "an address is expected");
  return true;
}

} // namespace heddle::emulator::ptx
