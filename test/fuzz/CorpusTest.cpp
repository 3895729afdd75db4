// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays the fuzzer's corpus in the ordinary build. A text is named for what must become of it:
// "loads-*.ptx" loads, "refused-*.ptx" (no PTX) and "limits-*.ptx" (more than the device knows) do
// not, of any other it is enough that it does no harm.
#include "test/fuzz/FrontEnd.h"
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <vector>

namespace heddle::test {
namespace {

std::string contentOf(const std::filesystem::path &file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream content;
  content << stream.rdbuf();
  return content.str();
}

std::vector<std::filesystem::path> corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(HEDDLE_CORPUS))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Of the processor, which other processes do not lengthen.
double millisecondsOf(const std::string &text) {
  std::clock_t begin = std::clock();
  load(text);
  return 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// Each text of the corpus is judged as its name says.
TEST(Corpus, IsJudgedAsNamed) {
  ASSERT_FALSE(corpus().empty());
  for (const auto &file : corpus()) {
    Verdict verdict = load(contentOf(file));
    std::string name = file.filename().string();
    if (name.starts_with("loads-")) {
      EXPECT_TRUE(verdict.isLoaded) << name << ": " << verdict.error;
    }
    if (name.starts_with("refused-") || name.starts_with("limits-")) {
      EXPECT_FALSE(verdict.isLoaded) << name;
    }
    EXPECT_EQ(verdict.isLoaded, verdict.error.empty()) << name;
    EXPECT_LT(verdict.error.size(), 10000u) << name;
  }
}

// Texts cut short and with bytes exchanged are loaded or refused, but nothing crashes.
TEST(Corpus, SurvivesDamage) {
  std::mt19937 random(20261201);
  for (const auto &file : corpus()) {
    std::string text = contentOf(file);
    for (int round = 0; round < 40 && text.size() > 8; ++round) {
      std::string damaged = text.substr(0, round % 2 ? text.size() : random() % text.size());
      for (int i = 0; i < 4 && !damaged.empty(); ++i)
        damaged[random() % damaged.size()] = text[random() % text.size()];
      load(damaged);
    }
  }
}

std::string repeated(const std::string &part, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += part;
  return result;
}

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

// Deep nesting is refused before it reaches the end of the stack.
TEST(Corpus, NestingIsBounded) {
  constexpr size_t kDepth = 200000;
  std::string body = kHead + ".visible .entry k()\n{\n.reg .b32 %r<4>;\n";
  for (const std::string &text :
       {body + repeated("{", kDepth), body + "mov.b32 %r1, " + repeated("(", kDepth),
        body + "mov.b32 %r1, " + repeated("-", kDepth) + "1;",
        body + "mov.b32 %r1, " + repeated("1+(", kDepth) + "1;",
        body + "mov.b32 %r1, " + repeated("1?", kDepth) + "1;",
        body + "mov.b32 %r1, " + repeated("{", kDepth),
        body + "ld.global.b32 %r1, " + repeated("[", kDepth),
        body + "call (" + repeated("(", kDepth),
        kHead + ".global .b32 x[] = " + repeated("{", kDepth),
        kHead + ".section .debug " + repeated("{", kDepth), repeated("/*", kDepth)}) {
    Verdict verdict = load(text);
    EXPECT_FALSE(verdict.isLoaded) << text.substr(0, 120);
  }
}

// A text ten times as long takes about ten times as long: at most forty times, on a machine with
// busy caches.
TEST(Corpus, TimeIsNearlyLinear) {
  auto expectLinear = [](const char *what, auto make) {
    std::string shortText = make(2000), longText = make(20000);
    double one = std::min(millisecondsOf(shortText), millisecondsOf(shortText));
    double ten = std::min(millisecondsOf(longText), millisecondsOf(longText));
    EXPECT_LT(ten, 40 * std::max(one, 3.0)) << what << ": " << one << " ms, then " << ten << " ms";
  };
  std::string entry = kHead + ".visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .pred %p<4>;\n";
  auto numbered = [](const std::string &part, size_t count) {
    std::string result;
    for (size_t i = 0; i < count; ++i) {
      std::string line = part;
      for (size_t at; (at = line.find('#')) != std::string::npos;)
        line.replace(at, 1, std::to_string(i));
      result += line;
    }
    return result;
  };
  expectLinear("instructions", [&](size_t n) {
    return entry + repeated("add.s32 %r1, %r2, %r3;\n", n) + "ret;\n}\n";
  });
  expectLinear("registers of a scope", [&](size_t n) {
    return entry + "{\n" + numbered(".reg .b32 a#;\nmov.b32 a#, 1;\n", n) + "}\nret;\n}\n";
  });
  expectLinear("scopes", [&](size_t n) {
    return entry + numbered("{ .reg .b32 a; mov.b32 a, 1; bra L; L: }\n", n) + "ret;\n}\n";
  });
  expectLinear("labels and branches",
               [&](size_t n) { return entry + numbered("L#: @%p1 bra L#;\n", n) + "ret;\n}\n"; });
  expectLinear("a ladder of branches", [&](size_t n) {
    return entry + numbered("@%p1 bra E#;\n", n) + "ret;\n" +
           numbered("E#: add.s32 %r1, %r1, 1;\n", n) + "ret;\n}\n";
  });
  expectLinear("functions", [&](size_t n) {
    return kHead + numbered(".func f#() { ret; }\n", n) + entry.substr(kHead.size()) +
           numbered("call f#;\n", n / 4) + "ret;\n}\n";
  });
  expectLinear("kernels and variables", [&](size_t n) {
    return kHead + numbered(".shared .align 4 .b8 s#[4];\n", n / 10) +
           numbered(".entry k#() { ret; }\n", n / 10);
  });
  expectLinear("initialisers", [&](size_t n) {
    return kHead + ".global .b32 x[] = {" + repeated("1, ", n) + "1};\n";
  });
  expectLinear("errors far behind",
               [&](size_t n) { return entry + repeated("ret;\n", n) + "frobnicate;\n}\n"; });
}

// Calls are inlined; a few lines of text must not become millions of instructions.
TEST(Corpus, InliningIsBounded) {
  std::string text = kHead + ".func f0() { ret; }\n";
  for (int i = 1; i < 15; ++i) {
    std::string callee = "f" + std::to_string(i - 1);
    text += ".func f" + std::to_string(i) + "() {\n" + repeated("call " + callee + ";\n", 8) +
            "ret; }\n";
  }
  text += ".visible .entry k() { call f14; ret; }\n";
  Verdict verdict = load(text);
  EXPECT_FALSE(verdict.isLoaded);
  EXPECT_EQ(verdict.stage, Stage::kLower) << verdict.error;
  EXPECT_LT(millisecondsOf(text), 5000);
}

} // namespace
} // namespace heddle::test
