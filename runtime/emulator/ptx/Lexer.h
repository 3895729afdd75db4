// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts PTX text into tokens.
#ifndef HEDDLE_RUNTIME_EMULATOR_PTX_LEXER_H
#define HEDDLE_RUNTIME_EMULATOR_PTX_LEXER_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::emulator::ptx {

struct Token {
  enum class Kind : uint8_t { kWord, kInteger, kFloat32, kFloat64, kPunctuation, kString, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text; ///< a word includes its dots: "ld.global.b32", ".reg", "%tid.x"
  int64_t value = 0;     ///< of numbers: the integer or the bits
  uint32_t line = 0;
};

/// Fails with a text in `error` that names the line.
bool tokenize(std::string_view text, std::vector<Token> &tokens, std::string &error);

} // namespace heddle::emulator::ptx

#endif // HEDDLE_RUNTIME_EMULATOR_PTX_LEXER_H
