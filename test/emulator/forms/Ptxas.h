// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks ptxas which of many snippets it accepts.
#ifndef HEDDLE_TEST_EMULATOR_FORMS_PTXAS_H
#define HEDDLE_TEST_EMULATOR_FORMS_PTXAS_H

#include "test/emulator/forms/Snippets.h"
#include <map>

namespace heddle::test {

/// Snippets that go into one module.
struct Batch {
  uint32_t version;
  std::string target; ///< "sm_90a"
  std::vector<Snippet> snippets;
  std::map<size_t, std::string> refused; ///< what ptxas said of a snippet
};

/// What "ptxas --version" prints.
std::string versionOf(const std::string &ptxas);

/// What ptxas says of a file; empty: it compiles for the target.
std::string compile(const std::string &ptxas, const std::string &target, const std::string &file);

/// Fills in `refused`, two batches at a time.
void askPtxas(const std::string &ptxas, std::vector<Batch> &batches);

} // namespace heddle::test

#endif // HEDDLE_TEST_EMULATOR_FORMS_PTXAS_H
