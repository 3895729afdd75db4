// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulated device's counters, which come as JSON, as a table for people.
#ifndef HEDDLE_RUNTIME_CLI_COUNTERSTABLE_H
#define HEDDLE_RUNTIME_CLI_COUNTERSTABLE_H

#include <string>
#include <string_view>

namespace heddle::runtime::cli {

/// A list of objects becomes a table with a column a member, everything else lines of "name value".
/// Text that is no JSON is returned as it is.
std::string formatCounters(std::string_view json);

} // namespace heddle::runtime::cli

#endif // HEDDLE_RUNTIME_CLI_COUNTERSTABLE_H
