// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens to a text when a module is loaded, without a device: parse, verify, lower.
#ifndef HEDDLE_TEST_FUZZ_FRONTEND_H
#define HEDDLE_TEST_FUZZ_FRONTEND_H

#include <string>
#include <string_view>

namespace heddle::test {

enum class Stage { kParse, kVerify, kLower };

struct Verdict {
  bool isLoaded = false;
  Stage stage = Stage::kParse; ///< of the refusal
  std::string error;
};

/// As cuModuleLoadData does it; variables get addresses that nothing lies at.
Verdict load(std::string_view text);

} // namespace heddle::test

#endif // HEDDLE_TEST_FUZZ_FRONTEND_H
