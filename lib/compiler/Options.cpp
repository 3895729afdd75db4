// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks options before any work is done.
#include "lib/compiler/Options.h"

#include "heddle/Target.h"
#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

namespace heddle::compiler {

static constexpr std::string_view kStageNames[] = {"import", "graph", "kernel",  "ptx",
                                                   "plan",   "sass",  "artifact"};
static constexpr std::string_view kPrecisions[] = {"f32", "tf32", "f16", "bf16"};

static std::optional<Stage> findStage(std::string_view name) {
  const auto *found = std::find(std::begin(kStageNames), std::end(kStageNames), name);
  if (found == std::end(kStageNames))
    return std::nullopt;
  return Stage(found - std::begin(kStageNames));
}

static Result<Stage> checkStage(const CompileOptions &options) {
  std::optional<Stage> emit = findStage(options.emit);
  if (!emit)
    return invalidArgument("there is nothing named '" + options.emit +
                           "' to emit; it can be artifact, import, graph, kernel, ptx, plan, sass");
  if (options.stopAfter.empty())
    return *emit;
  std::optional<Stage> stop = findStage(options.stopAfter);
  if (!stop || *stop > Stage::kPlan)
    return invalidArgument("there is no stage '" + options.stopAfter +
                           "' to stop after; the stages are import, graph, kernel, ptx, plan");
  if (*emit != Stage::kArtifact && *emit != *stop)
    return invalidArgument("a compile that stops after '" + options.stopAfter +
                           "' emits that stage, not '" + options.emit + "'; give one of the two");
  return *stop;
}

Result<Stage> check(const CompileOptions &options) {
  HEDDLE_TRY_ASSIGN(Stage last, checkStage(options));
  if (std::find(std::begin(kPrecisions), std::end(kPrecisions), options.precision) ==
      std::end(kPrecisions))
    return invalidArgument("there is no precision '" + options.precision +
                           "'; it can be f32, tf32, f16 or bf16");
  if (options.targets.empty())
    return invalidArgument("no target is named");
  for (size_t i = 0; i < options.targets.size(); ++i) {
    if (auto target = findTarget(options.targets[i]); !target.ok())
      return target.takeStatus();
    if (std::find(options.targets.begin(), options.targets.begin() + i, options.targets[i]) !=
        options.targets.begin() + i)
      return invalidArgument("target '" + options.targets[i] + "' is named twice");
  }
  for (const auto &[name, size] : options.dimSizes)
    if (size < 0)
      return invalidArgument("dimension '" + name + "' must not be negative, got " +
                             std::to_string(size));
  return last;
}

std::string describe(const CompileOptions &options) {
  std::string text = "--precision=" + options.precision;
  for (const auto &[name, size] : options.dimSizes)
    text += " --dim=" + name + "=" + std::to_string(size);
  for (const auto &[name, value] : options.inputValues)
    text += " --value=" + name + "=" + value;
  return text;
}

} // namespace heddle::compiler
