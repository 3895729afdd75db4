// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a compiled model; all of it is in runtime/cli/Session.cpp.
#include "runtime/cli/Session.h"

int main(int argc, char **argv) { return heddle::runtime::cli::runMain(argc, argv); }
