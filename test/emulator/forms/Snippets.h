// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes instructions from the table of forms: ones that must be accepted, and mutants.
#ifndef HEDDLE_TEST_EMULATOR_FORMS_SNIPPETS_H
#define HEDDLE_TEST_EMULATOR_FORMS_SNIPPETS_H

#include "runtime/emulator/ptx/Forms.h"
#include <string>
#include <vector>

namespace heddle::test {

/// One instruction in a kernel of its own.
struct Snippet {
  const heddle::emulator::ptx::Form *form = nullptr;
  std::string instruction; ///< "add.rn.f32 %f4_0, %f4_1, %f4_2;"
  std::string what;        ///< "form", or what was changed: "operand 2 wider", "modifiers swapped"

  /// ".visible .entry NAME(...) { ... }" in one line, so that a line of an error names the snippet.
  std::string kernel(const std::string &name) const;
};

/// Instructions of a form: each word once and each way to write an operand once, or, with
/// `isWhole`, each combination of words (at most 4000 a form).
std::vector<Snippet> snippetsOf(const heddle::emulator::ptx::Form &form, bool isWhole);

/// Instructions that no longer are the form, or that are another one.
std::vector<Snippet> mutantsOf(const heddle::emulator::ptx::Form &form);

/// The head of a module.
std::string moduleHead(uint32_t version, const std::string &target);

} // namespace heddle::test

#endif // HEDDLE_TEST_EMULATOR_FORMS_SNIPPETS_H
