// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens, errors with their place, and the directives of a module (PTX ISA 9.0, 11).
#include "runtime/emulator/ptx/reader/Reader.h"
#include "runtime/emulator/ptx/Parser.h"
#include <algorithm>

namespace heddle::emulator::ptx {

namespace {

/// What a token is called in an error.
std::string shown(const Token &token) {
  if (token.kind == Token::Kind::kEnd)
    return "the end of the text";
  return "\"" + std::string(token.text.substr(0, 60)) + "\"";
}

} // namespace

bool Reader::fail(const std::string &what) {
  if (!error.empty())
    return false;
  const Token &token = peek();
  size_t offset = token.kind == Token::Kind::kEnd
                      ? text.size()
                      : static_cast<size_t>(token.text.data() - text.data());
  size_t lineStart = text.rfind('\n', offset == 0 ? 0 : offset - 1);
  size_t column =
      lineStart == std::string_view::npos || offset == 0 ? offset + 1 : offset - lineStart;
  error = "line " + std::to_string(token.line) + ", column " + std::to_string(column) + ": " + what;
  return false;
}

bool Reader::expected(std::string_view what) {
  return fail("expected " + std::string(what) + ", got " + shown(peek()));
}

bool Reader::expect(std::string_view word) {
  return take(word) || expected("\"" + std::string(word) + "\"");
}

bool Reader::name(std::string_view &result, const char *what) {
  if (peek().kind != Token::Kind::kWord || peek().text[0] == '.')
    return expected(what);
  result = peek().text;
  ++at;
  return true;
}

bool Reader::run() {
  while (!isEnd())
    if (!topLevel())
      return false;
  return finish();
}

/// ".version 8.0"
bool Reader::version() {
  if (module.version != 0)
    return fail("\".version\" a second time");
  module.versionLine = peek().line;
  ++at;
  std::string_view digits = peek().text;
  size_t dot = digits.find('.');
  bool isPlain = dot != std::string_view::npos && dot > 0 && dot <= 2 && digits.size() == dot + 2 &&
                 digits.find_first_not_of("0123456789.") == std::string_view::npos &&
                 digits[dot + 1] != '.';
  if (!isPlain)
    return expected("a version as in \".version 8.0\"");
  for (char c : digits)
    if (c != '.')
      module.version = module.version * 10 + static_cast<uint32_t>(c - '0');
  if (module.version == 0)
    return expected("a version as in \".version 8.0\"");
  ++at;
  return true;
}

/// ".target sm_90a, debug"
bool Reader::target() {
  if (!module.target.empty())
    return fail("\".target\" a second time");
  module.targetLine = peek().line;
  ++at;
  std::string_view word;
  if (!name(word, "a target as in \".target sm_90a\""))
    return false;
  module.target = word;
  while (take(",")) {
    if (!name(word, "an option of \".target\""))
      return false;
    static const std::string_view kOptions[] = {"debug", "texmode_unified", "texmode_independent"};
    if (std::find(std::begin(kOptions), std::end(kOptions), word) == std::end(kOptions)) {
      --at;
      return expected("\"debug\", \"texmode_unified\" or \"texmode_independent\"");
    }
    module.targetOptions.emplace_back(word);
  }
  return true;
}

bool Reader::addressSize() {
  ++at;
  int64_t bits = 0;
  if (!number(bits, 0, 1 << 20, "64"))
    return false;
  if (bits != 64) {
    --at;
    return fail("addresses must have 64 bits, got " + std::to_string(bits));
  }
  return true;
}

bool Reader::topLevel() {
  const Token &token = peek();
  if (token.kind != Token::Kind::kWord || token.text[0] != '.')
    return take(";") || expected("a directive");
  if (isAt(".version"))
    return version();
  if (module.version == 0)
    return expected("\".version\" first");
  if (isAt(".target"))
    return target();
  if (isAt(".address_size"))
    return addressSize();
  if (isAt(".file"))
    return file();
  if (isAt(".loc"))
    return location();
  if (isAt(".pragma"))
    return pragma();
  if (isAt(".section"))
    return section();
  if (module.target.empty())
    return expected("\".target\" before everything else");
  if (isAt(".alias"))
    return alias();
  bool isExternal = false, isWeak = false, isVisible = false, isCommon = false;
  size_t linkages = 0;
  for (; isAt(".visible") || isAt(".extern") || isAt(".weak") || isAt(".common"); ++at) {
    isExternal |= isAt(".extern");
    isWeak |= isAt(".weak");
    isVisible |= isAt(".visible");
    isCommon |= isAt(".common");
    if (++linkages > 1)
      return fail("one of .extern, .visible, .weak and .common, not two");
  }
  if (isAt(".entry") || isAt(".func")) {
    if (isCommon)
      return fail("\".common\" is for variables in .global");
    auto result = std::make_unique<Function>();
    result->isExternal = isExternal;
    result->isWeak = isWeak;
    result->isVisible = isVisible;
    bool ok = function(*result);
    current = nullptr;
    module.functions.push_back(std::move(result));
    return ok;
  }
  if (isSpace(peek().text)) {
    if (isAt(".param") || isAt(".local"))
      return fail("a variable in " + std::string(peek().text) + " belongs into a function");
    size_t first = module.variables.size();
    if (!variables(module.variables, isExternal, isCommon))
      return false;
    for (size_t i = first; i < module.variables.size(); ++i)
      if (!moduleNames.insert(module.variables[i].name).second && !isExternal)
        return fail("\"" + module.variables[i].name + "\" is declared twice");
    return true;
  }
  for (std::string_view word : {".texref", ".samplerref", ".surfref", ".tex"})
    if (isAt(word))
      return fail("textures and surfaces (\"" + std::string(word) +
                  "\") are not supported by the emulated device");
  if (isAt(".tensormap"))
    return fail("\".tensormap\" variables are not supported; pass a CUtensorMap as a parameter");
  if (isAt(".reg"))
    return fail("registers belong into a function");
  return expected("a directive");
}

/// ".alias name, function;"
bool Reader::alias() {
  ++at;
  std::string_view from, to;
  if (!name(from, "a name") || !expect(",") || !name(to, "a function"))
    return false;
  if (!module.aliases.emplace(from, to).second)
    return fail("\"" + std::string(from) + "\" is an alias already");
  return expect(";");
}

/// Debug information is skipped: ".section .debug_str { ... }".
bool Reader::section() {
  ++at;
  if (peek().kind != Token::Kind::kWord)
    return expected("the name of a section");
  ++at;
  if (!expect("{"))
    return false;
  for (; !take("}"); ++at)
    if (isEnd() || isAt("{"))
      return expected("\"}\"");
  return true;
}

/// .pragma "nounroll";
bool Reader::pragma() {
  ++at;
  do {
    if (peek().kind != Token::Kind::kString)
      return expected("a string");
    ++at;
  } while (take(","));
  return expect(";");
}

/// .attribute(.managed) or .attribute(.unified(number, number))
bool Reader::attribute(Variable *variable) {
  ++at;
  if (!expect("("))
    return false;
  do {
    if (take(".managed")) {
      if (!variable)
        return fail("a function cannot be managed");
      variable->isManaged = true;
    } else if (take(".unified")) {
      Constant ignored;
      if (!expect("(") || !constant(ignored) || !expect(",") || !constant(ignored) || !expect(")"))
        return false;
    } else {
      return expected("\".managed\" or \".unified\"");
    }
  } while (take(","));
  return expect(")");
}

/// .file 1 "name" {, time, size}
bool Reader::file() {
  ++at;
  Constant ignored;
  if (!constant(ignored))
    return false;
  if (peek().kind != Token::Kind::kString)
    return expected("the name of a file");
  ++at;
  while (take(","))
    if (!constant(ignored))
      return false;
  return true;
}

/// .loc file line column {, function_name label {+ offset}, inlined_at file line column}
bool Reader::location() {
  ++at;
  auto place = [&] {
    int64_t ignored = 0;
    return number(ignored, 0, 1u << 31, "a number") && number(ignored, 0, 1u << 31, "a number") &&
           number(ignored, 0, 1u << 31, "a number");
  };
  if (!place())
    return false;
  while (take(",")) {
    std::string_view label;
    int64_t ignored = 0;
    if (take("function_name")) {
      if (!name(label, "a label"))
        return false;
      if (take("+") && !number(ignored, 0, INT64_MAX, "an offset"))
        return false;
    } else if (take("inlined_at")) {
      if (!place())
        return false;
    } else {
      return expected("\"function_name\" or \"inlined_at\"");
    }
  }
  return true;
}

/// Names of functions, bodies before declarations.
bool Reader::finish() {
  for (const auto &function : module.functions) {
    auto [place, isNew] = module.functionsByName.try_emplace(function->name, function.get());
    if (isNew)
      continue;
    if (place->second->hasBody && function->hasBody) {
      error = "line " + std::to_string(function->line) + ": function \"" + function->name +
              "\" is defined twice";
      return false;
    }
    if (function->hasBody)
      place->second = function.get();
  }
  for (const Variable &variable : module.variables)
    if (variable.space == Space::kShared)
      module.sharedByName[variable.name] = &variable;
  for (const auto &[from, to] : module.aliases)
    if (!module.functionsByName.count(to) || !module.functionsByName.count(from)) {
      error = "\".alias " + from + ", " + to + "\": both must be declared as functions";
      return false;
    }
  return true;
}

bool parse(std::string_view text, Module &module, std::string &error) {
  error.clear();
  std::vector<Token> tokens;
  return tokenize(text, tokens, error) && Reader(text, tokens, module, error).run();
}

} // namespace heddle::emulator::ptx
