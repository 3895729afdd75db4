// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the strings in CompileOptions may say.
#ifndef HEDDLE_LIB_COMPILER_OPTIONS_H
#define HEDDLE_LIB_COMPILER_OPTIONS_H

#include "heddle/Compiler.h"

namespace heddle::compiler {

/// How far a compile goes, in order.
enum class Stage { kImport, kGraph, kKernel, kPtx, kPlan, kSass, kArtifact };

/// The last stage to run, whose result is written.
/// Errors:  kInvalidArgument for a name that does not exist, or options that contradict each other,
///          with what exists; kNotFound for an unknown target.
Result<Stage> check(const CompileOptions &options);

/// The options that change an artifact, on one line.
std::string describe(const CompileOptions &options);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_OPTIONS_H
