// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What heddle-run does, from the parsed command line to the written outputs.
#ifndef HEDDLE_RUNTIME_CLI_SESSION_H
#define HEDDLE_RUNTIME_CLI_SESSION_H

#include "heddle/Status.h"
#include <string>
#include <vector>

namespace heddle::runtime::cli {

/// Prints to standard output.
Status runSession(const std::vector<std::string> &arguments);

/// The same as a program: prints "error: ..." and gives the exit status. Lets no exception out.
int runMain(int argc, char **argv);

} // namespace heddle::runtime::cli

#endif // HEDDLE_RUNTIME_CLI_SESSION_H
