// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-compile: flags as rows, then one call of the compiler.
#include "heddle/Compiler.h"
#include "heddle/Target.h"
#include <charconv>
#include <cstdio>
#include <functional>
#include <string_view>

namespace heddle {

namespace {

const char *const kHelp =
    R"(heddle-compile: compiles a deep learning model for NVIDIA GPUs. It needs no GPU.

usage: heddle-compile MODEL.onnx -o OUT.heddle [flags]

  heddle-compile model.onnx -o model.heddle                    for an A100, exact f32
  heddle-compile model.onnx -o model.heddle --precision=f16    products on the Tensor Cores
  heddle-compile model.onnx -o model.heddle --target=sm_80,sm_90a
                                                               one file for A100 and H100
  heddle-compile model.onnx --emit=ptx                         shows the code

Run OUT.heddle with heddle-run. MODEL may also be a module in text form (.mlir), as --emit shows it.

What to make
  -o FILE                where to write; "-" is standard output. Texts go there by default
  --target=NAME,...      architectures: TARGETS
                         (default: sm_80)
  --precision=P          how products of f32 matrix multiplications and convolutions are made:
                         f32 (exact, default), or on Tensor Cores tf32, f16 or bf16; sums are f32
  --dim NAME=SIZE        fixes a named dimension of the inputs; others stay free
  --value NAME=1,2,...   contents of an input that are known now

What to look at
  --emit=WHAT            writes something else than the artifact: the IR of a stage (import, graph,
                         kernel, plan), ptx, or sass (the machine code)
  --stop-after=STAGE     ends after import, graph, kernel, ptx or plan, and writes its text
  --remarks              says what was not optimised, and why
  --timing               says how long each stage took

  --help, --version

The exit status is 0, or 1 after "error: ..." on standard error.
)";

struct CommandLine {
  std::string model, output;
  CompileOptions options;
  bool help = false, version = false;
};

using Text = const std::string &;

struct Flag {
  std::string_view name;
  bool hasValue;
  std::function<Status(CommandLine &, Text)> apply;
};

Status split(Text value, const char *flag, std::string &name, std::string &rest) {
  size_t equals = value.find('=');
  if (equals == 0 || equals == std::string::npos)
    return invalidArgument(std::string(flag) + " '" + value + "' is not of the form NAME=...");
  name = value.substr(0, equals);
  rest = value.substr(equals + 1);
  return Status::success();
}

Status setTargets(CommandLine &line, Text value) {
  line.options.targets.clear();
  for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = value.find(',', begin);
    line.options.targets.push_back(value.substr(begin, end - begin));
  }
  return Status::success();
}

Status setDim(CommandLine &line, Text value) {
  std::string name, number;
  HEDDLE_TRY(split(value, "--dim", name, number));
  int64_t size = 0;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), size);
  if (number.empty() || error != std::errc() || end != number.data() + number.size())
    return invalidArgument("--dim '" + value + "': expected a number behind '='");
  line.options.dimSizes[name] = size;
  return Status::success();
}

Status setValue(CommandLine &line, Text value) {
  std::string name, contents;
  HEDDLE_TRY(split(value, "--value", name, contents));
  line.options.inputValues[name] = contents;
  return Status::success();
}

const Flag kFlags[] = {
    {"-o", true, [](CommandLine &l, Text v) { return l.output = v, Status(); }},
    {"--target", true, setTargets},
    {"--precision", true, [](CommandLine &l, Text v) { return l.options.precision = v, Status(); }},
    {"--dim", true, setDim},
    {"--value", true, setValue},
    {"--emit", true, [](CommandLine &l, Text v) { return l.options.emit = v, Status(); }},
    {"--stop-after", true,
     [](CommandLine &l, Text v) { return l.options.stopAfter = v, Status(); }},
    {"--remarks", false, [](CommandLine &l, Text) { return l.options.remarks = true, Status(); }},
    {"--timing", false, [](CommandLine &l, Text) { return l.options.timing = true, Status(); }},
    {"--help", false, [](CommandLine &l, Text) { return l.help = true, Status(); }},
    {"-h", false, [](CommandLine &l, Text) { return l.help = true, Status(); }},
    {"--version", false, [](CommandLine &l, Text) { return l.version = true, Status(); }},
};

Result<CommandLine> parse(int argc, char **argv) {
  CommandLine line;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.size() < 2 || argument[0] != '-') {
      if (!line.model.empty())
        return invalidArgument("two models are named: '" + line.model + "' and '" + argument + "'");
      line.model = argument;
      continue;
    }
    size_t equals = argument.find('=');
    std::string name = argument.substr(0, equals);
    const Flag *flag = nullptr;
    for (const Flag &row : kFlags)
      if (row.name == name)
        flag = &row;
    if (!flag || (!flag->hasValue && equals != std::string::npos))
      return invalidArgument("flag '" + argument + "' is not known; --help shows all");
    std::string value;
    if (equals != std::string::npos)
      value = argument.substr(equals + 1);
    else if (flag->hasValue && i + 1 < argc)
      value = argv[++i];
    else if (flag->hasValue)
      return invalidArgument("flag '" + name + "' needs a value; --help shows its form");
    HEDDLE_TRY(flag->apply(line, value));
  }
  return line;
}

/// The help text with the known targets in it.
std::string makeHelp() {
  std::string names, text = kHelp;
  for (const Target &target : targets())
    names += (names.empty() ? "" : ", ") + std::string(target.name);
  return text.replace(text.find("TARGETS"), 7, names);
}

Status run(CommandLine &line) {
  bool isText = line.options.emit != "artifact" || !line.options.stopAfter.empty();
  if (line.model.empty())
    return invalidArgument(
        "which model? usage: heddle-compile MODEL.onnx -o OUT.heddle [flags]; --help shows all");
  if (line.output.empty() && !isText)
    return invalidArgument("where to? give -o OUT.heddle");
  if (line.output == "-" && !isText)
    return invalidArgument("an artifact is not written to a terminal; give -o OUT.heddle");
  CompileReport report;
  Status status =
      compileFile(line.model, line.output.empty() ? "-" : line.output, line.options, report);
  std::fputs(report.diagnostics.c_str(), stderr);
  std::fputs(report.timing.c_str(), stderr);
  // What the diagnostics say is not said twice.
  return !status.ok() && report.diagnostics.find("error: ") != std::string::npos
             ? Status(status.code(), "")
             : status;
}

} // namespace

int runCompileTool(int argc, char **argv) {
  auto line = parse(argc, argv);
  if (line.ok() && (line->help || line->version)) {
    std::fputs(line->help ? makeHelp().c_str() : "heddle-compile " HEDDLE_VERSION "\n", stdout);
    return 0;
  }
  Status status = line.ok() ? run(*line) : line.takeStatus();
  if (!status.text().empty())
    std::fprintf(stderr, "error: %s\n", status.text().c_str());
  return status.ok() ? 0 : 1;
}

} // namespace heddle
