// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a model; all of it is in lib/compiler/CommandLine.cpp.
#include "heddle/Compiler.h"

int main(int argc, char **argv) { return heddle::runCompileTool(argc, argv); }
