// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands against their shapes (PTX ISA 9.0, 6 and 9.4): registers by width and kind, numbers by
// range, vectors by count, addresses by memory.
#include "runtime/emulator/ptx/SpecialRegisters.h"
#include "runtime/emulator/ptx/Verifier.h"
#include <algorithm>

namespace heddle::emulator::ptx {

namespace {

std::string typeText(ValueType type) {
  if (type.kind == RegisterKind::kPredicate)
    return "a predicate";
  const char *kind = type.kind == RegisterKind::kFloat     ? "float"
                     : type.kind == RegisterKind::kInteger ? "integer"
                                                           : "";
  std::string text = std::to_string(type.bytes * 8) + " bits";
  return type.kind == RegisterKind::kBits ? text : text + " (" + kind + ")";
}

std::string textOf(const Operand &operand) {
  switch (operand.kind) {
  case Operand::Kind::kInteger:
    return "the number " + std::to_string(operand.value);
  case Operand::Kind::kFloat32:
  case Operand::Kind::kFloat64:
    return "a floating-point number";
  case Operand::Kind::kAddress:
    return "an address in brackets";
  case Operand::Kind::kVector:
    return "a list in braces";
  case Operand::Kind::kSink:
    return "\"_\"";
  default:
    return "\"" + operand.name + "\"";
  }
}

/// The memory that modifiers name; false: none, the address is generic.
bool spaceOf(const Statement &statement, Space &space) {
  for (const std::string &modifier : statement.modifiers) {
    if (modifier == "global")
      space = Space::kGlobal;
    else if (modifier.starts_with("shared"))
      space = Space::kShared;
    else if (modifier == "local")
      space = Space::kLocal;
    else if (modifier == "const")
      space = Space::kConst;
    else if (modifier.starts_with("param"))
      space = Space::kParam;
    else
      continue;
    return true;
  }
  return false;
}

} // namespace

const Variable *Verifier::findVariable(const std::string &name) {
  auto own = functionVariables.find(name);
  if (own != functionVariables.end())
    return own->second;
  auto found = moduleVariables.find(name);
  if (found == moduleVariables.end())
    return nullptr;
  if (found->second->space == Space::kShared)
    sharedOf[current].insert(found->second);
  return found->second;
}

std::string Verifier::undeclared(const std::string &name) const {
  if (findSpecialRegister(name))
    return "\"" + name + "\" is a special register, which only mov and cvt read";
  return "\"" + name.substr(0, name.find('@')) + "\" is not declared";
}

bool Verifier::registerFits(const std::string &name, const RegisterType &found, ValueType type,
                            bool isWide, std::string &why) {
  bool isPredicate = type.kind == RegisterKind::kPredicate;
  bool widthFits =
      found.bytes == type.bytes || (isWide && found.bytes > type.bytes && found.bytes <= 8 &&
                                    found.kind != RegisterKind::kFloat);
  bool kindFits = found.kind == type.kind ||
                  (!isPredicate && found.kind != RegisterKind::kPredicate &&
                   (found.kind == RegisterKind::kBits || type.kind == RegisterKind::kBits));
  if (widthFits && kindFits)
    return true;
  why = "\"" + name + "\" is " + typeText({uint8_t(found.bytes), found.kind}) + ", expected " +
        typeText(type) + (isWide ? " or wider" : "");
  return false;
}

bool Verifier::number(const Operand &operand, ValueType type, const OperandShape &shape,
                      std::string &why) {
  bool isInteger = operand.kind == Operand::Kind::kInteger;
  bool isFloat = type.kind == RegisterKind::kFloat;
  if (shape.isRegister || !type.hasNumbers || (isInteger && isFloat) ||
      (!isInteger && !isFloat && type.kind != RegisterKind::kBits) ||
      (!isInteger && !isFloat &&
       type.bytes != (operand.kind == Operand::Kind::kFloat32 ? 4u : 8u))) {
    why = "a register of " + typeText(type) + " is expected, got " + textOf(operand);
    return false;
  }
  if (shape.isRanged && isInteger && (operand.value < shape.low || operand.value > shape.high)) {
    why = std::to_string(operand.value) + " is outside of [" + std::to_string(shape.low) + ", " +
          std::to_string(shape.high) + "]";
    return false;
  }
  if (isInteger && operand.value % shape.multiple != 0) {
    why = std::to_string(operand.value) + " is no multiple of " + std::to_string(shape.multiple);
    return false;
  }
  return true;
}

bool Verifier::scalar(const Operand &operand, ValueType type, const OperandShape &shape,
                      bool isResult, std::string &why, bool isPart) {
  switch (operand.kind) {
  case Operand::Kind::kSink:
    // Of a load only a part of a vector may be left out.
    if (isResult && shape.isSink && !shape.needsSecond && !(shape.countOf == 'v' && !isPart))
      return true;
    break;
  case Operand::Kind::kInteger:
  case Operand::Kind::kFloat32:
  case Operand::Kind::kFloat64:
    if (!isResult)
      return number(operand, type, shape, why);
    break;
  case Operand::Kind::kName: {
    bool hasSecond = !operand.second.empty() || operand.name.empty();
    if (!hasSecond && shape.needsSecond && isResult) {
      why = "a second result (\"|\") is expected";
      return false;
    }
    if (hasSecond && !(shape.hasSecond && isResult)) {
      why = "a second result (\"|\") is not expected";
      return false;
    }
    if (!operand.second.empty()) {
      const RegisterType *second = current->findRegister(operand.second);
      if (!second || second->bytes != 0) {
        why =
            second ? "\"" + operand.second + "\" must be a predicate" : undeclared(operand.second);
        return false;
      }
    }
    if (operand.name.empty())
      return true;
    const RegisterType *found = current->findRegister(operand.name);
    if (!found && !isResult && key.starts_with("cvt.") && findSpecialRegister(operand.name))
      return special(operand.name, type, true, why);
    if (!found) {
      const Variable *variable = findVariable(operand.name);
      why = variable ? "\"" + operand.name + "\" is a variable; move its address into a register"
                     : undeclared(operand.name);
      return false;
    }
    // ptxas adds a number to a register in any scalar source; LLVM prints it of descriptors.
    if (operand.value != 0 && (isResult || isPart || type.bytes < 4 || type.bytes > 8 ||
                               type.kind == RegisterKind::kFloat)) {
      why = "a sum is not expected";
      return false;
    }
    if (operand.negated && !(shape.isNegatable && type.kind == RegisterKind::kPredicate)) {
      why = "\"!\" is not expected";
      return false;
    }
    return registerFits(operand.name, *found, type, shape.isWide, why);
  }
  default:
    break;
  }
  why = (isResult ? "a register of " : "a register or number of ") + typeText(type) +
        " is expected, got " + textOf(operand);
  return false;
}

bool Verifier::symbolInSpace(const Operand &operand, Space space, bool isAny, std::string &why) {
  const Variable *variable = findVariable(operand.name);
  if (!variable) {
    why = undeclared(operand.name);
    return false;
  }
  if (isAny || variable->space == space)
    return true;
  why = "\"" + operand.name + "\" lies in another memory than the instruction names";
  return false;
}

bool Verifier::coordinates(const Operand &operand, const OperandShape &shape, std::string &why) {
  if (operand.members.size() != 1 || operand.members[0].kind != Operand::Kind::kVector ||
      operand.members[0].members.size() != shape.coordinates) {
    why = "a tensor map with " + std::to_string(shape.coordinates) + " coordinates is expected";
    return false;
  }
  static const OperandShape kCoordinate;
  for (const Operand &member : operand.members[0].members)
    if (!scalar(member, {4, RegisterKind::kBits}, kCoordinate, false, why))
      return false;
  return true;
}

bool Verifier::address(const Statement &statement, const Operand &operand,
                       const OperandShape &shape, std::string &why) {
  if (operand.kind != Operand::Kind::kAddress) {
    why = "an address in brackets is expected, got " + textOf(operand);
    return false;
  }
  Space space = shape.letter == 's' ? Space::kShared : Space::kGlobal;
  bool isNamed = shape.letter == 's' || shape.letter == 'g' ||
                 (shape.letter == 'a' && spaceOf(statement, space));
  if (shape.letter == 'm' ? !coordinates(operand, shape, why) : !operand.members.empty()) {
    if (why.empty())
      why = "coordinates are not expected";
    return false;
  }
  if (operand.name.empty()) {
    if (isNamed && space == Space::kLocal)
      return true;
    why = "an address begins with a register or a variable";
    return false;
  }
  const RegisterType *found = current->findRegister(operand.name);
  if (!found)
    return symbolInSpace(operand, space, !isNamed, why);
  if (found->kind == RegisterKind::kFloat || found->kind == RegisterKind::kPredicate) {
    why = "\"" + operand.name + "\" holds no address";
    return false;
  }
  bool isShort = shape.letter == 't', isLong = !isShort && (!isNamed || space == Space::kGlobal);
  if (found->bytes == 8 ? !isShort : found->bytes == 4 && !isLong)
    return true;
  why = "\"" + operand.name + "\" has " + std::to_string(found->bytes * 8) +
        " bits, this address " +
        (isShort  ? "32"
         : isLong ? "64"
                  : "32 or 64");
  return false;
}

bool Verifier::value(const Statement &statement, const Operand &operand, const OperandShape &shape,
                     const Binding &binding, bool isResult, std::string &why) {
  switch (shape.kind) {
  case OperandShape::Kind::kAddress:
    return address(statement, operand, shape, why);
  case OperandShape::Kind::kNumber: {
    bool fits = operand.kind == Operand::Kind::kInteger &&
                (!shape.isRanged || (operand.value >= shape.low && operand.value <= shape.high)) &&
                (shape.oneOf.empty() || std::find(shape.oneOf.begin(), shape.oneOf.end(),
                                                  operand.value) != shape.oneOf.end());
    if (fits)
      return true;
    why = "an integer constant";
    if (shape.isRanged)
      why += " in [" + std::to_string(shape.low) + ", " + std::to_string(shape.high) + "]";
    for (size_t i = 0; i < shape.oneOf.size(); ++i)
      why += (i ? ", " : " of ") + std::to_string(shape.oneOf[i]);
    why += " is expected, got " + textOf(operand);
    return false;
  }
  case OperandShape::Kind::kLabel:
  case OperandShape::Kind::kTable: {
    bool isLabel = shape.kind == OperandShape::Kind::kLabel;
    if (operand.kind == Operand::Kind::kName &&
        (isLabel ? labels : branchTables).count(operand.name))
      return true;
    why = std::string(isLabel ? "label " : "table ") + textOf(operand) + " is not defined";
    return false;
  }
  case OperandShape::Kind::kSink:
    if (operand.kind == Operand::Kind::kSink)
      return true;
    why = "\"_\" is expected, got " + textOf(operand);
    return false;
  case OperandShape::Kind::kSymbol:
    if (operand.kind == Operand::Kind::kName && !current->findRegister(operand.name)) {
      Space space = Space::kGlobal;
      bool isNamed = spaceOf(statement, space);
      return symbolInSpace(operand, space, !isNamed, why);
    }
    break;
  case OperandShape::Kind::kValue:
    break;
  }
  ValueType type = typeOf(shape, binding);
  uint32_t count = shape.count ? countOf(shape, binding) : 0;
  bool isVector = operand.kind == Operand::Kind::kVector;
  if (count == 0 || (count == 1 && (shape.countOf == 'v' || !isVector)))
    return scalar(operand, type, shape, isResult, why);
  if (!isVector || operand.members.size() != count) {
    why = std::to_string(count) + " registers in braces are expected, got " +
          (isVector ? std::to_string(operand.members.size()) : textOf(operand));
    return false;
  }
  // Numbers may stand in braces among the offsets of an im2col copy.
  OperandShape part = shape;
  part.isRegister = shape.isRegister && statement.opcode != "cp";
  for (const Operand &member : operand.members)
    if (!scalar(member, type, part, isResult, why, true))
      return false;
  return true;
}

} // namespace heddle::emulator::ptx
