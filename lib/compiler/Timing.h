// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the stages of a compile take.
#ifndef HEDDLE_LIB_COMPILER_TIMING_H
#define HEDDLE_LIB_COMPILER_TIMING_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <string>

namespace heddle::compiler {

/// Sums up wall time by stage; a stage that runs once a target counts all of them.
class Timing {
  using Clock = std::chrono::steady_clock;

public:
  /// Counts from its making to its end.
  class Scope {
  public:
    Scope(Timing &timing, const char *stage) : timing(timing), stage(stage), begin(Clock::now()) {}
    Scope(const Scope &) = delete;
    ~Scope() {
      timing.seconds[stage] += std::chrono::duration<double>(Clock::now() - begin).count();
    }

  private:
    Timing &timing;
    llvm::StringRef stage;
    Clock::time_point begin;
  };

  Scope start(const char *stage) { return {*this, stage}; }

  std::string table() const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    double total = 0;
    for (const auto &[stage, time] : seconds) {
      stream << llvm::format("%-8s %8.3f s\n", stage.str().c_str(), time);
      total += time;
    }
    stream << llvm::format("%-8s %8.3f s\n", "total", total);
    return text;
  }

private:
  llvm::MapVector<llvm::StringRef, double> seconds;
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_TIMING_H
