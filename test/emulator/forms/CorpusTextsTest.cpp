// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of the fuzzer's corpus whose names say what must become of them, compiled by ptxas:
// "loads-*.ptx" must compile, "refused-*.ptx" must not. "limits-*.ptx" are legal PTX that the
// emulated device refuses; test/fuzz shows that it does.
#include "test/emulator/forms/Ptxas.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace heddle::test {
namespace {

TEST(CorpusTexts, AreJudgedTheSameByPtxas) {
  if (std::string(HEDDLE_PTXAS).empty() || !std::filesystem::exists(HEDDLE_PTXAS))
    GTEST_SKIP() << "skipped: ptxas was not found";
  if (versionOf(HEDDLE_PTXAS).find("release 13.0") == std::string::npos)
    GTEST_SKIP() << "skipped: the texts are compared with ptxas of CUDA 13.0";
  size_t judged = 0;
  for (const auto &entry : std::filesystem::directory_iterator(HEDDLE_CORPUS)) {
    std::string name = entry.path().filename().string();
    bool isLoaded = name.starts_with("loads-");
    if (!isLoaded && !name.starts_with("refused-"))
      continue;
    std::stringstream content;
    content << std::ifstream(entry.path()).rdbuf();
    std::string text = content.str(), target = "sm_80";
    if (size_t at = text.find("sm_"); at != std::string::npos)
      target = text.substr(at, text.find_first_of(", \n", at) - at);
    std::string output = compile(HEDDLE_PTXAS, target, entry.path().string());
    EXPECT_EQ(output.empty(), isLoaded) << name << ": " << output;
    ++judged;
  }
  EXPECT_GT(judged, 30u);
}

} // namespace
} // namespace heddle::test
