// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the program, gathers inputs, runs, reports. Every line that is printed starts with what it
// is about, so that people and scripts find it.
#include "runtime/cli/Session.h"
#include "runtime/Executor.h"
#include "runtime/cli/CountersTable.h"
#include "runtime/cli/Options.h"
#include "runtime/cli/TensorFile.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <new>
#include <set>
#include <stdexcept>

namespace heddle::runtime::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kPreviewElements = 5;
constexpr uint64_t kSeedStride = 1000003; // inputs must not repeat each other's numbers

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void printLine(const char *what, const std::string &text) {
  std::printf("%-10s%s\n", what, text.c_str());
}

std::string formatMilliseconds(double time) {
  char text[40];
  std::snprintf(text, sizeof text, time < 10 ? "%.3f ms" : "%.1f ms", time);
  return text;
}

std::string formatBytes(int64_t bytes) {
  char text[40];
  if (bytes < 1024)
    return std::to_string(bytes) + " bytes";
  bool large = bytes >= 1024 * 1024;
  std::snprintf(text, sizeof text, "%.1f %s",
                static_cast<double>(bytes) / (large ? 1024.0 * 1024.0 : 1024.0),
                large ? "MiB" : "KiB");
  return text;
}

class Session {
public:
  explicit Session(Options options) : options(std::move(options)) {}

  Status run() {
    HEDDLE_TRY_ASSIGN(artifact::ArtifactFile file, artifact::ArtifactFile::open(options.model));
    printFile(file.data());
    // Looking at a model needs no device.
    const artifact::Variant &first = file.data().variants.front();
    if (!options.wantsRun() && !first.inputs.empty()) {
      std::printf("%s\npass %s; --help shows all\n", signature(first).c_str(),
                  howToPass(first).c_str());
      return Status::success();
    }
    HEDDLE_TRY(openProgram(std::move(file)));
    HEDDLE_TRY(readInputs());
    HEDDLE_TRY(execute());
    HEDDLE_TRY(writeOutputs());
    HEDDLE_TRY(compareOutputs());
    if (options.benchmarkRuns > 0)
      HEDDLE_TRY(benchmark());
    if (options.counters)
      std::printf("%s", formatCounters(program->device()->driver().emulatedCounters()).c_str());
    return Status::success();
  }

private:
  static void printFile(const artifact::ArtifactData &data) {
    printLine("model", data.model + (data.producer.empty() ? "" : ", by " + data.producer));
    std::string targets;
    for (const artifact::Variant &variant : data.variants)
      targets += (targets.empty() ? "" : ", ") + variant.target;
    printLine("targets", targets);
  }

  Status openProgram(artifact::ArtifactFile file) {
    if (options.check || options.counters) {
      const char *flag = options.check ? "--check" : "--counters";
      if (options.device.starts_with("cuda"))
        return invalidArgument(std::string(flag) +
                               " works on the emulated device only; use --device=emu");
      if (options.device == "auto")
        options.device = "emu";
      if (options.check)
        ::setenv("HEDDLE_EMU_CHECK", "all", /*overwrite=*/1);
      if (options.counters)
        ::setenv("HEDDLE_EMU_COUNTERS", "1", /*overwrite=*/1);
    }
    HEDDLE_TRY_ASSIGN(program,
                      Program::load(std::move(file), options.device,
                                    options.check ? MemoryMode::kSeparate : MemoryMode::kArena));
    const Device &device = *program->device();
    if (!device.note().empty())
      printLine("note", "no real GPU, so the emulated device: " + device.note());
    printLine("device", device.spec() + ", " + device.name() + ", compute capability " +
                            std::to_string(device.major()) + "." + std::to_string(device.minor()));
    printLine("code", program->module().description());
    return Status::success();
  }

  /// Splits NAME=VALUE at the end of the longest name that the program has.
  Result<std::pair<size_t, std::string>>
  split(const std::string &pair, const std::vector<artifact::Value> &values, bool isInput) {
    size_t best = values.size();
    for (size_t i = 0; i < values.size(); ++i)
      if (pair.starts_with(values[i].name + "=") &&
          (best == values.size() || values[i].name.size() > values[best].name.size()))
        best = i;
    if (best < values.size())
      return std::make_pair(best, pair.substr(values[best].name.size() + 1));
    std::string name = pair.substr(0, pair.rfind('='));
    Result<size_t> unknown = isInput ? program->findInput(name) : program->findOutput(name);
    return unknown.ok() ? invalidArgument("\"" + pair + "\" is not of the form NAME=...")
                        : unknown.takeStatus();
  }

  Status readInputs() {
    const std::vector<artifact::Value> &values = program->variant().inputs;
    std::map<size_t, Dims> shapes;
    for (const std::string &pair : options.shapes) {
      HEDDLE_TRY_ASSIGN(auto place, split(pair, values, true));
      HEDDLE_TRY_ASSIGN(shapes[place.first], parseShape(place.second));
    }
    inputs.resize(values.size());
    sources.resize(values.size());
    for (const std::string &pair : options.inputs) {
      HEDDLE_TRY_ASSIGN(auto place, split(pair, values, true));
      auto [index, path] = place;
      std::string where = "input \"" + values[index].name + "\"";
      if (!sources[index].empty())
        return invalidArgument(where + " is given twice");
      if (shapes.contains(index))
        return invalidArgument(where + " has its shape from its file; leave --shape away");
      Result<Tensor> tensor = readTensorFile(path, values[index].dtype);
      if (!tensor.ok())
        return tensor.takeStatus().in(where);
      inputs[index] = std::move(*tensor);
      sources[index] = path;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (!sources[i].empty())
        continue;
      if (!options.randomSeed)
        return invalidArgument("input \"" + values[i].name + "\" is missing: pass " +
                               howToPass(program->variant()) + "; the model is\n" +
                               signature(program->variant()));
      Dims dims = shapes.contains(i) ? shapes[i] : defaultDims(values[i]);
      uint64_t seed = *options.randomSeed * kSeedStride + i;
      Result<Tensor> tensor = randomTensor(values[i].dtype, dims, seed);
      if (!tensor.ok())
        return tensor.takeStatus().in("input \"" + values[i].name + "\"");
      inputs[i] = std::move(*tensor);
      sources[i] = "random, seed " + std::to_string(*options.randomSeed);
    }
    return Status::success();
  }

  Dims defaultDims(const artifact::Value &value) {
    Dims dims;
    for (artifact::ExprId id : value.dims) {
      const artifact::Expr &expr = program->variant().exprs[id];
      dims.push_back(expr.kind == artifact::ExprKind::kConstant ? expr.value : 1);
    }
    return dims;
  }

  /// Of the inputs that are not given.
  std::string howToPass(const artifact::Variant &variant) {
    std::string text;
    for (size_t i = 0; i < variant.inputs.size(); ++i)
      if (sources.empty() || sources[i].empty())
        text += "--input \"" + variant.inputs[i].name + "=FILE\" ";
    return text + "or --random=SEED for made-up numbers";
  }

  Status execute() {
    HEDDLE_TRY_ASSIGN(executor, Executor::create(program));
    for (const Tensor &input : inputs)
      views.emplace_back(input);
    Clock::time_point start = Clock::now();
    HEDDLE_TRY(executor->run(views, outputs));
    double time = millisecondsSince(start);
    const artifact::Variant &variant = program->variant();
    auto print = [&](const char *what, const artifact::Value &value, const Tensor &tensor,
                     const std::string &rest) {
      printLine(what, value.name + "  " + std::string(name(value.dtype)) + "  " +
                          formatDims(tensor.dims) + (rest.empty() ? "" : "  " + rest));
    };
    for (size_t i = 0; i < inputs.size(); ++i)
      print("input", variant.inputs[i], inputs[i], sources[i]);
    for (size_t i = 0; i < outputs.size(); ++i)
      print("output", variant.outputs[i], outputs[i], preview(outputs[i], kPreviewElements));
    printLine("kernels", std::to_string(executor->launchCount()) + " launched, " +
                             std::to_string(variant.kernels.size()) + " different");
    printLine("memory", formatBytes(program->weightBytes()) + " weights, " +
                            formatBytes(executor->arenaBytes()) + " arena");
    printLine("time", formatMilliseconds(time) + " first run, copies included" + emulatedNote());
    if (options.check)
      printLine("check", "no error found");
    return Status::success();
  }

  std::string emulatedNote() const {
    return program->device()->emulated() ? " (of the emulation, not of a GPU)" : "";
  }

  Status writeOutputs() {
    if (options.outputFolder.empty())
      return Status::success();
    std::error_code error;
    std::filesystem::create_directories(options.outputFolder, error);
    if (error)
      return ioError("cannot make folder \"" + options.outputFolder + "\": " + error.message());
    std::set<std::string> taken;
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::string stem = fileNameFor(program->variant().outputs[i].name);
      // Two names may differ in nothing but what a file name cannot bear.
      if (!taken.insert(stem).second)
        taken.insert(stem += "_" + std::to_string(i));
      std::string path = (std::filesystem::path(options.outputFolder) / (stem + ".npy")).string();
      HEDDLE_TRY(writeNpyFile(path, outputs[i]));
      printLine("wrote", path);
    }
    return Status::success();
  }

  Status compareOutputs() {
    for (const std::string &pair : options.expectations) {
      const std::vector<artifact::Value> &values = program->variant().outputs;
      HEDDLE_TRY_ASSIGN(auto place, split(pair, values, false));
      auto [index, path] = place;
      std::string where = "output \"" + values[index].name + "\"";
      Result<Tensor> expected = readTensorFile(path, values[index].dtype);
      if (!expected.ok())
        return expected.takeStatus().in(where);
      Result<std::string> verdict = compareTensors(outputs[index], *expected, options.tolerance);
      if (!verdict.ok())
        return Status(verdict.status().code(), where + " " + verdict.status().text());
      printLine("expect", values[index].name + "  agrees with " + path + ", " + *verdict);
    }
    return Status::success();
  }

  Status benchmark() {
    std::vector<double> times;
    for (int i = 0; i < options.benchmarkRuns; ++i) {
      Clock::time_point start = Clock::now();
      HEDDLE_TRY(executor->launch());
      HEDDLE_TRY(executor->synchronize());
      times.push_back(millisecondsSince(start));
    }
    std::sort(times.begin(), times.end());
    printLine("benchmark", "median " + formatMilliseconds(times[times.size() / 2]) + ", fastest " +
                               formatMilliseconds(times.front()) + ", slowest " +
                               formatMilliseconds(times.back()) + " of " +
                               std::to_string(times.size()) + " runs without copies" +
                               emulatedNote());
    return Status::success();
  }

  Options options;
  std::shared_ptr<const Program> program;
  std::unique_ptr<Executor> executor;
  std::vector<Tensor> inputs, outputs;
  std::vector<TensorView> views;
  std::vector<std::string> sources; ///< per input: where it came from; empty: not given
};

} // namespace

Status runSession(const std::vector<std::string> &arguments) {
  HEDDLE_TRY_ASSIGN(Options options, parseOptions(arguments));
  if (options.help) {
    std::fputs(kHelp, stdout);
    return Status::success();
  }
  if (options.version) {
    std::puts("heddle-run " HEDDLE_VERSION);
    return Status::success();
  }
  return Session(std::move(options)).run();
}

int runMain(int argc, char **argv) {
  std::string error;
  try {
    Status status = runSession({argv + 1, argv + argc});
    error = status.text();
    if (status.ok() && (std::fflush(stdout) != 0 || std::ferror(stdout)))
      error = "cannot write to standard output";
  } catch (const std::length_error &) {
    error = "an object is larger than memory can hold";
  } catch (const std::bad_alloc &) {
    error = "the host is out of memory";
  }
  if (error.empty())
    return 0;
  std::fflush(stdout);
  std::fprintf(stderr, "error: %s\n", error.c_str());
  return 1;
}

} // namespace heddle::runtime::cli
