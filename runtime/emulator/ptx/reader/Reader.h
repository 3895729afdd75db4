// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recursive-descent reader behind parse(). Registers, labels and variables of a nested scope
// (LLVM prints inline assembly as "{ .reg .b16 l; ... }") get a name of their own, so that the rest
// sees one flat body. Each recursion is bounded, and each name is looked up by hash: no text makes
// the reader run out of stack or take quadratic time.
#ifndef HEDDLE_RUNTIME_EMULATOR_PTX_READER_READER_H
#define HEDDLE_RUNTIME_EMULATOR_PTX_READER_READER_H

#include "runtime/emulator/ptx/Lexer.h"
#include "runtime/emulator/ptx/Module.h"
#include <span>
#include <unordered_set>

namespace heddle::emulator::ptx {

class Reader {
public:
  Reader(std::string_view text, const std::vector<Token> &tokens, Module &module,
         std::string &error)
      : text(text), tokens(tokens), module(module), error(error) {}
  bool run();

private:
  /// An integer constant; PTX computes with 64 bits, signed unless an operand is not.
  struct Constant {
    uint64_t value = 0;
    bool isUnsigned = false;
  };
  struct Scope {
    std::string suffix; ///< of names declared here; empty: the function's own scope
    std::unordered_set<std::string_view> names;
    std::unordered_map<std::string_view, RegisterType> families;
  };
  /// What ".shared .align 16 .v2 .f32" says of the names that follow.
  struct Declaration {
    Variable variable;
    uint64_t elementBytes = 0, vector = 1;
    std::string_view type;
    bool isScoped = false; ///< in a function's body
  };

  // Reader.cpp: tokens and the directives of a module.
  const Token &peek(size_t ahead = 0) const {
    return tokens[at + ahead < tokens.size() ? at + ahead : tokens.size() - 1];
  }
  bool isAt(std::string_view word) const {
    return peek().text == word && peek().kind != Token::Kind::kString;
  }
  bool isEnd() const { return peek().kind == Token::Kind::kEnd; }
  bool take(std::string_view word) { return isAt(word) && ++at; }
  bool expect(std::string_view word);
  bool expected(std::string_view what);
  bool fail(const std::string &what);
  bool name(std::string_view &result, const char *what);
  bool version();
  bool target();
  bool addressSize();
  bool topLevel();
  bool alias();
  bool section();
  bool pragma();
  bool attribute(Variable *variable);
  bool file();
  bool location();
  bool finish();

  // ReadConstants.cpp
  bool constant(Constant &result, uint32_t strength = 0);
  bool primary(Constant &result);
  bool number(int64_t &result, int64_t low, int64_t high, const char *what);
  bool isConstantStart() const;

  // ReadVariables.cpp
  static bool isSpace(std::string_view word);
  bool variables(std::vector<Variable> &list, bool isExternal, bool isCommon);
  bool declaration(Declaration &result);
  bool declarator(const Declaration &declaration, Variable &result);
  bool initialiser(const Declaration &declaration, Variable &variable,
                   std::span<const uint64_t> extents);
  bool element(const Declaration &declaration, Variable &variable);
  bool reference(const Declaration &declaration, Variable &variable, uint64_t mask);
  bool parameterList(std::vector<Variable> &list, bool isNamed);

  // ReadFunctions.cpp
  bool function(Function &result);
  bool performanceDirective();
  bool dimensions(uint32_t (&values)[3]);
  bool block();
  void collectLabels();
  std::string resolve(std::string_view name);
  bool declare(std::string_view name, std::string &unique);
  bool registers();
  bool labelled(std::string_view label, uint32_t line);

  // ReadStatements.cpp
  bool statement();
  bool instruction(Statement &result);
  bool operand(Operand &result);
  bool bracketed(Operand &result);
  bool listed(Operand &result);
  bool scalar(Operand &result);

  static constexpr uint32_t kMaxDepth = 64;
  std::string_view text;
  const std::vector<Token> &tokens;
  Module &module;
  std::string &error;
  size_t at = 0;
  Function *current = nullptr;
  std::vector<Scope> scopes;
  std::unordered_set<std::string> moduleNames;
  uint32_t scopeCount = 0;
  uint32_t depth = 0;
  bool inCall = false; ///< "(" opens a list of arguments, elsewhere an expression
};

} // namespace heddle::emulator::ptx

#endif // HEDDLE_RUNTIME_EMULATOR_PTX_READER_READER_H
