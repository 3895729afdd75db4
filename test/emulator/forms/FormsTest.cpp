// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of forms against ptxas, form by form and target by target. What verify() accepts ptxas
// must accept; a form must not be refused where ptxas has it, so versions and targets are exact.
// HEDDLE_FORMS_COMPILE=1 has ptxas compile all, too, which takes minutes.
#include "runtime/emulator/ptx/Parser.h"
#include "runtime/emulator/ptx/Targets.h"
#include "runtime/emulator/ptx/Verify.h"
#include "test/emulator/forms/Ptxas.h"
#include <filesystem>
#include <gtest/gtest.h>

namespace heddle::test {
namespace {

using namespace heddle::emulator::ptx;

constexpr const char *kTargets[] = {"sm_75", "sm_80",  "sm_86",   "sm_89",
                                    "sm_90", "sm_90a", "sm_100a", "sm_120a"};
constexpr uint32_t kVersions[] = {63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77,
                                  78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};

TargetName targetOf(const char *text) {
  TargetName target;
  EXPECT_TRUE(parseTarget(text, target));
  return target;
}

/// Empty: parse() and verify() accept the snippet.
std::string verdict(const Batch &batch, const Snippet &snippet) {
  Module module;
  std::string error;
  std::string text = moduleHead(batch.version, batch.target) + snippet.kernel("k");
  if (parse(text, module, error) && verify(module, error))
    return "";
  return error;
}

class Forms : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (std::string(HEDDLE_PTXAS).empty() || !std::filesystem::exists(HEDDLE_PTXAS))
      GTEST_SKIP() << "skipped: ptxas was not found";
    // What the ISA says of versions and targets has changed between toolkits.
    static const std::string known = versionOf(HEDDLE_PTXAS);
    if (known.find("release 13.0") == std::string::npos)
      GTEST_SKIP() << "skipped: the table is compared with ptxas of CUDA 13.0, this is " << known;
  }
  /// Batches by version.
  void add(uint32_t version, Snippet snippet) {
    Batch &batch = byVersion[version];
    batch.version = version;
    batch.target = GetParam();
    batch.snippets.push_back(std::move(snippet));
  }
  /// Counts of what each accepts; complains of differences.
  void compare(bool mayBeStricter) {
    std::vector<Batch> batches;
    for (auto &[version, batch] : byVersion)
      batches.push_back(std::move(batch));
    askPtxas(HEDDLE_PTXAS, batches);
    size_t accepted = 0, refused = 0;
    std::map<std::string, size_t> stricter;
    for (const Batch &batch : batches) {
      for (size_t i = 0; i < batch.snippets.size(); ++i) {
        const Snippet &snippet = batch.snippets[i];
        std::string ours = verdict(batch, snippet);
        auto theirs = batch.refused.find(i);
        bool isRefused = theirs != batch.refused.end();
        accepted += !isRefused;
        refused += isRefused;
        std::string place = "version " + std::to_string(batch.version) + ", " + batch.target +
                            ", " + snippet.what + ": " + snippet.instruction + "\n    row " +
                            snippet.form->row->pattern;
        if (isRefused && ours.empty())
          ADD_FAILURE() << place << "\n    ptxas refuses it, the table does not:" << theirs->second;
        else if (!isRefused && !ours.empty() && mayBeStricter)
          ++stricter[snippet.what];
        else if (!isRefused && !ours.empty())
          ADD_FAILURE() << place << "\n    ptxas accepts it, the table does not: " << ours;
      }
    }
    std::printf("%s: ptxas accepts %zu and refuses %zu, the same here\n", GetParam(), accepted,
                refused);
    for (const auto &[what, count] : stricter)
      std::printf("  but %zu are refused only here: %s\n", count, what.c_str());
  }

  std::map<uint32_t, Batch> byVersion;
};

// Each form is accepted from its first version on, on each target that has it.
TEST_P(Forms, AreAccepted) {
  TargetName target = targetOf(GetParam());
  uint32_t first = firstVersion(target);
  for (const Form &form : FormTable::get().forms())
    if (hasForm(form.row->targets, target))
      for (Snippet &snippet : snippetsOf(form, true))
        add(std::max<uint32_t>(form.row->version, first), std::move(snippet));
  compare(false);
}

// A version or a target that is too low is refused.
TEST_P(Forms, NeedTheirVersionAndTarget) {
  TargetName target = targetOf(GetParam());
  uint32_t first = firstVersion(target);
  for (const Form &form : FormTable::get().forms()) {
    Snippet snippet = snippetsOf(form, false).front();
    if (!hasForm(form.row->targets, target)) {
      snippet.what = "target too low";
      add(std::max<uint32_t>(form.row->version, first), snippet);
      continue;
    }
    uint32_t before = 0;
    for (uint32_t version : kVersions)
      if (version < form.row->version)
        before = version;
    if (before < first)
      continue;
    snippet.what = "version too low";
    add(before, snippet);
  }
  compare(false);
}

// Widths, counts of registers and operands, and the order of modifiers.
TEST_P(Forms, RefuseMutants) {
  TargetName target = targetOf(GetParam());
  for (const Form &form : FormTable::get().forms())
    if (hasForm(form.row->targets, target))
      for (Snippet &snippet : mutantsOf(form))
        add(90, std::move(snippet));
  compare(true);
}

INSTANTIATE_TEST_SUITE_P(Target, Forms, testing::ValuesIn(kTargets),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
} // namespace heddle::test
