// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables in memory, parameters and initialisers (PTX ISA 9.0, 5.4).
#include "runtime/emulator/ptx/reader/Reader.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace heddle::emulator::ptx {

namespace {

/// No device has that much memory; the limit keeps sums of sizes far from 64 bits.
constexpr uint64_t kMaxVariableBytes = 1ull << 42;

Space spaceOf(std::string_view word) {
  return word == ".global"   ? Space::kGlobal
         : word == ".const"  ? Space::kConst
         : word == ".shared" ? Space::kShared
         : word == ".local"  ? Space::kLocal
                             : Space::kParam;
}

} // namespace

bool Reader::isSpace(std::string_view word) {
  return word == ".global" || word == ".const" || word == ".shared" || word == ".local" ||
         word == ".param";
}

/// ".shared .align 16 .b8 name[64] = {...}, other;"
bool Reader::variables(std::vector<Variable> &list, bool isExternal, bool isCommon) {
  Declaration shared;
  if (isCommon && !isAt(".global"))
    return fail("\".common\" is for variables in .global");
  if (!declaration(shared))
    return false;
  shared.variable.isExternal = isExternal;
  shared.isScoped = current != nullptr;
  do {
    if (!declarator(shared, list.emplace_back()))
      return false;
    if (isExternal && (!list.back().init.empty() || !list.back().references.empty()))
      return fail("an external variable has no initialiser");
  } while (take(","));
  return expect(";");
}

bool Reader::declaration(Declaration &result) {
  Variable &variable = result.variable;
  variable.line = peek().line;
  variable.space = spaceOf(peek().text);
  ++at;
  bool isParam = variable.space == Space::kParam, isPointer = false, isAligned = false;
  while (peek().kind == Token::Kind::kWord && peek().text[0] == '.') {
    std::string_view word = peek().text.substr(1);
    if (word == "attribute") {
      if (!attribute(&variable))
        return false;
      continue;
    }
    ++at;
    if (word == "align") {
      int64_t align = 0;
      if (!number(align, 1, 65536, "an alignment"))
        return false;
      if (!std::has_single_bit(static_cast<uint64_t>(align)))
        return --at, fail("an alignment must be a power of two");
      if (!isPointer) { // of what a ".ptr" points to otherwise
        isAligned = true;
        variable.align = static_cast<uint64_t>(align);
      }
    } else if (word == "v2" || word == "v4") {
      result.vector = static_cast<uint64_t>(word[1] - '0');
    } else if (isType(word) && word != "pred" && word != "tf32" && result.type.empty()) {
      result.type = word;
      result.elementBytes = typeBytes(word);
    } else if (word == "ptr" && isParam) {
      isPointer = true;
    } else if (!(isPointer && isSpace(tokens[at - 1].text))) {
      --at;
      if (word == "texref" || word == "samplerref" || word == "surfref")
        return fail("textures and surfaces are not supported by the emulated device");
      return expected("a type");
    }
  }
  if (result.type.empty())
    return expected("a type");
  uint64_t natural = result.elementBytes * result.vector;
  if (!isAligned)
    variable.align = natural;
  else
    variable.align = std::max(variable.align, natural);
  return true;
}

bool Reader::declarator(const Declaration &declaration, Variable &result) {
  result = declaration.variable;
  std::string_view own;
  if (!name(own, "the name of a variable"))
    return false;
  result.name = own;
  if (declaration.isScoped && !declare(own, result.name))
    return false;
  uint64_t count = 1, wholeBytes = declaration.elementBytes * declaration.vector;
  bool isOpen = false, isFirst = true;
  for (; take("["); isFirst = false) {
    if (isAt("]")) {
      if (!isFirst)
        return fail("only the first extent of an array may be left out");
      isOpen = true;
    } else {
      Constant extent;
      if (!constant(extent))
        return false;
      if (extent.value > kMaxVariableBytes / wholeBytes / std::max<uint64_t>(count, 1))
        return fail("the array is too large");
      count *= extent.value;
    }
    if (!expect("]"))
      return false;
  }
  result.bytes = isOpen ? 0 : wholeBytes * count;
  if (!take("="))
    return true;
  if (result.space != Space::kGlobal && result.space != Space::kConst)
    return fail("only variables in .global and .const have initialisers");
  if (!initialiser(declaration, result))
    return false;
  if (isOpen)
    result.bytes = result.init.size();
  if (result.init.size() > result.bytes)
    return fail("the initialiser is longer than \"" + result.name + "\"");
  return true;
}

bool Reader::initialiser(const Declaration &declaration, Variable &variable) {
  if (!take("{"))
    return element(declaration, variable);
  if (++depth > kMaxDepth)
    return fail("initialisers nested too deeply");
  if (!isAt("}")) {
    do {
      if (!initialiser(declaration, variable))
        return false;
    } while (take(","));
  }
  --depth;
  return expect("}");
}

bool Reader::element(const Declaration &declaration, Variable &variable) {
  uint64_t bytes = declaration.elementBytes;
  if (peek().kind == Token::Kind::kWord && !isAt("WARP_SZ"))
    return reference(declaration, variable, ~0ull);
  bool isNegative = isAt("-"), isFloat = declaration.type.find('f') != std::string_view::npos;
  const Token &token = peek(isNegative ? 1 : 0);
  uint64_t value = 0;
  if (token.kind == Token::Kind::kFloat32 || token.kind == Token::Kind::kFloat64) {
    at += isNegative ? 2 : 1;
    value = static_cast<uint64_t>(token.value);
    bool isDouble = token.kind == Token::Kind::kFloat64;
    if (isFloat && bytes == 2)
      return fail("an initialiser of 16 bits is written as an integer");
    if (isFloat && isDouble && bytes == 4)
      value = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(value)));
    else if (isFloat && !isDouble && bytes == 8)
      value = std::bit_cast<uint64_t>(
          static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(value))));
    if (isNegative)
      value ^= 1ull << (std::min<uint64_t>(isFloat ? bytes : isDouble ? 8 : 4, 8) * 8 - 1);
  } else {
    Constant whole;
    if (!constant(whole))
      return false;
    value = whole.value;
    if (isAt("(")) // "0xFF00(name)"
      return reference(declaration, variable, value);
    if (isFloat && bytes >= 4) {
      double wide = whole.isUnsigned ? static_cast<double>(value)
                                     : static_cast<double>(static_cast<int64_t>(value));
      value = bytes == 8 ? std::bit_cast<uint64_t>(wide)
                         : std::bit_cast<uint32_t>(static_cast<float>(wide));
    }
  }
  for (uint64_t i = 0; i < bytes; ++i)
    variable.init.push_back(i < 8 ? static_cast<uint8_t>(value >> (8 * i)) : 0);
  return true;
}

/// "name + 4", "generic(name) + 4", "0xFF00(name)", "0xFF00(generic(name))"
bool Reader::reference(const Declaration &declaration, Variable &variable, uint64_t mask) {
  Variable::Reference result;
  result.offset = variable.init.size();
  result.bytes = static_cast<uint32_t>(declaration.elementBytes);
  result.mask = mask;
  bool isMasked = mask != ~0ull || isAt("(");
  if (isMasked) {
    uint64_t low = mask == 0 ? 0 : mask >> std::countr_zero(mask);
    if (low != 0xff || std::countr_zero(mask) % 8 != 0 || result.bytes != 1)
      return fail("the mask of an address takes one byte, as 0xFF00 does");
    if (!expect("("))
      return false;
  } else if (result.bytes != 8 && result.bytes != 4) {
    return fail("an address needs an element of 64 bits");
  }
  std::string_view symbol;
  result.generic = isAt("generic") && peek(1).text == "(";
  if (result.generic)
    at += 2;
  if (!name(symbol, "the name of a variable or a function"))
    return false;
  result.symbol = symbol;
  if (result.generic && !expect(")"))
    return false;
  if (isAt("+") || isAt("-")) {
    Constant addend;
    if (!constant(addend)) // the sign is part of the expression
      return false;
    result.addend = static_cast<int64_t>(addend.value);
  }
  if (isMasked && !expect(")"))
    return false;
  variable.init.resize(variable.init.size() + result.bytes);
  variable.references.push_back(std::move(result));
  return true;
}

/// "(.param .b64 a, .param .align 8 .b8 b[16])"; names may be "_" in a prototype.
bool Reader::parameterList(std::vector<Variable> &list, bool isNamed) {
  if (!expect("("))
    return false;
  if (take(")"))
    return true;
  std::unordered_set<std::string> names;
  do {
    if (isAt(".reg"))
      return fail("parameters in registers are not supported; use .param");
    if (!isAt(".param"))
      return expected("\".param\"");
    Declaration declared;
    if (!declaration(declared) || !declarator(declared, list.emplace_back()))
      return false;
    if (isNamed && !names.insert(list.back().name).second)
      return fail("parameter \"" + list.back().name + "\" is declared twice");
  } while (take(","));
  return expect(")");
}

} // namespace heddle::emulator::ptx
