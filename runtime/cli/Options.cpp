// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags as rows: a name, whether it has a value, what it does.
#include "runtime/cli/Options.h"
#include <charconv>
#include <cmath>
#include <functional>

namespace heddle::runtime::cli {

const char *const kHelp =
    R"(heddle-run: runs a compiled model on an NVIDIA GPU, or without one on the emulated device.

usage: heddle-run FILE.heddle [flags]

  heddle-run model.heddle                          shows the model's inputs and outputs
  heddle-run model.heddle --random=1               runs it on made-up numbers
  heddle-run model.heddle --input x=x.npy --output-dir=out
                                                   runs it on a file, writes out/NAME.npy

Make FILE.heddle with heddle-compile.

Inputs
  --input NAME=FILE      reads an input from a NumPy .npy or ONNX .pb file; may be repeated
  --random=SEED          makes up the inputs that are not given: floats in [-1, 1), integers 0 to 9
  --shape NAME=1x3x224   shape of a made-up input; dimensions that are free are 1 otherwise

Outputs
  --output-dir=DIR       writes every output to DIR/NAME.npy; makes DIR; characters that a file name
                         cannot bear become _; types that NumPy lacks are written as their bits
  --expect NAME=FILE     compares an output with a .npy or .pb file; a difference is an error
  --rtol=X, --atol=X     allowed: |got - expected| <= atol + rtol * |expected|; 1e-3 and 1e-7

Device
  --device=auto          the first GPU, else the emulated device (default)
  --device=cuda:N        GPU number N
  --device=emu           the emulated device, as a GPU that the file has code for
  --device=emu:h200      the emulated device as that GPU
  --check                emulated device: finds accesses outside of a buffer, data races, reads of
                         memory never written, missing barriers
  --counters             emulated device: shows what the kernels did: instructions, bytes, ...
  --benchmark=N          runs the kernels N more times and shows the time of one run

  --help, --version

The exit status is 0, or 1 after "error: ..." on standard error.
)";

namespace {

struct Flag {
  std::string_view name;
  bool hasValue;
  std::function<Status(Options &, const std::string &)> apply;
};

template <typename T>
Status parseNumber(const std::string &text, const char *flag, const char *expected, T &result) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return invalidArgument(std::string(flag) + "=\"" + text + "\" is not " + expected);
  return Status::success();
}

Status parseTolerance(const std::string &text, const char *flag, double &result) {
  HEDDLE_TRY(parseNumber(text, flag, "a number of at least 0", result));
  if (!(result >= 0))
    return invalidArgument(std::string(flag) + "=\"" + text + "\" is not a number of at least 0");
  return Status::success();
}

Status addPair(std::vector<std::string> &list, const std::string &value, const char *flag) {
  size_t split = value.find('=');
  if (split == 0 || split == std::string::npos)
    return invalidArgument(std::string(flag) + " \"" + value + "\" is not of the form NAME=...");
  list.push_back(value);
  return Status::success();
}

const std::vector<Flag> &flags() {
  using S = const std::string &;
  static const std::vector<Flag> kFlags = {
      {"--help", false, [](Options &o, S) { return o.help = true, Status(); }},
      {"-h", false, [](Options &o, S) { return o.help = true, Status(); }},
      {"--version", false, [](Options &o, S) { return o.version = true, Status(); }},
      {"--device", true, [](Options &o, S v) { return o.device = v, Status(); }},
      {"--input", true, [](Options &o, S v) { return addPair(o.inputs, v, "--input"); }},
      {"--shape", true, [](Options &o, S v) { return addPair(o.shapes, v, "--shape"); }},
      {"--expect", true, [](Options &o, S v) { return addPair(o.expectations, v, "--expect"); }},
      {"--random", true,
       [](Options &o, S v) {
         return parseNumber(v, "--random", "a whole number of at least 0", o.randomSeed.emplace());
       }},
      {"--output-dir", true,
       [](Options &o, S v) {
         o.outputFolder = v;
         return v.empty() ? invalidArgument("--output-dir needs a folder") : Status();
       }},
      {"--check", false, [](Options &o, S) { return o.check = true, Status(); }},
      {"--counters", false, [](Options &o, S) { return o.counters = true, Status(); }},
      {"--benchmark", true,
       [](Options &o, S v) {
         HEDDLE_TRY(parseNumber(v, "--benchmark", "a number of runs", o.benchmarkRuns));
         return o.benchmarkRuns >= 1 ? Status()
                                     : invalidArgument("--benchmark needs at least 1 run");
       }},
      {"--rtol", true,
       [](Options &o, S v) { return parseTolerance(v, "--rtol", o.tolerance.relative); }},
      {"--atol", true,
       [](Options &o, S v) { return parseTolerance(v, "--atol", o.tolerance.absolute); }},
  };
  return kFlags;
}

} // namespace

Result<Options> parseOptions(const std::vector<std::string> &arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (argument.empty() || argument[0] != '-') {
      if (!options.model.empty())
        return invalidArgument("\"" + argument + "\" is one file too many; the model is \"" +
                               options.model + "\"");
      options.model = argument;
      continue;
    }
    size_t split = argument.find('=');
    std::string name = argument.substr(0, split);
    const Flag *flag = nullptr;
    for (const Flag &row : flags())
      if (row.name == name)
        flag = &row;
    if (!flag)
      return invalidArgument("flag \"" + name + "\" is not known; --help shows all");
    std::string value;
    if (!flag->hasValue && split != std::string::npos)
      return invalidArgument("flag \"" + name + "\" takes no value");
    if (flag->hasValue && split != std::string::npos)
      value = argument.substr(split + 1);
    else if (flag->hasValue && ++i < arguments.size())
      value = arguments[i];
    else if (flag->hasValue)
      return invalidArgument("flag \"" + name + "\" needs a value; --help shows its form");
    HEDDLE_TRY(flag->apply(options, value));
  }
  if (!options.shapes.empty() && !options.randomSeed)
    return invalidArgument("--shape is for made-up inputs; add --random=SEED");
  if (options.model.empty() && !options.help && !options.version)
    return invalidArgument("which model? usage: heddle-run FILE.heddle [flags]; --help shows all");
  return options;
}

Result<Dims> parseShape(std::string_view text) {
  Dims dims;
  if (text.empty() || text == "scalar")
    return dims;
  const char *at = text.data();
  const char *end = at + text.size();
  while (true) {
    int64_t dim = 0;
    auto [next, error] = std::from_chars(at, end, dim);
    if (error != std::errc() || dim < 0 || (next != end && *next != 'x' && *next != ','))
      return invalidArgument("shape \"" + std::string(text) +
                             "\" is not of the form 1x3x224x224 (\"scalar\" for no dimensions)");
    dims.push_back(dim);
    if (next == end)
      return dims;
    at = next + 1;
  }
}

} // namespace heddle::runtime::cli
