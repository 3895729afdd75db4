// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements and their operands. What an instruction may have is verify()'s matter.
#include "runtime/emulator/ptx/reader/Reader.h"
#include <algorithm>

namespace heddle::emulator::ptx {

namespace {

constexpr size_t kMaxOperands = 512;

/// The parts of "ld.global.b32"; false if one of them is empty.
bool splitDots(std::string_view word, std::string &opcode, std::vector<std::string> &modifiers) {
  size_t begin = 0, dots = static_cast<size_t>(std::count(word.begin(), word.end(), '.'));
  modifiers.reserve(dots);
  for (bool isFirst = true; begin <= word.size(); isFirst = false) {
    size_t end = std::min(word.find('.', begin), word.size());
    if (end == begin)
      return false;
    if (isFirst)
      opcode = word.substr(begin, end - begin);
    else
      modifiers.emplace_back(word.substr(begin, end - begin));
    begin = end + 1;
  }
  return true;
}

} // namespace

bool Reader::statement() {
  const Token &token = peek();
  if (isAt("{"))
    return block();
  if (take(";"))
    return true;
  if (token.kind == Token::Kind::kWord && token.text[0] == '.') {
    if (take(".reg"))
      return registers();
    if (isSpace(token.text)) {
      if (isAt(".global") || isAt(".const"))
        return fail("a variable in " + std::string(token.text) + " belongs in front of functions");
      return variables(current->variables, false, false);
    }
    if (isAt(".loc"))
      return location();
    if (isAt(".file"))
      return file();
    if (isAt(".pragma"))
      return pragma();
    for (std::string_view word : {".callprototype", ".calltargets", ".branchtargets"})
      if (isAt(word))
        return fail("\"" + std::string(word) + "\" needs a label in front of it");
    return expected("an instruction");
  }
  if (token.kind == Token::Kind::kWord && peek(1).kind == Token::Kind::kPunctuation &&
      peek(1).text == ":") {
    at += 2;
    return labelled(token.text, token.line);
  }
  return instruction(current->body.emplace_back());
}

bool Reader::instruction(Statement &result) {
  result.line = peek().line;
  std::string_view word;
  if (take("@")) {
    result.guardNegated = take("!");
    if (!name(word, "a predicate"))
      return false;
    result.guard = resolve(word);
  }
  if (!name(word, "an instruction"))
    return false;
  if (word[0] == '%' || !splitDots(word, result.opcode, result.modifiers))
    return --at, expected("an instruction");
  inCall = result.opcode == "call";
  if (take(";"))
    return true;
  do {
    if (result.operands.size() >= kMaxOperands)
      return fail("too many operands");
    if (!operand(result.operands.emplace_back()))
      return false;
  } while (take(","));
  return take(";") || expected("\",\" or \";\"");
}

bool Reader::operand(Operand &result) {
  if (++depth > kMaxDepth)
    return fail("operands nested too deeply");
  bool ok = isAt("{") || (inCall && isAt("(")) ? listed(result)
            : isAt("[")                        ? bracketed(result)
                                               : scalar(result);
  --depth;
  return ok;
}

/// "{a, b}" or the arguments "(a, b)" of a call.
bool Reader::listed(Operand &result) {
  std::string_view end = isAt("{") ? "}" : ")";
  ++at;
  result.kind = Operand::Kind::kVector;
  if (take(end))
    return true;
  do {
    if (result.members.size() >= kMaxOperands)
      return fail("too many operands");
    if (!operand(result.members.emplace_back()))
      return false;
  } while (take(","));
  return expect(end);
}

/// "[%rd1+4]", "[name]", "[64]", "[%rd1, {%r1, %r2}]"
bool Reader::bracketed(Operand &result) {
  ++at;
  if (!scalar(result))
    return false;
  if ((result.kind != Operand::Kind::kName && result.kind != Operand::Kind::kInteger) ||
      result.negated || !result.second.empty())
    return --at, expected("an address");
  result.kind = Operand::Kind::kAddress;
  while (take(",")) {
    if (result.members.size() >= kMaxOperands)
      return fail("too many operands");
    if (!operand(result.members.emplace_back()))
      return false;
  }
  return expect("]");
}

bool Reader::scalar(Operand &result) {
  bool isNegative = isAt("-");
  const Token &token = peek(isNegative ? 1 : 0);
  if (token.kind == Token::Kind::kFloat32 || token.kind == Token::Kind::kFloat64) {
    bool isDouble = token.kind == Token::Kind::kFloat64;
    result.kind = isDouble ? Operand::Kind::kFloat64 : Operand::Kind::kFloat32;
    result.value = token.value;
    if (isNegative)
      result.value = static_cast<int64_t>(static_cast<uint64_t>(token.value) ^
                                          (isDouble ? 1ull << 63 : 1ull << 31));
    at += isNegative ? 2 : 1;
    return true;
  }
  if (isConstantStart()) {
    Constant value;
    if (!constant(value))
      return false;
    result.kind = Operand::Kind::kInteger;
    result.value = static_cast<int64_t>(value.value);
    return true;
  }
  result.negated = take("!");
  std::string_view word;
  if (!name(word, "an operand"))
    return false;
  if (word == "_" && !result.negated) {
    if (!isAt("|"))
      return true;
  } else {
    result.kind = Operand::Kind::kName;
    result.name = resolve(word);
  }
  if (take("|")) {
    result.kind = Operand::Kind::kName;
    if (!name(word, "a predicate"))
      return false;
    if (word != "_")
      result.second = resolve(word);
  }
  if (isAt("+") || isAt("-")) {
    if (result.name.empty() || !result.second.empty())
      return expected("\",\" or \";\"");
    // "+-4" is what LLVM prints of a negative offset; the sign is part of the expression.
    Constant offset;
    if (!constant(offset))
      return false;
    result.value = static_cast<int64_t>(offset.value);
  }
  return true;
}

} // namespace heddle::emulator::ptx
