// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer constant expressions (PTX ISA 9.0, 4.5.5): C's operators and their precedence, 64 bits.
#include "runtime/emulator/ptx/reader/Reader.h"

namespace heddle::emulator::ptx {

namespace {

struct Operator {
  std::string_view text;
  uint32_t strength;
};

/// Longer ones first, so that "<<" is not taken for "<".
constexpr Operator kOperators[] = {{"||", 2}, {"&&", 3}, {"==", 7}, {"!=", 7}, {"<=", 8},
                                   {">=", 8}, {"<<", 9}, {">>", 9}, {"|", 4},  {"^", 5},
                                   {"&", 6},  {"<", 8},  {">", 8},  {"+", 10}, {"-", 10},
                                   {"*", 11}, {"/", 11}, {"%", 11}, {"?", 1}};

uint64_t divide(uint64_t a, uint64_t b, bool isUnsigned, bool isRemainder) {
  if (isUnsigned)
    return isRemainder ? a % b : a / b;
  if (b == ~0ull) // the smallest integer has no negative
    return isRemainder ? 0 : 0 - a;
  auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  return static_cast<uint64_t>(isRemainder ? x % y : x / y);
}

uint64_t shift(uint64_t a, uint64_t b, bool isUnsigned, bool isLeft) {
  if (b > 63)
    return isLeft || isUnsigned || static_cast<int64_t>(a) >= 0 ? 0 : ~0ull;
  if (isLeft)
    return a << b;
  return isUnsigned ? a >> b : static_cast<uint64_t>(static_cast<int64_t>(a) >> b);
}

bool less(uint64_t a, uint64_t b, bool isUnsigned) {
  return isUnsigned ? a < b : static_cast<int64_t>(a) < static_cast<int64_t>(b);
}

uint64_t apply(std::string_view op, uint64_t a, uint64_t b, bool isUnsigned) {
  if (op == "||")
    return a || b;
  if (op == "&&")
    return a && b;
  if (op == "==")
    return a == b;
  if (op == "!=")
    return a != b;
  if (op == "<=")
    return !less(b, a, isUnsigned);
  if (op == ">=")
    return !less(a, b, isUnsigned);
  switch (op[0]) {
  case '<':
    return op.size() == 2 ? shift(a, b, isUnsigned, true) : less(a, b, isUnsigned);
  case '>':
    return op.size() == 2 ? shift(a, b, isUnsigned, false) : less(b, a, isUnsigned);
  case '|':
    return a | b;
  case '^':
    return a ^ b;
  case '&':
    return a & b;
  case '+':
    return a + b;
  case '-':
    return a - b;
  case '*':
    return a * b;
  default:
    return divide(a, b, isUnsigned, op[0] == '%');
  }
}

} // namespace

bool Reader::isConstantStart() const {
  const Token &token = peek();
  return token.kind == Token::Kind::kInteger || token.text == "-" || token.text == "~" ||
         token.text == "+" || token.text == "(" || token.text == "WARP_SZ" ||
         (token.text == "!" && peek(1).kind != Token::Kind::kWord);
}

bool Reader::primary(Constant &result) {
  if (++depth > kMaxDepth)
    return fail("expression nested too deeply");
  bool ok = true;
  if (take("-")) {
    ok = primary(result);
    result.value = 0 - result.value;
  } else if (take("+")) {
    ok = primary(result);
  } else if (take("~")) {
    ok = primary(result);
    result.value = ~result.value;
  } else if (take("!")) {
    ok = primary(result);
    result = {!result.value, false};
  } else if (isAt("(") && (peek(1).text == ".s64" || peek(1).text == ".u64")) {
    bool isUnsigned = peek(1).text == ".u64";
    at += 2;
    ok = expect(")") && primary(result);
    result.isUnsigned = isUnsigned;
  } else if (take("(")) {
    ok = constant(result) && expect(")");
  } else if (take("WARP_SZ")) {
    result = {32, false};
  } else if (peek().kind == Token::Kind::kInteger) {
    auto value = static_cast<uint64_t>(peek().value);
    char last = peek().text.back();
    result = {value, last == 'U' || last == 'u' || value >> 63 != 0};
    ++at;
  } else {
    ok = expected("an integer");
  }
  --depth;
  return ok;
}

/// Operators of at least this strength, by precedence climbing.
bool Reader::constant(Constant &result, uint32_t strength) {
  if (++depth > kMaxDepth)
    return fail("expression nested too deeply");
  bool ok = primary(result);
  while (ok && peek().kind == Token::Kind::kPunctuation) {
    const Operator *found = nullptr;
    for (const Operator &candidate : kOperators) {
      bool isDouble = candidate.text.size() == 2;
      if (peek().text[0] == candidate.text[0] &&
          (!isDouble || (peek(1).text.data() == peek().text.data() + 1 &&
                         peek(1).text.size() == 1 && peek(1).text[0] == candidate.text[1]))) {
        found = &candidate;
        break;
      }
    }
    if (!found || found->strength < strength)
      break;
    at += found->text.size();
    Constant right, otherwise;
    if (found->text == "?") {
      ok = constant(right) && expect(":") && constant(otherwise, 1);
      result = result.value ? right : otherwise;
      continue;
    }
    ok = constant(right, found->strength + 1);
    if (ok && (found->text == "/" || found->text == "%") && right.value == 0)
      ok = fail("division by zero in a constant expression");
    if (!ok)
      break;
    bool isShift = found->strength == 9,
         isTruth = found->strength <= 3 || found->strength == 7 || found->strength == 8;
    bool isUnsigned = result.isUnsigned || (!isShift && right.isUnsigned);
    result = {apply(found->text, result.value, right.value, isUnsigned), isUnsigned && !isTruth};
  }
  --depth;
  return ok;
}

bool Reader::number(int64_t &result, int64_t low, int64_t high, const char *what) {
  if (peek().kind != Token::Kind::kInteger)
    return expected(what);
  result = peek().value;
  if (result < low || result > high)
    return fail("expected " + std::string(what) + " from " + std::to_string(low) + " to " +
                std::to_string(high) + ", got " + std::string(peek().text));
  ++at;
  return true;
}

} // namespace heddle::emulator::ptx
