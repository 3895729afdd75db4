// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recursive-descent reader of PTX: directives, variables with their initialisers, functions and
// statements. Registers of a nested scope (LLVM prints inline assembly as "{ .reg .b16 l; ... }")
// get a name of their own, so that the rest sees one flat body.
#include "runtime/emulator/ptx/Parser.h"
#include "runtime/emulator/ptx/Lexer.h"
#include <algorithm>
#include <cstring>

namespace heddle::emulator::ptx {

bool Statement::has(const char *modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::string Statement::text() const {
  std::string result = opcode;
  for (const std::string &modifier : modifiers)
    result += "." + modifier;
  return result;
}

const Function *Module::findFunction(const std::string &name) const {
  const Function *found = nullptr;
  for (const auto &function : functions)
    if (function->name == name && (!found || function->hasBody))
      found = function.get();
  return found;
}

bool isType(const std::string &type) {
  static const char *const kTypes[] = {"b8",   "u8",   "s8",    "b16",    "u16",  "s16",
                                       "b32",  "u32",  "s32",   "b64",    "u64",  "s64",
                                       "f16",  "bf16", "f16x2", "bf16x2", "f32",  "f64",
                                       "pred", "b128", "tf32",  "u16x2",  "s16x2"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

uint32_t typeBytes(const std::string &type) {
  if (type == "pred" || !isType(type))
    return 0;
  if (type.size() > 2 && type.compare(type.size() - 2, 2, "x2") == 0)
    return 4;
  if (type == "tf32")
    return 4;
  return static_cast<uint32_t>(std::stoul(type.substr(type.find_first_of("0123456789")))) / 8;
}

namespace {

/// The parts of "ld.global.b32" or ".visible".
std::vector<std::string> splitDots(std::string_view word) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= word.size()) {
    size_t end = std::min(word.find('.', begin), word.size());
    if (end > begin)
      parts.emplace_back(word.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

constexpr uint32_t kMaxDepth = 64;

class Parser {
public:
  Parser(const std::vector<Token> &tokens, Module &module, std::string &error)
      : tokens(tokens), module(module), error(error) {}

  bool run() {
    while (peek().kind != Token::Kind::kEnd)
      if (!topLevel())
        return false;
    return true;
  }

private:
  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  bool isAt(std::string_view text) const {
    return peek().text == text && peek().kind != Token::Kind::kString;
  }
  bool take(std::string_view text) {
    if (!isAt(text))
      return false;
    ++at;
    return true;
  }
  bool expect(std::string_view text) {
    return take(text) ||
           fail("expected \"" + std::string(text) + "\", got \"" + std::string(peek().text) + "\"");
  }
  bool fail(const std::string &what) {
    if (error.empty())
      error = "line " + std::to_string(peek().line) + ": " + what;
    return false;
  }
  bool skipUntil(std::string_view text) {
    while (!take(text)) {
      if (peek().kind == Token::Kind::kEnd)
        return fail("expected \"" + std::string(text) + "\" before the end");
      ++at;
    }
    return true;
  }
  bool skipLine() {
    uint32_t line = peek().line;
    while (peek().kind != Token::Kind::kEnd && peek().line == line)
      ++at;
    return true;
  }

  bool topLevel() {
    const Token &token = peek();
    if (take(".version")) {
      // "8.0" comes as one float token.
      double version;
      std::memcpy(&version, &peek().value, sizeof version);
      module.version = static_cast<uint32_t>(version * 10 + 0.5);
      ++at;
      return true;
    }
    if (take(".target")) {
      module.target = peek().text;
      return skipLine();
    }
    if (take(".address_size"))
      return ++at, true;
    if (token.text == ".file" || token.text == ".loc" || token.text == ".pragma")
      return skipLine();
    if (take(".section"))
      return skipUntil("{") && skipUntil("}");
    if (take(".alias"))
      return fail("\".alias\" is not supported");
    bool isExternal = false;
    while (isAt(".visible") || isAt(".extern") || isAt(".weak") || isAt(".common")) {
      isExternal |= isAt(".extern");
      ++at;
    }
    if (isAt(".entry") || isAt(".func"))
      return function();
    if (isSpace(peek().text)) {
      Variable variable;
      if (!this->variable(variable, ""))
        return false;
      variable.isExternal = isExternal;
      module.variables.push_back(std::move(variable));
      while (take(",")) // further names share the type
        return fail("several variables in one declaration are not supported");
      return expect(";");
    }
    return fail("unknown directive \"" + std::string(token.text) + "\"");
  }

  static bool isSpace(std::string_view word) {
    return word == ".global" || word == ".const" || word == ".shared" || word == ".local" ||
           word == ".param";
  }
  static Space spaceOf(std::string_view word) {
    if (word.starts_with(".global"))
      return Space::kGlobal;
    if (word.starts_with(".const"))
      return Space::kConst;
    if (word.starts_with(".shared"))
      return Space::kShared;
    return word.starts_with(".local") ? Space::kLocal : Space::kParam;
  }

  /// ".shared .align 16 .b8 name[64] = {...}", without the end.
  bool variable(Variable &result, const std::string &suffix) {
    result.line = peek().line;
    result.space = spaceOf(peek().text);
    ++at;
    uint64_t elementBytes = 0, vector = 1;
    std::string type;
    while (peek().kind == Token::Kind::kWord && peek().text[0] == '.') {
      std::string word(peek().text.substr(1));
      ++at;
      if (word == "align") {
        result.align = static_cast<uint64_t>(peek().value);
        if (result.align == 0 || result.align > 65536 || (result.align & (result.align - 1)))
          return fail("alignment must be a power of two");
        ++at;
      } else if (word == "v2" || word == "v4") {
        vector = word[1] - '0';
      } else if (isType(word)) {
        type = word;
        elementBytes = typeBytes(word);
      } else if (word != "ptr" && word != "global" && word != "shared" && word != "const" &&
                 word != "local" && word != "generic" && !word.starts_with("attribute")) {
        return fail("unknown type \"." + word + "\"");
      }
    }
    if (elementBytes == 0)
      return fail("variable without a type");
    if (peek().kind != Token::Kind::kWord)
      return fail("variable without a name");
    result.name = std::string(peek().text) + suffix;
    ++at;
    elementBytes *= vector;
    result.align = std::max(result.align, elementBytes);
    uint64_t count = 1;
    bool isOpen = false;
    while (take("[")) {
      if (take("]")) {
        isOpen = true;
        continue;
      }
      uint64_t extent = static_cast<uint64_t>(peek().value);
      if (peek().kind != Token::Kind::kInteger ||
          extent > (1ull << 40) / std::max<uint64_t>(count, 1))
        return fail("malformed array size");
      count *= extent;
      ++at;
      if (!expect("]"))
        return false;
    }
    result.bytes = isOpen ? 0 : elementBytes * count;
    if (!take("="))
      return true;
    if (!initialiser(result, elementBytes / vector, type))
      return false;
    if (isOpen)
      result.bytes = result.init.size();
    result.init.resize(result.bytes);
    return true;
  }

  bool initialiser(Variable &variable, uint64_t bytes, const std::string &type) {
    if (take("{")) {
      if (++depth > kMaxDepth)
        return fail("initialisers nested too deeply");
      if (!isAt("}")) {
        do {
          if (!initialiser(variable, bytes, type))
            return false;
        } while (take(","));
      }
      --depth;
      return expect("}");
    }
    bool negative = take("-");
    const Token token = peek();
    if (token.kind == Token::Kind::kWord) {
      Variable::Reference reference{variable.init.size(), std::string(token.text), 0, false};
      ++at;
      if (reference.symbol == "generic") {
        if (!expect("("))
          return false;
        reference.generic = true;
        reference.symbol = peek().text;
        ++at;
        if (!expect(")"))
          return false;
      }
      if (isAt("(")) // "0xFF(name)": a byte of an address
        return fail("parts of addresses in initialisers are not supported");
      if (take("+")) {
        reference.addend = peek().value;
        ++at;
      }
      variable.references.push_back(reference);
      variable.init.resize(variable.init.size() + bytes);
      return true;
    }
    if (token.kind == Token::Kind::kEnd || token.kind == Token::Kind::kPunctuation)
      return fail("malformed initialiser");
    ++at;
    int64_t value = token.value;
    if (token.kind == Token::Kind::kFloat64 && type == "f32") {
      double wide;
      std::memcpy(&wide, &value, 8);
      float narrow = static_cast<float>(negative ? -wide : wide);
      uint32_t bits;
      std::memcpy(&bits, &narrow, 4);
      value = bits;
    } else if (negative) {
      value = token.kind == Token::Kind::kInteger ? -value : value ^ (1ull << (bytes * 8 - 1));
    }
    for (uint64_t i = 0; i < bytes; ++i)
      variable.init.push_back(static_cast<uint8_t>(value >> (8 * i)));
    return true;
  }

  bool parameterList(std::vector<Variable> &list) {
    if (!expect("("))
      return false;
    if (take(")"))
      return true;
    do {
      if (isAt(".reg"))
        return fail("parameters in registers are not supported");
      if (!isAt(".param"))
        return fail("expected a parameter");
      if (!variable(list.emplace_back(), ""))
        return false;
    } while (take(","));
    return expect(")");
  }

  bool function() {
    auto result = std::make_unique<Function>();
    current = result.get();
    result->isEntry = isAt(".entry");
    result->line = peek().line;
    ++at;
    if (!result->isEntry && isAt("(") && !parameterList(result->results))
      return false;
    result->name = peek().text;
    ++at;
    if (isAt("(") && !parameterList(result->params))
      return false;
    while (!isAt("{") && !isAt(";"))
      if (!performanceDirective())
        return false;
    if (take(";")) {
      module.functions.push_back(std::move(result));
      return true;
    }
    result->hasBody = true;
    scopes.clear();
    if (!block())
      return false;
    module.functions.push_back(std::move(result));
    return true;
  }

  bool performanceDirective() {
    std::string word(peek().text);
    bool isLimit = word == ".maxntid" || word == ".reqntid";
    if (peek().kind != Token::Kind::kWord || word[0] != '.')
      return fail("expected \"{\", got \"" + word + "\"");
    ++at;
    uint32_t values[3] = {1, 1, 1};
    for (size_t i = 0; peek().kind == Token::Kind::kInteger; ++i) {
      if (i < 3)
        values[i] = static_cast<uint32_t>(peek().value);
      ++at;
      if (!take(","))
        break;
    }
    if (peek().kind == Token::Kind::kString)
      ++at, take(";");
    if (isLimit)
      current->maxThreads = values[0] * values[1] * values[2];
    if (word == ".reqntid")
      std::copy(values, values + 3, current->required);
    return true;
  }

  /// "{ ... }" with its own names.
  bool block() {
    if (!expect("{"))
      return false;
    if (scopes.size() > kMaxDepth)
      return fail("scopes nested too deeply");
    scopes.push_back({scopes.empty() ? "" : "@" + std::to_string(++scopeCount), {}});
    if (scopes.size() > 1)
      collectLabels();
    while (!take("}"))
      if (peek().kind == Token::Kind::kEnd || !statement())
        return fail("function without an end");
    scopes.pop_back();
    return true;
  }

  /// Labels of inline assembly may be used before they are defined, and again in the next scope.
  void collectLabels() {
    uint32_t nested = 0;
    for (size_t i = at; i + 1 < tokens.size(); ++i) {
      if (tokens[i].text == "{")
        ++nested;
      else if (tokens[i].text == "}" && nested-- == 0)
        return;
      else if (nested == 0 && tokens[i].kind == Token::Kind::kWord && tokens[i + 1].text == ":" &&
               tokens[i].text[0] != '$')
        scopes.back().names.emplace_back(tokens[i].text);
    }
  }

  /// The name that a name of the text has in the flat body.
  std::string resolve(std::string_view name) const {
    for (size_t i = scopes.size(); i-- > 1;)
      for (const std::string &own : scopes[i].names)
        if (own == name)
          return own + scopes[i].suffix;
    return std::string(name);
  }

  bool registers() {
    std::string type(peek().text.substr(std::min<size_t>(1, peek().text.size())));
    if (!isType(type))
      return fail("unknown register type \"" + std::string(peek().text) + "\"");
    ++at;
    uint32_t bytes = typeBytes(type);
    do {
      std::string name(peek().text);
      if (peek().kind != Token::Kind::kWord)
        return fail("register without a name");
      ++at;
      if (scopes.size() > 1) {
        scopes.back().names.push_back(name);
        name += scopes.back().suffix;
      }
      if (take("<")) {
        int64_t count = peek().value;
        if (scopes.size() > 1)
          return fail("register families in nested scopes are not supported");
        if (peek().kind != Token::Kind::kInteger || count < 0 || count > 1000000)
          return fail("malformed register count");
        ++at;
        if (!expect(">"))
          return false;
        current->families[name] = {bytes, static_cast<uint32_t>(count)};
      } else {
        current->registers[name] = bytes;
      }
    } while (take(","));
    return expect(";");
  }

  bool statement() {
    const Token &token = peek();
    if (isAt("{"))
      return block();
    if (take(".reg"))
      return registers();
    if (isSpace(token.text)) {
      Variable result;
      std::string name(peek(1).text);
      if (!variable(result, scopes.back().suffix))
        return false;
      if (scopes.size() > 1)
        scopes.back().names.push_back(
            result.name.substr(0, result.name.size() - scopes.back().suffix.size()));
      current->variables.push_back(std::move(result));
      return expect(";");
    }
    if (token.text == ".loc" || token.text == ".file")
      return skipLine();
    if (take(".pragma"))
      return skipUntil(";");
    if (take(";"))
      return true;
    Statement result;
    result.line = token.line;
    if (token.kind == Token::Kind::kWord && peek(1).text == ":" &&
        peek(1).kind == Token::Kind::kPunctuation) {
      result.kind = Statement::Kind::kLabel;
      result.label = resolve(token.text);
      at += 2;
      if (take(".branchtargets")) {
        result.kind = Statement::Kind::kBranchTargets;
        do {
          result.operands.push_back(named(resolve(peek().text)));
          ++at;
        } while (take(","));
        if (!expect(";"))
          return false;
      } else if (take(".callprototype") || take(".calltargets")) {
        return fail("indirect calls are not supported");
      }
      current->body.push_back(std::move(result));
      return true;
    }
    return instruction(std::move(result));
  }

  static Operand named(std::string name) {
    Operand result;
    result.kind = Operand::Kind::kName;
    result.name = std::move(name);
    return result;
  }

  bool instruction(Statement result) {
    if (take("@")) {
      result.guardNegated = take("!");
      result.guard = resolve(peek().text);
      ++at;
    }
    if (peek().kind != Token::Kind::kWord || peek().text[0] == '.')
      return fail("expected an instruction, got \"" + std::string(peek().text) + "\"");
    result.modifiers = splitDots(peek().text);
    ++at;
    result.opcode = result.modifiers.front();
    result.modifiers.erase(result.modifiers.begin());
    if (!take(";")) {
      do {
        if (!operand(result.operands.emplace_back()))
          return false;
      } while (take(","));
      if (!expect(";"))
        return false;
    }
    current->body.push_back(std::move(result));
    return true;
  }

  bool operand(Operand &result) {
    if (++depth > kMaxDepth)
      return fail("operands nested too deeply");
    bool ok = operandHere(result);
    --depth;
    return ok;
  }

  bool operandHere(Operand &result) {
    if (take("{") || take("(")) {
      result.kind = Operand::Kind::kVector;
      if (take("}") || take(")"))
        return true;
      do {
        if (result.members.size() > 256)
          return fail("too many operands");
        if (!operand(result.members.emplace_back()))
          return false;
      } while (take(","));
      return take("}") || expect(")");
    }
    if (take("[")) {
      if (!operand(result))
        return false;
      if (result.kind == Operand::Kind::kInteger)
        result.name.clear();
      else if (result.kind != Operand::Kind::kName)
        return fail("malformed address");
      result.kind = Operand::Kind::kAddress;
      if (take(",")) {
        if (!operand(result.members.emplace_back()))
          return false;
      }
      return expect("]");
    }
    result.negated = take("!");
    bool negative = take("-");
    const Token token = peek();
    ++at;
    switch (token.kind) {
    case Token::Kind::kInteger:
      result.kind = Operand::Kind::kInteger;
      result.value = negative ? -token.value : token.value;
      return true;
    case Token::Kind::kFloat32:
    case Token::Kind::kFloat64: {
      bool isDouble = token.kind == Token::Kind::kFloat64;
      result.kind = isDouble ? Operand::Kind::kFloat64 : Operand::Kind::kFloat32;
      result.value = token.value ^ (negative ? (isDouble ? 1ull << 63 : 1ull << 31) : 0);
      return true;
    }
    case Token::Kind::kWord:
      if (negative)
        break;
      if (token.text == "_")
        return true;
      result.kind = Operand::Kind::kName;
      result.name = resolve(token.text);
      if (take("|")) {
        result.second = peek().text == "_" ? "" : resolve(peek().text);
        ++at;
      }
      if (isAt("+") || isAt("-")) {
        bool minus = isAt("-");
        ++at;
        minus ^= take("-");
        if (peek().kind != Token::Kind::kInteger)
          return fail("malformed offset");
        result.value = minus ? -peek().value : peek().value;
        ++at;
      }
      return true;
    default:
      break;
    }
    --at;
    return fail("malformed operand \"" + std::string(token.text) + "\"");
  }

  struct Scope {
    std::string suffix;
    std::vector<std::string> names;
  };

  const std::vector<Token> &tokens;
  Module &module;
  std::string &error;
  size_t at = 0;
  Function *current = nullptr;
  std::vector<Scope> scopes;
  uint32_t scopeCount = 0;
  uint32_t depth = 0;
};

} // namespace

bool parse(std::string_view text, Module &module, std::string &error) {
  std::vector<Token> tokens;
  return tokenize(text, tokens, error) && Parser(tokens, module, error).run();
}

} // namespace heddle::emulator::ptx
