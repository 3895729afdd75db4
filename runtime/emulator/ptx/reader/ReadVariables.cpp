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
constexpr uint64_t kMaxInitialBytes = 1ull << 28;
constexpr size_t kMaxExtents = 16;

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
    } else if (isType(word) && word != "pred" && word != "tf32" && word != "bf16" &&
               word != "bf16x2" && word != "u16x2" && word != "s16x2" && result.type.empty()) {
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
  std::vector<uint64_t> extents;
  uint64_t bytes = declaration.elementBytes * declaration.vector;
  bool isOpen = false;
  while (take("[")) {
    Constant extent;
    if (isAt("]")) {
      if (!extents.empty())
        return fail("only the first extent of an array may be left out");
      isOpen = true;
    } else if (!constant(extent)) {
      return false;
    } else if (extent.value == 0 && !declaration.variable.isExternal &&
               result.space != Space::kParam) {
      return fail("an array has at least one element");
    } else if (extent.value > kMaxVariableBytes / std::max<uint64_t>(bytes, 1)) {
      return fail("the array is too large");
    } else {
      bytes *= extent.value;
    }
    extents.push_back(extent.value);
    if (extents.size() > kMaxExtents)
      return fail("an array of more than " + std::to_string(kMaxExtents) + " dimensions");
    if (!expect("]"))
      return false;
  }
  uint64_t rowBytes = bytes;
  result.bytes = isOpen ? 0 : bytes;
  if (!take("=")) {
    if (isOpen && !result.isExternal && result.space != Space::kParam)
      return fail("an array without a size is .extern or has an initialiser");
    return true;
  }
  if (result.space != Space::kGlobal && result.space != Space::kConst)
    return fail("only variables in .global and .const have initialisers");
  if (declaration.vector > 1)
    extents.push_back(declaration.vector);
  if (!initialiser(declaration, result, extents))
    return false;
  if (isOpen)
    result.bytes = (result.init.size() + rowBytes - 1) / std::max<uint64_t>(rowBytes, 1) * rowBytes;
  return true;
}

/// Nested as the array is; what a row leaves out is zero.
bool Reader::initialiser(const Declaration &declaration, Variable &variable,
                         std::span<const uint64_t> extents) {
  if (extents.empty())
    return element(declaration, variable);
  uint64_t rowBytes = declaration.elementBytes, begin = variable.init.size();
  for (uint64_t extent : extents.subspan(1))
    rowBytes *= extent;
  if (!expect("{"))
    return false;
  if (take("}"))
    return true;
  uint64_t count = 0;
  do {
    if (extents[0] != 0 && count >= extents[0])
      return fail("the initialiser is longer than \"" + variable.name + "\"");
    if (begin + count * rowBytes > kMaxInitialBytes)
      return fail("an initialiser of more than " + std::to_string(kMaxInitialBytes) + " bytes");
    variable.init.resize(begin + count++ * rowBytes);
    if (!initialiser(declaration, variable, extents.subspan(1)))
      return false;
  } while (take(","));
  return expect("}");
}

bool Reader::element(const Declaration &declaration, Variable &variable) {
  uint64_t bytes = declaration.elementBytes;
  if (peek().kind == Token::Kind::kWord && !isAt("WARP_SZ"))
    return reference(declaration, variable, ~0ull);
  bool isNegative = isAt("-"), isFloat = declaration.type.find('f') != std::string_view::npos;
  const Token &token = peek(isNegative ? 1 : 0);
  uint64_t value = 0;
  if (isFloat && bytes == 2)
    return fail("variables of type ." + std::string(declaration.type) +
                " have no initialisers; use .b16");
  if (token.kind == Token::Kind::kFloat32 || token.kind == Token::Kind::kFloat64) {
    at += isNegative ? 2 : 1;
    value = static_cast<uint64_t>(token.value);
    bool isDouble = token.kind == Token::Kind::kFloat64;
    if (declaration.type[0] == 'u' || declaration.type[0] == 's')
      return --at, expected("an integer");
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
    if (isFloat)
      return --at, expected("a floating-point number");
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
    if (low != 0xff || std::countr_zero(mask) % 8 != 0 || declaration.type != "u8")
      return fail("the mask of an address takes one byte, as 0xFF00 does, and the type is .u8");
    if (!expect("("))
      return false;
  } else if (declaration.type != "u64" && declaration.type != "u32") {
    return fail("an address as an initialiser needs the type .u64 or .u32");
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
  if (isAt("+")) {
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
