// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program without a shell and collects what it prints.
#ifndef HEDDLE_LIB_PTXAS_PROCESS_H
#define HEDDLE_LIB_PTXAS_PROCESS_H

#include "heddle/Status.h"
#include <string>
#include <vector>

namespace heddle::ptxas {

struct ProcessResult {
  int exitCode = 0;
  std::string output; ///< standard output and standard error together
};

/// Errors:  kIo if the program cannot be started, is ended by a signal, or is still running after
///          `timeoutSeconds` (it is killed then).
/// Thread:  safe.
Result<ProcessResult> runProcess(const std::vector<std::string> &arguments, int timeoutSeconds);

} // namespace heddle::ptxas

#endif // HEDDLE_LIB_PTXAS_PROCESS_H
