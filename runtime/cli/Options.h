// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of heddle-run.
#ifndef HEDDLE_RUNTIME_CLI_OPTIONS_H
#define HEDDLE_RUNTIME_CLI_OPTIONS_H

#include "runtime/cli/Elements.h"
#include <optional>

namespace heddle::runtime::cli {

/// What a newcomer reads first.
extern const char *const kHelp;

struct Options {
  bool help = false, version = false;
  std::string model;
  std::string device = "auto";
  /// NAME=VALUE as given: only the program knows which '=' ends the name.
  std::vector<std::string> inputs, shapes, expectations;
  std::optional<uint64_t> randomSeed;
  std::string outputFolder; ///< empty: outputs are not written
  bool check = false, counters = false;
  int benchmarkRuns = 0; ///< 0: none
  Tolerance tolerance;

  /// Whether any flag makes sense only if the model runs.
  bool wantsRun() const {
    return !inputs.empty() || !expectations.empty() || randomSeed || !outputFolder.empty() ||
           check || counters || benchmarkRuns > 0;
  }
};

/// Errors:  kInvalidArgument that names the argument and says what is expected.
Result<Options> parseOptions(const std::vector<std::string> &arguments);

/// "1x3x224x224", "1,3,224,224"; "scalar" or nothing for rank 0.
Result<Dims> parseShape(std::string_view text);

} // namespace heddle::runtime::cli

#endif // HEDDLE_RUNTIME_CLI_OPTIONS_H
