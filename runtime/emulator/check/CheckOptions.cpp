// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads HEDDLE_EMU_CHECK once.
#include "runtime/emulator/check/CheckOptions.h"
#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace heddle::emulator {

const CheckOptions &CheckOptions::get() {
  static const CheckOptions options = [] {
    CheckOptions result;
    const char *text = std::getenv("HEDDLE_EMU_CHECK");
    std::string_view rest = text ? text : "";
    while (!rest.empty()) {
      std::string_view word = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      bool isAll = word == "all";
      result.initialised |= isAll || word == "init";
      result.laneRaces |= word == "race-lanes";
      result.races |= isAll || word == "race" || word == "race-lanes";
      result.sync |= isAll || word == "sync";
      result.async |= isAll || word == "async";
      result.globalRaces |= word == "global-race";
    }
    return result;
  }();
  return options;
}

} // namespace heddle::emulator
