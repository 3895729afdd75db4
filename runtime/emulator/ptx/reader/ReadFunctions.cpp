// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions: signatures, performance directives (PTX ISA 9.0, 11.4), scopes and what they declare.
#include "runtime/emulator/ptx/reader/Reader.h"
#include <algorithm>

namespace heddle::emulator::ptx {

namespace {

constexpr int64_t kMaxFamily = 1000000;

RegisterType registerType(std::string_view type) {
  RegisterKind kind = type == "pred"                                ? RegisterKind::kPredicate
                      : type[0] == 'b' && type.substr(0, 2) != "bf" ? RegisterKind::kBits
                      : type[0] == 'u' || type[0] == 's'            ? RegisterKind::kInteger
                                                                    : RegisterKind::kFloat;
  return {typeBytes(type), kind};
}

} // namespace

/// ".entry name (parameters) .maxntid 256 { ... }"
bool Reader::function(Function &result) {
  current = &result;
  result.isEntry = isAt(".entry");
  result.line = peek().line;
  ++at;
  while (isAt(".attribute"))
    if (!attribute(nullptr))
      return false;
  if (isAt("(")) {
    if (result.isEntry)
      return fail("a kernel has no results");
    if (!parameterList(result.results, true))
      return false;
  }
  std::string_view own;
  if (!name(own, "the name of a function"))
    return false;
  result.name = own;
  if (moduleNames.count(result.name))
    return fail("\"" + result.name + "\" is a variable already");
  if (isAt("(") && !parameterList(result.params, true))
    return false;
  while (!isAt("{") && !isAt(";"))
    if (!performanceDirective())
      return false;
  if (take(";"))
    return true;
  if (result.isExternal)
    return fail("an external function has no body");
  result.hasBody = true;
  scopes.clear();
  return block();
}

bool Reader::dimensions(uint32_t (&values)[3]) {
  values[0] = values[1] = values[2] = 1;
  for (uint32_t &value : values) {
    int64_t number = 0;
    if (!this->number(number, 0, INT32_MAX, "a number"))
      return false;
    value = static_cast<uint32_t>(number);
    if (!take(","))
      return true;
  }
  return fail("at most three dimensions");
}

bool Reader::performanceDirective() {
  std::string word(peek().text);
  if (peek().kind != Token::Kind::kWord || word[0] != '.')
    return expected("\"{\"");
  Function &function = *current;
  if (word == ".pragma")
    return pragma();
  if (word == ".attribute")
    return attribute(nullptr);
  ++at;
  function.directives.push_back(word);
  uint32_t values[3];
  if (word == ".maxntid" || word == ".reqntid") {
    if (!dimensions(values))
      return false;
    uint64_t threads = uint64_t(values[0]) * values[1];
    threads = threads > UINT32_MAX ? threads : threads * values[2];
    function.maxThreads = static_cast<uint32_t>(std::min<uint64_t>(threads, UINT32_MAX));
    if (word == ".reqntid")
      std::copy(values, values + 3, function.required);
    return true;
  }
  if (word == ".reqnctapercluster")
    return dimensions(function.cluster);
  if (word == ".explicitcluster")
    return function.isExplicitCluster = true;
  if (word == ".blocksareclusters")
    return function.blocksAreClusters = true;
  if (word == ".noreturn")
    return function.isNoReturn = true;
  int64_t value = 0;
  uint32_t *to = word == ".maxclusterrank"                            ? &function.maxClusterRank
                 : word == ".minnctapersm" || word == ".maxnctapersm" ? &function.minBlocksPerSm
                 : word == ".maxnreg"                                 ? &function.maxRegisters
                                                                      : nullptr;
  if (to) {
    if (!number(value, 0, INT32_MAX, "a number"))
      return false;
    if (word != ".maxnctapersm")
      *to = static_cast<uint32_t>(value);
    return true;
  }
  if (word == ".abi_preserve" || word == ".abi_preserve_control")
    return number(value, 0, 255, "a number of registers");
  --at;
  return expected("\"{\" or a directive of a function");
}

/// "{ ... }" with its own names.
bool Reader::block() {
  if (!expect("{"))
    return false;
  if (scopes.size() > kMaxDepth)
    return fail("scopes nested too deeply");
  scopes.push_back({scopes.empty() ? "" : "@" + std::to_string(++scopeCount), {}, {}});
  if (scopes.size() > 1)
    collectLabels();
  while (!take("}")) {
    if (isEnd())
      return expected("\"}\"");
    if (!statement())
      return false;
  }
  scopes.pop_back();
  return true;
}

/// Labels of inline assembly may be used before they are defined, and again in the next scope.
void Reader::collectLabels() {
  uint32_t nested = 0;
  for (size_t i = at; i + 1 < tokens.size(); ++i) {
    if (tokens[i].kind == Token::Kind::kPunctuation && tokens[i].text == "{")
      ++nested;
    else if (tokens[i].kind == Token::Kind::kPunctuation && tokens[i].text == "}" && nested-- == 0)
      return;
    else if (nested == 0 && tokens[i].kind == Token::Kind::kWord &&
             tokens[i + 1].kind == Token::Kind::kPunctuation && tokens[i + 1].text == ":")
      scopes.back().names.insert(tokens[i].text);
  }
}

/// The name that a name of the text has in the flat body.
std::string Reader::resolve(std::string_view name) {
  for (size_t i = scopes.size(); i-- > 1;) {
    const Scope &scope = scopes[i];
    if (scope.names.count(name))
      return std::string(name) + scope.suffix;
    if (scope.families.empty())
      continue;
    size_t digits = name.find_last_not_of("0123456789") + 1;
    if (digits == 0 || digits == name.size() || name.size() - digits > 9)
      continue;
    auto family = scope.families.find(name.substr(0, digits));
    if (family == scope.families.end() ||
        std::stoul(std::string(name.substr(digits))) >= family->second.count)
      continue;
    std::string unique = std::string(name) + scope.suffix;
    current->registers.try_emplace(unique, family->second);
    return unique;
  }
  return std::string(name);
}

/// A register or variable of the innermost scope.
bool Reader::declare(std::string_view name, std::string &unique) {
  Scope &scope = scopes.back();
  if (!scope.names.insert(name).second)
    return --at, fail("\"" + std::string(name) + "\" is declared twice");
  unique = std::string(name) + scope.suffix;
  return true;
}

/// ".reg .b32 a, %r<10>;"
bool Reader::registers() {
  std::string_view type = peek().text.substr(std::min<size_t>(1, peek().text.size()));
  if (type == "v2" || type == "v4")
    return fail("registers that are vectors are not supported; use several registers");
  if (isEnd() || peek().text[0] != '.' || !isType(type) || type == "tf32" || type == "u16x2" ||
      type == "s16x2" || type == "bf16" || type == "bf16x2")
    return expected("the type of a register");
  ++at;
  do {
    std::string_view own;
    std::string unique;
    RegisterType declared = registerType(type);
    if (!name(own, "the name of a register"))
      return false;
    if (isAt("<")) {
      ++at;
      int64_t count = 0;
      if (!number(count, 1, kMaxFamily, "a number of registers") || !expect(">"))
        return false;
      declared.count = static_cast<uint32_t>(count);
      bool isNew = scopes.size() > 1
                       ? scopes.back().families.try_emplace(own, declared).second
                       : current->families.try_emplace(std::string(own), declared).second;
      if (!isNew)
        return --at, fail("the registers \"" + std::string(own) + "\" are declared twice");
      continue;
    }
    if (!declare(own, unique))
      return false;
    if (scopes.size() == 1 && current->findRegister(unique))
      return --at, fail("\"" + unique + "\" is declared twice");
    current->registers.emplace(std::move(unique), declared);
  } while (take(","));
  return expect(";");
}

/// What follows "label:" if it is a table: .branchtargets, .calltargets or .callprototype.
bool Reader::labelled(std::string_view label, uint32_t line) {
  Statement result;
  result.line = line;
  result.label = resolve(label);
  if (take(".branchtargets")) {
    result.kind = Statement::Kind::kBranchTargets;
    do {
      Operand target;
      target.kind = Operand::Kind::kName;
      std::string_view own;
      if (!name(own, "a label"))
        return false;
      target.name = resolve(own);
      result.operands.push_back(std::move(target));
    } while (take(","));
    current->body.push_back(std::move(result));
    return expect(";");
  }
  if (take(".calltargets")) {
    std::vector<std::string> &targets = current->callTargets[result.label];
    do {
      std::string_view own;
      if (!name(own, "a function"))
        return false;
      targets.emplace_back(own);
    } while (take(","));
    return expect(";");
  }
  if (take(".callprototype")) {
    Prototype &prototype = current->prototypes[result.label];
    std::string_view own;
    if (isAt("(") && !parameterList(prototype.results, false))
      return false;
    if (!name(own, "\"_\""))
      return false;
    if (isAt("(") && !parameterList(prototype.params, false))
      return false;
    for (;;) {
      int64_t ignored = 0;
      if (take(".noreturn"))
        prototype.isNoReturn = true;
      else if (isAt(".abi_preserve") || isAt(".abi_preserve_control"))
        ++at;
      else
        return expect(";");
      if (tokens[at - 1].text != ".noreturn" && !number(ignored, 0, 255, "a number of registers"))
        return false;
    }
  }
  result.kind = Statement::Kind::kLabel;
  current->body.push_back(std::move(result));
  return true;
}

} // namespace heddle::emulator::ptx
