// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which handlers a cvt is. Most pairs of types have a row; the others become two steps that round
// once together.
#include "runtime/emulator/lower/Lowering.h"
#include <algorithm>

namespace heddle::emulator {

using ptx::Operand;
using ptx::Statement;

namespace {

bool isOneOf(const std::string &word, std::initializer_list<const char *> words) {
  return std::any_of(words.begin(), words.end(), [&](const char *w) { return word == w; });
}
bool isNarrowPair(const std::string &type) {
  return isOneOf(type, {"e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2", "ue8m0x2"});
}
bool isNarrowFour(const std::string &type) {
  return isOneOf(type, {"e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4", "e2m1x4"});
}
bool isHalfPair(const std::string &type) { return type == "f16x2" || type == "bf16x2"; }
bool isHalf(const std::string &type) { return type == "f16" || type == "bf16"; }
bool isFloat(const std::string &type) { return isHalf(type) || type == "f32" || type == "f64"; }
bool isIntegral(const std::string &rounding) { // "rni", and no rounding to f16
  return rounding.size() == 3 && rounding != "rna";
}

} // namespace

/// What the modifiers of a cvt say.
struct Conversion {
  std::string to, from, rounding;
  bool saturates = false; ///< .sat
  bool isFinite = false;  ///< .satfinite
  bool flushes = false, isRelu = false;
};

/// The operand as a register of the type's width: cvt reads the low part of wider registers.
uint32_t Lowering::narrowed(const Operand &operand, const std::string &type) {
  uint32_t bytes = ptx::typeBytes(type), width = widthOf(operand, std::max(bytes, 2u));
  uint32_t slot = source(operand, width);
  if (width == bytes)
    return slot;
  if (width < bytes) {
    fail("the source register is narrower than the type");
    return 0;
  }
  uint32_t result = allocate(bytes);
  emit("cvt.u" + std::to_string(bytes * 8) + ".u" + std::to_string(width * 8), result, slot);
  return result;
}

/// Emits the conversion and extends its result to the width of the register.
void Lowering::convertInto(const Operand &to, const std::string &type, const std::string &name,
                           uint32_t a) {
  uint32_t bytes = ptx::typeBytes(type), width = widthOf(to, bytes);
  if (width == bytes) {
    emit(name, destination(to, bytes), a);
    return;
  }
  uint32_t narrow = allocate(bytes);
  emit(name, narrow, a);
  std::string sign = type[0] == 's' ? "s" : "u";
  emit("cvt." + sign + std::to_string(width * 8) + "." + sign + std::to_string(bytes * 8),
       destination(to, width), narrow);
}

uint32_t Lowering::throughUnary(const char *name, uint32_t a, uint32_t bytes) {
  uint32_t result = allocate(bytes);
  emit(name, result, a);
  return result;
}

uint32_t Lowering::throughBinary(const char *name, uint32_t a, uint32_t b, uint32_t bytes) {
  uint32_t result = allocate(bytes);
  emit(name, result, a, b);
  return result;
}

/// Pairs have a row for each rounding; .relu is a step of its own before or behind.
void Lowering::convertPair(const Statement &statement, const Conversion &c) {
  const auto &operands = statement.operands;
  std::string name =
      "cvt." + c.rounding + (c.isFinite ? ".satfinite" : "") + "." + c.to + "." + c.from;
  const Instruction *found = find(name);
  if (!found)
    return;
  bool fromSingles = c.from == "f32";
  if (operands.size() != (fromSingles ? 3u : 2u))
    return fail(fromSingles ? "the conversion takes a result and two sources"
                            : "the conversion takes a result and a source");
  if (!c.isRelu)
    return generic(*found, statement);
  uint32_t a, b = 0;
  if (fromSingles) {
    a = throughUnary("relu.f32", source(operands[1], 4), 4);
    b = throughUnary("relu.f32", source(operands[2], 4), 4);
  } else {
    a = source(operands[1], ptx::typeBytes(c.from) == 4 ? 4 : 2);
    if (isHalfPair(c.from))
      a = throughUnary(("relu." + c.from).c_str(), a, 4);
  }
  uint32_t d = destination(operands[0], isNarrowPair(c.to) ? 2 : 4);
  emit(name, d, a, b);
  if (isHalfPair(c.to) && isNarrowPair(c.from))
    emit("relu." + c.to, d, d);
}

/// cvt.rs: two numbers, or four in braces, and a word of random bits.
void Lowering::convertStochastic(const Statement &statement, const Conversion &c) {
  const auto &operands = statement.operands;
  bool isFour = isNarrowFour(c.to);
  std::vector<uint32_t> slots;
  auto add = [&](const Operand &operand) {
    uint32_t slot = source(operand, 4);
    slots.push_back(c.isRelu ? throughUnary("relu.f32", slot, 4) : slot);
  };
  if (operands.size() != (isFour ? 3u : 4u) || (isFour && operands[1].members.size() != 4))
    return fail("cvt.rs takes a result, two sources or four in braces, and random bits");
  if (isFour)
    std::for_each(operands[1].members.begin(), operands[1].members.end(), add);
  else
    std::for_each(operands.begin() + 1, operands.end() - 1, add);
  slots.push_back(source(operands.back(), 4));
  std::string name = std::string("cvt.rs") + (c.isFinite ? ".satfinite." : ".") + c.to + ".f32";
  Op &op =
      emit(name, destination(operands[0], c.to == "e2m1x4" ? 2 : 4), slots[0], slots[1], slots[2]);
  if (isFour)
    setTable(op, {slots[3], slots[4]});
}

void Lowering::convertTf32(const Statement &statement, const Conversion &c) {
  if (statement.operands.size() != 2)
    return fail("cvt takes a result and a source");
  uint32_t a = source(statement.operands[1], 4);
  if (c.isRelu)
    a = throughUnary("relu.f32", a, 4);
  emit("cvt." + c.rounding + (c.isFinite ? ".satfinite" : "") + ".tf32.f32",
       destination(statement.operands[0], 4), a);
}

/// To f16 or bf16, from anything: through f64, which is exact or rounded to odd.
void Lowering::convertToHalf(const Operand &result, const Conversion &c, uint32_t a) {
  std::string name = "cvt." + (c.rounding.empty() ? "rn" : c.rounding) + "." + c.to;
  if (c.isRelu && c.from == "f32")
    a = throughUnary("relu.f32", a, 4);
  else if (c.isRelu)
    return fail(".relu is not supported for this type");
  uint32_t half;
  bool isPlain = !c.saturates && !c.isFinite && widthOf(result, 2) == 2;
  half = isPlain ? destination(result, 2) : allocate(2);
  if (c.from == "f32" && isOneOf(c.rounding, {"rn", "rz", ""})) {
    emit(name + ".f32", half, a);
  } else {
    uint32_t wide = c.from == "f64" ? a : allocate(8);
    bool isInteger = !isFloat(c.from);
    if (isInteger && ptx::typeBytes(c.from) < 8)
      emit("cvt.rn.f64." + c.from, wide, a);
    else if (isInteger)
      emit("cvt.odd.f64." + c.from, wide, a);
    else if (c.from == "f32")
      emit("cvt.f64.f32", wide, a);
    emit(name + ".f64", half, wide);
  }
  if (c.saturates)
    emit("saturate." + c.to, half, half);
  if (c.isFinite)
    emit("satfinite." + c.to, half, half);
  if (isPlain)
    return;
  if (widthOf(result, 2) == 2)
    emit("mov.b16", destination(result, 2), half);
  else
    convertInto(result, "u32", "cvt.u32.u16", half);
}

void Lowering::convertInteger(const Operand &result, const Conversion &c, uint32_t a) {
  if (!isFloat(c.to))
    return convertInto(result, c.to,
                       std::string("cvt.") + (c.saturates ? "sat." : "") + c.to + "." + c.from, a);
  // Numbers that are exact in the result have the row of one direction.
  bool isExact = ptx::typeBytes(c.from) < ptx::typeBytes(c.to);
  convertInto(
      result, c.to,
      "cvt." + (c.rounding.empty() || isExact ? "rn" : c.rounding) + "." + c.to + "." + c.from, a);
  if (c.saturates)
    emit("saturate." + c.to, destination(result, ptx::typeBytes(c.to)),
         destination(result, ptx::typeBytes(c.to)));
}

void Lowering::convert(const Statement &statement) {
  Conversion c;
  std::vector<std::string> types;
  for (const std::string &modifier : statement.modifiers) {
    if (ptx::isType(modifier) || isNarrowPair(modifier) || isNarrowFour(modifier) ||
        modifier == "tf32")
      types.push_back(modifier);
    else if (modifier == "pack")
      return arithmetic(statement);
    else if (modifier == "sat")
      c.saturates = true;
    else if (modifier == "satfinite")
      c.isFinite = true;
    else if (modifier == "ftz")
      c.flushes = true;
    else if (modifier == "relu")
      c.isRelu = true;
    else if (isOneOf(modifier, {"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi", "rs"}))
      c.rounding = modifier;
    else
      return fail("modifier \"." + modifier + "\" is not supported");
  }
  if (types.size() != 2 || statement.operands.size() < 2)
    return fail("cvt takes two types and two operands");
  c.to = types[0];
  c.from = types[1];
  if (c.to == "tf32")
    return convertTf32(statement, c);
  if (c.rounding == "rs")
    return convertStochastic(statement, c);
  if (isHalfPair(c.to) || isNarrowPair(c.to) || isNarrowPair(c.from))
    return convertPair(statement, c);
  const Operand &result = statement.operands[0];
  uint32_t a = narrowed(statement.operands[1], c.from);
  if (c.flushes && c.from == "f32")
    a = throughUnary("flush.f32", a, 4);
  if (isHalf(c.to) && !isFloat(c.from))
    return convertToHalf(result, c, a);
  if (!isFloat(c.from))
    return convertInteger(result, c, a);
  bool keepsType = c.from == c.to && isHalf(c.to) && !isIntegral(c.rounding);
  if (keepsType && !c.saturates)
    return convertInto(result, c.to, "mov.b16", a);
  // A 16-bit float is read as f32 for everything else.
  if (isHalf(c.from)) {
    bool isWhole = c.to == "f32" && !c.saturates && c.rounding.empty() && !c.flushes;
    uint32_t wide = isWhole ? destination(result, 4) : allocate(4);
    emit("cvt.f32." + c.from, wide, a);
    if (isWhole)
      return;
    a = wide;
    c.from = "f32";
  }
  convertFloat(result, c, a);
}

/// From f32 or f64.
void Lowering::convertFloat(const Operand &result, Conversion &c, uint32_t a) {
  if (!isFloat(c.to)) {
    if (!isIntegral(c.rounding))
      return fail("a conversion to an integer needs .rni, .rzi, .rmi or .rpi");
    return convertInto(result, c.to, "cvt." + c.rounding + "." + c.to + "." + c.from, a);
  }
  uint32_t bytes = ptx::typeBytes(c.from);
  if (isIntegral(c.rounding)) { // to an integral value of the same type
    a = throughUnary(("cvt." + c.rounding + "." + c.from + "." + c.from).c_str(), a, bytes);
    c.rounding.clear();
  }
  if (isHalf(c.to))
    return convertToHalf(result, c, a);
  uint32_t d = destination(result, ptx::typeBytes(c.to));
  if (c.to == c.from)
    emit(bytes == 4 ? "mov.b32" : "mov.b64", d, a);
  else if (c.to == "f64")
    emit("cvt.f64.f32", d, a);
  else
    emit("cvt." + (c.rounding.empty() ? "rn" : c.rounding) + "." + c.to + "." + c.from, d, a);
  if (c.saturates)
    emit("saturate." + c.to, d, d);
  if (c.flushes && c.to == "f32")
    emit("flush.f32", d, d);
}

} // namespace heddle::emulator
