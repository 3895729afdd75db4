// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts PTX text into tokens. Dots inside of words are kept, because ".x" of "%tid.x" and ".b32" of
// "ld.b32" differ only by what the parser expects there.
#include "runtime/emulator/ptx/Lexer.h"
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace heddle::emulator::ptx {

namespace {

bool isWordStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' ||
         c == '.';
}

bool isWordPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.' ||
         c == ':';
}

class Lexer {
public:
  Lexer(std::string_view text, std::vector<Token> &tokens, std::string &error)
      : text(text), tokens(tokens), error(error) {}

  bool run() {
    while (skipBlanks()) {
      char c = text[at];
      if (std::isdigit(static_cast<unsigned char>(c))) {
        if (!number())
          return false;
      } else if (isWordStart(c) && (c != '%' || isName(at + 1))) {
        word();
      } else if (c == '"') {
        if (!quoted())
          return false;
      } else if (std::strchr("{}[](),;:+-|!@<>=*~&^/?%", c)) {
        add(Token::Kind::kPunctuation, at, at + 1);
      } else {
        return fail("unexpected character");
      }
    }
    if (!error.empty())
      return false;
    tokens.push_back({Token::Kind::kEnd, text.substr(text.size()), 0, line});
    return true;
  }

private:
  bool fail(const char *what) {
    error = "line " + std::to_string(line) + ": " + what + " at \"" +
            std::string(text.substr(at, 20)) + "\"";
    return false;
  }
  void add(Token::Kind kind, size_t begin, size_t end, int64_t value = 0) {
    tokens.push_back({kind, text.substr(begin, end - begin), value, line});
    at = end;
  }
  bool skipBlanks() {
    while (at < text.size()) {
      char c = text[at];
      if (c == '\n')
        ++line;
      if (std::isspace(static_cast<unsigned char>(c))) {
        ++at;
      } else if (text.substr(at, 2) == "//") {
        at = std::min(text.find('\n', at), text.size());
      } else if (text.substr(at, 2) == "/*") {
        size_t end = text.find("*/", at + 2);
        if (end == std::string_view::npos)
          return fail("comment without an end");
        for (size_t i = at; i < end; ++i)
          line += text[i] == '\n';
        at = end + 2;
      } else {
        return c != '\0';
      }
    }
    return false;
  }
  /// "%r1" is a register, "7 % 3" a remainder.
  bool isName(size_t i) const {
    return i < text.size() &&
           (std::isalpha(static_cast<unsigned char>(text[i])) || text[i] == '_' || text[i] == '$');
  }
  void word() {
    size_t end = at + 1;
    while (end < text.size() && isWordPart(text[end])) {
      // ".reg.b32" is two directives, "ld.b32" is one instruction.
      if (text[end] == '.' && text[at] == '.')
        break;
      // "label:" ends at the colon, "shared::cta" does not.
      if (text[end] == ':') {
        if (end + 2 >= text.size() || text[end + 1] != ':' ||
            !std::isalnum(static_cast<unsigned char>(text[end + 2])))
          break;
        ++end;
      }
      ++end;
    }
    add(Token::Kind::kWord, at, end);
  }
  bool quoted() {
    size_t end = text.find_first_of("\"\n", at + 1);
    if (end == std::string_view::npos || text[end] == '\n')
      return fail("string without an end");
    add(Token::Kind::kString, at, end + 1);
    return true;
  }
  bool number() {
    size_t end = at;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '.' ||
            ((text[end] == '+' || text[end] == '-') && isExponent(end))))
      ++end;
    std::string digits(text.substr(at, end - at));
    if (digits.size() >= 2 && digits[0] == '0' && std::strchr("fFdD", digits[1]) &&
        digits.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string::npos) {
      bool isDouble = digits[1] == 'd' || digits[1] == 'D';
      if (digits.size() != (isDouble ? 18u : 10u))
        return fail("a float in hexadecimal has 8 or 16 digits");
      uint64_t bits = std::strtoull(digits.c_str() + 2, nullptr, 16);
      add(isDouble ? Token::Kind::kFloat64 : Token::Kind::kFloat32, at, end,
          static_cast<int64_t>(bits));
      return true;
    }
    bool isHex = digits.size() > 1 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (!isHex && digits.find_first_of(".eE") != std::string::npos) {
      char *stop = nullptr;
      double value = std::strtod(digits.c_str(), &stop);
      if (*stop)
        return fail("malformed number");
      int64_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      add(Token::Kind::kFloat64, at, end, bits);
      return true;
    }
    if (!digits.empty() && (digits.back() == 'U' || digits.back() == 'u'))
      digits.pop_back();
    char *stop = nullptr;
    errno = 0;
    bool isBinary = digits.size() > 1 && digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B');
    uint64_t value = isBinary ? std::strtoull(digits.c_str() + 2, &stop, 2)
                              : std::strtoull(digits.c_str(), &stop, 0);
    if (*stop) {
      // A vector width or a dimension as in "m16n8k16" never starts with a digit, "2d" does.
      return fail("malformed number");
    }
    if (errno == ERANGE)
      return fail("number of more than 64 bits");
    add(Token::Kind::kInteger, at, end, static_cast<int64_t>(value));
    return true;
  }
  bool isExponent(size_t i) const {
    bool isHex = text.substr(at, 2) == "0x" || text.substr(at, 2) == "0X" ||
                 (text[at] == '0' && at + 1 < text.size() && std::strchr("fFdD", text[at + 1]));
    return !isHex && i > at && (text[i - 1] == 'e' || text[i - 1] == 'E');
  }

  std::string_view text;
  std::vector<Token> &tokens;
  std::string &error;
  size_t at = 0;
  uint32_t line = 1;
};

} // namespace

bool tokenize(std::string_view text, std::vector<Token> &tokens, std::string &error) {
  error.clear();
  tokens.reserve(text.size() / 4);
  return Lexer(text, tokens, error).run();
}

} // namespace heddle::emulator::ptx
