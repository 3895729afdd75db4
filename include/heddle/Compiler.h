// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler as a function: a model in, a `.heddle` file out. A compile needs no GPU.
#ifndef HEDDLE_COMPILER_H
#define HEDDLE_COMPILER_H

#include "heddle/Status.h"
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace heddle {

struct CompileOptions {
  /// Architectures to make code for, as `targets()` of Target.h names them.
  std::vector<std::string> targets{"sm_80"};
  /// In which type f32 products are made: "f32" (exact), "tf32", "f16", "bf16".
  std::string precision = "f32";
  /// Ends after a stage and emits its text: "import", "graph", "kernel", "ptx", "plan"; "" for
  /// none.
  std::string stopAfter;
  /// What to write: "artifact", a stage's name for its IR, "ptx", or "sass".
  std::string emit = "artifact";
  /// Reports what was not optimised, and why.
  bool remarks = false;
  /// Reports how long each stage took.
  bool timing = false;
  /// Numbers for named dimensions of inputs, which are then static.
  std::map<std::string, int64_t> dimSizes;
  /// Contents of inputs that are known when compiling, as numbers separated by commas.
  std::map<std::string, std::string> inputValues;
};

struct CompileReport {
  /// One line each: "error: MODEL: node 'x': reason", "remark: ...".
  std::string diagnostics;
  /// A table, if `timing` is set.
  std::string timing;
};

/// Compiles the ONNX model at `modelPath` (or a module in text form, `.mlir`) and writes what
/// `options.emit` says to `outputPath`, whole or not at all; "-" is standard output, for text.
///
/// Output:  the same model, options and versions give the same bytes. `report` is filled either
/// way. Errors:  kInvalidArgument for options that do not exist, with those that do; kNotFound, kIo
/// for
///          files; kUnsupported if the model is beyond the compiler or damaged: `report` then has
///          an error for every offending node, and the status repeats them.
/// Thread:  safe; a call keeps no state.
Status compileFile(const std::string &modelPath, const std::string &outputPath,
                   const CompileOptions &options, CompileReport &report);

/// The same for an ONNX model in memory; `name` stands for its path in messages.
Status compileBytes(std::span<const uint8_t> model, const std::string &name,
                    const std::string &outputPath, const CompileOptions &options,
                    CompileReport &report);

/// heddle-compile without its main: reads the command line, compiles, prints. Returns the exit
/// status.
int runCompileTool(int argc, char **argv);

} // namespace heddle

#endif // HEDDLE_COMPILER_H
