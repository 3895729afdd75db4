// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which handlers setp and set are: a comparison, then logic with a predicate, then a value.
#include "runtime/emulator/lower/Lowering.h"
#include <algorithm>
#include <cstring>

namespace heddle::emulator {

using ptx::Operand;
using ptx::Statement;

/// What setp and set have in common.
struct Comparison {
  std::string name, combine, type;
  bool flushes = false;
};

static Comparison comparisonOf(const Statement &statement, const std::string &type) {
  Comparison result;
  result.type = type;
  for (const std::string &modifier : statement.modifiers) {
    if (ptx::isType(modifier))
      continue;
    if (modifier == "ftz")
      result.flushes = true;
    else if (modifier == "and" || modifier == "or" || modifier == "xor")
      result.combine = modifier;
    else
      result.name = modifier;
  }
  return result;
}

/// Compares operands 1 and 2; `second`: of the upper halves of a pair. False: it failed.
bool Lowering::compareInto(const Statement &statement, const Comparison &c, uint32_t first,
                           uint32_t second) {
  const Instruction *found = find("setp." + c.name + "." + c.type);
  if (!found)
    return false;
  char letter = found->operands[std::strlen(found->operands) - 1];
  uint32_t a = sourceLetter(letter, statement.operands[1]);
  uint32_t b = sourceLetter(letter, statement.operands[2]);
  if (c.flushes) {
    std::string flush = "flush." + c.type;
    a = throughUnary(flush.c_str(), a, ptx::typeBytes(c.type));
    b = throughUnary(flush.c_str(), b, ptx::typeBytes(c.type));
  }
  Op &op = emit(found->name, first, a, b);
  if (found->operands[1] == 'p')
    setTable(op, {second});
  return error.empty();
}

/// The predicate operand that a comparison is combined with, as it is.
uint32_t Lowering::otherPredicate(const Operand &operand) {
  if (!operand.negated)
    return predicate(operand);
  Operand plain = operand;
  plain.negated = false;
  uint32_t result = allocatePredicate();
  emit("not.pred", result, predicate(plain));
  return result;
}

/// setp.cmp{.bool}{.ftz}.type p|q, a, b{, c}
void Lowering::compare(const Statement &statement) {
  const auto &operands = statement.operands;
  if (statement.modifiers.empty())
    return fail("the type is missing");
  Comparison c = comparisonOf(statement, statement.modifiers.back());
  if (operands.size() != (c.combine.empty() ? 3u : 4u))
    return fail("setp takes a predicate and two sources, and a third one to combine with");
  bool isPair = c.type.ends_with("x2"), hasTwo = !operands[0].second.empty();
  bool isPlain = c.combine.empty() && !isPair && !hasTwo;
  uint32_t first = isPlain ? predicateDestination(operands[0].name) : allocatePredicate();
  uint32_t second = isPair ? allocatePredicate() : 0;
  if (!compareInto(statement, c, first, second) || isPlain)
    return;
  if (!isPair && hasTwo) {
    second = allocatePredicate();
    emit("not.pred", second, first);
  }
  uint32_t other = c.combine.empty() ? 0 : otherPredicate(operands[3]);
  std::string name = c.combine.empty() ? "mov.pred" : c.combine + ".pred";
  if (operands[0].kind != Operand::Kind::kSink && !operands[0].name.empty())
    emit(name, predicateDestination(operands[0].name), first, other);
  if (hasTwo && operands[0].second != "_")
    emit(name, predicateDestination(operands[0].second), second, other);
}

/// set.cmp{.bool}{.ftz}.dtype.stype d, a, b{, c}: all ones or 1.0 where it holds, else 0.
void Lowering::compareToValue(const Statement &statement) {
  const auto &operands = statement.operands;
  if (statement.modifiers.size() < 3)
    return fail("set takes a comparison and two types");
  const std::string &type = *(statement.modifiers.end() - 2);
  Comparison c = comparisonOf(statement, statement.modifiers.back());
  if (operands.size() != (c.combine.empty() ? 3u : 4u))
    return fail("set takes a result and two sources, and a predicate to combine with");
  static const std::unordered_map<std::string, uint64_t> kTrue = {
      {"u16", 0xffff},     {"s16", 0xffff},     {"u32", 0xffffffff},
      {"s32", 0xffffffff}, {"f32", 0x3f800000}, {"f16", 0x3c00},
      {"bf16", 0x3f80},    {"f16x2", 0x3c00},   {"bf16x2", 0x3f80}};
  auto value = kTrue.find(type);
  if (value == kTrue.end())
    return fail("this type of result is not supported");
  bool isPair = c.type.ends_with("x2");
  uint32_t first = allocatePredicate(), second = isPair ? allocatePredicate() : 0;
  if (!compareInto(statement, c, first, second))
    return;
  if (!c.combine.empty())
    emit(c.combine + ".pred", first, first, otherPredicate(operands[3]));
  uint32_t bytes = ptx::typeBytes(type);
  if (!isPair) {
    emit("selp.b" + std::to_string(bytes * 8), destination(operands[0], bytes),
         constant(bytes, value->second), constant(bytes, 0), first);
    return;
  }
  if (bytes != 4)
    return fail("a comparison of pairs gives a pair");
  uint32_t half = static_cast<uint32_t>(value->second), parts[2];
  for (uint32_t &part : parts) {
    part = allocate(2);
    emit("selp.b16", part, constant(2, half), constant(2, 0), &part == parts ? first : second);
  }
  emit("pack.b32", destination(operands[0], 4), parts[0], parts[1]);
}

} // namespace heddle::emulator
